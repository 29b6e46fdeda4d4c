"""An exception as the job's error: `{type, message, line?, traceback}`.

The traceback keeps to the author's lines (traces.py); earlier exceptions of a chain and the
members of a group take a line each. Nothing here may raise: what cannot be told is left out.
"""

import re
import sys
import traceback

from . import limits
from .scrub import scrub
from .text import byte_len, clean, cut, cut_middle, head, one_line, safe_str
from .traces import format_stack, own_line

_NO_WORD = re.compile(r"\W|^(?=\d)")
_CHAIN = 3
_MEMBERS = 10
_LEVELS = 3
_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_REMOTE = ("RemoteTraceback", "_RemoteTraceback")


def describe(error, job):
    """The error frame's object for an exception that ended the job."""
    known = job.source
    out = {"type": _word_of(type(error)), "message": message_of(error, known)}
    line = line_of(error, job.filename) or job.showing_line
    if line is not None:
        out["line"] = line
    try:
        stack, closing = _parts(error, known)
    except (Exception, RecursionError):
        stack, closing = "", f"{out['type']}: {out['message']}"
    # What the error is stays whole beside a stack of any length.
    closing = cut_middle(closing.rstrip("\n"), limits.TRACEBACK_BYTES * 3 // 4)
    stack = cut_middle(stack, limits.TRACEBACK_BYTES - byte_len(closing))
    out["traceback"] = stack + closing
    return out


def _word_of(kind):
    """The class's bare name; what type() has made of other characters is spelled as a word."""
    word = _NO_WORD.sub("_", clean(kind.__name__))
    return head(word, limits.NAME_BYTES) or "Exception"


def message_of(error, known=""):
    """What the exception says, without image paths."""
    if isinstance(error, SyntaxError) and isinstance(error.msg, str):
        text = error.msg
    else:
        text = safe_str(error)
    if len(text) > 4 * limits.MESSAGE_BYTES:
        return cut(text, limits.MESSAGE_BYTES)
    return cut(scrub(text, known), limits.MESSAGE_BYTES)


def line_of(error, filename):
    """The line of the job's code at fault, or None."""
    if isinstance(error, SyntaxError) and error.filename == filename:
        return error.lineno
    return own_line(error.__traceback__, filename)


def name_of(error):
    """The exception's class as Python writes it."""
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def format_error(error, known=""):
    """The whole traceback as text."""
    return "".join(_parts(error, known))


def _parts(error, known):
    """(earlier exceptions and the stack, the exception itself)"""
    parts = []
    for earlier, link in _chain(error):
        where = own_line(earlier.__traceback__)
        if type(earlier).__name__ in _REMOTE:
            parts += [_remote(earlier, known), link]
            continue
        parts.append(_one_line(earlier, known))
        parts.append(f" (line {where})\n" if where is not None else "\n")
        parts.append(link)
    stack = format_stack(error.__traceback__)
    if stack:
        parts.append("Traceback (most recent call last):\n")
        parts.extend(stack)
    return "".join(parts), _closing(error, known)


def _chain(error):
    """Earlier exceptions, the oldest first, each with the words that lead to the next."""
    found = []
    seen = {id(error)}
    while True:
        if error.__cause__ is not None:
            earlier, link = error.__cause__, _CAUSE
        elif error.__context__ is not None and not error.__suppress_context__:
            earlier, link = error.__context__, _CONTEXT
        else:
            break
        if id(earlier) in seen or len(seen) > 50:
            break
        seen.add(id(earlier))
        same = type(earlier) is type(error) and safe_str(earlier) == safe_str(error)
        if not same:
            found.append((earlier, link))
        error = earlier
    return reversed(found[:_CHAIN])


def _remote(error, known):
    """The traceback of another process, which multiprocessing hands over as text."""
    text = safe_str(error).strip().strip('"').strip()
    return scrub(cut(text, limits.MESSAGE_BYTES), known) + "\n"


def _one_line(error, known):
    message = one_line(message_of(error, known), 300)
    return f"{name_of(error)}: {message}" if message else name_of(error)


def _closing(error, known):
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return _syntax(error, known)
    message = message_of(error, known)
    text = name_of(error) + (f": {message}" if message else "")
    text += _suggestion(error) + "\n"
    for note in getattr(error, "__notes__", None) or ():
        text += scrub(cut(safe_str(note), 300), known) + "\n"
    if isinstance(error, BaseExceptionGroup):
        text += _members(error, known, 1)
    return text


def _syntax(error, known):
    lines = traceback.TracebackException(type(error), error, None).format_exception_only()
    return scrub("".join(line for line in lines if len(line) < 2_000), known)


def _members(group, known, level):
    text = ""
    indent = "  " * level
    for i, member in enumerate(group.exceptions[:_MEMBERS], 1):
        line = own_line(member.__traceback__)
        where = "" if line is None else f" (line {line})"
        text += f"{indent}{i}. {_one_line(member, known)}{where}\n"
        if isinstance(member, BaseExceptionGroup) and level < _LEVELS:
            text += _members(member, known, level + 1)
    if len(group.exceptions) > _MEMBERS:
        text += f"{indent}… {len(group.exceptions) - _MEMBERS:,} more\n"
    return text


def _suggestion(error):
    """Python's own "Did you mean", which the interpreter adds when it prints an exception."""
    name = getattr(error, "name_from" if isinstance(error, ImportError) else "name", None)
    if not isinstance(error, (NameError, AttributeError, ImportError)) or name is None:
        return ""
    try:
        found = traceback._compute_suggestion_error(error, error.__traceback__, name)
    except Exception:
        found = None
    text = f". Did you mean: '{found}'?" if found else ""
    if isinstance(error, NameError) and name in sys.stdlib_module_names:
        text += " Or did" if found else ". Did"
        text += f" you forget to import '{name}'?"
    return text
