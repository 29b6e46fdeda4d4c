"""The series of one Axes, told from what was asked (plotcalls.py) and from its artists."""

from itertools import pairwise

from . import plotcalls
from .charterrors import Loose, of_container, told
from .chartpoints import choose
from .chartvalues import Scale, plain, tick_names
from .legendnames import LegendNames
from .limits import LABEL_BYTES
from .text import cut

_HEAT = 400  # cells of a heat map that travel
_HEAT_NAMES = 50  # of its rows and columns


def of_axes(ax, points):
    """The series in drawing order; empty where nothing is recognised."""
    axes = _Axes(ax, points)
    found = []
    for call in plotcalls.of_axes(ax):
        axes.used.update(call.artist_ids())
        found.extend(call.series(points, axes.legend))
    axes.loose = Loose(ax, [line for line in ax.lines if _is_plain(line)])
    for container in ax.containers:
        found.extend(_container(axes, container))
    wedges = _wedges(ax, axes.used)
    if wedges:
        found.append(wedges)
    for line in ax.lines:
        if id(line) not in axes.used | axes.loose.taken and line.get_visible():
            found.extend(_line(axes, line))
    for collection in ax.collections:
        if id(collection) not in axes.used and collection.get_visible():
            found.extend(_collection(axes, collection))
    for image in ax.images:
        found.append(_grid("heatmap", image.get_array(), ax, _image_edges(image)))
    return found


class _Axes:
    """Some axes while they are told."""

    def __init__(self, ax, points):
        self.ax = ax
        self.points = points
        self.x, self.y = Scale(ax.xaxis), Scale(ax.yaxis)
        self.legend = LegendNames(ax)
        self.used = set()  # ids of artists that are part of a series told already
        self.loose = None

    def label(self, named, *artists):
        """{label} by its own name, or by its colour in the legend; {} without."""
        label = named.get_label()
        if not isinstance(label, str) or label.startswith("_") or not label:
            return self.legend.of(artists or (named,))
        return {"label": cut(label, LABEL_BYTES)}


def _container(axes, container):
    kind = type(container).__name__
    if kind == "BarContainer":
        patches = [p for p in container.patches if id(p) not in axes.used]
        axes.used.update(map(id, container.patches))
        if container.errorbar is not None:
            _use_all(container.errorbar, axes.used)
        return [_bars(axes, container, patches)] if patches else []
    if kind == "ErrorbarContainer":
        line = container.lines[0]
        seen = line is not None and id(line) in axes.used
        _use_all(container, axes.used)
        if line is None or seen:
            return []
        spans = of_container(container, *line.get_xydata().T)
        series = _xy(axes, "errorbar", line, spans)
        return [{**axes.label(container, line), **series}]
    if kind == "StemContainer":
        _use_all(container, axes.used)
        line = container.markerline
        return [{**axes.label(container, line), **_xy(axes, "stem", line)}]
    return []


def _use_all(container, used):
    for part in container:
        if isinstance(part, (list, tuple)):
            used.update(map(id, part))
        elif part is not None:
            used.add(id(part))


def _bars(axes, container, patches):
    across = container.orientation == "horizontal"
    scale, values = (axes.y, axes.x) if across else (axes.x, axes.y)
    if across:
        boxes = [(p.get_y(), p.get_height(), p.get_x(), p.get_width()) for p in patches]
    else:
        boxes = [(p.get_x(), p.get_width(), p.get_y(), p.get_height()) for p in patches]
    middles = [low + breadth / 2 for low, breadth, _, _ in boxes]
    starts, lengths = [box[2] for box in boxes], [box[3] for box in boxes]
    ends = [start + length for start, length in zip(starts, lengths)]
    breadth = max(abs(box[1]) for box in boxes)
    names = tick_names(axes.ax.yaxis if across else axes.ax.xaxis).along(middles, breadth)
    keep = choose(axes.points, lengths, starts, ends)
    series = {"type": "bar", **axes.label(container, *patches)}
    if across:
        series["orientation"] = "horizontal"
    series["x"] = [names[i] or scale.value(middles[i]) for i in keep]
    series["y"] = [plain(lengths[i]) for i in keep]
    if any(starts[i] for i in keep):
        series["base"] = [values.value(starts[i]) for i in keep]
    axis = 0 if across else 1
    spans = _own_spans(container, patches, axis, middles)
    if spans is None:
        spans = [
            axes.loose.of_bar(axis, middle, box[1], end)
            for middle, box, end in zip(middles, boxes, ends)
        ]
    errors = told([ends[i] for i in keep], [spans[i] for i in keep])
    if errors:
        series["y_error"] = errors
    if len(keep) < len(patches):
        series["count"] = len(patches)
    return series


