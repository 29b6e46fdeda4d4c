"""What each snippet should give: the code in the image's own Python, outside any cell.

Runs inside the image's tree by chroot (see `run`), with nothing of brig loaded. A child for each
snippet executes it as a script and writes down what it printed, its closing value, the figures it
made, the files it left and how it ended.

    python3.13 reference.py SHARE OF     every OF-th snippet of /mnt/tests, beginning with SHARE
"""

import ast
import builtins
import ctypes
import functools
import hashlib
import importlib
import io
import json
import linecache
import os
import shutil
import sys
import tokenize
import traceback
import types

sys.path.insert(0, "/mnt/tests")

import plainvalue  # noqa: E402
import snippetfile  # noqa: E402

WORK, OUT = "/mnt/data", "/mnt/out"
SCRIPT = WORK + "/job.py"

# How tables are printed is the image's own setting: wide enough, and told apart by rows.
PANDAS = {
    "display.unicode.east_asian_width": True,
    "display.width": 160,
    "display.max_columns": 20,
    "display.max_rows": 50,
    "display.min_rows": 20,
    "display.max_colwidth": 100,
}
WARM = "numpy pandas matplotlib.pyplot scipy.stats sklearn.linear_model statsmodels.api seaborn"
DRAWING = {
    "line": "plot step semilogx semilogy loglog",
    "scatter": "scatter",
    "bar": "bar barh",
    "histogram": "hist",
    "pie": "pie",
    "box": "boxplot bxp",
    "violin": "violinplot violin",
    "heatmap": "pcolormesh pcolor imshow matshow spy hist2d",
    "area": "fill_between stackplot fill_betweenx",
    "contour": "contour contourf tricontour tricontourf",
    "stem": "stem",
    "errorbar": "errorbar",
    "hexbin": "hexbin",
    "quiver": "quiver",
    "surface": "plot_surface plot_trisurf",
}
# Kinds that are made of lines which are no series of their own.
PARTS_ARE_LINES = {"box", "violin", "errorbar", "stem"}


class Figures:
    """The figures of one snippet, in the order in which a person would have seen them."""

    def __init__(self):
        from matplotlib import pyplot

        self.pyplot = pyplot
        self.seen = []
        self.depth = 0
        self.calls = []
        pyplot.show = lambda *_args, **_options: self.show()
        sys.modules["matplotlib"].use = lambda *_args, **_options: None  # there is no screen
        from matplotlib.figure import Figure

        Figure.show = lambda figure, *_: self.take(figure, True)
        from PIL import Image

        Image.Image.show = lambda image, *_, **__: self.seen.append({"picture": list(image.size)})
        self._watch()

    def _watch(self):
        """Notes the kind of every plotting call that code outside matplotlib makes."""
        from matplotlib.axes import Axes
        from mpl_toolkits.mplot3d import Axes3D

        for kind, names in DRAWING.items():
            for name in names.split():
                for owner in (Axes, Axes3D):
                    if name in vars(owner) or (owner is Axes and hasattr(Axes, name)):
                        setattr(owner, name, self._noting(kind, getattr(owner, name)))

    def _noting(self, kind, method):
        @functools.wraps(method)
        def noting(axes, *args, **kwargs):
            self.depth += 1
            try:
                made = method(axes, *args, **kwargs)
            finally:
                self.depth -= 1
            if self.depth == 0:
                self.calls.append((axes, kind, made))
            return made

        return noting

    def show(self):
        """Every open figure, as plt.show() or the end of a notebook's cell shows them."""
        for number in self.pyplot.get_fignums():
            self.take(self.pyplot.figure(number), True)

    def take_value(self, value):
        """A closing value that is a figure of its own, not one of pyplot's."""
        numbers = map(self.pyplot.figure, self.pyplot.get_fignums())
        if hasattr(value, "savefig") and hasattr(value, "axes") and value not in list(numbers):
            self.take(value, False)

    def take(self, figure, close):
        """Notes a figure on which something is drawn."""
        drawn = any(ax.has_data() or ax.texts or ax.tables for ax in figure.axes)
        if drawn or figure.texts or figure.images or figure.patches or figure.lines:
            self.seen.append(self.describe(figure))
        if close:
            self.pyplot.close(figure)

    def describe(self, figure):
        """Titles, labels, kinds and the plotted numbers of a figure."""
        own = figure._suptitle.get_text() if figure._suptitle else ""
        panels = [ax for ax in figure.axes if not hasattr(ax, "_colorbar")]
        kinds = {ax: self._kinds(ax) for ax in panels}
        titles = [ax.get_title() or ax.get_title("left") or ax.get_title("right") for ax in panels]
        titles = [title for title in titles if title]
        return {
            "title": own or (titles[0] if len(titles) == 1 else ""),
            "titles": titles,
            "labels": sorted({text for ax in panels
                              for text in (ax.get_xlabel(), ax.get_ylabel()) if text}),
            "kinds": sorted(set().union(*kinds.values())),
            "lines": [plainvalue.numbers(line.get_ydata(orig=False)) for ax in panels
                      if not kinds[ax] & PARTS_ARE_LINES
                      for line in ax.lines if _is_curve(ax, line)],
            "bars": [plainvalue.numbers([bar.get_width() if bars.orientation == "horizontal"
                                         else bar.get_height() for bar in bars])
                     for ax in panels if "histogram" not in kinds[ax] for bars in ax.containers
                     if hasattr(bars, "orientation") and hasattr(bars, "patches")],
        }

    def _kinds(self, ax):
        return {kind for where, kind, made in self.calls
                if where is ax and any(part.axes is ax for part in _artists(made))}


