"""W: the wall behind the wall. Each case leaves out the layers that would be met first, by the
mutant build, and shows that the next one holds by itself. Its control leaves that out as well.
"""

import os

from .case import Case, Native, Off
from .files import ELF, execute
from .judge import said
from .lab import TOP
from .network import PAIR_TO, connect


def wall(ident, title, without, layer, code, expect, **more):
    return Case(ident, title, layer, code, Off(f"{without} {layer}" if without != "nothing" else layer),
                expect=expect, without=without, **more)


OPEN_FOLDER = """
path = "/usr/libexec/open/@MARK@"
def write():
    with open(path, "w") as f:
        f.write("evil")
    os.unlink(path)
attempt(write)
"""

CHILD_MEMORY = """
import time
data = ctypes.create_string_buffer(8)
pid = os.fork()
if pid == 0:
    time.sleep(20)
    os._exit(0)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
rc = call(310, pid, vector, 1, vector, 1, 0)
os.kill(pid, 9)
os.waitpid(pid, 0)
verdict(rc)
"""


def release_is_pure(lab, result):
    found = []
    for program in ("build/brig", "build/libexec/brig-service", "build/tests/holder"):
        path = os.path.join(TOP, program)
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
            found += [program for mark in (b"BRIG_LEAVE_OUT", b"mutant_") if mark in data]
    word, why = said(result["stdout"])
    return word == "HELD" and not found, f"{why}, {' '.join(found) or 'nor in the programs'}"


def fault_is_mute(lab, case):
    """A cell that silently lacks a layer is refused, and its job learns no more than an id."""
    service = lab.service("mutant", "net", silently=True)
    result = lab.cell(case.code, service=service)
    told = " ".join(str(result.get(k)) for k in ("text", "hint", "error", "stdout", "stderr"))
    words = [w for w in ("net", "namespace", "kernel", "layer", "/") if w in told.replace("internal", "")]
    return result["outcome"] == "internal" and not words, f"{result['outcome']}: {words or 'an id'}"


