"""How a job ends: as a script does. Threads are joined, handlers run, globals dropped, streams
flushed; whatever fails on the way is the job's own affair and ends on its stderr.
"""

import atexit
import gc
import os
import resource
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType

from . import charts, late, streams
from .errors import format_error
from .text import safe_str

_TOOLS = (ModuleType, FunctionType, BuiltinFunctionType, type)
_PEAK_KIB = 512 * 1024  # of the job: beyond, the last collection could cost seconds


def forget_zygote():
    """Drops the exit handlers that the zygote's imports left, but for those a job relies on."""
    atexit._clear()
    weakref = sys.modules.get("weakref")
    if weakref is not None:
        weakref.finalize._registry.clear()
        weakref.finalize._registered_with_atexit = False
    if "logging" in sys.modules:
        atexit.register(_end_logging)
    if "multiprocessing.util" in sys.modules:
        atexit.register(_end_processes)


def _end_logging():
    logging = sys.modules.get("logging")
    if logging is not None and len(logging._handlerList) > 1:  # one is its own last resort
        logging.shutdown()


def _end_processes():
    util = sys.modules.get("multiprocessing.util")
    process = sys.modules.get("multiprocessing.process")
    if util and process and (util._finalizer_registry or process._children):
        util._exit_function()


def exit_code(stop):
    """The exit code of a SystemExit; a text goes to stderr, as in Python."""
    code = stop.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    try:
        sys.stderr.write(safe_str(code) + "\n")
    except Exception:
        pass
    return 1


def leave_forked(error, code):
    """Ends a process that the job forked and that came to the end of the job's code."""
    if error is not None:
        try:
            sys.stderr.write(format_error(error))
        except Exception:
            pass
    try:
        atexit._run_exitfuncs()
    finally:
        streams.flush()
        os._exit(code)


def finish(job, main):
    """Everything between the last line of the code and the process's end."""
    _guarded(charts.show_open)
    if job.session:
        charts.end_call()
        late.tell()
        streams.flush()
        return
    _guarded(_join_threads)
    _guarded(atexit._run_exitfuncs)
    _guarded(charts.show_open)
    charts.reset()
    streams.mute_others()
    drop_globals(main)
    streams.flush()


def _guarded(step):
    """A step whose failure must not stop the others."""
    try:
        step()
    except SystemExit:
        return
    except BaseException as fault:
        _tell(fault)


def _tell(fault):
    try:
        sys.stderr.write(format_error(fault))
    except Exception:
        return


def _join_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def drop_globals(main):
    """Lets go of the job's globals, so that files are flushed and destructors run: these find the
    modules, functions and classes that they use, which go last."""
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        sys.__dict__.pop(name, None)
    names = main.__dict__
    own = [name for name in names if isinstance(name, str) and not name.startswith("__")]
    tools = [name for name in own if isinstance(names[name], _TOOLS)]
    kept = set(tools)
    own = [name for name in own if name not in kept]
    _drop(names, [name for name in own if hasattr(type(names[name]), "__del__")])
    _drop(names, own)
    _collect()
    classes = any(isinstance(names[name], type) for name in tools)
    _drop(names, tools)
    if classes:  # each is a cycle
        _collect()


def _drop(names, which):
    """As Python does it: those that begin with an underscore first."""
    for name in sorted(which, key=lambda name: not name.startswith("_")):
        names[name] = None


def _collect():
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < _PEAK_KIB:
        gc.collect()
