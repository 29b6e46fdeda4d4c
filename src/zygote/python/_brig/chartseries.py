"""The series of one Axes, told from what was asked (plotcalls.py) and from its artists."""

from . import plotcalls
from .chartvalues import Scale, plain, sample, tick_names
from .text import cut

_NAME = 120
_HEAT = 400  # cells of a heat map that travel
_POLYGON_LINES = 2_000


def of_axes(ax, points):
    """The series in drawing order; empty where nothing is recognised."""
    x, y = Scale(ax.xaxis), Scale(ax.yaxis)
    found = []
    used = set()
    for call in plotcalls.of_axes(ax):
        used.update(call.artist_ids())
        found.extend(call.series(points))
    for container in ax.containers:
        found.extend(_container(ax, container, x, y, used, points))
    wedges = _wedges(ax, used)
    if wedges:
        found.append(wedges)
    for line in ax.lines:
        if id(line) not in used and line.get_visible():
            found.extend(_line(ax, line, x, y, points))
    for collection in ax.collections:
        if id(collection) not in used and collection.get_visible():
            found.extend(_collection(collection, x, y, points))
    for image in ax.images:
        found.append(_grid("heatmap", image.get_array(), ax))
    return found


def _label(artist):
    label = artist.get_label()
    if not isinstance(label, str) or label.startswith("_") or not label:
        return {}
    return {"label": cut(label, _NAME)}


def _container(ax, container, x, y, used, points):
    kind = type(container).__name__
    if kind == "BarContainer":
        patches = [p for p in container.patches if id(p) not in used]
        used.update(map(id, container.patches))
        if container.errorbar is not None:
            _use_all(container.errorbar, used)
        return [_bars(ax, container, patches, x, y, points)] if patches else []
    if kind == "ErrorbarContainer":
        line = container.lines[0]
        seen = line is not None and id(line) in used
        _use_all(container, used)
        if line is None or seen:
            return []
        series = _xy("errorbar", line, x, y, points)
        return [{**_label(container), **series}]
    if kind == "StemContainer":
        _use_all(container, used)
        return [{**_label(container), **_xy("stem", container.markerline, x, y, points)}]
    return []


def _use_all(container, used):
    for part in container:
        if isinstance(part, (list, tuple)):
            used.update(map(id, part))
        elif part is not None:
            used.add(id(part))


def _bars(ax, container, patches, x, y, points):
    across = container.orientation == "horizontal"
    scale, values = (y, x) if across else (x, y)
    names = tick_names(ax.yaxis if across else ax.xaxis)
    keep = sample(len(patches), points)
    series = {"type": "bar", **_label(container)}
    if across:
        series["orientation"] = "horizontal"
    places, lengths, starts = [], [], []
    for i in keep:
        bar = patches[i]
        low, size = (bar.get_y(), bar.get_height()) if across else (bar.get_x(), bar.get_width())
        middle = low + size / 2
        places.append(names.near(middle, abs(size)) or scale.value(middle))
        lengths.append(plain(bar.get_width() if across else bar.get_height()))
        starts.append(bar.get_x() if across else bar.get_y())
    series["x"] = places
    series["y"] = lengths
    if any(starts):
        series["base"] = [values.value(start) for start in starts]
    if len(keep) < len(patches):
        series["count"] = len(patches)
    return series


def _wedges(ax, used):
    wedges = [p for p in ax.patches if type(p).__name__ == "Wedge" and id(p) not in used]
    if not wedges:
        return None
    return {
        "type": "pie",
        "labels": [cut(w.get_label(), _NAME) for w in wedges],
        "values": [plain(round((w.theta2 - w.theta1) / 360, 6)) for w in wedges],
    }


