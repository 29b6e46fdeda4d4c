"""One line for the model on what to do about an error: the first rule that knows it speaks.

A rule takes the exception and the job and returns a line or None. None of them lists the image.
"""

import errno
import os
import re
import sys

from . import job as jobs
from . import module_hints, source_hints
from .text import safe_str
from .traces import is_own, walk

_NAMES = 8


def hint_for(error, job):
    """The hint for an exception, or None."""
    for rule in _RULES:
        try:
            found = rule(error, job)
        except Exception:
            found = None
        if found:
            return found
    return None


def _quoted(names):
    shown = ", ".join(repr(name[:80]) for name in names[:_NAMES])
    return shown + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def _missing_file(error, _job):
    if not isinstance(error, FileNotFoundError) or _starts_program(error):
        return None
    wanted = error.filename
    if isinstance(wanted, bytes):
        wanted = os.fsdecode(wanted)
    folder = os.path.dirname(wanted) if isinstance(wanted, str) else ""
    if folder and _own_folder(folder) and not os.path.exists(folder):
        return f"the folder {folder!r} does not exist: os.makedirs({folder!r}, exist_ok=True)."
    names = _work_names()
    holds = f"{jobs.WORK_DIR} holds {_quoted(names)}."
    if _is_elsewhere(wanted) and not _near(_base(wanted), names):
        return f"that path does not exist here: {_PLACES}" + (f" {holds}" if names else "")
    if not names:
        return f"{jobs.WORK_DIR} holds no files: attach the file to the call, or make it first."
    if not isinstance(wanted, str):
        return holds
    base = _base(wanted)
    if base in names:
        return f"use {base!r}: the files are in the working folder, {jobs.WORK_DIR}."
    near = _near(base, names)
    return (f"did you mean {near!r}? " if near else "") + holds


_WRITING = f"files can be written in {jobs.WORK_DIR} (kept) and /tmp (not kept)."
_PLACES = f"files are in {jobs.WORK_DIR}, and {_WRITING}"


def _base(path):
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _is_elsewhere(path):
    """Whether it is a path of a system's, where the job has no files."""
    if not isinstance(path, str) or path.startswith((jobs.WORK_DIR, "/tmp/")):
        return False
    return path.startswith("/") and path.split("/")[1] in _SYSTEM


_SYSTEM = frozenset(
    "bin boot dev etc home lib lib64 opt proc root run sbin srv sys usr var".split()
)


def _own_folder(folder):
    return not folder.startswith("/") or folder.startswith((jobs.WORK_DIR + "/", "/tmp/"))


def _work_names():
    names = []
    with os.scandir(jobs.WORK_DIR) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and entry.name != "__pycache__":
                names.append(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else ""))
            if len(names) >= 1_000:
                break
    return sorted(names)


def _near(name, names):
    import difflib

    folded = {n.casefold(): n for n in names}
    found = difflib.get_close_matches(name.casefold(), folded, 1, 0.6)
    return folded[found[0]] if found else None


def _missing_label(error, _job):
    """A column, or a label of a row or of a series, that pandas has not found."""
    if not isinstance(error, KeyError) or not error.args or "pandas" not in sys.modules:
        return None
    owner, axis, dropped = _owner_at_fault(error)
    if owner is None:
        return None
    wanted = safe_str(error.args[0])
    columns = getattr(owner, "columns", None)
    what = "columns" if axis is columns else "labels" if columns is None else "row labels"
    names = [] if columns is None else [repr(c) for c in columns[:1_000] if isinstance(c, str)]
    if dropped and axis is not columns and any(name in wanted for name in names):
        return "drop() takes row labels: to drop columns write df.drop(columns=[…])."
    names = list(axis[:1_000])
    shown = [repr(name[:80]) if isinstance(name, str) else safe_str(name)[:80] for name in names]
    more = f" and {len(axis) - _NAMES:,} more" if len(axis) > _NAMES else ""
    near = _near(wanted, list(map(safe_str, names))) if isinstance(error.args[0], str) else None
    text = f"The {what} are {', '.join(shown[:_NAMES])}{more}."
    return (f"did you mean {near!r}? " if near else "") + text


