"""Remembers the statistics behind boxes, violins, histograms and pies.

Their artists alone no longer tell what was asked. The Axes methods are wrapped once, when
matplotlib comes; the record lives on the axes and counts only while its artists do.
"""

import functools

from .chartpoints import choose, merge_bins
from .chartvalues import plain, tick_names
from .limits import LABEL_BYTES
from .text import cut

_ATTRIBUTE = "_brig_calls"
_MOST = 50  # boxes or violins of a call that travel
_BOX = (("q1", "q1"), ("median", "med"), ("q3", "q3"), ("low", "whislo"), ("high", "whishi"))


class Call:
    """One plotting call: the artists it made and what they show."""

    def __init__(self, axes, artists, describe):
        self._axes = axes
        self._artists = [a for a in _flat(artists) if hasattr(a, "axes")]
        self._describe = describe

    def alive(self):
        """Whether any of it is still on the axes."""
        return any(artist.axes is self._axes for artist in self._artists)

    def artist_ids(self):
        """The artists that need no description of their own."""
        return map(id, self._artists)

    def series(self, points, names):
        """The series of the call; `names` are those of the legend."""
        return self._describe(points, names)


def _flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _flat(part)
        return
    if hasattr(value, "patches") and not hasattr(value, "axes"):
        yield from value.patches
    elif value is not None:
        yield value


def of_axes(axes):
    """The calls whose artists are still there."""
    return [call for call in getattr(axes, _ATTRIBUTE, ()) if call.alive()]


def _record(axes, artists, describe):
    axes.__dict__.setdefault(_ATTRIBUTE, []).append(Call(axes, artists, describe))


def _place_names(axes, count, kwargs):
    """For each box or violin what stands at its tick, or None."""
    across = kwargs.get("orientation") == "horizontal" or kwargs.get("vert") in (False, 0)
    names = tick_names(axes.yaxis if across and kwargs.get("vert") is not True else axes.xaxis)
    places = kwargs.get("positions")
    places = range(1, count + 1) if places is None else list(places)
    return names.along(places)


def _boxes(axes, stats, result, kwargs):
    stats = list(stats)

    def describe(_points, legend):
        names = _place_names(axes, len(stats), kwargs)
        boxes = []
        ends = ([box[key] for box in stats] for key in ("med", "whislo", "whishi"))
        for i in choose(_MOST, *ends):
            box = stats[i]
            out = {"label": cut(names[i] or str(box.get("label") or i + 1), LABEL_BYTES)}
            out |= {name: plain(box[key]) for name, key in _BOX if key in box}
            if len(box.get("fliers", ())):
                out["outliers"] = len(box["fliers"])
            boxes.append(out)
        series = {"type": "box", **legend.of(result["boxes"]), "boxes": boxes}
        if len(stats) > len(boxes):
            series["count"] = len(stats)
        return [series]

    _record(axes, result, describe)


def _violins(axes, stats, result, kwargs, label=None):
    stats = list(stats)

    def describe(_points, legend):
        names = _place_names(axes, len(stats), kwargs)
        out = []
        ends = ([one[key] for one in stats] for key in ("median", "min", "max"))
        for i in choose(_MOST, *ends):
            keys = [k for k in ("min", "median", "mean", "max") if k in stats[i]]
            name = {"label": cut(names[i] or str(i + 1), LABEL_BYTES)}
            out.append(name | {k: plain(stats[i][k]) for k in keys})
        own = legend.of(result["bodies"]) if label is None else {"label": label}
        series = {"type": "violin", **own, "violins": out}
        if len(stats) > len(out):
            series["count"] = len(stats)
        return [series]

    _record(axes, result, describe)


