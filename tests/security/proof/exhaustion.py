"""E: exhaustion. Every bomb is small enough to do the host no harm where its limit is missing."""

import os

from .case import Case, Cell, Native, Off, Own
from .judge import judge_result, said

MIB = 1 << 20


def counts(stream, least, most=1 << 62):
    """The exact number of bytes that the job wrote, and how many came back."""
    def check(lab, case, result):
        total, kept = result.get(stream + "_bytes", 0), len(result.get(stream, ""))
        good = result["outcome"] == case.outcome and least <= total <= most and kept <= 40000
        return good, f"{result['outcome']}, {total} bytes counted, {kept} kept"
    return check


def service_rss(lab):
    with open(f"/proc/{lab.service().pid()}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def bounded_memory(lab, case, result):
    good, detail = counts("stdout", 32 * MIB)(lab, case, result)
    peak = service_rss(lab)
    return good and result["stdout_truncated"] and peak < 64 * 1024, (
        f"{detail}; the service's peak is {peak} KiB")


def neighbour(lab, case, result):
    """While the bomb goes off a second job in the same service works to its end."""
    other = lab.start("import time\ntime.sleep(0.3)\nx = bytearray(30 << 20)\nheld('whole')")
    bomb = lab.start(case.code, case.args, case.files)
    there, exploded = other.result(), bomb.result()
    good, detail = judge_result(case, exploded)
    word, _ = said(there["stdout"])
    return good and word == "HELD" and there["outcome"] == "ok", f"{detail}; neighbour {there['outcome']}"


def service_cpu(lab):
    with open(f"/proc/{lab.service().pid()}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bounded_cpu(lab, case, result):
    before = service_cpu(lab)
    again = lab.cell(case.code, case.args)
    spent, own = service_cpu(lab) - before, again["usage"]["cpu_ms"] / 1000
    good = again["outcome"] == "ok" and again["stdout_bytes"] == 200000
    return good, f"200000 bytes; CPU of the service {spent:.2f} s for {own:.2f} s of the job"


def both_streams(lab, case, result):
    good = result["outcome"] == "ok" and result["stdout_bytes"] == 2 * MIB and \
        result["stderr_bytes"] == 4 * MIB
    return good, f"{result['outcome']}, {result['stdout_bytes']} and {result['stderr_bytes']} bytes"


def skips(reason, **more):
    def check(lab, case, result):
        why = [s["why"] for s in result.get("skipped", [])]
        good = result["outcome"] == "ok" and any(reason in w for w in why)
        return good, f"{result['outcome']}, {len(result.get('files', []))} files, skipped: {why[:1]}"
    return check


def one_of(*outcomes):
    def check(lab, case, result):
        return result["outcome"] in outcomes, result["outcome"]
    return check


BURN = "import time\nend = time.thread_time() + {s}\nwhile time.thread_time() < end:\n    pass\nreached('burnt')"
BURN4 = """
import time
pids = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        end = time.thread_time() + 0.7
        while time.thread_time() < end:
            pass
        os._exit(0)
    pids.append(pid)
for pid in pids:
    os.waitpid(pid, 0)
reached("four times 0.7 s")
"""
FORKS = """
import signal, time
pids, error = [], ""
for _ in range(100):
    try:
        pid = os.fork()
    except OSError as fault:
        error = errno.errorcode[fault.errno]
        break
    if pid == 0:
        time.sleep(30)
        os._exit(0)
    pids.append(pid)
for pid in pids:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
held(f"{error} after {len(pids)}") if error else reached("100 processes")
"""
THREADS = """
import threading, time
started = []
gate = threading.Event()
try:
    for _ in range(100):
        thread = threading.Thread(target=gate.wait, daemon=True)
        thread.start()
        started.append(thread)
except RuntimeError as fault:
    gate.set()
    held(f"{fault} after {len(started)}")
gate.set()
reached("100 threads")
"""
ORPHANS = """
import time
made = 0
for _ in range(300):
    for wait in range(200):
        try:
            pid = os.fork()
            break
        except BlockingIOError:
            time.sleep(0.01)
    else:
        held(f"stopped after {made}")
    if pid == 0:
        try:
            if os.fork() == 0:
                os._exit(0)
        except BlockingIOError:
            pass
        os._exit(0)
    os.waitpid(pid, 0)
    made += 1
print("made", made)
"""

CASES = [
    Case("E31", "a busy loop", "cpu", BURN.format(s=3), Native(BURN.format(s=1)),
         outcome="timeout_cpu", args=("--cpu", "500ms", "--wall", "20s")),
    Case("E31b", "four processes that burn: the sum counts", "cpu", BURN4, Native(),
         outcome="timeout_cpu", args=("--cpu", "1s", "--wall", "20s")),
    Case("E32", "sleep", "cpu", "import time\ntime.sleep(20)\nreached('awake')",
         Native("import time\ntime.sleep(0.7)\nreached('awake')"),
         outcome="timeout_wall", args=("--wall", "500ms",)),
    Case("E33", "a regular expression that holds the interpreter's lock", "cpu",
         "import re\nre.match('(a+)+$', 'a' * 40 + 'b')\nreached('done')",
         Native("import re\nre.match('(a+)+$', 'a' * 22 + 'b')\nreached('done')"),
         outcome="timeout_cpu", args=("--cpu", "500ms", "--wall", "20s")),
    Case("E34", "more memory than the limit; the neighbour is unaffected", "memory",
         "x = bytearray(200 << 20)\nfor i in range(0, len(x), 4096):\n    x[i] = 1\n"
         "reached('200 MiB')", Native(), outcome="memory", args=("--memory", "64M"),
         check=neighbour),
    Case("E34b", "memory in four children", "memory", """
pids = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        x = bytearray(30 << 20)
        for i in range(0, len(x), 4096):
            x[i] = 1
        import time
        time.sleep(1)
        os._exit(0)
    pids.append(pid)
codes = [os.waitpid(pid, 0)[1] for pid in pids]
reached("120 MiB") if not any(codes) else held(str(codes))
""", Native(), outcome="memory", args=("--memory", "64M")),
    Case("E34c", "memory in the work folders", "memory", """
for folder in (WORK, "/tmp", "/dev/shm"):
    with open(folder + "/@MARK@fill", "wb") as f:
        for _ in range(40):
            f.write(b"x" * (1 << 20))
for folder in (WORK, "/tmp", "/dev/shm"):
    os.unlink(folder + "/@MARK@fill")
reached("120 MiB")
""", Native(), outcome="memory", args=("--memory", "64M")),
    Case("E34d", "page tables instead of pages", "memory", """
import mmap
m = mmap.mmap(-1, 40 << 30, 0x4022, mmap.PROT_READ)
for i in range(0, 40 << 30, 2 << 20):
    m[i]
reached("80 MiB of tables")
""", Native(), outcome="memory", args=("--memory", "64M", "--wall", "60s"), slow=True),
    Case("E34e", "memory in pipes", "memory", """
import resource
held_ends, children = [], []
for child in range(12):
    pid = os.fork()
    if pid == 0:
        total = 0
        try:
            while True:
                r, w = os.pipe()
                os.set_blocking(w, False)
                held_ends.append((r, w))
                while True:
                    total += os.write(w, b"x" * 4096)
        except BlockingIOError:
            pass
        except OSError:
            pass
        import time
        for r, w in []:
            pass
        try:
            while len(held_ends) < 110:
                r, w = os.pipe()
                os.set_blocking(w, False)
                held_ends.append((r, w))
                try:
                    while True:
                        os.write(w, b"x" * 4096)
                except BlockingIOError:
                    pass
        except OSError:
            pass
        time.sleep(3)
        os._exit(0)
    children.append(pid)
codes = [os.waitpid(pid, 0)[1] for pid in children]
reached("twelve times 110 pipes") if not any(codes) else held(str(codes))
""", Native(), outcome="memory", args=("--memory", "64M"), slow=True),
    Case("E35", "fill the work folder", "work", """
path = WORK + "/fill"
wrote = 0
try:
    for part in range(2):
        with open(path + str(part), "wb") as f:
            for _ in range(150):
                f.write(b"x" * (1 << 20))
                wrote += 1
except OSError as fault:
    os.unlink(path + "0")
    held(f"{errno.errorcode[fault.errno]} after {wrote} MiB")
reached(f"{wrote} MiB")
""", Native(), expect="ENOSPC after 25", args=("--memory", "600M")),
    Case("E36", "a sparse file of one TiB", "rlimits work",
         "with open(WORK + '/sparse', 'wb') as f:\n    attempt(os.ftruncate, f.fileno(), 1 << 40)",
         Native(), expect="EFBIG"),
    Case("E36b", "a sparse file within the limit is not read", "work",
         "with open(WORK + '/sparse', 'wb') as f:\n    f.truncate(200 << 20)",
         Own("a small file is returned by F48's twin"), check=skips("64 MiB")),
    Case("E37", "a file for every inode", "work", """
os.mkdir(WORK + "/many")
for n in range(40000):
    try:
        os.close(os.open(WORK + f"/many/{n}", os.O_CREAT | os.O_WRONLY))
    except OSError as fault:
        held(f"{errno.errorcode[fault.errno]} after {n}")
reached("40000 files")
""", Native(), expect="ENOSPC after 16"),
    Case("E38", "a flood of descriptors", "rlimits", """
n = 0
try:
    for n in range(400):
        os.open("/dev/null", os.O_RDONLY)
except OSError as fault:
    held(f"{errno.errorcode[fault.errno]} after {n}")
reached("400")
""", Native(), expect="EMFILE after 25"),
    Case("E39", "a fork bomb", "pids", FORKS, Native(), expect="EAGAIN after 6"),
    Case("E40", "a thread bomb", "pids", THREADS, Native(), expect="after 6"),
    Case("E40b", "a fork bomb beside a neighbour", "pids", FORKS, Native(), expect="EAGAIN",
         check=neighbour),
    Case("E41", "300 orphans become zombies: init reaps", "pids pidns",
         ORPHANS + "held('300') if made == 300 else reached(str(made))",
         Cell("""
pids = []
try:
    for _ in range(100):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        pids.append(pid)
except BlockingIOError:
    reached(f"zombies that nobody reaps end at {len(pids)}")
held()
"""), expect="300"),
    Case("E42", "folders nested 1,000 deep", "work", """
os.chdir(WORK)
for _ in range(1000):
    os.mkdir("d")
    os.chdir("d")
open("deep.txt", "w").write("x")
os.chdir(WORK)
""", Own("F48's twin returns a file of a nested folder"), check=skips("nested too deep")),
    Case("E43", "endless output", "memory",
         "block = b'x' * (1 << 20)\nfor _ in range(40):\n    os.write(1, block)",
         Native("n = sum(os.write(1, b'x' * 65536 + b'\\n') for _ in range(700))\nreached(str(n))"),
         outcome="output", check=bounded_memory, args=("--wall", "60s")),
    Case("E44", "one byte at a time", "cpu",
         "for _ in range(200000):\n    os.write(1, b'x')", Own("the bytes are counted to the last"),
         check=bounded_cpu, slow=True),
    Case("E45", "stderr floods while stdout is full", "memory", """
import threading
def flood(fd, total):
    block = b"y" * 65536
    while total:
        total -= os.write(fd, block[:total])
threads = [threading.Thread(target=flood, args=a) for a in ((1, 2 << 20), (2, 4 << 20))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""", Own("both streams are counted to the last byte"), check=both_streams),
    Case("E46a", "lock memory", "seccomp rlimits", """
import mmap
m = mmap.mmap(-1, 65536)
address = ctypes.addressof(ctypes.c_char.from_buffer(m))
verdict(call(149, address, 65536))
""", Native(), expect="EPERM"),
    Case("E46b", "enlarge a pipe", "seccomp",
         "import fcntl\nr, w = os.pipe()\nattempt(fcntl.fcntl, w, 1031, 1 << 20)", Native(),
         expect="ENOSYS"),
    Case("E46c", "a flood of timers: POSIX timers", "seccomp rlimits", """
n, timer = 0, ctypes.c_int()
for n in range(300):
    rc = call(222, 1, 0, ctypes.byref(timer))
    if rc < 0:
        held(f"{name(rc)} after {n}")
reached("300 timers")
""", Native(), expect="ENOSYS after 0"),
    Case("E46d", "a flood of timers: descriptors", "rlimits", """
n = 0
for n in range(400):
    rc = call(283, 1, 0)
    if rc < 0:
        held(f"{name(rc)} after {n}")
reached("400 timers")
""", Native(), expect="EMFILE after 25"),
    Case("E47a", "an integer of 10⁹ digits", "cpu memory",
         "x = 10 ** (10 ** 9)\nreached('made')", Native("x = 10 ** (10 ** 6)\nreached('made')"),
         check=one_of("timeout_cpu", "timeout_wall", "memory", "error"),
         args=("--cpu", "1s", "--wall", "10s")),
    Case("E47b", "endless recursion, in Python and in C", "memory", """
import json
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError:
    pass
try:
    json.loads("[" * 200000)
except RecursionError:
    held("RecursionError twice")
reached("no error")
""", Native("import threading, sys\nsys.setrecursionlimit(3000)\nthreading.stack_size(64 << 20)\n"
            "def f(n):\n    return n and f(n - 1)\n"
            "t = threading.Thread(target=lambda: reached(str(f(2000))))\nt.start()\nt.join()")),
    Case("E48", "a loop of signals to itself and of timers", "cpu", """
import signal, time
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
while True:
    pass
""", Native("import signal, time\nn = [0]\n"
            "signal.signal(signal.SIGALRM, lambda *a: n.__setitem__(0, n[0] + 1))\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n"
            "while n[0] < 50:\n    pass\nreached(str(n[0]))"),
         outcome="timeout_cpu", args=("--cpu", "500ms", "--wall", "20s")),
    Case("E49", "SIGXCPU, SIGTERM and every other signal ignored", "cpu", """
import signal
for n in range(1, 65):
    try:
        signal.signal(n, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
""", Native("import signal\nfor n in (1, 2, 15, 24):\n    signal.signal(n, signal.SIG_IGN)\n"
            "    os.kill(os.getpid(), n)\nreached('alive after four signals')"),
         outcome="timeout_cpu", args=("--cpu", "500ms", "--wall", "20s")),
    Case("E50", "inherited descriptions: epoll and eventfd up to the limit",
         "rlimits", """
n = 0
try:
    for n in range(400):
        (os.eventfd if n % 2 else (lambda _: call(291, 0) if call(291, 0) >= 0 else
         (_ for _ in ()).throw(OSError(24, ""))))(0)
except OSError as fault:
    held(f"{errno.errorcode[fault.errno]} after {n}")
reached("400")
""", Native("fds = [os.eventfd(0) for _ in range(400)]\nreached('400')"), expect="EMFILE"),
    Case("E51", "a flood of record locks, which the kernel charges to nobody", "seccomp", """
import fcntl, struct
fd = os.open(WORK + "/locked", os.O_RDWR | os.O_CREAT)
for n in range(1000):
    fcntl.lockf(fd, fcntl.LOCK_EX, 1, 2 * n)
if os.fork() == 0:
    kept = 0
    for n in range(1000):
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 2 * n, 1, 0)
        kept += fcntl.fcntl(fd, fcntl.F_GETLK, asked)[:2] != struct.pack("h", fcntl.F_UNLCK)
    say("HELD" if not kept else "REACHED", f"{kept} of 1000 kept")
    os._exit(0)
os.wait()
os._exit(0)
""", Native(), expect="0 of 1000"),
]
