"""Numbers on an axis as what the author plotted: categories, dates, periods or plain numbers."""

from .tagged import Tagger
from .text import cut

_NAME = 120


def plain(value):
    """A plain JSON value for a plotted number; a masked one is null."""
    if type(value).__name__ == "MaskedConstant":
        return None
    return Tagger(256, 50).tag(value)


def sample(count, most):
    """At most `most` positions, evenly spread, the last one included."""
    if count <= most:
        return range(count)
    return [round(i * (count - 1) / (most - 1)) for i in range(most)]


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
            return plain(position) if name is None else cut(str(name), _NAME)
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
        self._pairs = list(zip(places, texts))

    def near(self, position, width):
        """The name at a position, at most half a bar's group away."""
        best = min(self._pairs, key=lambda pair: abs(pair[0] - position), default=None)
        if best is None:
            return None
        gap = min((b[0] - a[0] for a, b in zip(self._pairs, self._pairs[1:])), default=1)
        reach = max(abs(gap) / 2, width / 2)
        return best[1] if abs(best[0] - position) <= reach else None

    def in_order(self):
        """All names along the axis."""
        return [text for _, text in self._pairs]


def tick_names(axis):
    """The names at an axis' ticks; empty for an axis of numbers or dates."""
    formatter = axis.get_major_formatter()
    kind = type(formatter).__name__
    if kind not in ("FixedFormatter", "StrCategoryFormatter", "FuncFormatter"):
        return TickNames((), ())
    places = list(axis.get_majorticklocs())
    texts = formatter.format_ticks(places)
    pairs = [(p, cut(t, _NAME)) for p, t in zip(places, texts) if isinstance(t, str) and t]
    if kind == "FuncFormatter" and all(_numeric(text) for _, text in pairs):
        return TickNames((), ())
    return TickNames([p for p, _ in pairs], [t for _, t in pairs])


def _numeric(text):
    return any(c.isdigit() for c in text)