def _own_spans(container, patches, axis, middles):
    if container.errorbar is None or len(patches) < len(container.patches):
        return None
    return of_container(container.errorbar, middles, middles).get(axis)


def _wedges(ax, used):
    wedges = [p for p in ax.patches if type(p).__name__ == "Wedge" and id(p) not in used]
    if not wedges:
        return None
    return {
        "type": "pie",
        "labels": [cut(w.get_label(), LABEL_BYTES) for w in wedges],
        "values": [plain(round((w.theta2 - w.theta1) / 360, 6)) for w in wedges],
    }


def _is_plain(line):
    """Whether a line is joined and has no marks: what an error bar is drawn with."""
    drawn = line.get_visible() and line.get_transform() == line.axes.transData
    return drawn and _is_joined(line) and not _is_marked(line)


def _is_marked(line):
    return line.get_marker() not in (None, "None", "", " ")


def _is_joined(line):
    return line.get_linestyle() not in ("None", "", " ")


def _line(axes, line):
    if line.get_transform() != axes.ax.transData and not hasattr(line, "_verts3d"):
        return []  # axhline, axvline and the like: no data
    if not (_is_joined(line) or _is_marked(line)) or not _has_points(line):
        return []
    spans = {}
    if _is_marked(line) and not hasattr(line, "_verts3d"):
        spans = axes.loose.of_line(line, *line.get_xydata().T)
    kind = "line" if _is_joined(line) else "scatter"
    return [{**_xy(axes, kind, line, spans), **axes.label(line)}]


def _has_points(line):
    """Whether any of a line is there to be seen: seaborn's legends are of lines without points."""
    import numpy

    if hasattr(line, "_verts3d"):
        return len(line.get_data_3d()[0]) > 0
    return bool(numpy.isfinite(line.get_xydata()).all(axis=1).any())


def _xy(axes, kind, line, spans=()):
    if hasattr(line, "_verts3d"):
        return _columns(axes, kind, *line.get_data_3d())
    return _columns(axes, kind, line.get_xdata(orig=False), line.get_ydata(orig=False), spans=spans)


def _columns(axes, kind, xs, ys, zs=None, spans=(), colors=None):
    more = [column for column in (zs, colors) if column is not None]
    for axis in spans:
        for end in (0, 1):
            more.append([span[end] if span else None for span in spans[axis]])
    keep = choose(axes.points, ys, xs, *more)
    series = {"type": kind, "x": [axes.x.value(xs[i]) for i in keep]}
    series["y"] = [axes.y.value(ys[i]) for i in keep]
    for axis in spans:
        column = (xs, ys)[axis]
        errors = told([column[i] for i in keep], [spans[axis][i] for i in keep])
        if errors:
            series["xy"[axis] + "_error"] = errors
    if len(keep) < len(xs):
        series["count"] = len(xs)
    for name, column in (("z", zs), ("color", colors)):
        if column is not None:
            series[name] = [plain(column[i]) for i in keep]
    return series


def _collection(axes, collection):
    kind = type(collection).__name__
    if kind in ("PathCollection", "Path3DCollection"):
        return _scatter(axes, collection)
    if kind == "QuadMesh":
        corners = collection.get_coordinates()
        edges = corners[0, :, 0], corners[:, 0, 1]
        return [_grid("heatmap", collection.get_array(), axes.ax, edges)]
    if kind == "PolyCollection" or kind == "FillBetweenPolyCollection":
        return _area(axes, collection)
    if kind in ("QuadContourSet", "TriContourSet"):
        return [{"type": "contour", "levels": [plain(v) for v in collection.levels[:50]]}]
    if kind == "Poly3DCollection":
        return [{"type": "surface", **axes.label(collection)}]
    if kind == "Quiver":
        return [{"type": "quiver", "count": int(collection.N)}]
    return []


