"""A figure drawn to bytes: PNG or SVG, the whole of it in view, glyph warnings in one note."""

import io
import warnings

from . import legible, limits, sizes
from .hooks import MISSING_GLYPHS
from .job import note
from .pictures import size_of

_PAD_INCHES = 0.12


def figure(fig, chart_format):
    """(mime, bytes, (width, height)) of a figure; PNG also where its SVG would be too large."""
    sizes.tame(fig)
    legible.improve(fig)
    if chart_format == "svg":
        data = _save(fig, "svg", 72)
        if len(data) <= limits.CHART_BYTES:
            return "image/svg+xml", data, size_of("image/svg+xml", data)
        note(f"a chart is PNG: as SVG it would have {len(data):,} bytes")
    dpi = sizes.chart_dpi(fig)
    while True:
        data = _save(fig, "png", dpi)
        size = size_of("image/png", data)
        small = len(data) <= limits.CHART_BYTES and size[0] * size[1] <= limits.CHART_PIXELS
        if small or dpi < 20:
            return "image/png", data, size
        dpi *= 0.7


def _save(fig, kind, dpi):
    from matplotlib import rc_context

    options = {"format": kind, "dpi": dpi}
    if kind == "svg":
        options["metadata"] = {"Date": None, "Creator": None}
    if not _has_layout(fig):
        options |= {"bbox_inches": "tight", "pad_inches": _PAD_INCHES}
    buffer = io.BytesIO()
    fixed = {"svg.hashsalt": "brig", "savefig.bbox": None, "savefig.transparent": False}
    with warnings.catch_warnings(record=True) as caught, rc_context(fixed):
        warnings.simplefilter("always")
        with _bounded(fig):
            fig.canvas.print_figure(buffer, **options)
    _report(caught)
    return buffer.getvalue()


def _has_layout(fig):
    engine = fig.get_layout_engine()
    return engine is not None and type(engine).__name__ == "ConstrainedLayoutEngine"


class _bounded:
    """A tight box that has room for the labels of axes in space, which matplotlib leaves out, and
    that artists placed far outside do not blow up."""

    def __init__(self, fig):
        self.fig = fig

    def __enter__(self):
        measure = self.fig.get_tightbbox
        width, height = self.fig.get_size_inches()

        def limited(*args, **kwargs):
            from matplotlib.transforms import Bbox

            box = Bbox.union([measure(*args, **kwargs), *_space_labels(self.fig)])
            room = Bbox.from_extents(-0.5 * width, -0.5 * height, 1.5 * width, 1.5 * height)
            return Bbox.intersection(box, room) or room

        self.fig.get_tightbbox = limited

    def __exit__(self, *_):
        del self.fig.get_tightbbox


def _space_labels(fig):
    """Where the axis labels of three-dimensional axes stand, in inches."""
    for ax in fig.axes:
        if not hasattr(ax, "zaxis") or not ax.get_visible() or not getattr(ax, "_axis3don", True):
            continue
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            if axis.label.get_text() and axis.label.get_visible():
                box = axis.label.get_window_extent()
                yield box.transformed(fig.dpi_scale_trans.inverted())


def _report(caught):
    for warning in caught:
        text = str(warning.message)
        if text.startswith("Glyph ") and "missing from" in text:
            note(MISSING_GLYPHS)
        elif not issubclass(warning.category, DeprecationWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
