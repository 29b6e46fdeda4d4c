"""A whole table as a CSV file in the work folder."""

import os
import sys
from io import open as open_file

from . import job as jobs
from . import tables


def write_csv(value, job):
    """Writes `value` under a new name there; the name, or None where it is no table."""
    while True:
        job.csv_tables += 1
        name = f"table-{job.csv_tables}.csv"
        path = os.path.join(jobs.WORK_DIR, name)
        if not os.path.lexists(path):
            break
    written = False
    try:
        options = {"encoding": "utf-8", "errors": "backslashreplace", "newline": ""}
        with open_file(path, "x", **options) as file:
            written = _write(value, file)
    except OSError as fault:
        job.frames.note(f"the table could not be written as a file: {fault.strerror}")
    finally:
        if not written and os.path.lexists(path):
            os.unlink(path)
    return name if written else None


def _write(value, file):
    if tables.is_frame(value):
        from .pandas_tables import is_default

        frame = tables.unstyled(value)
        frame.to_csv(file, index=not is_default(frame.index))
        return True
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.Index):
        value.to_frame(index=False).to_csv(file, index=False)
        return True
    return _write_plain(value, file)


def _write_plain(value, file):
    import csv

    header, rows = _rows(value)
    if header is None:
        return False
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return True


def _rows(value):
    kind = type(value)
    if kind.__name__ == "ndarray":
        if value.dtype.names:
            return value.dtype.names, value.tolist()
        if value.ndim == 1:
            return ["value"], ([cell] for cell in value.tolist())
        return range(value.shape[1]), value.tolist()
    if isinstance(value, dict):
        parts = list(value.values())
        if all(type(part) in (list, tuple) for part in parts):
            return list(value), zip(*parts)
        if all(type(part) is dict for part in parts):
            names = _union(parts)
            cells = ([key, *(part.get(n) for n in names)] for key, part in value.items())
            return ["", *names], cells
        return ["", "value"], value.items()
    first = value[0]
    if type(first) is dict:
        names = _union(value)
        return names, ([row.get(name) for name in names] for row in value)
    if hasattr(first, "_fields"):
        return first._fields, value
    fields = getattr(type(first), "__dataclass_fields__", None)
    if fields is not None:
        return list(fields), ([getattr(row, f, None) for f in fields] for row in value)
    return range(len(first)), value


def _union(records):
    names = {}
    for record in records:
        names.update(dict.fromkeys(record))
    return list(names)