def _scatter(axes, collection):
    if hasattr(collection, "_offsets3d"):
        columns = [list(part) for part in collection._offsets3d]
    else:
        columns = list(collection.get_offsets().T)
    if not len(columns[0]):
        return []
    colors = collection.get_array()
    if colors is not None and len(colors) != len(columns[0]):
        colors = None
    groups = axes.legend.groups(collection, len(columns[0])) if colors is None else []
    if groups:
        return [
            {**_columns(axes, "scatter", *([column[i] for i in own] for column in columns)), **label}
            for label, own in groups
        ]
    series = _columns(axes, "scatter", *columns, colors=colors)
    return [{**series, **axes.label(collection)}]


def _area(axes, collection):
    values = collection.get_array()
    paths = collection.get_paths()
    if values is not None and len(values) > 1:
        keep = choose(axes.points, values)
        series = {"type": "hexbin", "values": [plain(values[i]) for i in keep]}
        if len(keep) < len(values):
            series["count"] = len(values)
        return [series]
    if len(paths) != 1 and type(collection).__name__ != "FillBetweenPolyCollection":
        return []
    across = getattr(collection, "t_direction", "x") == "y"  # fill_betweenx()
    scale, values = (axes.y, axes.x) if across else (axes.x, axes.y)
    places, low, high = _bounds([path.vertices[:, :: -1 if across else 1] for path in paths])
    if not len(places):
        return []
    keep = choose(axes.points, high, low)
    series = {
        "type": "area",
        **axes.label(collection),
        **({"orientation": "horizontal"} if across else {}),
        "x": [scale.value(places[i]) for i in keep],
        "low": [values.value(low[i]) for i in keep],
        "high": [values.value(high[i]) for i in keep],
    }
    if len(keep) < len(places):
        series["count"] = len(places)
    return [series]


def _bounds(polygons):
    """(places, lowest, highest) of polygons along their first coordinate."""
    import numpy

    corners = numpy.concatenate(polygons) if polygons else numpy.empty((0, 2))
    corners = corners[numpy.isfinite(corners).all(axis=1)]
    places, where = numpy.unique(corners[:, 0], return_inverse=True)
    low, high = numpy.full(len(places), numpy.inf), numpy.full(len(places), -numpy.inf)
    numpy.minimum.at(low, where, corners[:, 1])
    numpy.maximum.at(high, where, corners[:, 1])
    return places, low, high


def _image_edges(image):
    """Where the cells of an image begin and end, along x and y."""
    import numpy

    rows, columns = image.get_array().shape[:2]
    left, right, bottom, top = image.get_extent()
    if getattr(image, "origin", "upper") == "upper":
        bottom, top = top, bottom
    return numpy.linspace(left, right, columns + 1), numpy.linspace(bottom, top, rows + 1)


def _cell_edges(ends, count):
    """Where `count` cells begin and end, of their edges or, where colours run, of their middles."""
    if len(ends) != count or count < 2:
        return ends
    between = [(a + b) / 2 for a, b in pairwise(ends)]
    return [2 * ends[0] - between[0], *between, 2 * ends[-1] - between[-1]]


def _grid(kind, array, ax, edges):
    series = {"type": kind}
    if array is None or array.ndim != 2:
        shape = () if array is None else array.shape
        return {"type": "image" if len(shape) == 3 else kind, "shape": list(shape)}
    rows, columns = array.shape
    series["shape"] = [rows, columns]
    for name, axis, ends in zip("xy", (ax.xaxis, ax.yaxis), edges):
        at = tick_names(axis)
        pairs = list(pairwise(_cell_edges(ends, array.shape[name == "x"])))[:_HEAT_NAMES]
        names = [at.within(min(pair), max(pair)) for pair in pairs]
        if any(names):
            series[name] = names
    if rows * columns <= _HEAT:
        series["values"] = [[plain(cell) for cell in row] for row in array.tolist()]
    else:
        series["range"] = [plain(array.min()), plain(array.max())]
    return series
