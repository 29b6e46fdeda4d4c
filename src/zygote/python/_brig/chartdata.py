"""What a figure shows, as data: type, labels and series, so that a model can read its own chart.

`{type, axes: [{title?, x_label?, y_label?, x_scale?, y_scale?, series: [{type, label?, …}]}]}`.
A long series is thinned with its true `count` and keeps its extremes (chartpoints.py).
"""

from . import chartseries, limits
from .frames import encode
from .text import cut

_AXES = 12
_SERIES = 24
_POINTS = 100


def of_figure(figure):
    """The figure's data, or None where nothing of it can be told."""
    for points in (_POINTS, _POINTS // 4, 6):
        try:
            data = _figure(figure, points)
        except Exception:
            return None
        if data is None or len(encode(data)) <= limits.CHART_DATA_BYTES:
            return data
    return None


def _figure(figure, points):
    axes = [_axes(ax, points) for ax in figure.axes[:_AXES] if ax.get_visible()]
    axes = [found for found in axes if found is not None]
    if not axes:
        return None
    kinds = [series["type"] for ax in axes for series in ax["series"]]
    data = {"type": _common(kinds), "axes": axes}
    if len(figure.axes) > _AXES:
        data["axes_count"] = len(figure.axes)
    return data


def _common(kinds):
    """The chart's own type: the one that all series share, or the one that leads a mix."""
    if not kinds:
        return "empty"
    if len(set(kinds)) == 1:
        return kinds[0]
    leading = [kind for kind in kinds if kind not in ("line", "area", "text")]
    return leading[0] if len(set(leading)) == 1 else "mixed"


def _axes(ax, points):
    if hasattr(ax, "_colorbar"):
        return None
    out = {}
    for name, text in (
        ("title", title_of(ax)),
        ("x_label", ax.get_xlabel()),
        ("y_label", ax.get_ylabel()),
        ("z_label", ax.get_zlabel() if hasattr(ax, "get_zlabel") else ""),
    ):
        if text:
            out[name] = cut(text, limits.NAME_BYTES)
    for name, scale in (("x_scale", ax.get_xscale()), ("y_scale", ax.get_yscale())):
        if scale != "linear":
            out[name] = scale
    found = chartseries.of_axes(ax, points)
    out["series"] = found[:_SERIES]
    if len(found) > _SERIES:
        out["series_count"] = len(found)
    if not found and len(out) == 1:
        return None
    return out


def title_of(ax):
    """The title of axes, wherever it stands."""
    return ax.get_title() or ax.get_title("left") or ax.get_title("right")
