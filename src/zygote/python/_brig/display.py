"""display() and the value of the last expression: who shows what, and where it goes.

Frames of pandas become tables, figures and pictures become charts, everything else is text: the
text of display() on stdout in its place, that of the last expression in the value frame.
"""

import sys

from . import charts, limits, streams, tables, values
from . import job as jobs
from .pictures import picture_of
from .text import cut_middle, safe_str


def display(*objects, **_options):
    """Shows each object as well as it can be shown; IPython's options are accepted."""
    for value in objects:
        _display_one(value)


def _display_one(value):
    if show_charts(value):
        return
    if tables.is_frame(value) and send_table(value):
        return
    picture = picture_of(value, values.rich) if jobs.current is not None else None
    if picture is not None:
        charts.emit_picture(picture)
        return
    streams.write_line(display_text(value))


def display_text(value):
    """The text that stands for a displayed object on stdout."""
    if isinstance(value, str):
        return value
    for method in ("_repr_markdown_", "_repr_html_", "_repr_latex_"):
        found = values.rich(value, method)
        if isinstance(found, str) and found and not tables.is_frame(value):
            return plain_html(found) if method == "_repr_html_" else found
    return safe_str(value, values.text_of)


def plain_html(html):
    """The text of a piece of HTML."""
    import re
    from html import unescape

    html = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>", "", html)
    html = re.sub(r"(?i)</(td|th)\s*>", "\t", html)
    html = re.sub(r"(?i)<br\b[^>]*>|</(p|div|tr|li|h\d|table|ul|ol)\s*>", "\n", html)
    text = unescape(re.sub(r"<[^>]*>", "", html))
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for line in lines if line.strip())


def send_table(value):
    """Sends a table frame; False where the text should be printed in its place."""
    job = jobs.current
    if job is None or not job.frames.mine():
        return False
    if job.tables >= limits.TABLES:
        job.frames.note(f"only {limits.TABLES} tables are kept as tables: the others are printed")
        return False
    table = tables.table_of(value)
    text = cut_middle(values.text_of(value), limits.TABLE_TEXT_BYTES)
    if not job.frames.send_json("table", {"table": table, "text": text}):
        job.frames.note("the tables are too large together: the later ones are printed")
        return False
    job.tables += 1
    save_csv(value)
    return True


def save_csv(value):
    """The whole table among the files, where the call asks for it."""
    job = jobs.current
    if job is None or not job.table_csv:
        return
    from .table_csv import write_csv

    name = write_csv(value, job)
    if name is not None:
        job.frames.note(f"the whole table is in {name}")


def show_charts(value):
    """Shows what the value draws, if it is something that matplotlib or Pillow drew."""
    pyplot_artist = sys.modules.get("matplotlib.artist")
    if pyplot_artist is None:
        return False
    figures = []
    if not _figures_of(value, pyplot_artist.Artist, figures, 0):
        return False
    for figure in figures:
        charts.show(figure)
    return True


def _figures_of(value, artist_class, figures, depth):
    """Whether a value is what a plot returns; collects the figures it belongs to.

    None for parts that decide nothing: plots return arrays and empty lists beside their artists.
    """
    if isinstance(value, artist_class):
        figure = value if hasattr(value, "savefig") else value.get_figure()
        root = getattr(figure, "figure", figure)
        if root is not None and root not in figures:
            figures.append(root)
        return True
    kind = type(value)
    if kind.__module__ == "matplotlib.container" or _is_grid(kind, value):
        return _figures_of(_leader(value), artist_class, figures, depth)
    if kind.__module__.startswith("matplotlib.") and not hasattr(kind, "_repr_png_"):
        return kind.__repr__ is object.__repr__  # a colour bar, an animation: only its address
    if kind.__name__ == "ndarray" and kind.__module__ == "numpy":
        if value.dtype != object:
            return None
        value = value.ravel().tolist()
    elif kind is dict:
        value = list(value.values())
    elif kind not in (list, tuple):
        return False
    if depth > 3 or len(value) > 10_000:
        return False
    found = None
    for item in value:
        drawn = _figures_of(item, artist_class, figures, depth + 1)
        if drawn is False:
            return False
        found = found or drawn
    return found


def _is_grid(kind, value):
    return kind.__module__.startswith("seaborn.") and hasattr(value, "figure")


def _leader(container):
    if hasattr(container, "figure"):
        return container.figure
    for part in container:
        if isinstance(part, (list, tuple)):
            part = part[0] if part else None
        if part is not None:
            return part
    return None


def send_value(value):
    """The value of the last expression as a frame; charts and pictures go as charts instead."""
    job = jobs.current
    if value is None or not job.frames.mine():
        return
    if _is_drawn(value):
        return
    picture = picture_of(value, values.rich)
    if picture is not None and picture[0] != "image/svg+xml":
        charts.emit_picture(picture)
        return
    if _is_coroutine(value):
        name = getattr(value, "__name__", "it")
        job.frames.note(f"{name}() made a coroutine that never ran: write await {name}()")
        value.close()
        return
    described = values.describe(value)
    while not job.frames.send_json("value", described) and len(described) > 1:
        for name in ("html", "json", "svg", "latex", "markdown", "table"):
            form = described.pop(name, None)
            if form is not None:
                described.setdefault("cut", {})[name] = values.size_of(form)
                break
        else:
            return
    if "table" in described:
        save_csv(value)


def _is_drawn(value):
    """Whether the value is a plot's; a figure still open is shown with the others, in order."""
    artist = sys.modules.get("matplotlib.artist")
    if artist is None:
        return False
    figures = []
    if not _figures_of(value, artist.Artist, figures, 0):
        return False
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    managers = helpers.Gcf.get_all_fig_managers() if helpers is not None else ()
    is_open = [manager.canvas.figure for manager in managers]
    for figure in figures:
        if figure not in is_open or charts.was_earlier(figure):
            charts.show(figure)
    return True


def _is_coroutine(value):
    return type(value).__name__ == "coroutine" and hasattr(value, "cr_frame")
