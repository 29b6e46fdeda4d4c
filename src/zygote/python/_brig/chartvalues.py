"""Numbers on an axis as what the author plotted: categories, dates, periods or plain numbers."""

from bisect import bisect_left

from .limits import LABEL_BYTES
from .tagged import Tagger
from .text import cut


def plain(value):
    """A plain JSON value for a plotted number; a masked one is null."""
    if type(value).__name__ == "MaskedConstant":
        return None
    return Tagger(256, 50).tag(value)


class Scale:
    """Turns positions on one axis back into values."""

    def __init__(self, axis):
        self._names = None
        self._convert = None
        converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
        units = axis.units
        if hasattr(units, "_mapping"):
            self._names = {v: k for k, v in units._mapping.items()}
        elif converter is not None:
            kinds = {base.__name__ for base in type(converter).__mro__}
            if kinds & {"DateConverter", "ConciseDateConverter", "_SwitchableDateConverter"}:
                self._convert = self._date
            elif "PeriodConverter" in kinds or "DatetimeConverter" in kinds:
                self._convert = self._date
        self._freq = getattr(axis.axes, "freq", None) if axis.axis_name == "x" else None

    def value(self, position):
        """The plotted value at a position."""
        if self._names is not None:
            name = self._names.get(position)
            return plain(position) if name is None else cut(str(name), LABEL_BYTES)
        if self._freq is not None:
            return self._period(position)
        if self._convert is not None:
            return self._convert(position)
        return plain(position)

    def _period(self, position):
        import pandas

        if isinstance(position, pandas.Period):
            return str(position)
        try:
            return str(pandas.Period(ordinal=int(position), freq=self._freq))
        except (ValueError, TypeError):
            return plain(position)

    @staticmethod
    def _date(position):
        from matplotlib.dates import num2date

        try:
            text = num2date(position).replace(tzinfo=None).isoformat()
        except (ValueError, OverflowError, TypeError):
            return plain(position)
        return text.removesuffix("T00:00:00")


class TickNames:
    """The texts that stand at the ticks of an axis, where they are names and not numbers."""

    def __init__(self, places, texts):
        self._pairs = sorted(zip(places, texts), key=lambda pair: pair[0])
        gaps = [b[0] - a[0] for a, b in zip(self._pairs, self._pairs[1:])]
        self._gap = min(gaps, default=1)

    def along(self, places, breadth=0):
        """For each of a series' places the name at it, or None: of those that share the nearest
        tick the closest alone has its name, as ticks may stand at every fifth bar only."""
        near = [self._nearest(place, breadth) for place in places]
        least = {}
        for tick, distance in near:
            least[tick] = min(distance, least.get(tick, distance))
        slack = 1e-6 * self._gap
        return [
            self._pairs[tick][1] if tick is not None and distance <= least[tick] + slack else None
            for tick, distance in near
        ]

    def _nearest(self, place, breadth):
        """(number of the tick, how far away), at most half a bar's group; (None, 0) without."""
        at = bisect_left(self._pairs, place, key=lambda pair: pair[0])
        sides = [i for i in (at - 1, at) if 0 <= i < len(self._pairs)]
        found = min(((abs(self._pairs[i][0] - place), i) for i in sides), default=None)
        if found is None or found[0] > max(self._gap, breadth) / 2:
            return None, 0
        return found[1], found[0]

    def within(self, low, high):
        """The name that stands in a stretch of the axis, or None."""
        return next((text for place, text in self._pairs if low <= place < high), None)


def tick_names(axis):
    """The names at an axis' ticks; empty for an axis of numbers or dates."""
    formatter = axis.get_major_formatter()
    kind = type(formatter).__name__
    if kind not in ("FixedFormatter", "StrCategoryFormatter", "FuncFormatter"):
        return TickNames((), ())
    places = list(axis.get_majorticklocs())
    texts = formatter.format_ticks(places)
    pairs = [(p, cut(str(t), LABEL_BYTES)) for p, t in zip(places, texts) if str(t)]
    if kind == "FuncFormatter" and not _given(formatter) and all(_numeric(t) for _, t in pairs):
        return TickNames((), ())
    return TickNames([p for p, _ in pairs], [t for _, t in pairs])


def _given(formatter):
    """Whether the texts were set one by one (`set_xticklabels`): names, though they be numbers."""
    return getattr(getattr(formatter.func, "func", None), "__name__", "") == "_format_with_dict"


def _numeric(text):
    return any(c.isdigit() for c in text)
