"""I: against the service itself: frames, descriptors, signals; J: errors that tell nothing."""

import re

from .case import Case, Cell, Native, Off, Own
from .forge import FORGE
from .judge import said


HONEST = FORGE + "print(6 * 7)\nsend(item(VALUE, b'{\"text\": \"through\"}'))\nheld('42')"


def still_serves(want="ok", **fields):
    """The forged job ends as it did, and the next one in the service is whole: what it forges well
    is taken for its own value, so the forger speaks the language."""
    def check(lab, case, result):
        again = lab.cell(HONEST)
        good = (again["outcome"] == "ok" and "42" in again["stdout"]
                and (again.get("result") or {}).get("text") == "through")
        wants = want if isinstance(want, tuple) else (want,)
        wrong = {k: result.get(k) for k, v in fields.items() if result.get(k) != v}
        return (result["outcome"] in wants and not wrong and good,
                f"{result['outcome']} {wrong or ''}; the next job {again['outcome']}")
    return check


TRUE_ITEM = Cell(FORGE + "send(item(NOTE, b'a note'))\nreached('an honest frame goes through')")


def forged(ident, title, code, want="ok", args=(), **fields):
    return Case(ident, title, "fds", FORGE + code, TRUE_ITEM, args=args,
                check=still_serves(want, **fields))


def no_path(lab, case, result):
    text = str(result.get("error")) + result.get("text", "") + result["stderr"]
    odd = re.findall(r"(?:/usr|/lib|/home|/tmp|/mnt|/brig|/var|site-packages|dist-packages|_brig)[^\s\"']*", text)
    return result["outcome"] == "error" and not odd, f"{result['error'] and result['error']['type']}: {odd[:2] or 'no path'}"


def same_words(lab, case, result):
    """An absent host path and one that a host would forbid are told in the same words."""
    lines = result["stdout"].splitlines()
    return len(set(lines)) == 1 and len(lines) == 5, lines[0] if lines else result["outcome"]


def one_line_json(lab, case, result):
    raw = result["raw"]
    good = result["outcome"] == "ok" and raw.count(b"\n") <= 1 and not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", raw)
    return good, f"{result['outcome']}, {result['stdout_bytes']} bytes in, no control character out"


BACK = "\nheld('sent')"

