"""The zygote's side, simulated: a warm process that forks a sealed child for each call.

The real one is C; what the package sees is the same: prepare once, then in each child rehearse and
run_job with an emit function. Children get an ordinary uid and a filter with the denials that
Python code notices: no exec, no vfork, no sockets.
"""

import ctypes
import json
import os
import signal
import struct
import sys

WORK = "/mnt/data"
OUT = "/mnt/out"

_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_DENIED = {41: _EAFNOSUPPORT, 58: _EPERM, 59: _EPERM, 322: _EPERM, 73: _EPERM, 319: _EPERM}
_DENIED[435] = _ENOSYS


class Zygote:
    """A warm process and the pipe to it."""

    def __init__(self, level, modules):
        ask, self._ask = os.pipe()
        self._answer, answer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._ask)
            os.close(self._answer)
            _serve(level, modules, ask, answer)
            os._exit(0)
        os.close(ask)
        os.close(answer)
        self.state = self._read()

    def run(self, codes, options, wall_s=60):
        """One call in a fresh child; several codes are the calls of a session."""
        request = {"codes": [c.hex() for c in codes], "options": options, "wall_s": wall_s}
        data = json.dumps(request).encode()
        os.write(self._ask, struct.pack("<I", len(data)))
        view = memoryview(data)
        while view:
            view = view[os.write(self._ask, view) :]
        return self._read()

    def _read(self):
        size = _read_exactly(self._answer, 4)
        return json.loads(_read_exactly(self._answer, struct.unpack("<I", size)[0]))

    def close(self):
        """Ends the zygote."""
        os.write(self._ask, struct.pack("<I", 0))
        os.waitpid(self.pid, 0)


def _read_exactly(fd, count):
    data = b""
    while len(data) < count:
        part = os.read(fd, count - len(data))
        if not part:
            raise EOFError("the zygote has gone")
        data += part
    return data


def _reply(fd, value):
    data = json.dumps(value).encode()
    os.write(fd, struct.pack("<I", len(data)) + data)


def _serve(level, modules, ask, answer):
    sys.path.append("/usr/lib/brig/python")
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    before = _state()
    import _brig.warm

    _brig.warm.prepare(level, modules)
    _reply(answer, {"before": before, "after": _state()})
    while True:
        size = struct.unpack("<I", _read_exactly(ask, 4))[0]
        if size == 0:
            return
        request = json.loads(_read_exactly(ask, size))
        _reply(answer, _call(request))


def _state():
    """What a zygote must not gather: descriptors, threads, files."""
    process = f"/mnt/proc/{os.getpid()}"
    return {
        "fds": len(os.listdir(process + "/fd")),
        "threads": len(os.listdir(process + "/task")),
        "files": sorted(os.listdir("/tmp")) + sorted(os.listdir(WORK)),
    }


def _call(request):
    pid = os.fork()
    if pid == 0:
        try:
            _child(request)
        except BaseException:
            import traceback

            os.write(2, traceback.format_exc().encode())
        os._exit(99)
    killed = []

    def kill(*_):
        killed.append(True)
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, request["wall_s"])
    _, status, usage = os.wait4(pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    cpu = usage.ru_utime + usage.ru_stime
    return {"status": status, "killed": bool(killed), "cpu_s": cpu, "peak_kib": usage.ru_maxrss}


def _child(request):
    for fd, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_WRONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        os.dup2(os.open(f"{OUT}/{name}", flags), fd)
    frames = os.open(f"{OUT}/frames", os.O_WRONLY | os.O_CLOEXEC)
    os.chdir(WORK)
    os.environ["HOME"] = "/home/user"
    os.setresgid(1000, 1000, 1000)
    os.setgroups([])
    os.setresuid(1000, 1000, 1000)
    _seal()
    from _brig import run

    run.make_ready()
    options = dict(request["options"])

    def emit(kind, payload, size=len):
        os.write(frames, struct.pack("<II", size(kind), size(payload)) + kind.encode() + payload)

    exit_code = 0
    for code in request["codes"]:
        exit_code = run.run_job(bytes.fromhex(code), options, emit)
    os._exit(exit_code)


def _seal():
    """The denials that Python code notices, as a seccomp filter (x86-64 only)."""
    if os.uname().machine != "x86_64":
        return
    program = [(0x20, 0, 0, 0)]
    for number, error in _DENIED.items():
        program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error)]
    # clone(CLONE_VFORK …), as posix_spawn calls it, is not among the exact flag sets allowed
    program += [(0x15, 0, 3, 56), (0x20, 0, 0, 16), (0x45, 0, 1, 0x4000)]
    program += [(0x06, 0, 0, 0x00050000 | _ENOSYS), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("<HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    header = struct.pack("<HxxxxxxQ", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
