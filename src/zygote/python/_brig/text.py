"""Text that any strict reader accepts, cut to size without splitting a character.

Lone surrogates and NUL become visible escapes (`\\ud83d`, `\\x00`), as on stdout: never an error
further on, never silently lost. A cut always states the true size.
"""


def clean(text):
    """`text` without lone surrogates and NUL, as an exact str."""
    if type(text) is not str:
        text = str.__str__(text)
    if text.isascii():
        return text.replace("\0", "\\x00") if "\0" in text else text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\0", "\\x00") if "\0" in text else text


def is_clean(text):
    """Whether `clean` would leave `text` as it is."""
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def byte_len(text):
    """Bytes of `text` as UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "backslashreplace"))


def _head(data, count):
    return data[:count].decode("utf-8", "ignore")


def _tail(data, count):
    return data[len(data) - count :].decode("utf-8", "ignore")


def head(text, limit):
    """The first `limit` bytes of clean text, for places that state the size in their own way."""
    if len(text) * 4 <= limit or byte_len(text) <= limit:
        return text
    return _head(text[:limit].encode("utf-8"), limit)


def cut(text, limit):
    """At most `limit` bytes of `text`, its start kept, closing with the true size."""
    text = clean(text)
    if len(text) * 4 <= limit or byte_len(text) <= limit:
        return text
    mark = f"… [cut: {byte_len(text):,} bytes in all]"
    return _head(text[:limit].encode("utf-8"), limit - byte_len(mark)) + mark


def cut_middle(text, limit, size=0):
    """At most `limit` bytes of `text`, head and tail 3:1, with the true size between them: that of
    the text, or `size` where that is of something longer (None: nobody has counted it)."""
    text = clean(text)
    if len(text) * 4 <= limit or byte_len(text) <= limit:
        return text
    data = text.encode("utf-8")
    mark = "\n… [cut] …\n" if size is None else f"\n… [cut: {size or len(data):,} bytes in all] …\n"
    room = limit - byte_len(mark)
    first = room * 3 // 4
    return _head(data, first) + mark + _tail(data, room - first)


def one_line(text, limit):
    """`text` on one line, cut to `limit` bytes."""
    return cut(" ".join(text.split()), limit)


def safe_str(value, convert=str):
    """`convert(value)`, or a stand-in where the value's own code fails."""
    try:
        return convert(value)
    except RecursionError:
        return f"<{type(value).__name__}: nested too deeply to print>"
    except Exception as fault:
        return f"<{type(value).__name__}: cannot be printed, {type(fault).__name__}>"
