"""Put in front of every attack, in the cell as outside it. One line decides: HELD or REACHED."""

import ctypes
import errno
import os
import sys

NATIVE = os.environ.get("BRIG_CONTROL") == "1"
WORK = os.getcwd() if NATIVE else "/mnt/data"
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(number, *arguments):
    """The raw system call: its result, or minus the error's number."""
    plain = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    ctypes.set_errno(0)
    rc = _libc.syscall(ctypes.c_long(number), *plain)
    return -ctypes.get_errno() if rc == -1 and ctypes.get_errno() else rc


def name(rc):
    return errno.errorcode.get(-rc, str(rc)) if rc < 0 else str(rc)


def say(word, why):
    os.write(1, f"{word} {why}\n".encode())


def held(why=""):
    """The wall was met."""
    say("HELD", why)
    sys.exit(0)


def reached(why=""):
    """The attack got what it wanted."""
    say("REACHED", why)
    sys.exit(0)


def verdict(rc, why=""):
    held(name(rc)) if rc < 0 else reached(why or str(rc))


def attempt(function, *arguments):
    """Held with the error's name where `function` fails, reached where it does not."""
    try:
        got = function(*arguments)
    except OSError as fault:
        held(errno.errorcode.get(fault.errno, str(fault.errno)))
    reached(repr(got)[:80])


def errno_of(function, *arguments):
    """The error's name, or "" where there was none."""
    try:
        function(*arguments)
    except OSError as fault:
        return errno.errorcode.get(fault.errno, str(fault.errno))
    return ""
