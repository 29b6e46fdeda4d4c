"""Error bars: how far each reaches below and above its value.

A span is (low, high) on the axis of the values. Spans that stand alone, as seaborn draws them in
lines and `errorbar(fmt="none")` in a container without points, belong to the bars they stand on.
"""

from bisect import bisect_left
from itertools import takewhile

_STUB = 8  # points of a line that is one error bar, its caps included
_NEAR = 0.05  # of a bar's breadth: how far from its middle its error bar may stand
_POINTS = 2_000  # of a line that may have such error bars


def of_container(container, xs, ys):
    """{0: spans of x, 1: spans of y} of errorbar(), one for each point; None where it has none."""
    return {axis: _aligned(spans, ys if axis == 0 else xs) for axis, spans in _spans(container)}


def _spans(container):
    collections = list(container.lines[2])
    for axis, has in ((0, container.has_xerr), (1, container.has_yerr)):
        if has and collections:
            yield axis, [_ends(path.vertices, axis) for path in collections.pop(0).get_paths()]


def _ends(vertices, axis):
    """(place, low, high) of a bar from one end to the other."""
    return (vertices[0][1 - axis], *sorted((vertices[0][axis], vertices[1][axis])))


def _aligned(spans, places):
    if len(spans) == len(places):
        return [span[1:] for span in spans]
    by_place = {span[0]: span[1:] for span in spans}
    return [by_place.get(place) for place in places]


def told(values, spans):
    """For each value the length of its error bar, or [below, above] where any is lopsided; null
    where there is none. None where there is none at all."""
    pairs = [_lengths(value, span) for value, span in zip(values, spans)]
    known = [pair for pair in pairs if pair is not None]
    if not known:
        return None
    even = all(below == above for below, above in known)
    return [pair and (pair[0] if even else pair) for pair in pairs]


def _lengths(value, span):
    if span is None:
        return None
    pair = [float(f"{length:.6g}") for length in (value - span[0], span[1] - value)]
    return None if any(length != length for length in pair) else pair


class Loose:
    """The spans of some axes that stand alone; `taken` are the lines that were found to be one."""

    def __init__(self, ax, lines):
        self.taken = set()
        self._spans = {0: [], 1: []}  # by axis: (place, low, high, breadth, line's id, its colour)
        for container in ax.containers:
            if type(container).__name__ == "ErrorbarContainer" and container.lines[0] is None:
                for axis, spans in _spans(container):
                    self._spans[axis] += [(*span, 0, None, None) for span in spans]
        for line in lines:
            self._add_line(line)
        for spans in self._spans.values():
            spans.sort(key=_place)

    def _add_line(self, line):
        import numpy

        if len(line.get_xdata()) > _STUB or not line.get_label().startswith("_"):
            return
        points = line.get_xydata()
        points = points[numpy.isfinite(points).all(axis=1)]
        if len(points) < 2:
            return
        low, high = points.min(axis=0), points.max(axis=0)
        for axis, other in ((0, 1), (1, 0)):
            place, breadth = (low[other] + high[other]) / 2, high[other] - low[other]
            span = place, low[axis], high[axis], breadth, id(line), line.get_color()
            self._spans[axis].append(span)

    def of_line(self, line, xs, ys):
        """The spans of y of a line with marks: those of its own colour that go through them, one
        through each of most; a few lines or two through a point are something else."""
        if not self._spans[1] or len(xs) > _POINTS:
            return {}
        gap = min((abs(b - a) for a, b in zip(xs, xs[1:]) if a != b), default=1)
        found = [self._find(1, x, gap, y, line.get_color()) for x, y in zip(xs, ys)]
        drawn = sum(1 for y in ys if y == y)
        if 2 * sum(len(spans) == 1 for spans in found) <= drawn:
            return {}
        return {1: [self._take(spans[0]) if len(spans) == 1 else None for spans in found]}

    def of_bar(self, axis, place, breadth, end):
        """The span of a bar by where its middle and its end are, or None."""
        found = self._find(axis, place, breadth, end)
        best = min(found, key=lambda span: abs(span[1] + span[2] - 2 * end), default=None)
        return best and self._take(best)

    def _find(self, axis, place, breadth, end, color=None):
        reach = abs(breadth) * _NEAR
        spans = self._spans[axis]
        spans = spans[bisect_left(spans, place - reach, key=_place) :]
        near = takewhile(lambda span: span[0] <= place + reach, spans)
        found = [s for s in near if s[1] <= end <= s[2] and s[3] <= abs(breadth) + reach]
        return [span for span in found if color is None or span[5] == color]

    def _take(self, span):
        self.taken.add(span[4])
        return span[1:3]


def _place(span):
    return span[0]
