"""Threads that an earlier call of a session has left running, or a job that has come to its end.

They go on while later calls run, but what they print, display or report belongs to none of these:
it is dropped, and in a session a note says so. The streams pay for asking only while there are such
threads.
"""

import sys
from _thread import get_ident

from . import job as jobs

_dropped = False
_threads = {}  # ident: the thread as threading knows it, None of others


def find():
    """Looks who is still there beside the calling thread; whether anybody is."""
    global _dropped
    _dropped = False
    _threads.clear()
    mine = get_ident()
    known = _known()
    for ident in sys._current_frames():
        if ident != mine:
            _threads[ident] = known.get(ident)
    return bool(_threads)


def _known():
    threading = sys.modules.get("threading")
    return getattr(threading, "_active", {}) if threading is not None else {}


def is_late():
    """Whether the calling thread is one of those that were found."""
    ident = get_ident()
    # A new thread may have the ident of one that has ended since.
    return ident in _threads and _known().get(ident) is _threads[ident]


def drop(text):
    """What stands for writing `text`."""
    global _dropped
    _dropped = True
    return len(text)


def tell():
    """The note, at the call's end and by its own thread."""
    if _dropped:
        jobs.note("a thread of an earlier call went on: what it prints is not shown")
