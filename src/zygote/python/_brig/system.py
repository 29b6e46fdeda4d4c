"""Calls that ask the system, where the cell's own answer would mislead.

os.system and its kin tell nobody that no program was started, so a note does. The kernel refuses
sysinfo(2), and glibc does not look whether it did: how much memory there is is the job's limit.
"""

import errno
import functools
import os
import resource
import sys

from . import job as jobs
from .job import note

_NOTE = "programs cannot be started here: os.system() did nothing; do it in Python"


_DEEP = 100_000  # levels of recursion that no honest function needs


def install():
    """Puts all of them in place."""
    _install_system()
    _install_sysconf()
    _install_recursion()
    os.getlogin = getlogin


def getlogin():
    """As where there is no terminal: there is none."""
    raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))


def _memory_left(most):
    """Of the job's memory: less its own peak, and the files in its folder."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    try:
        folder = os.statvfs(jobs.WORK_DIR)
        used += (folder.f_blocks - folder.f_bfree) * folder.f_frsize
    except OSError:
        pass
    return max(0, most - used)


def _install_sysconf():
    sysconf = os.sysconf
    whole = os.sysconf_names["SC_PHYS_PAGES"]
    left = os.sysconf_names["SC_AVPHYS_PAGES"]

    @functools.wraps(sysconf)
    def asked(name, /):
        number = os.sysconf_names.get(name, name) if isinstance(name, str) else name
        if number not in (whole, left):
            return sysconf(name)
        most = jobs.current.limits.get("memory_bytes") if jobs.current is not None else None
        if not most:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        return (most if number == whole else _memory_left(most)) // resource.getpagesize()

    os.sysconf = asked


def _install_recursion():
    """A job that ends for want of memory can no longer say why: the hint goes before it."""
    setrecursionlimit = sys.setrecursionlimit

    @functools.wraps(setrecursionlimit)
    def told(limit, /):
        setrecursionlimit(limit)
        if limit > _DEEP and jobs.current is not None:
            jobs.current.frames.forewarn("recursion")

    sys.setrecursionlimit = told


def _install_system():
    """Wraps os.system, which the kernel refuses without an exception."""
    system = os.system

    @functools.wraps(system)
    def told(command):
        status = system(command)
        if status != 0:
            note(_NOTE)
        return status

    os.system = told
