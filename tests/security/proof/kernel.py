"""K: the kernel's surface."""

import json
import subprocess

from .case import Case, Native, Off, Own
from .judge import said
from .lab import TOP

CODE32 = """
import mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40,
                 mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))    # mov eax, 20 (getpid); int 0x80; ret
function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
reached(str(function()))
"""


def deadly(ident, title, name, code, control=None):
    return Case(ident, title, "seccomp", code, control or Native(), outcome="denied", syscall=name)


def table():
    """The policy as data, from the build's own dump: rows of name, number, action and tests."""
    out = subprocess.run([TOP + "/build/tests/policy", "json"], capture_output=True, text=True,
                         check=True)
    return json.loads(out.stdout)


ERRORS = {"EPERM": 1, "EOPNOTSUPP": 95, "EAFNOSUPPORT": 97, "ENOSYS": 38}


def whole_range(lab, case, result):
    """Numbers that answer by an error with six zeros; those that act are the interpreter's."""
    rules = table()
    by_number = {}
    for rule in rules:
        by_number.setdefault(rule["number"], []).append(rule)
    wanted = {str(n): ERRORS[r[0]["action"]] for n, r in by_number.items()
              if r[0]["action"] in ERRORS and not r[0]["tests"]}
    # uretprobe and uprobe: the kernel answers them itself, before any filter, by SIGILL.
    skip = [n for n, r in by_number.items() if str(n) not in wanted] + [335, 336]
    code = case.code.replace("@SKIP@", json.dumps(skip)).replace("@TABLE@", json.dumps(wanted))
    result = lab.cell(code)
    word, why = said(result["stdout"])
    if word != "HELD":
        return False, f"{result['outcome']}: {word} {why}"
    lethal = sorted({r["number"] for r in rules if r["action"] == "DEADLY"})
    for number in lethal:
        got = lab.cell(f"call({number}, 0, 0, 0, 0, 0, 0)\nreached('alive')")
        if got["outcome"] != "denied":
            return False, f"number {number}: {got['outcome']}"
    return True, f"{why}; {len(lethal)} deadly"


RANGE = """
import json
skip = set(json.loads('@SKIP@'))
known = json.loads('@TABLE@')
wrong, asked = [], 0
for number in range(0, 601):
    if number in skip:
        continue
    want = known.get(str(number), 38)
    rc = call(number, 0, 0, 0, 0, 0, 0)
    asked += 1
    if rc != -want:
        wrong.append(f"{number}: {name(rc)} for {errno.errorcode.get(want, want)}")
reached("; ".join(wrong[:4])) if wrong else held(f"{asked} numbers as the table says")
"""