CASES = [
    wall("W1", "exec a program of the image, without the filter", "seccomp", "landlock",
         execute("os.execv('/usr/bin/python3.13', ['x', '-c', '0'])").replace("(7, 127)", "(0, 1)"),
         "EACCES"),
    wall("W2", "exec from the work folder, without filter and Landlock", "seccomp landlock", "work",
         execute("os.execv(path, ['x'])"), "EACCES"),
    wall("W3", "connect to the host's loopback, without the filter", "seccomp", "net",
         connect("AF_INET", "SOCK_DGRAM", 's.connect(("127.0.0.1", @UDP@)); s.send(b"x")'),
         "ENETUNREACH"),
    wall("W4", "a datagram to an abstract socket of the host, without Landlock", "landlock", "net",
         PAIR_TO.format(address='"\\0@ABSDGRAM@"'), "ECONNREFUSED"),
    wall("W5", "the same without the network namespace", "net", "landlock",
         PAIR_TO.format(address='"\\0@ABSDGRAM@"'), "EPERM", landlock=6),
    wall("W6", "write to a folder of the image that is open to all, without Landlock", "landlock",
         "image", OPEN_FOLDER, "EROFS"),
    wall("W7", "the same without the read-only mount", "image", "landlock", OPEN_FOLDER, "EACCES"),
    wall("W8", "mount a tmpfs, without filter and Landlock", "seccomp landlock", "caps",
         "verdict(call(165, b'none', b'/tmp', b'tmpfs', 0, 0))", "EPERM"),
    wall("W9", "setuid(0), without the filter", "seccomp", "caps", "attempt(os.setuid, 0)", "EPERM"),
    wall("W10", "chroot, without the filter", "seccomp", "caps", "attempt(os.chroot, '/tmp')",
         "EPERM"),
    wall("W11", "read the memory of a child, without the filter", "seccomp", "dump", CHILD_MEMORY,
         "EPERM"),
    wall("W12", "find a key of the host's session, without the filter", "seccomp", "keyring",
         "verdict(call(250, 10, -3, b'user', b'@KEY@', 0))", "ENOKEY|EACCES"),
    wall("W13", "find a System V segment of the host, without the filter", "seccomp", "ipc",
         "verdict(call(29, 0x62726967, 0, 0))", "ENOENT"),
    wall("W14", "a raised limit of descriptors, without the filter", "seccomp", "rlimits", """
verdict(call(160, 7, (ctypes.c_uint64 * 2)(300, 300)))
""", "EPERM"),
    wall("W22", "a flood of POSIX timers, without the filter", "seccomp", "rlimits", """
n, timer = 0, ctypes.c_int()
for n in range(300):
    rc = call(222, 1, 0, ctypes.byref(timer))
    if rc < 0:
        held(f"{name(rc)} after {n}")
reached("300 timers")
""", "EAGAIN after [1-6]"),
    Case("W15", "one more user namespace, without the filter", "pidns",
         "verdict(call(272, 0x10000000))", Native(),
         expect="ENOSPC|EPERM", without="seccomp"),
    Case("W16", "FIFO and socket among the results, without the filter", "work", """
import socket
os.mkfifo(WORK + "/fifo")
socket.socket(socket.AF_UNIX).bind(WORK + "/socket")
open(WORK + "/plain", "w").write("x")
held("made")
""", Off("seccomp", "os.mkfifo(WORK + '/f')\nreached('a FIFO is made without the filter')"),
         without="seccomp", check=lambda lab, case, result: (
             result["outcome"] == "ok" and [f["name"] for f in result["files"]] == ["plain"]
             and len(result["skipped"]) == 2, f"{result['outcome']}, skipped {result.get('skipped')}")),
    wall("W17", "speculation is restrained", "seccomp", "speculation", """
got = [call(157, 52, what, 0, 0, 0) for what in (0, 1)]
offered = [g for g in got if g >= 0 and g & 1]
core = ctypes.c_uint64()
cookie = call(157, 62, 0, 0, 0, ctypes.addressof(core))
if not offered and cookie < 0:
    held("not offered by this host")
if all(g & 8 for g in offered) and (cookie < 0 or core.value):
    held(str(got))
reached(str(got))
""", "."),
    Case("W21", "read init's memory, without filter and Landlock", "uid caps", """
target = os.fork() if NATIVE else 1
if target == 0:
    import time
    time.sleep(10)
    os._exit(0)
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
rc = call(310, target, vector, 1, vector, 1, 0)
held("EPERM") if rc == -1 else reached(name(rc))
""", Native(), expect="EPERM", without="seccomp landlock"),
    Case("J74", "a fault of brig's tells an id and nothing else", "net", "reached('ran')",
         Off("net", "reached('told of it, the service runs such a cell')"),
         check=lambda lab, case, result: fault_is_mute(lab, case), without="net"),
    Case("W20", "the release programs cannot leave a layer out", "image", """
mark = b"mutant_" + b"leave_out"
data = open("/usr/libexec/brig-zygote", "rb").read()
reached("the zygote of the image can") if mark in data else held("not in the zygote")
""", Off("tty"), check=lambda lab, case, result: release_is_pure(lab, result)),
    wall("W18", "a terminal takes the job along", "seccomp", "tty", """
if os.getsid(0) == os.getpid():
    held("a session of its own")
reached(f"in session {os.getsid(0)}")
""", "own"),
    wall("W19", "send a signal to a neighbour of another user, without the pid namespace", "pidns",
         "landlock uid", """
import signal
sent = [pid for pid in range(2, 4096) if pid != os.getpid() and errno_of(os.kill, pid, 0) == ""]
reached(f"{len(sent)} could be signalled") if sent else held("none of those it sees")
""", "none"),
]
