"""Figures as charts: each once, in order, with its alt text and the data that it shows.

`shown` remembers by figure what was handed over, so that the same picture never comes twice: a
figure changed since is a new picture. The images go to the spool, the rest into a `chart` frame.
"""

import itertools
import sys
import weakref

from . import job as jobs
from . import limits
from .scrub import scrub
from .text import clean, cut, safe_str

last_shown = None  # the figure that the latest show() closed
_shown = weakref.WeakKeyDictionary()
_number = itertools.count(1)  # of the next image: the spool outlives a call of a session


def reset():
    """Forgets and closes everything: the end of a call in a session."""
    global last_shown
    last_shown = None
    _shown.clear()
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is not None:
        helpers.Gcf.destroy_all()


def is_empty(figure):
    """Whether a figure has nothing on it at all, not even axes."""
    return not (
        figure.axes
        or figure.texts
        or figure.images
        or figure.lines
        or figure.patches
        or figure.artists
        or figure.legends
        or figure.subfigs
    )


def is_blank(figure):
    """Whether a figure has axes at most, with nothing drawn in them."""
    if is_empty(figure):
        return True
    if figure.texts or figure.images or figure.patches or figure.lines or figure.artists:
        return False
    return all(_blank_axes(axes) for axes in figure.axes) and not figure.subfigs


def _blank_axes(axes):
    parts = ("lines", "patches", "collections", "images", "texts", "tables", "artists")
    return not any(list(getattr(axes, part, ())) for part in parts)


def show(figure):
    """Hands a figure over unless it is empty or this very picture has been."""
    job = jobs.current
    if job is None or not job.frames.mine() or is_empty(figure):
        return
    if figure in _shown and not figure.stale:
        return
    if job.charts >= limits.CHARTS:
        job.frames.note(f"only the first {limits.CHARTS} charts are kept")
        return
    from . import render

    mime, data, size = render.figure(figure, job.chart_format)
    digest = (len(data), hash(data))
    if _shown.get(figure) == digest:
        figure.stale = False
        return
    _shown[figure] = digest
    figure.stale = False
    from . import alt, chartdata

    title = alt.title_of(figure)
    plotted = chartdata.of_figure(figure)
    emit(mime, data, size, title, alt.describe(plotted, title), plotted)


def show_open():
    """The figures still open, in order, but for those on which nothing was drawn."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is None:
        return
    for manager in helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        if is_blank(figure):
            continue
        try:
            show(figure)
        except Exception as fault:
            text = scrub(safe_str(fault))
            jobs.note(f"a chart could not be drawn: {type(fault).__name__}: {text}")
            helpers.Gcf.destroy(manager)


def emit(mime, data, size, title, alt_text, plotted=None):
    """Writes the image to the spool and sends its frame."""
    job = jobs.current
    if job is None or not job.frames.mine():
        return
    if job.charts >= limits.CHARTS:
        job.frames.note(f"only the first {limits.CHARTS} charts are kept")
        return
    if len(data) > limits.CHART_BYTES or size[0] * size[1] > limits.CHART_PIXELS:
        job.frames.note(
            f"a chart of {len(data):,} bytes, {size[0]} × {size[1]} pixels, was too large to keep"
        )
        return
    job.charts += 1
    suffix = {"image/png": "png", "image/jpeg": "jpg"}.get(mime, "svg")
    try:
        path = job.spool_write(f"chart-{next(_number)}.{suffix}", data)
    except OSError as fault:
        job.frames.note(f"a chart could not be kept: {fault.strerror}")
        return
    frame = {"mime": mime, "width": int(size[0]), "height": int(size[1])}
    if title:
        frame["title"] = cut(title, limits.NAME_BYTES)
    frame["alt"] = cut(clean(alt_text), limits.ALT_BYTES)
    if plotted:
        frame["data"] = plotted
    frame["path"] = path
    if not job.frames.send_json("chart", frame):
        frame.pop("data", None)
        job.frames.send_json("chart", frame)


def emit_picture(picture):
    """A picture of pictures.picture_of as a chart."""
    from .pictures import size_of

    mime, data, alt_text, note = picture
    size = size_of(mime, data)
    if note:
        jobs.note(note)
    if size is not None:
        emit(mime, data, size, None, alt_text)