def _owner_at_fault(error):
    """(frame or series, its axis that was searched, whether to drop the label) where pandas raised
    the error; (None, None, False) where the author's own code did, called by pandas or not."""
    owner = axis = None
    dropped = False
    for level, _, _ in walk(error.__traceback__):
        if is_own(level):
            owner, dropped = None, False
            continue
        own = level.f_locals.get("self")
        kind = type(own).__name__
        if kind == "DataFrame" and hasattr(own, "columns"):
            owner, axis = own, own.columns
            dropped = dropped or level.f_code.co_name == "drop"
        elif kind == "Series" and hasattr(own, "index"):
            owner, axis, dropped = own, own.index, False
        elif owner is not None and own is owner.index:
            axis = own
    return (owner, axis, dropped) if owner is not None else (None, None, False)


def _starts_program(error):
    for level, _, _ in walk(error.__traceback__):
        name = level.f_globals.get("__name__")
        if name == "subprocess" and level.f_code.co_name == "_execute_child":
            return True
        if name == "multiprocessing.popen_spawn_posix" or name == "multiprocessing.forkserver":
            return True
    return False


def _program(error, job):
    if not isinstance(error, OSError):
        return None
    spawned = _starts_program(error)
    if spawned and "use fork" in safe_str(error):
        return "programs cannot be started here: use multiprocessing's default, fork."
    called = any(f"os.{verb}" in job.source for verb in ("exec", "posix_spawn", "spawn"))
    if spawned or (error.errno in (errno.EPERM, errno.ENOSYS) and called):
        return "programs cannot be started here: do it in Python, with the libraries there are."
    return None


def _network(error, _job):
    if "Manager() needs sockets" in safe_str(error):
        return "use multiprocessing's Queue, Value, Array, or the results of Pool.map."
    seen = 0
    while error is not None and seen < 10:
        reason = getattr(error, "reason", None)
        kinds = {base.__name__ for base in type(error).__mro__}
        if kinds & {"gaierror", "herror", "URLError"} or (
            isinstance(error, OSError) and error.errno in _NETWORK_ERRORS
        ):
            return "there is no network here: attach the data as a file to the call."
        error = reason if isinstance(reason, BaseException) else error.__cause__
        seen += 1
    return None


_NETWORK_ERRORS = (
    errno.EAFNOSUPPORT,
    errno.ENETUNREACH,
    errno.EHOSTUNREACH,
    errno.ECONNREFUSED,
    errno.ENETDOWN,
)


def _full_place(name):
    """Which of the places that a job writes to has no room; a failed write() names no file."""
    places = (jobs.WORK_DIR, "/tmp", "/dev/shm")
    if isinstance(name, str):
        path = os.path.abspath(name)
        for place in places:
            if path.startswith(place + "/"):
                return place
    return min((place for place in places if os.path.isdir(place)), key=_room)


def _room(place):
    state = os.statvfs(place)
    files = state.f_favail << 12 if state.f_files else 1 << 62
    return min(state.f_bavail * state.f_frsize, files)


def _is_closed_file(name):
    """Whether it is one of the working folder that may not be written, as files given with an
    earlier call of a session."""
    path = os.path.abspath(name)
    inside = path.startswith(jobs.WORK_DIR + "/")
    return inside and os.path.isfile(path) and not os.access(path, os.W_OK)


def _storage(error, job):
    if not isinstance(error, OSError):
        return None
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        place = _full_place(error.filename)
        return f"{place} is full: delete what is not needed there, or write less."
    if error.errno == errno.EMFILE:
        return "too many files are open at once: close them (with open(…) as f)."
    if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.EBUSY):
        return None
    name = error.filename
    if isinstance(name, str) and os.path.basename(name) in job.input_names:
        return "the given files are read-only: write the result under another name."
    if isinstance(name, str) and _is_closed_file(name):
        return "the given files are read-only: write the result under another name."
    if isinstance(name, str):
        return _PLACES if _is_elsewhere(name) else _WRITING
    return None