CASES = [
    Case("K76", "io_uring_setup", "seccomp",
         "verdict(call(425, 4, ctypes.create_string_buffer(120)))", Native(), expect="ENOSYS"),
    Case("K77", "userfaultfd", "seccomp", "verdict(call(323, 1))", Native(), expect="ENOSYS"),
    deadly("K78", "bpf", "bpf", """
attr = (ctypes.c_uint32 * 20)(2, 4, 8, 1)
verdict(call(321, 0, attr, 80))
"""),
    deadly("K79", "perf_event_open", "perf_event_open", """
attr = (ctypes.c_uint32 * 32)(1, 128)
verdict(call(298, attr, 0, -1, -1, 0))
"""),
    deadly("K80a", "keyctl", "keyctl", "verdict(call(250, 0, -3, 1, 0, 0))"),
    deadly("K80b", "add_key", "add_key", "verdict(call(248, b'user', b'x', b'y', 1, -3))"),
    deadly("K80c", "request_key", "request_key",
           "if NATIVE:\n    call(250, 1, b'k', 0, 0, 0)\n    call(248, b'user', b'x', b'y', 1, -3)\n"
           "verdict(call(249, b'user', b'x', 0, -3))"),
    deadly("K80d", "a deadly call of a thread, while the main one goes on", "keyctl", """
import threading, time
thread = threading.Thread(target=call, args=(250, 0, -3, 1, 0, 0))
thread.start()
time.sleep(20 if not NATIVE else 0.1)
reached("it goes on")
"""),
    deadly("K80e", "a deadly call of a child, while its parent goes on", "keyctl", """
import time
if os.fork() == 0:
    call(250, 0, -3, 1, 0, 0)
    os._exit(0)
time.sleep(20 if not NATIVE else 0.1)
reached("it goes on")
"""),
    Case("K81", "splice, vmsplice, tee", "seccomp", """
a, b = os.pipe(), os.pipe()
os.write(a[1], b"x")
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
got = [call(276, a[0], b[1], 1, 0), call(275, a[0], 0, b[1], 0, 1, 0), call(278, b[1], vector, 1, 0)]
held("EPERM") if got == [-1] * 3 else reached(str(got))
""", Native(), expect="EPERM"),
    Case("K82a", "a 32-bit system call by int 0x80", "seccomp", CODE32, Native(),
         outcome="denied"),
    Case("K82b", "an x32 number", "seccomp", "verdict(call(0x40000000 + 39))",
         Off("seccomp", "rc = call(0x40000000 + 39)\nreached('the kernel was asked: ' + name(rc))"),
         outcome="denied"),
    Case("K82c", "a negative number, and one beyond every table", "seccomp", """
got = [call(-1), call(100000), call(0x7fffffff)]
held("ENOSYS denied") if all(g == -38 for g in got) else reached(str(got))
""", Off("seccomp", "reached('the kernel was asked: ' + name(call(100000)))"),
         check=lambda lab, case, result: (
             result["outcome"] in ("ok", "denied") and "REACHED" not in result["stdout"],
             result["outcome"])),
    Case("K83", "every number from 0 to 600 with six zeros", "seccomp", RANGE,
         Off("seccomp", "got = [n for n in (39, 135, 272, 425) if call(n, 0, 0, 0, 0, 0, 0) != -38]\n"
             "reached(f'{len(got)} of four answer') if got else held()"),
         check=whole_range, slow=True),
    Case("K84", "devices of the host", "dev", """
there = [d for d in ("kvm", "fuse", "net/tun", "kmsg", "mem", "sda", "vda", "loop-control", "tty",
                     "ptmx", "pts", "vhost-net", "vsock", "userfaultfd", "uinput")
         if os.path.lexists("/dev/" + d)]
reached(" ".join(there)) if there else held("15 absent")
""", Native(room="bare")),
    deadly("K85", "load a kernel module", "init_module", "verdict(call(175, 0, 0, b''))",
           Off("seccomp", "reached('the kernel was asked: ' + name(call(175, 0, 0, b'')))")),
    deadly("K86", "load another kernel", "kexec_load", "verdict(call(246, 0, 0, 0, 0))"),
    Case("K87", "memory of huge pages outside the limit", "seccomp memory",
         "verdict(call(9, 0, 2 << 20, 3, 0x22 | 0x40000, -1, 0))",
         Off("seccomp", "rc = call(9, 0, 2 << 20, 3, 0x22 | 0x40000, -1, 0)\n"
             "reached('the kernel was asked: ' + name(rc if -4096 < rc < 0 else 0))"),
         expect="ENOSYS"),
    Case("K88", "evict the shared image: fadvise and madvise answer and do nothing", "seccomp", """
import mmap
fd = os.open(__file__ if NATIVE else "/usr/lib/python3.13/os.py", os.O_RDONLY)
m = mmap.mmap(fd, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
m[0]
address = ctypes.c_void_p()
got = [call(221, fd, 0, 0, 4), m.madvise(21) if hasattr(m, "madvise") else 0]
held("0 and 0") if got == [0, None] else reached(str(got))
""", Own("in the unit test of the filter: neither number reaches the kernel")),
    Case("K89", "ask what is in the page cache", "seccomp", """
import mmap
m = mmap.mmap(-1, 4096)
vector = ctypes.create_string_buffer(1)
buffer = (ctypes.c_uint64 * 8)()
address = ctypes.addressof(ctypes.c_char.from_buffer(m))
fd = os.open(__file__ if NATIVE else "/etc/passwd", os.O_RDONLY)
data = ctypes.create_string_buffer(8)
io = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
got = [call(27, address, 4096, vector), call(451, fd, buffer, buffer, 0), call(327, fd, io, 1, 0, 0, 8)]
held("EPERM") if all(g in (-1, -38) for g in got) and got[0] == -1 else reached(str(got))
""", Native(), expect="EPERM"),
]
