"""Figures as charts: each once, in order, with its alt text and the data that it shows.

`shown` remembers by figure what was handed over, so that the same picture never comes twice: a
figure changed since is a new picture. The images go to the spool, the rest into a `chart` frame.

In a session figures stay open between calls, but rest: none of them is the current one, so that
plt.plot() in a later call begins a figure of its own. Whoever asks for one by its number, its axes
or show() finds it.
"""

import sys
import weakref

from . import job as jobs
from . import limits
from .scrub import scrub
from .text import clean, cut, safe_str

last_shown = None  # the figure that the latest show() closed
_shown = weakref.WeakKeyDictionary()
_earlier = weakref.WeakSet()  # those of _shown that an earlier call of the session has shown
_resting = weakref.WeakSet()  # managers of figures that were open when the last call ended


def reset():
    """Forgets and closes everything: the end of a job."""
    global last_shown
    last_shown = None
    _shown.clear()
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is not None and helpers.Gcf.figs:
        helpers.Gcf.destroy_all()


def begin_call():
    """What was shown in the session until now may be shown again, where it is asked for."""
    _earlier.update(_shown)


def end_call():
    """The end of a call in a session: figures stay, but none is the current one any more. What
    savefig() in the next call means is the last one shown, as after show()."""
    global last_shown
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    managers = helpers.Gcf.get_all_fig_managers() if helpers is not None else ()
    _resting.update(managers)
    for manager in managers:
        if manager.canvas.figure in _shown:
            last_shown = manager.canvas.figure


def was_earlier(figure):
    """Whether a figure was shown in an earlier call, and not in this one."""
    return figure in _earlier


def rests(manager):
    """Whether nothing in this call has touched a figure of an earlier one."""
    return manager in _resting and not manager.canvas.figure.stale


def install_current(gcf):
    """pyplot's current figure is never one that rests."""
    plain_active, plain_set = gcf.get_active, gcf.set_active

    def get_active():
        manager = plain_active()
        return None if manager in _resting else manager

    def set_active(manager):
        _resting.discard(manager)
        plain_set(manager)

    gcf.get_active = staticmethod(get_active)
    gcf.set_active = staticmethod(set_active)


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


def show(figure, again=True):
    """Hands a figure over unless it is empty or this very picture has been: in this call, or where
    it is not asked for (`again`), in any."""
    job = jobs.current
    if job is None or not job.frames.mine() or is_empty(figure):
        return
    anew = again and figure in _earlier
    if figure in _shown and not figure.stale and not anew:
        return
    if job.charts >= limits.CHARTS:
        job.frames.note(f"only the first {limits.CHARTS} charts are kept")
        return
    from . import render

    mime, data, size = render.figure(figure, job.chart_format)
    digest = (len(data), hash(data))
    if _shown.get(figure) == digest and not anew:
        figure.stale = False
        return
    _shown[figure] = digest
    _earlier.discard(figure)
    figure.stale = False
    from . import alt, chartdata

    title = alt.title_of(figure)
    plotted = chartdata.of_figure(figure)
    emit(mime, data, size, title, alt.describe(plotted, title), plotted)


def show_open():
    """The figures still open, in order, but for those on which nothing was drawn."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is None or not helpers.Gcf.figs:
        return
    for manager in helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        if is_blank(figure):
            continue
        try:
            show(figure, again=False)
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
        path = job.spool_write(f"chart-{job.charts}.{suffix}", data)
    except OSError as fault:
        job.charts -= 1  # the service counts those that it was told of
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
        if not job.frames.send_json("chart", frame):
            job.charts -= 1


def emit_picture(picture):
    """A picture of pictures.picture_of as a chart."""
    from .pictures import size_of

    mime, data, alt_text, note = picture
    size = size_of(mime, data)
    if note:
        jobs.note(note)
    if size is not None:
        emit(mime, data, size, None, alt_text)
