"""G: ends, and what must not outlive them."""

import time

from .case import Case, Cell, Native, Off, Own
from .judge import judge_result, said

GONE_S = 10


def nothing_left(lab, case, result):
    """The expected outcome, and no process of the job is found on the host any more."""
    outcome = result["outcome"]
    end = time.monotonic() + GONE_S
    left = lab.processes_named(lab.mark)
    while left and time.monotonic() < end:
        time.sleep(0.01)
        left = lab.processes_named(lab.mark)
    return outcome == case.outcome and not left, f"{outcome}, {len(left)} processes left"


def ends_with(outcome, **fields):
    def check(lab, case, result):
        wrong = {k: result.get(k) for k, v in fields.items() if result.get(k) != v}
        shown = " ".join(f"{k} {result.get(k)}" for k in fields)
        return result["outcome"] == outcome and not wrong, f"{result['outcome']} {shown}".strip()
    return check


NAMED = """
import signal, time
def rename(what=""):
    call(157, 15, ("@MARK@" + what).encode()[:15], 0, 0, 0)
rename()
"""
DAEMONS = NAMED + """
for n in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (1, 2, 3, 13, 15):
                signal.signal(number, signal.SIG_IGN)
            rename()
            time.sleep(60)
        os._exit(0)
time.sleep(0.1)
"""


def stays(code):
    """Natively the same processes are still there after their parent has ended."""
    return Native(code + """
found = 0
for entry in os.listdir("/proc"):
    try:
        found += entry.isdigit() and int(entry) != os.getpid() and "@MARK@" in open(f"/proc/{entry}/comm").read()
    except OSError:
        pass
reached(f"{found} still there") if found else held()
""")


def end_case(ident, title, code, outcome, **fields):
    return Case(ident, title, "pidns", code, Own("each end has a name of its own"),
                check=ends_with(outcome, **fields))


