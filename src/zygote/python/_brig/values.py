"""The value of the last expression, in every form a reader may want.

`{text, html?, json?, table?, markdown?, latex?, svg?, cut?}`; `cut` gives the true size of each
form that is larger than its cap: `text` then holds head and tail, the others are left out.
"""

from . import limits, tables
from .frames import encode, json_size
from .tagged import Tagger, TooMuch, is_plain
from .text import byte_len, clean, cut_middle, safe_str

_LONG = 4_096  # items of a built-in container that are still printed whole
_SHOWN = 500
_COUNTED = 64 * limits.MIB  # a text longer than this is not gone through to tell its size
_PIECE = 64 * limits.KIB

_REPRS = (
    ("html", "_repr_html_"),
    ("markdown", "_repr_markdown_"),
    ("latex", "_repr_latex_"),
    ("svg", "_repr_svg_"),
)


def text_of(value):
    """The value's own text; a huge built-in container by its ends and its true length."""
    return _measured(value)[0]


def _measured(value):
    """The text, and the bytes that the whole of it has: None where that was not counted."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset, dict) and len(value) > _LONG:
        return _long_text(value, kind), None
    if kind is str and len(value) > limits.VALUE_TEXT_BYTES:
        return f"{_ends(value)} ({len(value):,} characters)", _quoted_size(value)
    if kind in (bytes, bytearray) and len(value) > limits.VALUE_TEXT_BYTES:
        return f"{_ends(value)} ({len(value):,} bytes)", _quoted_size(value)
    if tables.is_frame(value):
        value = tables.unstyled(value)
    text = repr(value)
    return text, byte_len(text)


def _ends(value):
    """A long text's repr with its middle left out, which is more than will be shown."""
    keep = limits.VALUE_TEXT_BYTES
    if len(value) <= 2 * keep:
        return repr(value)
    return repr(value[:keep])[:-1] + repr(value[-keep:]).lstrip("bytearray(")[1:]


def _quoted_size(value):
    """Bytes of the repr of a long text, without making it whole."""
    if len(value) > _COUNTED:
        return None
    single, double = ("'", '"') if type(value) is str else (b"'", b'"')
    nothing = value[:0]
    quotes = value.count(single) + value.count(double)
    size = len(repr(nothing)) + quotes
    if value.count(single) and value.count(double):
        size += value.count(single)
    for at in range(0, len(value), _PIECE):
        piece = value[at : at + _PIECE].replace(single, nothing).replace(double, nothing)
        size += byte_len(clean(repr(piece))) - len(repr(nothing))
    return size


def _long_text(value, kind):
    kept = []
    for item in value:
        kept.append(item)
        if len(kept) == _SHOWN:
            break
    if kind is dict:
        parts = [f"{safe_str(k, repr)}: {safe_str(value[k], repr)}" for k in kept]
    else:
        parts = [safe_str(item, repr) for item in kept]
    if kind in (list, tuple):
        tail = [safe_str(item, repr) for item in value[-_SHOWN:]]
        parts += ["…", *tail]
    else:
        parts.append("…")
    left, right = {list: "[]", tuple: "()"}.get(kind, "{}")
    return f"{left}{', '.join(parts)}{right} ({len(value):,} items)"


def rich(value, name):
    """What a display method of the value's class returns, or None: a failing one is no fault."""
    kind = type(value)
    if isinstance(value, type) or not hasattr(kind, name):
        return None
    try:
        found = getattr(value, name)()
    except Exception:
        return None
    if isinstance(found, tuple) and found:
        found = found[0]
    return found


def _fit(out, name, text):
    text = clean(text)
    size = byte_len(text)
    if size <= limits.RICH_BYTES:
        out[name] = text
    else:
        out.setdefault("cut", {})[name] = size


def size_of(form):
    """Bytes that a form takes in a result."""
    return byte_len(form) if isinstance(form, str) else json_size(form)


def _put_json(out, value):
    tagger = Tagger()
    try:
        plain = tagger.tag(value)
    except TooMuch:
        out.setdefault("cut", {})["json"] = None
        return
    size = json_size(plain)
    if size <= limits.RICH_BYTES:
        out["json"] = plain
    else:
        whole = None if tagger.left_out is None else size + tagger.left_out
        out.setdefault("cut", {})["json"] = whole


def _put_rich(out, value):
    for name, method in _REPRS:
        found = rich(value, method)
        if isinstance(found, str) and found:
            _fit(out, name, found)
    found = rich(value, "_repr_json_")
    if found is not None:
        _put_json(out, found)
    bundle = rich(value, "_repr_mimebundle_")
    if isinstance(bundle, dict):
        for mime, name in (("text/html", "html"), ("text/markdown", "markdown")):
            if name not in out and isinstance(bundle.get(mime), str):
                _fit(out, name, bundle[mime])


def describe(value):
    """The value frame's object; the value's own __repr__ may raise."""
    whole, size = _measured(value)
    out = {"text": cut_middle(whole, limits.VALUE_TEXT_BYTES, size)}
    if size is None or size > limits.VALUE_TEXT_BYTES:
        out["cut"] = {"text": size}
    try:
        table = tables.table_of(value)
    except Exception:
        table = None
    if table is not None:
        out["table"] = table
    if tables.is_frame(value):
        if table is not None:
            _fit(out, "html", table_html(table))
        return out
    _put_rich(out, value)
    if "json" not in out and is_plain(value):
        try:
            _put_json(out, value)
        except Exception:
            out.pop("json", None)
    return out


def table_html(table):
    """The table as plain HTML, without styles: every cell escaped."""
    from html import escape

    index = table.get("index")
    names = [n or "" for n in index["names"]] if index else []
    heads = names + [c["name"] for c in table["columns"]]
    lines = ["<table>", "<thead><tr>" + "".join(f"<th>{escape(h)}</th>" for h in heads)]
    lines[-1] += "</tr></thead>"
    lines.append("<tbody>")
    for i, row in enumerate(table["rows"]):
        labels = index["values"][i] if index else []
        cells = "".join(f"<th>{escape(cell_text(v))}</th>" for v in labels)
        cells += "".join(f"<td>{escape(cell_text(v))}</td>" for v in row)
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody>")
    lines.append("</table>")
    if table["truncated"]:
        width = table.get("column_count", len(table["columns"]))
        lines.append(f"<p>{len(table['rows'])} of {table['row_count']:,} rows, {width} columns</p>")
    return "\n".join(lines)


def cell_text(plain):
    """A plain cell as a person reads it."""
    if plain is None:
        return ""
    if isinstance(plain, dict) and "$type" in plain:
        value = plain.get("value")
        return value if isinstance(value, str) else cell_text(value)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool):
        return str(plain)
    return encode(plain).decode() if isinstance(plain, (list, dict)) else str(plain)

