"""The job's code from bytes to code objects.

The text is compiled as it came, so that every line number is the author's own. The last
expression is parted from the rest to be shown; nothing else is rewritten.
"""

import _ast
import io
import linecache

PyCF_ONLY_AST = _ast.PyCF_ONLY_AST
PyCF_ALLOW_TOP_LEVEL_AWAIT = _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
CO_COROUTINE = 0x80


def decode(code):
    """The code as text; SyntaxError for NUL and for what is not UTF-8."""
    if code.startswith(b"\xef\xbb\xbf"):
        code = code[3:]
    at = code.find(b"\0")
    if at >= 0:
        raise _place(SyntaxError("source code cannot contain null bytes"), code, at)
    try:
        return code.decode("utf-8")
    except UnicodeDecodeError as fault:
        message = f"the code is not UTF-8: byte 0x{code[fault.start]:02x} ({fault.reason})"
        error = _place(SyntaxError(message), code, fault.start)
    raise error


def _place(error, code, at):
    start = code.rfind(b"\n", 0, at) + 1
    end = code.find(b"\n", at)
    line = code[start : end if end >= 0 else len(code)]
    error.lineno = code.count(b"\n", 0, at) + 1
    error.offset = len(code[start:at].decode("utf-8", "replace")) + 1
    error.text = line.decode("utf-8", "replace").replace("\0", "\ufffd")
    return error


def lines_of(source):
    """The lines that the compiler counts, each with its end: a form feed begins none."""
    return io.StringIO(source, newline=None).readlines()


def remember(source, *filenames):
    """Makes the source's lines known to tracebacks and inspect, under each of the names. The lines."""
    lines = lines_of(source)
    for filename in filenames:
        linecache.cache[filename] = (len(source), None, lines, filename)
    return lines


def compile_job(source, lines, filename):
    """(body, last, line): code objects; `last` is the closing expression to show and `line` where it
    begins, `body` all that stands before it; None for what there is none of."""
    flags = PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, filename, "exec", flags | PyCF_ONLY_AST, dont_inherit=True)
    last = line = None
    if tree.body and type(tree.body[-1]) is _ast.Expr and not _silenced(lines, tree.body[-1]):
        expression = tree.body.pop()
        line = expression.lineno
        last = compile(
            _ast.Expression(expression.value), filename, "eval", flags, dont_inherit=True
        )
    body = compile(tree, filename, "exec", flags, dont_inherit=True) if tree.body else None
    return body, last, line


def _silenced(lines, statement):
    """Whether a semicolon follows the closing expression."""
    rest = lines[statement.end_lineno - 1 :]
    rest[0] = rest[0].encode("utf-8")[statement.end_col_offset :].decode("utf-8", "replace")
    return any(";" in line.partition("#")[0] for line in rest)


def forget(*filenames):
    """Drops what `remember` kept."""
    for filename in filenames:
        linecache.cache.pop(filename, None)
