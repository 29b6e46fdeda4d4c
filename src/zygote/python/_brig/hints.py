"""One line for the model on what to do about an error: the first rule that knows it speaks.

A rule takes the exception and the job and returns a line or None. None of them lists the image.
"""

import errno
import os
import sys

from . import job as jobs
from . import module_hints, source_hints
from .text import safe_str
from .traces import walk

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


def _missing_column(error, _job):
    if not isinstance(error, KeyError) or not error.args or "pandas" not in sys.modules:
        return None
    frame = None
    for level, _, _ in walk(error.__traceback__):
        owner = level.f_locals.get("self") if level.f_globals.get("__name__") else None
        if type(owner).__name__ == "DataFrame" and hasattr(owner, "columns"):
            frame = owner
    if frame is None:
        return None
    names = [safe_str(name) for name in list(frame.columns[:1_000])]
    near = _near(safe_str(error.args[0]), names)
    return (f"did you mean {near!r}? " if near else "") + f"The columns are {_quoted(names)}."


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
    if isinstance(error, UnicodeDecodeError) and error.encoding.replace("-", "") == "utf8":
        return "the data is not UTF-8: try encoding='cp1252' or encoding='latin-1'."
    return None


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
    _missing_column,
    _network,
    _storage,
    _memory,
    _processes,
    _end_of_input,
    _encoding,
    _parsing,
    _recursion,
    _digits,
    _locale,
    _debugger,
)