def _artists(made):
    """The artists that a plotting call has given, however it wraps them."""
    if isinstance(made, dict):
        made = list(made.values())
    if isinstance(made, (list, tuple)):
        for part in made:
            yield from _artists(part)
    elif hasattr(made, "axes"):
        yield made
    elif hasattr(made, "patches"):
        yield from made.patches


def _is_curve(ax, line):
    if line.get_transform() != ax.transData or hasattr(line, "_verts3d"):
        return False
    return len(line.get_ydata()) > 0 and line.get_linestyle() not in ("None", "", " ")


def is_drawing(value):
    """Whether a value is, or holds, something that matplotlib drew."""
    from matplotlib.artist import Artist
    from matplotlib.container import Container

    if isinstance(value, (Artist, Container)) or type(value).__module__ == "seaborn.axisgrid":
        return True
    if isinstance(value, dict):
        value = list(value.values())
    if type(value).__name__ == "ndarray":
        value = value.ravel().tolist() if value.dtype == object else []
    return type(value) in (list, tuple) and any(is_drawing(part) for part in value)


def is_silenced(code, last):
    """Whether a semicolon ends the closing expression."""
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.string == ";" and token.start >= (last.end_lineno, 0):
            if token.start[0] > last.end_lineno or token.start[1] >= last.end_col_offset:
                return True
    return False


def execute(code, main):
    """Runs the code as a script; returns the value of its closing expression."""
    tree = ast.parse(code, "job.py")
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not is_silenced(code, tree.body[-1]):
        last = tree.body[-1]
        name = ast.Name("_closing_value_", ast.Store())
        tree.body[-1] = ast.copy_location(ast.Assign([name], last.value), last)
        ast.fix_missing_locations(tree)
    program = compile(tree, "job.py", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if program.co_flags & 0x80:
        import asyncio

        asyncio.run(eval(program, main))
    else:
        exec(program, main)
    return main.pop("_closing_value_", None)


def shown_by(figures, tables):
    """A display() that does what its author expects."""

    def display(*things, **_options):
        for thing in things:
            if is_drawing(thing):
                figure = thing if hasattr(thing, "savefig") else thing.get_figure()
                figures.take(figure, True)
            elif plainvalue.is_frame(thing):
                tables.append(plainvalue.table(thing))
            else:
                print(thing if isinstance(thing, str) else repr(thing))

    return display


def error_of(fault):
    """Type, message and line of an exception, as a traceback's end says them."""
    if isinstance(fault, SyntaxError) and fault.filename == "job.py":
        return {"type": type(fault).__name__, "message": fault.msg, "line": fault.lineno}
    frames = [f for f in traceback.extract_tb(fault.__traceback__) if f.filename == "job.py"]
    return {
        "type": type(fault).__name__,
        "message": str(fault),
        "line": frames[-1].lineno if frames else None,
    }


def files_left(inputs, kept):
    """Name → sha256 of what lies in the work folder; the files themselves go to `kept`."""
    found = {}
    for folder, folders, names in os.walk(WORK):
        folders[:] = [n for n in folders if n != "__pycache__" and not n.startswith(".")]
        for name in names:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, WORK)
            if inside in inputs or name.startswith(".") or os.path.islink(path):
                continue
            with open(path, "rb") as file:
                found[inside] = hashlib.sha256(file.read()).hexdigest()
            os.makedirs(os.path.dirname(os.path.join(kept, inside)), exist_ok=True)
            shutil.copyfile(path, os.path.join(kept, inside))
    return found


