"""Python values as plain JSON values, exact: what JSON cannot hold travels as tagged text.

A tag is `{"$type": NAME, "value": …}`. Missing values (None, pd.NA, NaT) are null; a float that is
not a number is not missing and is tagged. Types are found by name along the MRO, so nothing is
imported here that the job did not import itself.
"""

import base64
import sys
from math import isfinite

from . import limits
from .frames import json_size
from .text import clean, head, is_clean, safe_str

EXACT_INT = 2**53
_INT_BITS = 14_000  # about 4,200 digits: beyond, decimal conversion is refused by Python

_METHODS = {}


class TooMuch(Exception):
    """The value has more parts or levels than a result may carry."""


class Tagger:
    """Turns values into plain ones under a budget of nodes and a cap for each text."""

    def __init__(self, text_bytes=limits.RICH_BYTES, nodes=limits.JSON_NODES):
        self.text_bytes = text_bytes
        self.nodes = nodes
        self.left_out = 0  # bytes of JSON that cut parts would have had more; None: not counted

    def tag(self, value, depth=0):
        """A plain value for `value`."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return self.text(value)
        if kind is int:
            return self.integer(value)
        if kind is float:
            return value if isfinite(value) else tagged("float", repr(value))
        if depth >= limits.JSON_DEPTH:
            raise TooMuch
        self.nodes -= 1
        for base in kind.__mro__:
            method = _METHODS.get((base.__module__, base.__qualname__))
            if method is not None:
                return method(self, value, depth)
        return self.opaque(value, depth)

    def text(self, value):
        """A string, exact; escaped and tagged where JSON readers differ, cut with its size."""
        if len(value) * 4 > self.text_bytes:
            whole = clean(value)
            short = head(whole, self.text_bytes)
            if len(short) < len(whole):
                size = len(whole.encode("utf-8"))
                shown = {"$type": "cut", "value": short, "bytes": size}
                return self.shorter(shown, json_size(whole))
        if is_clean(value):
            return str.__str__(value)
        return tagged("str", clean(value))

    def shorter(self, shown, size):
        """What is shown of a part that has `size` bytes of JSON itself."""
        if self.left_out is not None:
            self.left_out += size - json_size(shown)
        return shown

    def integer(self, value):
        """An integer: bare where every JSON reader keeps it, else as text, hexadecimal if huge."""
        value = int(value)
        if -EXACT_INT <= value <= EXACT_INT:
            return value
        if value.bit_length() <= _INT_BITS:
            return tagged("int", str(value))
        if value.bit_length() // 4 > self.text_bytes - 8:
            shown = {"$type": "cut", "value": f"int of {value.bit_length():,} bits"}
            size = len(hex(value)) if value.bit_length() <= 2**28 else None
            if size is None:
                self.left_out = None
                return shown
            return self.shorter(shown, size + json_size(tagged("int", "")))
        return tagged("int", hex(value))

    def items(self, values, depth):
        """A list of plain values."""
        self.nodes -= len(values)
        if self.nodes < 0:
            raise TooMuch
        return [self.tag(item, depth + 1) for item in values]

    def mapping(self, value, depth):
        """A dict: an object where all keys are plain strings, else tagged pairs."""
        self.nodes -= len(value)
        if self.nodes < 0:
            raise TooMuch
        if all(type(key) is str and is_clean(key) and key != "$type" for key in value):
            if sum(map(len, value)) * 4 > self.text_bytes and any(
                len(head(key, self.text_bytes)) < len(key) for key in value
            ):
                self.left_out = None
            return {
                head(key, self.text_bytes): self.tag(item, depth + 1)
                for key, item in value.items()
            }
        pairs = [[self.tag(k, depth + 1), self.tag(v, depth + 1)] for k, v in value.items()]
        return tagged("dict", pairs)

    def opaque(self, value, depth):
        """Anything else: a dataclass by its fields, the rest by its own text."""
        kind = type(value)
        fields = getattr(kind, "__dataclass_fields__", None)
        if isinstance(fields, dict):
            found = {name: getattr(value, name, None) for name in fields}
            return tagged(kind.__name__, self.mapping(found, depth))
        return tagged(kind.__name__, self.text(safe_str(value)))


def tagged(name, value):
    """The tagged form itself."""
    return {"$type": name, "value": value}


def _method(*names):
    def register(function):
        for name in names:
            module, _, qualname = name.rpartition(":")
            _METHODS[(module, qualname)] = function
        return function

    return register


@_method("builtins:bool")
def _bool(_tagger, value, _depth):
    return bool(value)


@_method("enum:Enum")
def _enum(tagger, value, _depth):
    return tagged(type(value).__name__, tagger.text(safe_str(value)))


@_method("builtins:int")
def _int(tagger, value, _depth):
    return tagger.integer(value)


@_method("builtins:float")
def _float(tagger, value, depth):
    return tagger.tag(float(value), depth)


@_method("builtins:str")
def _str(tagger, value, _depth):
    return tagger.text(str.__str__(value))


@_method("builtins:list", "builtins:tuple", "collections:deque")
def _list(tagger, value, depth):
    return tagger.items(value, depth)


@_method("builtins:set", "builtins:frozenset")
def _set(tagger, value, depth):
    return tagged("set", tagger.items(value, depth))


@_method("builtins:dict", "collections:UserDict")
def _dict(tagger, value, depth):
    return tagger.mapping(value, depth)


@_method("builtins:range")
def _range(tagger, value, _depth):
    return tagged("range", repr(value))


@_method("builtins:bytes", "builtins:bytearray", "builtins:memoryview")
def _bytes(tagger, value, _depth):
    data = bytes(value)
    room = tagger.text_bytes * 3 // 4 // 3 * 3
    out = tagged("bytes", base64.b64encode(data[:room]).decode())
    if len(data) <= room:
        return out
    out["bytes"] = len(data)
    return tagger.shorter(out, (len(data) + 2) // 3 * 4 + json_size(tagged("bytes", "")))


@_method("builtins:complex")
def _complex(_tagger, value, _depth):
    return tagged("complex", str(complex(value)).strip("()"))


@_method("decimal:Decimal", "fractions:Fraction", "uuid:UUID", "pathlib._local:PurePath")
def _exact(tagger, value, _depth):
    return tagged(type(value).__name__, tagger.text(safe_str(value)))


@_method("datetime:datetime", "datetime:date", "datetime:time")
def _moment(_tagger, value, _depth):
    name = next(b.__name__ for b in type(value).__mro__ if b.__module__ == "datetime")
    return tagged(name, safe_str(value, lambda v: v.isoformat()))


@_method("datetime:timedelta")
def _duration(_tagger, value, _depth):
    return tagged("timedelta", safe_str(value))


@_method("pandas._libs.tslibs.nattype:NaTType", "pandas._libs.missing:NAType")
def _missing(_tagger, _value, _depth):
    return None


@_method("pandas._libs.tslibs.period:Period", "pandas._libs.tslibs.period:_Period")
def _period(_tagger, value, _depth):
    return tagged("period", safe_str(value))


@_method("pandas._libs.interval:Interval")
def _interval(_tagger, value, _depth):
    return tagged("interval", safe_str(value))


@_method("pandas.core.frame:DataFrame", "pandas.core.series:Series")
def _frame(tagger, value, _depth):
    from .tables import table_of

    table = table_of(value)
    if table["truncated"]:
        tagger.left_out = None
    tagger.nodes -= len(table["rows"]) * max(1, len(table["columns"]))
    if tagger.nodes < 0:
        raise TooMuch
    return tagged("table", table)


@_method("numpy:ndarray")
def _array(tagger, value, depth):
    if value.size > tagger.nodes:
        raise TooMuch
    if hasattr(value, "mask"):  # what is masked is null
        return tagger.tag(value.tolist(), depth)
    value = value.view(sys.modules["numpy"].ndarray)  # a matrix would yield matrices for ever
    if value.dtype.kind in "iub" and value.dtype.itemsize < 8 or value.dtype.kind == "b":
        return value.tolist()
    if value.ndim == 0:
        return tagger.tag(value[()], depth)
    return tagger.items(list(value), depth)


@_method("numpy:generic")
def _scalar(tagger, value, depth):
    kind = value.dtype.kind
    if kind in "Mm":
        text = str(value)
        if text == "NaT":
            return None
        return tagged("datetime" if kind == "M" else "timedelta", text)
    if kind == "f" and value.dtype.itemsize < 8:
        return tagger.tag(float(str(value)), depth)
    if kind == "c" and value.dtype.itemsize < 16:
        return tagged("complex", str(value).strip("()"))
    if kind in "fc" and value.dtype.itemsize > 8 * (1 + (kind == "c")):
        return tagged("complex" if kind == "c" else "longdouble", str(value).strip("()"))
    plain = value.item()
    if type(plain) is type(value):
        return tagger.opaque(value, depth)
    return tagger.tag(plain, depth + 1)


def is_plain(value):
    """Whether a value is worth a JSON form of its own: data, not an object with a repr."""
    kind = type(value)
    if kind in (bool, int, float, str, list, tuple, dict, set, frozenset):
        return True
    if hasattr(kind, "__dataclass_fields__"):
        return True
    module = sys.modules.get("numpy")
    if module is not None and isinstance(value, (module.generic, module.ndarray)):
        return True
    return any((b.__module__, b.__qualname__) in _METHODS for b in kind.__mro__)