def _memory(error, job):
    if not isinstance(error, MemoryError):
        return None
    most = job.limits.get("memory_bytes")
    limit = f"; the job may use {most // 2**20:,} MiB" if most else ""
    return f"that needs more memory than there is{limit}: work in chunks or with smaller types."


def _processes(error, job):
    most = job.limits.get("processes")
    limit = f" ({most} in all)" if most else ""
    if isinstance(error, BlockingIOError) and error.errno == errno.EAGAIN:
        return f"no more processes or threads may be started{limit}: use fewer."
    if isinstance(error, RuntimeError) and "can't start new thread" in safe_str(error):
        return f"no more processes or threads may be started{limit}: use fewer."
    return None


def _end_of_input(error, _job):
    if isinstance(error, EOFError) and "reading a line" in safe_str(error):
        return "nobody answers input(): give `stdin` with the call, or set the values in the code."
    return None


def _encoding(error, _job):
    if not isinstance(error, UnicodeDecodeError) or error.encoding.replace("-", "") != "utf8":
        return None
    for magic, hint in _MAGIC:
        if error.object.startswith(magic):
            return hint
    return "the data is not UTF-8: try encoding='cp1252' or encoding='latin-1'."


_MAGIC = (
    (b"PK\x03\x04", "that is no text but an Excel or zip file: use pd.read_excel or zipfile."),
    (b"\xd0\xcf\x11\xe0", "that is no text but an old Excel file (.xls): use pd.read_excel."),
    (b"\x1f\x8b", "that is a gzip file: use gzip.open, or compression='gzip' in pandas."),
    ((b"\xff\xfe", b"\xfe\xff"), "the data is UTF-16: use encoding='utf-16'."),
    ((b"\x89PNG", b"\xff\xd8\xff"), "that is no text but a picture: open it with PIL.Image."),
)


def _renamed(error, _job):
    """What older versions of a library had, which much code still asks for."""
    if isinstance(error, AttributeError) and type(error.obj).__name__ in ("DataFrame", "Series"):
        return _OF_FRAMES.get(error.name)
    style = _OLD_STYLE.search(safe_str(error)) if isinstance(error, OSError) else None
    if style:
        return f"that style is called 'seaborn-v0_8{style.group(1) or ''}' now."
    return None


_OLD_STYLE = re.compile(r"'seaborn(-\w+)?' is not a valid package style")
_OF_FRAMES = {
    "append": "append() is gone from pandas: use pd.concat([a, b], ignore_index=True).",
    "iteritems": "iteritems() is gone from pandas: use items().",
    "ix": "ix is gone from pandas: use loc with labels or iloc with positions.",
}


def _parsing(error, _job):
    if type(error).__name__ == "ParserError" and "Expected" in safe_str(error):
        return "the separator may be another one: try sep=';', sep='\\t' or header=None, skiprows=…"
    if isinstance(error, TypeError) and "is not JSON serializable" in safe_str(error):
        return "convert it first: json.dumps(…, default=str), or int(x), float(x), x.tolist()."
    return None


def _recursion(error, _job):
    if isinstance(error, RecursionError):
        return "a function calls itself without an end: give it a case that stops, or use a loop."
    return None


def _digits(error, _job):
    if isinstance(error, ValueError) and "sys.set_int_max_str_digits" in safe_str(error):
        return "call sys.set_int_max_str_digits(0) first to write out so long a number."
    return None


def _debugger(error, _job):
    if type(error).__name__ == "BdbQuit":
        return "nobody can answer a debugger here: remove breakpoint() and print what you need."
    return None


def _locale(error, _job):
    if type(error).__name__ == "Error" and type(error).__module__ == "locale":
        return "only the locale C.UTF-8 is there: format numbers and dates in the code itself."
    return None


_RULES = (
    module_hints.missing_module,
    source_hints.syntax,
    source_hints.name,
    _program,
    _missing_file,
    _missing_label,
    _network,
    _storage,
    _memory,
    _processes,
    _end_of_input,
    _encoding,
    _parsing,
    _renamed,
    _recursion,
    _digits,
    _locale,
    _debugger,
)
