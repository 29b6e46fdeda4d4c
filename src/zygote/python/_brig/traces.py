"""Stack frames as text: the author's own lines in full, libraries by module, brig's own never.

A run of library frames is one line naming the deepest of them; calls that repeat are folded.
"""

import itertools
import traceback

from . import job as jobs
from .scrub import is_image_path, module_of

_SHOWN = 12  # entries kept of a long stack: half from each end
_PERIOD = 4  # the longest cycle of calls that is recognised
_LINE_CHARS = 200


class Entry:
    """One line of a stack: a frame of the author's, or the last of a run of library frames."""

    def __init__(self, own, key, text):
        self.own = own
        self.key = key
        self.text = text


def walk(tb):
    """(frame, line number, position in the code) of each level of a traceback."""
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno, tb.tb_lasti
        tb = tb.tb_next


def is_own(frame):
    """Whether a frame runs code that the job brought: its text, its files, what it exec()s."""
    filename = frame.f_code.co_filename
    if is_job_file(filename):
        return True
    if filename.startswith("<"):
        return frame.f_globals.get("__name__") in ("__main__", None, "builtins")
    return not is_image_path(filename) and not filename.startswith("_brig")


def is_job_file(filename):
    """Whether this is the name that the job's code was compiled under, in this call or another."""
    return filename == "job.py" or (filename.startswith("job-") and filename.endswith(".py"))


def _hidden(frame):
    if frame.f_code.co_filename.startswith("<frozen "):
        return True
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and (name == "_brig" or name.startswith("_brig."))


def own_line(tb, filename=None):
    """The line of the job's code where the exception passed last, or None; of this call's own code
    where `filename` names it and the exception passed there."""
    line = own = None
    for frame, lineno, _ in walk(tb):
        if is_job_file(frame.f_code.co_filename):
            line = lineno
        if frame.f_code.co_filename == filename:
            own = lineno
    return line if own is None else own


def format_stack(tb):
    """The lines of a traceback between its heading and the exception itself."""
    entries = []
    library = []
    for frame, lineno, lasti in walk(tb):
        if _hidden(frame):
            continue
        if is_own(frame):
            _close_run(entries, library)
            entries.append(_own_entry(frame, lineno, lasti))
        elif entries:  # what called the job is nobody's business
            library.append((frame, lineno))
    _close_run(entries, library)
    return _shorten(_fold(entries))


def _close_run(entries, library):
    if not library:
        return
    frame, lineno = library[-1]
    name = _module(frame)
    text = f"  in {name} (line {lineno}): {frame.f_code.co_name}"
    if len(library) > 1:
        text += f", {len(library)} calls deep"
    entries.append(Entry(False, (name, lineno), text + "\n"))
    library.clear()


def _module(frame):
    name = frame.f_globals.get("__name__")
    if isinstance(name, str) and name.replace(".", "").isidentifier():
        return name[:100]
    return module_of(frame.f_code.co_filename)[:100]


def _own_entry(frame, lineno, lasti):
    code = frame.f_code
    key = (code.co_filename, lineno, code.co_name)
    return Entry(True, key, lambda: _own_text(code, lineno, lasti))


def _own_text(code, lineno, lasti):
    positions = (lineno, None, None, None)
    if lasti >= 0:
        positions = next(itertools.islice(code.co_positions(), lasti // 2, None), positions)
    _, end_lineno, column, end_column = positions
    summary = traceback.FrameSummary(
        code.co_filename,
        lineno,
        code.co_name,
        lookup_line=False,
        end_lineno=end_lineno,
        colno=column,
        end_colno=end_column,
    )
    shown = code.co_filename.removeprefix(jobs.WORK_DIR + "/")
    try:
        lines = traceback.StackSummary().format_frame_summary(summary).rstrip("\n").split("\n")
    except Exception:
        lines = [""]
    lines[0] = f'  File "{shown}", line {lineno}, in {code.co_name}'
    if any(len(line) > _LINE_CHARS for line in lines[1:]):
        lines[1:] = [lines[1][:_LINE_CHARS] + "…"]
    return "\n".join(lines) + "\n"


def _fold(entries):
    """Text of the entries, runs that repeat shown once with how often."""
    out = []
    at = 0
    while at < len(entries):
        period, times = _repeats(entries, at)
        for entry in entries[at : at + period]:
            out.append(entry.text() if entry.own else entry.text)
        if times > 1:
            what = "line" if period == 1 else f"{period} calls"
            out.append(f"  [previous {what} repeated {times - 1:,} more times]\n")
        at += period * times
    return out


def _repeats(entries, at):
    for period in range(1, _PERIOD + 1):
        pattern = [entry.key for entry in entries[at : at + period]]
        if len(pattern) < period:
            break
        times = 1
        while True:
            start = at + period * times
            if [entry.key for entry in entries[start : start + period]] != pattern:
                break
            times += 1
        if times > 2:
            return period, times
    return 1, 1


def _shorten(lines):
    if len(lines) <= 2 * _SHOWN:
        return lines
    gone = len(lines) - 2 * _SHOWN
    return [*lines[:_SHOWN], f"  [{gone:,} calls left out]\n", *lines[-_SHOWN:]]
