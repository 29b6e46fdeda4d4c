"""The same code in an ordinary Python of the image: what a snippet should give.

Nothing of brig is loaded here. The closing expression is shown by its repr, figures are counted.
"""

import ast
import os
import sys

WIDTHS = {
    "display.unicode.east_asian_width": True,
    "display.width": 160,
    "display.max_columns": 20,
    "display.max_rows": 50,
    "display.min_rows": 20,
    "display.max_colwidth": 100,
}


def expected(code, work, out):
    """(stdout, value, charts) of the code, run in a child in the folder `work`."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            _child(code, work, out)
        except BaseException:
            import traceback

            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    parts = []
    for name in ("plain-out", "plain-value", "plain-charts", "plain-err"):
        with open(f"{out}/{name}", encoding="utf-8") as file:
            parts.append(file.read())
    if status:
        raise RuntimeError(f"the snippet fails in an ordinary Python: {parts[3]}")
    return parts[0], parts[1], int(parts[2] or 0)


def _child(code, work, out):
    names = ("out", "value", "charts", "err")
    files = {n: open(f"{out}/plain-{n}", "w", encoding="utf-8") for n in names}
    os.dup2(files["out"].fileno(), 1)
    os.dup2(files["err"].fileno(), 2)
    os.chdir(work)
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", JOBLIB_MULTIPROCESSING="0")
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    import pandas

    for name, value in WIDTHS.items():
        pandas.set_option(name, value)
    shown = []

    def show(*_args, **_options):
        shown.extend(plt.get_fignums())
        plt.close("all")

    plt.show = show
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__dict__["__file__"] = work + "/job.py"
    tree = ast.parse(code)
    last = tree.body.pop().value if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "job.py", "exec"), main.__dict__)
    value = None
    if last is not None:
        value = eval(compile(ast.Expression(last), "job.py", "eval"), main.__dict__)
    sys.stdout.flush()
    if value is not None:
        files["value"].write(repr(value))
    files["charts"].write(str(len(shown) + len(plt.get_fignums())))
    for file in files.values():
        file.close()