def describe(value, figures):
    """The closing value's text, JSON and table."""
    if value is None:
        return None
    if is_drawing(value):
        figures.take_value(value)
        return None
    if type(value).__module__.startswith("PIL."):
        figures.seen.append({"picture": list(value.size)})
        return None
    text = repr(value)
    out = {"text": text}
    if plainvalue.is_frame(value):
        out["table"] = plainvalue.table(value)
    elif plainvalue.is_data(value):
        out["json"] = plainvalue.plain(value)
    return out


def without_privileges():
    """Drops what lets root write to read-only inputs."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capset")


def child(snippet, number):
    """Everything about one snippet, as JSON in OUT."""
    for fd, name in ((1, "stdout"), (2, "stderr")):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(f"{OUT}/{number}.{name}", flags, 0o644), fd)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.chdir(WORK)
    without_privileges()
    sys.stdout.reconfigure(errors="backslashreplace")  # what a cell prints is never refused
    mine = os.getpid()
    sys.argv = ["job.py"]
    sys.path.insert(0, WORK)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = SCRIPT
    main.__builtins__ = builtins
    linecache.cache["job.py"] = linecache.cache[SCRIPT] = (
        len(snippet.code), None, snippet.code.splitlines(keepends=True), "job.py")
    figures, tables = Figures(), []
    builtins.display = shown_by(figures, tables)
    out = {"outcome": "ok", "exit_code": 0, "error": None, "value": None}
    try:
        value = execute(snippet.code, main.__dict__)
        if os.getpid() == mine:
            out["value"] = describe(value, figures)
    except SystemExit as stop:
        out["outcome"] = "exit"
        out["exit_code"] = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if out["exit_code"] == 0:
            out["outcome"] = "ok"
    except BaseException as fault:
        out |= {"outcome": "error", "exit_code": 1, "error": error_of(fault)}
    if os.getpid() != mine:
        os._exit(0)
    sys.stdout.flush()
    figures.show()
    out["charts"], out["tables"] = figures.seen, tables
    out["files"] = files_left(snippet.inputs, f"{OUT}/{number}.files")
    with open(f"{OUT}/{number}.json", "w", encoding="utf-8") as file:
        json.dump({"title": snippet.title, **out}, file, ensure_ascii=True)


def clear():
    """An empty work folder."""
    for name in os.listdir(WORK):
        path = os.path.join(WORK, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def main(share, of):
    """Each snippet of the share in a fresh child and a fresh folder."""
    for name in WARM.split():
        importlib.import_module(name)
    import matplotlib

    matplotlib.use("agg")
    for name, value in PANDAS.items():
        sys.modules["pandas"].set_option(name, value)
    for number, snippet in enumerate(snippetfile.load()):
        if number % of != share:
            continue
        clear()
        for name in snippet.inputs:
            shutil.copyfile(f"/mnt/tests/inputs/{name}", f"{WORK}/{name}")
            os.chmod(f"{WORK}/{name}", 0o444)
        pid = os.fork()
        if pid == 0:
            try:
                child(snippet, number)
            except BaseException:
                with open(f"{OUT}/{number}.fault", "w", encoding="utf-8") as file:
                    file.write(f"{snippet.title}\n{traceback.format_exc()}")
            finally:
                os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