def _histogram(axes, _data, result, kwargs):
    counts, edges, patches = result
    labels = kwargs.get("label")
    kind = {"density": bool(kwargs.get("density")), "cumulative": kwargs.get("cumulative", 0)}

    def describe(points, legend):
        many = getattr(counts, "ndim", 1) == 2 or isinstance(counts, list)
        out = []
        for i, row in enumerate(counts if many else [counts]):
            series = {"type": "histogram"}
            name = labels if isinstance(labels, str) else None
            if isinstance(labels, (list, tuple)) and i < len(labels):
                name = str(labels[i])
            if name and not name.startswith("_"):
                series["label"] = cut(name, LABEL_BYTES)
            else:
                series |= legend.of(patches[i] if many else patches)
            bins, merged = merge_bins(edges, row, points, **kind)
            series["bins"] = [plain(v) for v in bins]
            series["counts"] = [plain(v) for v in merged]
            if len(row) > len(merged):
                series["count"] = len(row)
            out.append(series)
        return out

    _record(axes, patches, describe)


def _pie(axes, data, result, _kwargs):
    values = list(data)

    def describe(points, _legend):
        keep = choose(points, values)
        labels = [wedge.get_label() for wedge in result[0]]
        labels = [label if not str(label).startswith("_") else "" for label in labels]
        series = {
            "type": "pie",
            "labels": [cut(str(labels[i]), LABEL_BYTES) for i in keep],
            "values": [plain(values[i]) for i in keep],
        }
        if len(keep) < len(values):
            series["count"] = len(values)
        return [series]

    _record(axes, result[0], describe)


_WATCHED = {
    "bxp": ("bxpstats", _boxes),
    "violin": ("vpstats", _violins),
    "hist": ("x", _histogram),
    "pie": ("x", _pie),
}


def install(axes_class):
    """Wraps the methods of matplotlib's Axes that are watched."""
    for name, (first, remember) in _WATCHED.items():
        setattr(axes_class, name, _wrapped(getattr(axes_class, name), first, remember))


def install_seaborn(plotter_class):
    """Wraps how seaborn draws violins: by areas and lines, from which nobody could tell them."""
    draw = plotter_class.plot_violins

    @functools.wraps(draw)
    def plot_violins(self, *args, **kwargs):
        try:
            groups = list(_groups(self))
        except Exception:
            groups = []
        before = {id(artist) for group in groups for artist in _drawn(group[0])}
        result = draw(self, *args, **kwargs)
        try:
            for axes in dict.fromkeys(group[0] for group in groups):
                own = [group[1:] for group in groups if group[0] is axes]
                artists = [a for a in _drawn(axes) if id(a) not in before]
                _remember_groups(axes, own, artists, self.orient)
        except Exception:
            pass  # as below
        return result

    plotter_class.plot_violins = plot_violins


def _drawn(axes):
    return [*axes.collections, *axes.lines]


def _groups(plotter):
    """(axes, place, hue or None, values) of each violin to be drawn."""
    across = plotter.orient == "y"
    for names, data in plotter.iter_data(
        [plotter.orient, "hue"], from_comp_data=True, allow_empty=False
    ):
        axes = plotter._get_axes(names)
        axis = axes.xaxis if across else axes.yaxis
        values = data["x" if across else "y"].to_numpy(float)
        values = axis.get_transform().inverted().transform(values)
        yield axes, float(names[plotter.orient]), names.get("hue"), values


def _statistics(values):
    from numpy import median

    return {
        "min": values.min(),
        "median": median(values),
        "mean": values.mean(),
        "max": values.max(),
    }


def _remember_groups(axes, groups, artists, orient):
    """One series of all violins, or where several stand at one place one for each hue."""
    shared = len({place for place, _, _ in groups}) < len(groups)
    for hue in dict.fromkeys(hue if shared else None for _, hue, _ in groups):
        own = [(place, values) for place, of, values in groups if not shared or of == hue]
        stats = [_statistics(values) for _, values in own]
        options = {"positions": [place for place, _ in own]}
        options["orientation"] = "horizontal" if orient == "y" else "vertical"
        label = None if hue is None else cut(str(hue), LABEL_BYTES)
        _violins(axes, stats, {"bodies": artists}, options, label)


def _wrapped(method, first, remember):
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        result = method(self, *args, **kwargs)
        try:
            data = args[0] if args else kwargs[first]
            if isinstance(data, str) and kwargs.get("data") is not None:
                data = kwargs["data"][data]
            remember(self, data, result, kwargs)
        except Exception:
            pass  # the chart stands; only its data is then told from its artists
        return result

    return wrapper
