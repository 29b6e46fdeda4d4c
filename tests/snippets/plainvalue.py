"""Values as the JSON of docs/cli.md, written from that page and sharing no code with brig.

Numbers are exact: what JSON cannot hold is `{"$type": …, "value": …}`. Runs in the reference
interpreter, with the same libraries as the image.
"""

import base64
import dataclasses
import datetime
import decimal
import fractions
import math

ROWS, COLUMNS = 50, 20


def numbers(values):
    """Plotted numbers, rounded so that they can be compared; what is none of them is None."""
    out = []
    for value in list(values):
        try:
            number = float(value)
        except (TypeError, ValueError):
            return None
        out.append(float(f"{number:.9g}") if math.isfinite(number) else None)
    return out


def is_frame(value):
    """Whether a value is a pandas table."""
    import pandas

    return isinstance(value, (pandas.DataFrame, pandas.Series))


def is_data(value):
    """Whether the page promises a JSON form: plain data and numpy's."""
    import numpy

    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return True
    kinds = (bool, int, float, str, list, tuple, dict, set, frozenset, bytes, complex,
             decimal.Decimal, fractions.Fraction, datetime.date, datetime.time, datetime.timedelta)
    return isinstance(value, kinds) and not type(value).__module__.startswith("pandas")


def tag(name, value):
    return {"$type": name, "value": value}


class Unknown(Exception):
    """A value of which the page promises nothing."""


def plain(value):
    """The JSON of a value, or None where the page leaves it open."""
    try:
        return {"is": _plain(value)}
    except Unknown:
        return None


def _plain(value):
    import numpy
    import pandas

    if value is None or value is pandas.NA or value is pandas.NaT:
        return None
    if isinstance(value, numpy.ndarray):
        return [_plain(part) for part in value] if value.ndim else _plain(value[()])
    if isinstance(value, numpy.floating):
        value = float(str(value))
    elif isinstance(value, (numpy.integer, numpy.bool_, numpy.complexfloating, numpy.str_)):
        value = value.item()
    if type(value) is str and ("\0" in value or not value.isprintable() and _has_surrogate(value)):
        raise Unknown  # escaped, since JSON readers differ
    if type(value) in (bool, str):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        if all(type(key) is str for key in value):
            return {key: _plain(part) for key, part in value.items()}
        return tag("dict", [[_plain(key), _plain(part)] for key, part in value.items()])
    return _scalar(value)


def _has_surrogate(text):
    return any("\ud800" <= c <= "\udfff" for c in text)


def _scalar(value):
    import pandas

    if type(value) is int:
        return value if abs(value) <= 2**53 else tag("int", str(value))
    if type(value) is float:
        return value if math.isfinite(value) else tag("float", repr(value))
    if type(value) is complex:
        return tag("complex", str(value).strip("()"))
    if type(value) in (set, frozenset):
        raise Unknown  # the order is open
    if type(value) is bytes:
        return tag("bytes", base64.b64encode(value).decode())
    if isinstance(value, (decimal.Decimal, fractions.Fraction)):
        return tag(type(value).__name__, str(value))
    if isinstance(value, (pandas.Timedelta, datetime.timedelta)):
        return tag("timedelta", str(value))
    for kind in (datetime.datetime, datetime.date, datetime.time):
        if isinstance(value, kind):
            return tag(kind.__name__, value.isoformat())
    if isinstance(value, pandas.Period):
        return tag("period", str(value))
    if isinstance(value, pandas.Interval):
        return tag("interval", str(value))
    if dataclasses.is_dataclass(value):
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return tag(type(value).__name__, _plain(parts))
    raise Unknown


def _cell(value):
    """A table's cell; long ones are cut, so only their kind is compared."""
    try:
        return _plain(value)
    except Unknown:
        return {"$any": True}


def _name(name):
    if isinstance(name, tuple):
        return " / ".join(str(part) for part in name if part != "")
    return str(name)


def _kept(count, most):
    half = most // 2
    return list(range(count)) if count <= most else [*range(half), *range(count - half, count)]


def _column(values):
    if str(values.dtype) in ("float32", "float16"):
        values = values.to_numpy()  # whose items keep their own shortest digits
    return [_cell(value) for value in values]


def table(frame):
    """A frame or series in the one shape of a table."""
    import pandas

    if isinstance(frame, pandas.Series):
        frame = frame.to_frame("value" if frame.name is None else frame.name)
    rows, columns = _kept(len(frame), ROWS), _kept(frame.shape[1], COLUMNS)
    kept = frame.iloc[rows, columns]
    cells = [_column(kept.iloc[:, i]) for i in range(kept.shape[1])]
    out = {
        "columns": [{"name": _name(n), "dtype": str(kept.dtypes.iloc[i])}
                    for i, n in enumerate(kept.columns)],
        "rows": [list(row) for row in zip(*cells)] if cells else [[] for _ in rows],
        "row_count": len(frame),
        "truncated": len(rows) < len(frame) or len(columns) < frame.shape[1],
    }
    index = frame.index
    unnamed = type(index) is pandas.RangeIndex and index.name is None
    if not (unnamed and index.start == 0 and index.step == 1) or len(rows) < len(frame):
        labels = [label if isinstance(index, pandas.MultiIndex) else (label,)
                  for label in kept.index]
        out["index"] = {
            "names": [None if name is None else _name(name) for name in index.names],
            "values": [[_cell(part) for part in label] for label in labels],
        }
    return out
