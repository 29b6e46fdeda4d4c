"""Tables: any table-like value in the one shape of a result.

`{name?, columns: [{name, dtype}], index?: {names, dtypes, values}, rows, row_count, truncated,
column_count?}`. `index.values[i]` are the labels of `rows[i]`; an unnamed 0..n-1 index is left out
unless rows are. Beyond 50 rows or 20 columns head and tail are kept in equal parts, and row_count
and column_count are the true ones.
"""

import sys

from . import limits
from .frames import encode
from .tagged import Tagger, TooMuch
from .text import cut, head, safe_str

_SCALARS = {type(None), bool, int, float, str, bytes, complex}


def ends(count, most):
    """The positions kept of `count`: all, or the head and tail half of `most`."""
    if count <= most:
        return range(count)
    half = most // 2
    return [*range(most - half), *range(count - half, count)]


def label(name):
    """A column's name as text; the levels of a many-level one joined by " / "."""
    if isinstance(name, tuple):
        name = " / ".join(safe_str(part) for part in name if not _empty(part))
    return cut(safe_str(name), limits.NAME_BYTES)


def _empty(part):
    return isinstance(part, str) and not part


class Grid:
    """The kept part of a table as raw values, before any is made plain."""

    def __init__(self, row_count, column_count):
        self.row_count = row_count
        self.column_count = column_count
        self.name = None
        self.columns = []  # (name, dtype, values)
        self.index = []  # (name, dtype, values), one for each level

    def plain(self):
        """The table's one shape, its cells capped so that the whole fits a frame."""
        cell_bytes = limits.CELL_BYTES
        rows_most = limits.TABLE_ROWS
        while True:
            table = self._plain(cell_bytes, rows_most)
            if len(encode(table)) <= limits.TABLE_BYTES:
                return table
            if cell_bytes > 64:
                cell_bytes //= 2
            else:
                rows_most //= 2

    def _plain(self, cell_bytes, rows_most):
        held = max((len(c[2]) for c in self.columns + self.index), default=0)
        keep = ends(held, rows_most)
        table = {}
        if self.name is not None:
            table["name"] = label(self.name)
        table["columns"] = [{"name": label(n), "dtype": d} for n, d, _ in self.columns]
        if self.index:
            levels = [_cells(values, keep, cell_bytes) for _, _, values in self.index]
            table["index"] = {
                "names": [None if n is None else label(n) for n, _, _ in self.index],
                "dtypes": [d for _, d, _ in self.index],
                "values": [list(row) for row in zip(*levels)],
            }
        cells = [_cells(values, keep, cell_bytes) for _, _, values in self.columns]
        table["rows"] = [list(row) for row in zip(*cells)] if cells else [[] for _ in keep]
        table["row_count"] = self.row_count
        table["truncated"] = len(keep) < self.row_count or len(cells) < self.column_count
        if len(cells) < self.column_count:
            table["column_count"] = self.column_count
        return table


def _cells(values, keep, cell_bytes):
    return [_cell(values[i], cell_bytes) for i in keep]


def _cell(value, cell_bytes):
    kind = type(value)
    if kind is str and len(value) * 4 <= cell_bytes and value.isascii() and "\0" not in value:
        return value
    tagger = Tagger(cell_bytes, 200)
    try:
        plain = tagger.tag(value)
    except TooMuch:
        return _long_cell(value, cell_bytes)
    except Exception:
        plain = f"<{kind.__name__}>"
    if type(plain) in (list, dict):
        size = len(encode(plain))
        if size > cell_bytes + 64:
            return _long_cell(value, cell_bytes)
    return plain


def _long_cell(value, cell_bytes):
    text = safe_str(value)
    short = head(cut(text, limits.VALUE_TEXT_BYTES), cell_bytes)
    return {"$type": "cut", "value": short, "bytes": len(text.encode("utf-8", "backslashreplace"))}


