"""H: from one job to another, one after the other in a slot and side by side."""

from .case import Case, Cell, Native, Off, Own
from .judge import said


def two(first, second, args=()):
    """`first` runs to its end, `second` after it in the same service of one slot."""
    def check(lab, case, result):
        service = lab.service()
        a = lab.cell(first, args, service=service)
        words = [said(lab.cell(second, args, service=service)["stdout"]) for _ in range(5)]
        bad = [why for word, why in words if word != "HELD"]
        ran = said(a["stdout"])[0] == "REACHED"
        return ran and not bad, f"left by one, unseen by five ({words[0][1]})" if not bad else str(bad[:1])
    return check


def beside(first, second, expect="HELD"):
    """`second` runs while `first` holds on."""
    def check(lab, case, result):
        a = lab.start(first)
        b = lab.cell(second)
        done = a.result()
        word, why = said(b["stdout"])
        return word == expect and b["outcome"] == "ok", f"{word} {why}; beside it {done['outcome']}"
    return check


LEAVE = """
for folder in ("/tmp", "/dev/shm", WORK):
    open(folder + "/left", "w").write("x")
reached("left")
"""
FIND = """
there = [f for f in ("/tmp/left", "/dev/shm/left", WORK + "/left") if os.path.exists(f)]
extra = [f for d in ("/tmp", "/dev/shm", WORK) for f in os.listdir(d) if f not in (".brig",)]
reached(str(there + extra)) if there or extra else held("three empty folders")
"""
PIPES = """
import time
def fill():
    n = 0
    try:
        while True:
            r, w = os.pipe()
            ends.append((r, w))
            n += 1
    except OSError:
        return n
ends = []
for _ in range(40):
    if os.fork() == 0:
        fill()
        time.sleep(3)
        os._exit(0)
time.sleep(2)
reached("held 40 times 120 pipes")
"""
PIPE_ROOM = """
import time
time.sleep(1)
r, w = os.pipe()
os.set_blocking(w, False)
total = 0
try:
    while True:
        total += os.write(w, b"x" * 4096)
except BlockingIOError:
    pass
held(f"a pipe of {total} bytes") if total >= 65536 else reached(f"a pipe of {total} bytes")
"""

