"""pandas frames, series and indexes as grids; loaded only once the job has pandas."""

import pandas

from . import limits
from .tables import Grid, ends, float_values


def _values(column):
    """Python values of a series or an index, dtype by dtype exact."""
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "fc" and hasattr(dtype, "itemsize") and not hasattr(dtype, "na_value"):
        return float_values(column.to_numpy())
    return column.tolist()


def _levels(index):
    if isinstance(index, pandas.MultiIndex):
        for i in range(index.nlevels):
            level = index.get_level_values(i)
            yield index.names[i], str(level.dtype), _values(level)
    else:
        yield index.name, str(index.dtype), _values(index)


def is_default(index):
    """Whether an index is the unnamed 0, 1, 2 …, which a table leaves out."""
    return (
        isinstance(index, pandas.RangeIndex)
        and index.start == 0
        and index.step == 1
        and index.name is None
    )


def frame_grid(frame):
    """The kept part of a DataFrame or Series with its index."""
    if isinstance(frame, pandas.Series):
        name = "value" if frame.name is None else frame.name
        kept = frame.iloc[list(ends(len(frame), limits.TABLE_ROWS))]
        grid = Grid(len(frame), 1)
        grid.columns.append((name, str(frame.dtype), _values(kept)))
    else:
        rows, columns = frame.shape
        kept = frame
        if columns > limits.TABLE_COLUMNS:
            kept = kept.iloc[:, list(ends(columns, limits.TABLE_COLUMNS))]
        if rows > limits.TABLE_ROWS:
            kept = kept.iloc[list(ends(rows, limits.TABLE_ROWS))]
        grid = Grid(rows, columns)
        for i, name in enumerate(kept.columns):
            column = kept.iloc[:, i]
            grid.columns.append((name, str(column.dtype), _values(column)))
    if not is_default(frame.index) or len(kept) < len(frame):
        grid.index = list(_levels(kept.index))
    name = getattr(frame, "attrs", {}).get("name")
    if isinstance(name, str):
        grid.name = name
    return grid


def index_grid(index):
    """An index as a table of its own levels."""
    kept = index[list(ends(len(index), limits.TABLE_ROWS))]
    levels = list(_levels(kept))
    grid = Grid(len(index), len(levels))
    for i, (name, dtype, values) in enumerate(levels):
        default = "value" if len(levels) == 1 else i
        grid.columns.append((default if name is None else name, dtype, values))
    return grid
