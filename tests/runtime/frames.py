"""Reads a call's frames and checks each against its schema, as the strictest reader would."""

import json
import re
import struct

CAPS = {"frame": 1 << 20, "frames": 4 << 20, "tables": 20, "charts": 20}
KINDS = ("value", "table", "chart", "error", "hint", "note")


def read(data):
    """[(kind, payload)] of a frames file."""
    at = 0
    out = []
    while at < len(data):
        kind_size, size = struct.unpack_from("<II", data, at)
        at += 8
        kind = data[at : at + kind_size].decode()
        at += kind_size
        out.append((kind, data[at : at + size]))
        at += size
    return out


def check(frames, code="", session=False):
    """Faults of a call's frames, as text; empty where all is well."""
    faults = [f for kind, payload in frames for f in _paths(kind, payload, code)]
    if sum(len(payload) for _, payload in frames) > CAPS["frames"]:
        faults.append("more than 4 MiB of frames")
    for kind, limit in (("table", 20), ("chart", 20), ("value", 1), ("hint", 2), ("error", 1)):
        if sum(k == kind for k, _ in frames) > limit and not session:
            faults.append(f"more than {limit} {kind} frames")
    for kind, payload in frames:
        if kind not in KINDS:
            faults.append(f"unknown kind {kind}")
        elif len(payload) > CAPS["frame"]:
            faults.append(f"a {kind} frame of {len(payload)} bytes")
        elif kind in ("hint", "note"):
            faults += _line(kind, payload)
        else:
            faults += _json(kind, payload)
    return faults


def _line(kind, payload):
    text = payload.decode("utf-8")
    if not text or "\n" in text or "\0" in text or len(payload) > 1024:
        return [f"bad {kind}: {payload[:80]!r}"]
    return []


def _paths(kind, payload, code):
    """What only the image or brig's own code could have named."""
    if kind not in ("error", "hint", "note"):
        return []
    text = payload.decode("utf-8")
    found = re.findall(r"/(?:usr|etc|lib)/[^\s'\"\\]+|_brig\\?", text)
    return [f"{kind} shows {name}" for name in found if name not in code]


def _no_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def _constant(name):
    raise ValueError(f"token {name}")


def _json(kind, payload):
    try:
        if not payload.isascii():
            raise ValueError("not ASCII")
        value = json.loads(payload, object_pairs_hook=_no_duplicates, parse_constant=_constant)
    except ValueError as fault:
        return [f"{kind}: {fault}"]
    faults = _strings(kind, value, 0)
    if not isinstance(value, dict):
        return [f"{kind} is no object"]
    return faults + _SCHEMAS[kind](value)


def _strings(kind, value, depth):
    if depth > 80:
        return [f"{kind}: too deep"]
    if isinstance(value, str):
        if "\0" in value or any(0xD800 <= ord(c) < 0xE000 for c in value):
            return [f"{kind}: a string with NUL or a lone surrogate"]
    elif isinstance(value, list):
        return [f for item in value for f in _strings(kind, item, depth + 1)]
    elif isinstance(value, dict):
        parts = [part for pair in value.items() for part in pair]
        return [f for part in parts for f in _strings(kind, part, depth + 1)]
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return [f"{kind}: a bare integer beyond 2**53"]
    return []


def _keys(kind, value, required, optional):
    faults = [f"{kind} lacks {key}" for key in required if key not in value]
    return faults + [f"{kind} has {key}" for key in value if key not in {*required, *optional}]


def _size(text):
    return len(text.encode("utf-8"))


def _value(value):
    forms = ("html", "json", "markdown", "latex", "svg")
    faults = _keys("value", value, ("text",), (*forms, "table", "cut"))
    if not isinstance(value.get("text"), str) or _size(value["text"]) > 32 << 10:
        faults.append("value.text")
    for form in forms:
        if form != "json" and form in value:
            if not isinstance(value[form], str) or _size(value[form]) > 64 << 10:
                faults.append(f"value.{form}")
    if "table" in value:
        faults += _table(value["table"])
    return faults


def _table(table):
    faults = _keys(
        "table",
        table,
        ("columns", "rows", "row_count", "truncated"),
        ("name", "index", "column_count"),
    )
    if faults:
        return faults
    width = len(table["columns"])
    if width > 20 or len(table["rows"]) > 50 or len(table["rows"]) > table["row_count"]:
        faults.append("table size")
    for column in table["columns"]:
        if set(column) != {"name", "dtype"} or not all(type(v) is str for v in column.values()):
            faults.append("table column")
    if any(type(row) is not list or len(row) != width for row in table["rows"]):
        faults.append("table row")
    for row in table["rows"]:
        faults += [f"cell of {len(json.dumps(c))} bytes" for c in row if len(json.dumps(c)) > 7000]
    if "index" in table:
        index = table["index"]
        rows = len(table["rows"])
        if set(index) != {"names", "dtypes", "values"} or len(index["values"]) != rows:
            faults.append("table index")
    short = len(table["rows"]) < table["row_count"] or "column_count" in table
    if table["truncated"] != short:
        faults.append("table truncated")
    return faults


def _display(value):
    faults = _keys("table frame", value, ("table", "text"), ())
    return faults or _table(value["table"])


def _chart(value):
    faults = _keys("chart", value, ("mime", "width", "height", "alt", "path"), ("title", "data"))
    if faults:
        return faults
    if value["mime"] not in ("image/png", "image/jpeg", "image/svg+xml"):
        faults.append("chart mime")
    if value["width"] * value["height"] > 16_000_000 or "/" in value["path"] or not value["alt"]:
        faults.append("chart size, path or alt")
    if len(json.dumps(value.get("data"))) > 66_000:
        faults.append("chart data size")
    return faults


def _error(value):
    faults = _keys("error", value, ("type", "message", "traceback"), ("line",))
    if faults:
        return faults
    if _size(value["message"]) > 1024 or _size(value["traceback"]) > 4096:
        faults.append("error size")
    if "line" in value and (type(value["line"]) is not int or value["line"] < 1):
        faults.append("error line")
    if "." in value["type"]:
        faults.append("error type is not bare")
    return faults


_SCHEMAS = {"value": _value, "table": _display, "chart": _chart, "error": _error}