CASES = [
    forged("I65a", "a length prefix of 2³²−1", "send(b'\\xff' * 8)" + BACK),
    forged("I65b", "a negative length, an oversized one", "send(struct.pack('<iHH', -1, ITEM, 0))\n"
           "send(struct.pack('<IHH', 1 << 30, ITEM, 0))" + BACK),
    forged("I65c", "a field longer than its frame",
           "send(frame(ITEM, struct.pack('<HHI', 4, 0, 1 << 31) + b'x'))" + BACK),
    forged("I65d", "a frame of just the limit, and one byte more",
           "send(item(VALUE, b'x' * (1 << 20)))\nsend(item(VALUE, b'x' * ((1 << 20) + 2000)))" + BACK,
           ("ok", "timeout_wall"), ("--wall", "2s")),
    forged("I66a", "a truncated frame, then the end", "send(frame(ITEM, field(TAG_KIND, b'12345678'))[:11])\nos._exit(0)"),
    forged("I66b", "a slow drip that never completes",
           "import time\nfor b in item(NOTE, b'x' * 100)[:-1]:\n    send(bytes([b])); time.sleep(0.01)\n"
           "time.sleep(60)", "timeout_wall", ("--wall", "1500ms")),
    forged("I67a", "done, twice, and late items", "send(done(0) + done(7) + item(NOTE, b'late'))\n"
           "import time\ntime.sleep(60)", "ok", exit_code=0),
    forged("I67b", "sealed and parked again", "send(frame(SEALED, field(TAG_LISTENER, struct.pack('<Q', 0))))\n"
           "send(frame(PARKED))\nsend(item(NOTE, b'x'))" + BACK),
    forged("I67c", "a forged failure is no fault of brig's", "send(frame(FAILED, field(TAG_ERR, bytes(200))))\n"
           "send(frame(FAILED))\nimport time\ntime.sleep(1)\nos._exit(5)", ("exit", "ok")),
    forged("I67d", "frames of every type from 0 to 300",
           "for n in range(300):\n    if n != DONE:\n        send(frame(n, CALL, field(1, b'x')))" + BACK,
           ("ok", "exit")),
    forged("I67e", "fields of wrong types and lengths",
           "for n in range(20):\n    send(frame(ITEM, CALL, field(TAG_KIND, b'x' * n), field(TAG_PAYLOAD, b'')))\n"
           "    send(frame(ITEM, CALL, field(TAG_KIND, struct.pack('<Q', 1 << 63))))" + BACK),
    forged("I68a", "an exit code that is none", "send(frame(DONE, CALL, field(TAG_EXIT, struct.pack('<q', -1))))\n"
           "import time\ntime.sleep(60)", ("exit", "ok")),
    forged("I68b", "forged values: 10,000 brackets, bad UTF-8, no JSON, huge numbers",
           "for p in (b'[' * 10000, b'\\xff\\xfe', b'{\"text\": 1}', b'1e999999', b'{\"text\": \"\\\\ud800\"}',\n"
           "          b'{' + b'\"a\":{' * 5000, b'null', b'', b'\\0' * 50):\n"
           "    for kind in (VALUE, TABLE, CHART, HINT, NOTE):\n        send(item(kind, p))" + BACK),
    forged("I68c", "a forged error does not change the verdict",
           "send(item(ERROR, b'{\"type\": \"internal\", \"message\": \"x\"}'))" + BACK, "ok", exit_code=0),
    forged("I68d", "flood: 300 items, 12 MiB",
           "for n in range(300):\n    send(item(NOTE, b'x' * 40000))" + BACK,
           ("ok", "timeout_wall"), ("--wall", "2s")),
    Case("I69", "descriptors over a socket", "seccomp", """
import socket, array
a, b = socket.socketpair()
error = errno_of(a.sendmsg, [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 20))])
held(error) if error else reached("sent")
""", Native(), expect="ENOSYS"),
    Case("I70", "signals to 0, -1, 1 and the parent's parent", "pidns uid", """
import signal
before = errno_of(os.kill, 1, 0)
for pid in {1, os.getppid() or 1, 2, 3} - {os.getpid()}:
    for number in (9, 15, 19, 2, 3, 10, 12):
        errno_of(os.kill, pid, number)
errno_of(os.kill, -1, 18)
held("init is there") if errno_of(os.kill, 1, 0) == before == "EPERM" else reached(before)
""", Native("pid = os.fork()\nif pid == 0:\n    import time; time.sleep(30)\nos.kill(pid, 9)\n"
            "reached('the child died') if os.WIFSIGNALED(os.waitpid(pid, 0)[1]) else held()")),
    Case("I71", "O_NONBLOCK, O_DIRECT and O_ASYNC on stdout and stdin", "seccomp fds", """
import fcntl
fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK)
fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)
got = [errno_of(fcntl.fcntl, 1, fcntl.F_SETFL, f) for f in (0o40000, 0o20000, 0o60000)]
got += [errno_of(fcntl.fcntl, 1, c, os.getpid()) for c in (8, 10)]
fcntl.fcntl(1, fcntl.F_SETFL, 0)
held(" ".join(got)) if all(got) else reached(str(got))
""", Native(), expect="ENOSYS"),
    Case("I72", "escapes, NUL and invalid UTF-8 in the output", "fds",
         "os.write(1, bytes(range(256)) * 50 + b'\\x1b]0;x\\x07\\xc0\\xaf\\xed\\xa0\\x80\\x9b')\n"
         "os.write(2, b'\\x1b[2J\\xff')", Own("every byte from 0 to 255 is counted"),
         check=one_line_json),
    forged("I73", "the control pipes closed, exchanged, filled",
           "os.dup2(1, 5)\nos.dup2(3, 4)\nos.close(3)\nos.close(4)\nos.write(5, b'x\\n')\nos._exit(0)"),
    forged("I74", "reads its own control pipe dry",
           "os.set_blocking(3, False)\n"
           "try:\n    got = os.read(3, 1 << 16)\nexcept BlockingIOError:\n    got = b''\n"
           "assert not got, got" + BACK),
    forged("I75", "closes every descriptor", "os.closerange(0, 256)\nos._exit(4)", "exit", exit_code=4),
    forged("I76", "a name with a newline for whoever parses /proc",
           "call(157, 15, b'x) R 1\\nUid:\\t0\\n', 0, 0, 0)\nimport time\ntime.sleep(0.2)" + BACK),
    forged("I77", "ends itself while it floods all pipes",
           "import threading\ndef flood(fd):\n    while True:\n        os.write(fd, b'z' * 65536)\n"
           "for fd in (1, 2, 4):\n    threading.Thread(target=flood, args=(fd,), daemon=True).start()\n"
           "import time\ntime.sleep(0.3)\nos._exit(9)", ("exit", "output"), ("--wall", "20s")),
    forged("I78", "3,000 random frames", """
import random
random.seed(20261130)
for _ in range(3000):
    kind = random.choice((SEALED, PARKED, ITEM, ITEM, ITEM, JOB, RELEASE, 0, 999))
    fields = [field(random.choice((1, 2, 3, 4, 5, 6, 77)), random.randbytes(random.choice((0, 1, 8, 8, 40, 400))))
              for _ in range(random.randrange(4))]
    fields += [CALL] * random.randrange(2)
    random.shuffle(fields)
    data = bytearray(frame(kind, *fields))
    if random.random() < 0.02 and len(data) > 9:
        data[random.randrange(8, len(data))] ^= 1 << random.randrange(8)
    send(bytes(data))
os._exit(0)
""", ("ok", "timeout_wall"), ("--wall", "3s")),
    Case("J73", "a traceback through the library", "image",
         "import json\njson.loads('{bad')", Own("the error has its type and message"), check=no_path),
    Case("J73b", "messages that hold paths of the image", "image", """
import importlib.util, decimal
try:
    import no_such_module
except ImportError as fault:
    first = fault
raise RuntimeError("seen") from first
""", Own("the error has its type and message"), check=no_path),
    Case("J75", "a host path that is absent, one that a host forbids", "root", """
for path in ("/root/.ssh/id_rsa", "/etc/shadow", "/nowhere/at/all", "/proc/1/mem", "/var/lib/brig/audit.db"):
    try:
        open(path)
        print("open")
    except OSError as fault:
        print(type(fault).__name__, fault.errno, fault.strerror)
""", Native("words = set()\nfor path in ('/proc/1/mem', '/nowhere', '/'):\n    try:\n        open(path).read(1)\n"
            "        words.add('open')\n    except OSError as fault:\n        words.add(fault.strerror)\n"
            "reached(f'{len(words)} different answers') if len(words) > 1 else held()"),
         check=same_words),
]