def _line(ax, line, x, y, points):
    if line.get_transform() != ax.transData and not hasattr(line, "_verts3d"):
        return []  # axhline, axvline and the like: no data
    marker = line.get_marker() not in (None, "None", "", " ")
    joined = line.get_linestyle() not in ("None", "", " ")
    if not joined and not marker:
        return []
    return [{**_xy("line" if joined else "scatter", line, x, y, points), **_label(line)}]


def _xy(kind, line, x, y, points):
    if hasattr(line, "_verts3d"):
        xs, ys, zs = line.get_data_3d()
        series = _columns(kind, x, y, xs, ys, points)
        series["z"] = [plain(zs[i]) for i in sample(len(zs), points)]
        return series
    return _columns(kind, x, y, line.get_xdata(orig=False), line.get_ydata(orig=False), points)


def _columns(kind, x, y, xs, ys, points):
    keep = sample(len(xs), points)
    series = {"type": kind, "x": [x.value(xs[i]) for i in keep]}
    series["y"] = [y.value(ys[i]) for i in keep]
    if len(keep) < len(xs):
        series["count"] = len(xs)
    return series


def _collection(collection, x, y, points):
    kind = type(collection).__name__
    if kind in ("PathCollection", "Path3DCollection"):
        return [_scatter(collection, x, y, points)]
    if kind == "QuadMesh":
        return [_grid("heatmap", collection.get_array(), collection.axes)]
    if kind == "PolyCollection" or kind == "FillBetweenPolyCollection":
        return _area(collection, x, y, points)
    if kind in ("QuadContourSet", "TriContourSet"):
        return [{"type": "contour", "levels": [plain(v) for v in collection.levels[:50]]}]
    if kind == "Poly3DCollection":
        return [{"type": "surface", **_label(collection)}]
    if kind == "Quiver":
        return [{"type": "quiver", "count": int(collection.N)}]
    return []


def _scatter(collection, x, y, points):
    if hasattr(collection, "_offsets3d"):
        xs, ys, zs = (list(part) for part in collection._offsets3d)
        series = _columns("scatter", x, y, xs, ys, points)
        series["z"] = [plain(zs[i]) for i in sample(len(zs), points)]
    else:
        offsets = collection.get_offsets()
        series = _columns("scatter", x, y, offsets[:, 0], offsets[:, 1], points)
    colors = collection.get_array()
    if colors is not None and len(colors) == series.get("count", len(series["x"])):
        series["color"] = [plain(colors[i]) for i in sample(len(colors), points)]
    return {**series, **_label(collection)}


def _area(collection, x, y, points):
    values = collection.get_array()
    paths = collection.get_paths()
    if values is not None and len(values) > 1:
        keep = sample(len(values), points)
        series = {"type": "hexbin", "values": [plain(values[i]) for i in keep]}
        if len(keep) < len(values):
            series["count"] = len(values)
        return [series]
    if len(paths) != 1:
        return []
    corners = paths[0].vertices[:_POLYGON_LINES]
    bounds = {}
    for px, py in corners:
        low, high = bounds.get(px, (py, py))
        bounds[px] = (min(low, py), max(high, py))
    places = sorted(bounds)
    keep = [places[i] for i in sample(len(places), points)]
    return [
        {
            "type": "area",
            **_label(collection),
            "x": [x.value(p) for p in keep],
            "low": [y.value(bounds[p][0]) for p in keep],
            "high": [y.value(bounds[p][1]) for p in keep],
        }
    ]


def _grid(kind, array, ax):
    series = {"type": kind}
    if array is None or array.ndim != 2:
        shape = () if array is None else array.shape
        return {"type": "image" if len(shape) == 3 else kind, "shape": list(shape)}
    rows, columns = array.shape
    series["shape"] = [rows, columns]
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        names = tick_names(axis).in_order()
        if names:
            series[name] = names[:50]
    if rows * columns <= _HEAT:
        series["values"] = [[plain(cell) for cell in row] for row in array.tolist()]
    else:
        series["range"] = [plain(array.min()), plain(array.max())]
    return series