CASES = [
    Case("H60", "files left in every folder", "work", LEAVE, Cell(LEAVE), check=two(LEAVE, FIND)),
    Case("H60b", "System V and POSIX message objects", "seccomp ipc", """
got = [call(29, 1234, 4096, 0o1666), call(64, 1234, 1, 0o1666), call(68, 1234, 0o1666),
       call(240, b"brig", 0o102, 0o666, 0)]
held("EPERM") if got == [-1] * 4 else reached(str(got))
""", Native(), expect="EPERM"),
    Case("H61a", "watch a file of the image", "seccomp", """
got = [call(253), call(294, 0), call(300, 0, 0)]
held("EPERM") if got == [-1] * 3 else reached(str(got))
""", Native(), expect="EPERM"),
    Case("H61b", "lock, lease and notify on a file of the image", "seccomp", """
import fcntl
fd = os.open("/etc/passwd", os.O_RDONLY)
got = [errno_of(fcntl.flock, fd, 1), errno_of(fcntl.fcntl, fd, 1024, 0),
       errno_of(fcntl.fcntl, fd, 1026, 1), errno_of(fcntl.fcntl, fd, 37, bytes(32)),
       errno_of(fcntl.fcntl, fd, 36, bytes(32))]
held(" ".join(got)) if all(got) else reached(str(got))
""", Native(), expect="EPERM ENOSYS"),
    Case("H61c", "record locks on a file of the image and on a device", "seccomp", "", Native("""
import fcntl, struct
fd = os.open("/dev/null", os.O_RDWR)
fcntl.lockf(fd, fcntl.LOCK_EX, 1, 1 << 40)
asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 1 << 40, 1, 0)
if os.fork() == 0:
    found = struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, asked))
    say("REACHED" if found[0] != fcntl.F_UNLCK else "HELD", str(found))
    os._exit(0)
os.wait()
os._exit(0)
"""), check=beside("""
import fcntl, time
image, device = os.open("/etc/passwd", os.O_RDONLY), os.open("/dev/null", os.O_RDWR)
fcntl.lockf(image, fcntl.LOCK_SH, 1, 7)
fcntl.lockf(device, fcntl.LOCK_EX, 1, 7)
time.sleep(1.2)
""", """
import fcntl, struct, time
time.sleep(0.6)
asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 7, 1, 0)
fds = [os.open("/etc/passwd", os.O_RDONLY), os.open("/dev/null", os.O_RDWR)]
found = [struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, asked))[0] for fd in fds]
held("none seen") if found == [fcntl.F_UNLCK] * 2 else reached(str(found))
""")),
    Case("H62", "random numbers of two jobs", "work", "", Cell("""
import random
random.seed(7)
a = random.random()
random.seed(7)
reached("a fixed seed gives equal numbers") if a == random.random() else held()
"""), check=lambda lab, case, result: numbers(lab)),
    Case("H63", "patched builtins in the next job", "pidns", "", Cell("""
import builtins
builtins.open = builtins.len = None
os.brig_mark = 1
sys.modules["json"] = None
reached("patched")
"""), check=two("""
import builtins, json
builtins.brig_mark = os.brig_mark = json.brig_mark = 1
reached("patched")
""", """
import builtins, json
held("clean") if not any(hasattr(m, "brig_mark") for m in (builtins, os, json)) else reached("patched")
""")),
    Case("H65", "SIGKILL to everyone while a neighbour works", "pidns uid landlock",
         "", Native("import signal, time\npid = os.fork()\nif pid == 0:\n    os.setsid()\n    time.sleep(30)\n"
                    "os.kill(-1, signal.SIGKILL)\nstatus = os.waitpid(pid, 0)[1]\n"
                    "reached('the other died') if os.WIFSIGNALED(status) else held()"),
         check=beside("""
import signal, time
for _ in range(20):
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for pid in range(1, 2000):
        if pid != os.getpid():
            errno_of(os.kill, pid, 9)
    time.sleep(0.05)
""", "import time\ntime.sleep(0.8)\nheld('finished')")),
    Case("H66", "pools of a user: pipes of one job make the neighbour's no smaller", "uid", "",
         Cell(PIPES), check=beside(PIPES, PIPE_ROOM), slow=True),
    Case("H68", "a million absent names: the next job starts at its own baseline", "memory", "",
         Cell("print(os.path.exists('/usr/lib/absent'))\nreached('absent names are looked up')"),
         check=lambda lab, case, result: baseline(lab), slow=True),
    Case("H69", "descriptors of a cell that was made beside a running one", "fds", "", Cell("""
r, w = os.pipe()
reached("a pipe of the job's own is seen") if os.fstat(r) else held()
"""), check=beside("""
import time
ends = [os.pipe() for _ in range(20)]
time.sleep(1.2)
""", """
def there(fd):
    return errno_of(os.fstat, fd) == ""
extra = [fd for fd in range(5, 1024) if there(fd)]
reached(str(extra)) if extra else held("five")
""")),
    Case("H67", "the same addresses, hash secret and canary in two jobs are not told apart", "work",
         "", Own("one zygote's children share a layout: SECURITY.md says so"),
         check=lambda lab, case, result: secrets_differ(lab)),
]


def numbers(lab):
    code = """
import random, uuid, secrets
import numpy
print(random.random(), numpy.random.rand(), numpy.random.default_rng().random(),
      uuid.uuid4(), secrets.token_hex(8))
"""
    a, b = (lab.cell(code)["stdout"].split() for _ in range(2))
    same = [i for i in range(5) if len(a) != 5 or len(b) != 5 or a[i] == b[i]]
    return not same, "five generators, no number twice" if not same else f"equal: {same} {a[:1]}"


def baseline(lab):
    before = lab.cell("held('x')")["usage"]["memory_peak_bytes"]
    flood = lab.cell("""
n = 0
while n < 1000000:
    call(21, b"/usr/lib/absent%d" % n, 0)
    call(21, b"/tmp/absent%d" % n, 0)
    n += 2
held(str(n))
""", ("--memory", "64M", "--wall", "300s", "--cpu", "300s"))
    after = lab.cell("held('x')")["usage"]["memory_peak_bytes"]
    good = flood["outcome"] in ("ok", "memory") and after < before + (8 << 20)
    return good, f"flood {flood['outcome']}; peak {before >> 10} KiB before, {after >> 10} KiB after"


def secrets_differ(lab):
    """What must differ in any case: the random bytes of the kernel and of the job's seed."""
    code = "import os\nprint(os.urandom(8).hex(), __import__('tempfile').mktemp())"
    a, b = (lab.cell(code)["stdout"].split() for _ in range(2))
    return len(a) == 2 and a[0] != b[0] and a[1] != b[1], "random bytes and names of temporary files differ"