def is_frame(value):
    """Whether `value` is what display() shows as a table: a pandas frame, series or styled one."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not hasattr(pandas, "DataFrame"):
        return False
    if isinstance(value, (pandas.DataFrame, pandas.Series)):
        return True
    kind = type(value)
    return kind.__name__ == "Styler" and isinstance(getattr(value, "data", None), pandas.DataFrame)


def unstyled(value):
    """The frame behind a styled one."""
    return value.data if type(value).__name__ == "Styler" else value


def table_of(value):
    """The table of a value, or None where it is not table-like."""
    grid = grid_of(value)
    return None if grid is None else grid.plain()


def grid_of(value):
    """The kept raw values of anything table-like, or None."""
    if is_frame(value):
        from .pandas_tables import frame_grid

        return frame_grid(unstyled(value))
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, getattr(pandas, "Index", ())):
        from .pandas_tables import index_grid

        return index_grid(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, getattr(numpy, "ndarray", ())):
        return _array_grid(value)
    if type(value) in (list, tuple) and not hasattr(type(value), "_fields"):
        return _list_grid(value)
    if isinstance(value, dict) and value and all(type(key) is str for key in value):
        return _dict_grid(value)
    return None


def float_values(array):
    """The values of a float array; single and half precision by their own shortest digits."""
    if array.dtype.kind == "f" and array.dtype.itemsize < 8 and not hasattr(array, "mask"):
        return [float(str(v)) for v in array]
    return array.tolist() if array.dtype.kind in "fiub" else list(array)


def _array_grid(array):
    if array.dtype.names and array.ndim == 1:
        keep = array[list(ends(len(array), limits.TABLE_ROWS))]
        names = array.dtype.names
        grid = Grid(len(array), len(names))
        for i in ends(len(names), limits.TABLE_COLUMNS):
            name = names[i]
            grid.columns.append((name, str(array.dtype[name]), float_values(keep[name])))
        return grid
    if array.ndim not in (1, 2) or array.size == 0 or array.dtype.names:
        return None
    if not hasattr(array, "mask"):
        array = array.view(sys.modules["numpy"].ndarray)  # a column of a matrix is one again
    flat = array.reshape(len(array), -1)
    flat = flat[list(ends(len(array), limits.TABLE_ROWS))]
    grid = Grid(len(array), flat.shape[1])
    for i in ends(flat.shape[1], limits.TABLE_COLUMNS):
        name = "value" if array.ndim == 1 else i
        grid.columns.append((name, str(array.dtype), float_values(flat[:, i])))
    return grid


def _list_grid(values):
    if not values:
        return None
    first = values[0]
    kind = type(first)
    if kind is dict:
        return _records_grid(values, lambda item: item, dict)
    if isinstance(first, tuple) and hasattr(kind, "_fields"):
        return _records_grid(values, lambda item: item._asdict(), kind)
    if isinstance(getattr(kind, "__dataclass_fields__", None), dict):
        fields = list(kind.__dataclass_fields__)
        return _records_grid(values, lambda v: {f: getattr(v, f, None) for f in fields}, kind)
    if kind in (list, tuple) and len(values) > 1 and first:
        return _rows_grid(values)
    return None


def _records_grid(values, convert, kind):
    if not all(type(item) is kind for item in values):
        return None
    names = {}
    for item in values:
        names.update(dict.fromkeys(convert(item)))
        if len(names) > 10_000:
            return None
    if not names or not all(type(name) is str for name in names):
        return None
    kept = [convert(values[i]) for i in ends(len(values), limits.TABLE_ROWS)]
    return _columns_grid(len(values), list(names), lambda name: [r.get(name) for r in kept])


def _rows_grid(values):
    width = len(values[0])
    for row in values:
        if type(row) not in (list, tuple) or len(row) != width:
            return None
    kept = [values[i] for i in ends(len(values), limits.TABLE_ROWS)]
    if not all(type(cell) in _SCALARS for row in kept for cell in row):
        return None
    return _columns_grid(len(values), list(range(width)), lambda i: [row[i] for row in kept])


def _dict_grid(value):
    parts = list(value.values())
    if all(type(part) in (list, tuple) for part in parts):
        lengths = {len(part) for part in parts}
        if len(lengths) != 1 or 0 in lengths:
            return None
        count = lengths.pop()
        keep = ends(count, limits.TABLE_ROWS)
        grid = _columns_grid(count, list(value), lambda name: [value[name][i] for i in keep])
        if not all(type(cell) in _SCALARS for _, _, cells in grid.columns for cell in cells):
            return None
        return grid
    if all(type(part) is dict for part in parts):
        grid = _records_grid(parts, lambda item: item, dict)
    elif all(type(part) in _SCALARS or _is_number(part) for part in parts):
        keep = ends(len(parts), limits.TABLE_ROWS)
        grid = _columns_grid(len(parts), ["value"], lambda _: [parts[i] for i in keep])
    else:
        return None
    if grid is not None:
        keys = list(value)
        labels = [keys[i] for i in ends(len(keys), limits.TABLE_ROWS)]
        grid.index.append((None, "str", labels))
    return grid


def _is_number(value):
    return any(b.__module__ == "numpy" and b.__name__ == "number" for b in type(value).__mro__)


def _columns_grid(row_count, names, values_of):
    grid = Grid(row_count, len(names))
    for i in ends(len(names), limits.TABLE_COLUMNS):
        values = values_of(names[i])
        grid.columns.append((names[i], kind_of(values), values))
    return grid


def kind_of(values):
    """The type that Python values have in common, missing ones aside."""
    kinds = {type(v).__name__ for v in values if v is not None}
    if not kinds:
        return "object"
    if kinds == {"int", "float"}:
        return "float"
    return kinds.pop() if len(kinds) == 1 else "object"