CASES = [
    Case("G54", "SIGTERM ignored beyond the wall limit", "pidns", NAMED + """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
""", Native("import signal, time\nsignal.signal(15, signal.SIG_IGN)\nos.kill(os.getpid(), 15)\n"
            "reached('SIGTERM does nothing')"),
         outcome="timeout_wall", args=("--wall", "500ms"), check=nothing_left),
    Case("G55", "five daemons by double fork and setsid", "pidns", DAEMONS, stays(DAEMONS),
         check=nothing_left),
    Case("G56", "an orphan holds stdout: the answer does not wait for it", "pidns", NAMED + """
if os.fork() == 0:
    rename()
    time.sleep(60)
""", stays(NAMED + "if os.fork() == 0:\n    rename()\n    time.sleep(5)\n    os._exit(0)\ntime.sleep(0.1)\n"),
         check=nothing_left),
    Case("G57a", "a stopped child", "pidns", NAMED + """
pid = os.fork()
if pid == 0:
    rename()
    time.sleep(60)
os.kill(pid, signal.SIGSTOP)
os.waitpid(pid, os.WUNTRACED)
""", stays(NAMED + "pid = os.fork()\nif pid == 0:\n    rename()\n    time.sleep(60)\n"
           "os.kill(pid, signal.SIGSTOP)\nos.waitpid(pid, os.WUNTRACED)\n"), check=nothing_left),
    Case("G57b", "SIGSTOP to the process group and to itself", "pidns", NAMED + """
if os.fork() == 0:
    rename()
    time.sleep(60)
os.kill(0, signal.SIGSTOP)
""", Native("import signal\npid = os.fork()\nif pid == 0:\n    os.setpgid(0, 0)\n    os.kill(0, signal.SIGSTOP)\n"
            "status = os.waitpid(pid, os.WUNTRACED)[1]\nos.kill(pid, 9)\n"
            "reached('stopped') if os.WIFSTOPPED(status) else held()"),
         outcome="timeout_wall", args=("--wall", "700ms"), check=nothing_left),
    end_case("G58a", "os._exit(3)", "os._exit(3)", "exit", exit_code=3),
    end_case("G58b", "sys.exit with a text", "sys.exit('x')", "exit", exit_code=1),
    end_case("G58c", "an uncaught exception", "1 / 0", "error", exit_code=1),
    end_case("G58d", "abort", "os.abort()", "signal", signal=6),
    end_case("G58e", "a segmentation fault", "ctypes.string_at(8)", "signal", signal=11),
    end_case("G58f", "SIGKILL to itself", "os.kill(os.getpid(), 9)", "signal", signal=9),
    end_case("G58g", "SIGSYS raised by the job is no denied call",
             "import signal\nos.kill(os.getpid(), signal.SIGSYS)", "signal", signal=31),
    end_case("G58h", "os._exit(137) is no memory verdict", "os._exit(137)", "exit", exit_code=137),
    end_case("G58i", "SIGXCPU raised by the job is no time limit",
             "import signal\nsignal.signal(24, signal.SIG_DFL)\nos.kill(os.getpid(), 24)",
             "signal", signal=24),
    Case("G58j", "a segmentation fault leaves no file", "rlimits dump", """
os.chdir(WORK)
if os.fork() == 0:
    ctypes.string_at(8)
os.wait()
left = [n for n in os.listdir(WORK) if n not in ("attack.py",)]
reached(str(left)) if left else held("no core")
""", Native("""
import resource, glob
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
pattern = open("/proc/sys/kernel/core_pattern").read()
if os.fork() == 0:
    ctypes.string_at(8)
status = os.wait()[1]
reached("a core: " + pattern.strip()) if os.WCOREDUMP(status) else held("no core here either")
"""), expect="no core"),
    Case("G59a", "a handler at exit that loops", "cpu",
         "import atexit\n@atexit.register\ndef loop():\n    while True:\n        pass",
         Own("the loop has no other end"), check=ends_with("timeout_cpu"),
         args=("--cpu", "500ms", "--wall", "20s")),
    Case("G59b", "a destructor that hangs", "cpu",
         "import time\nclass A:\n    def __del__(self, sleep=time.sleep):\n        sleep(60)\na = A()",
         Own("it sleeps for a minute"), check=ends_with("timeout_wall"), args=("--wall", "700ms",)),
    Case("G60", "forks without end while the limit falls", "pidns", NAMED + """
while True:
    try:
        if os.fork() == 0:
            rename()
            if os.fork() == 0:
                time.sleep(0.001)
            continue
    except OSError:
        pass
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
""", Native("import time\nn = 0\nfor n in range(200):\n    if os.fork() == 0:\n        os._exit(0)\nreached('200 forks')"),
         outcome="timeout_wall", args=("--wall", "700ms", "--cpu", "20s"), check=nothing_left),
    Case("G61", "the main thread ends, another goes on", "pidns", NAMED + """
import threading
threading.Thread(target=time.sleep, args=(60,)).start()
call(60, 0)
""", Native("import threading, time\n"
            "def late():\n    time.sleep(0.2)\n    say('REACHED', 'a thread goes on')\n    os._exit(0)\n"
            "threading.Thread(target=late).start()\ncall(60, 0)"),
         outcome="timeout_wall", args=("--wall", "700ms",), check=nothing_left),
    Case("G62", "a thread that forks while the job ends", "pidns", NAMED + """
import threading
go = threading.Event()
def forks():
    go.wait()
    while True:
        try:
            if os.fork() == 0:
                rename()
                time.sleep(60)
        except OSError:
            time.sleep(0.001)
for _ in range(4):
    threading.Thread(target=forks, daemon=True).start()
go.set()  # not before all are there: a full cell takes no thread
time.sleep(0.1)
os._exit(0)
""", Own("G55 shows such processes on the host"), check=nothing_left),
    Case("G63", "signals that stop and go on while the cell is frozen", "pidns", NAMED + """
pid = os.fork()
if pid == 0:
    while True:
        try:
            os.kill(os.getppid(), signal.SIGSTOP)
            os.kill(os.getppid(), signal.SIGCONT)
        except ProcessLookupError:
            os._exit(0)
while True:
    pass
""", Own("G57b shows that SIGSTOP stops"), outcome="timeout_wall",
         args=("--wall", "700ms", "--cpu", "20s"), check=nothing_left),
]
