"""Golden forbidden snippets: each its outcome, the next job unharmed, nothing left on the host."""

import os
import pathlib
import re
import socket
import threading

import pytest

import channel
import host

CANARY = pathlib.Path("/var/tmp/brigtest-canary")


class Listener:
    """Counts connections to loopback: TCP, and a Unix socket by path and by abstract name."""

    def __init__(self):
        self.count = 0
        self.sockets = []
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        abstract = socket.socket(socket.AF_UNIX)
        self.abstract = f"brigtest-{os.getpid()}"
        abstract.bind("\0" + self.abstract)
        abstract.listen()
        for listening in (tcp, abstract):
            self.sockets.append(listening)
            threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def _accept(self, listening):
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self.count += 1
            connection.close()

    def datagrams(self):
        self.udp.setblocking(False)
        try:
            self.udp.recv(100)
            return 1
        except BlockingIOError:
            return 0

    def close(self):
        for listening in self.sockets:
            listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        self.udp.close()


@pytest.fixture(scope="module")
def listener():
    found = Listener()
    yield found
    found.close()


@pytest.fixture(scope="module")
def canary():
    CANARY.write_text("canary-of-the-host")
    CANARY.chmod(0o666)
    yield CANARY
    CANARY.unlink()


@pytest.fixture
def hostile(service):
    """Runs a snippet; then the next job must be well and the host as before."""
    for level in ("bare", "data"):
        channel.run(service.socket, "1", level=level)
    service.settled()
    before = host.Snapshot(service.pid)

    def run(code, **options):
        return channel.run(service.socket, code, **options)

    yield run
    following = channel.run(service.socket, "print(sum(range(10)))")
    assert (following.outcome, following.text) == ("ok", "45\n")
    service.settled()
    before.must_be_the_same()


# Programs

SHELLS = ["import os\nos.system('echo PWNED > /tmp/pwned; echo PWNED')",
          "import os\nos.popen('echo PWNED').read()",
          "import subprocess\nsubprocess.run('echo PWNED', shell=True)",
          "import subprocess\nsubprocess.run(['/bin/echo', 'PWNED'])",
          "import os\nos.execv('/bin/sh', ['sh', '-c', 'echo PWNED'])",
          "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'echo PWNED'], {})",
          "import sys, os\nos.execv(sys.executable or '/usr/bin/python3.13', ['p', '-c', 'print(1)'])",
          "import ctypes\nprint(ctypes.CDLL(None).system(b'echo PWNED > /tmp/pwned; echo PWNED'))",
          "import pty\npty.spawn('/bin/sh')"]


@pytest.mark.parametrize("code", SHELLS)
def test_no_program_starts(hostile, code):
    """`os` may be imported; a program does not start, and the job is told so."""
    result = hostile(f"{code}\nimport os\nprint('exists', os.path.exists('/tmp/pwned'))")
    assert b"PWNED" not in result.out.kept
    if result.outcome == "error":
        error = result.of_kind("error")[0].decode()
        assert "PermissionError" in error or "FileNotFoundError" in error or "OSError" in error, error
    else:
        assert result.outcome == "ok" and result.text.endswith("exists False\n")


def test_program_that_does_not_start_gets_a_hint(run_json):
    result, status = run_json("-c", "import subprocess\nsubprocess.run(['ls', '-l'])")
    assert (result["outcome"], status) == ("error", 1)
    assert "program" in result["hint"] or "subprocess" in result["hint"], result["hint"]


# Network

def test_no_socket_reaches_the_host(hostile, listener):
    code = f"""
import errno, socket
def attempt(what, *args):
    try: what(*args); print('OPEN')
    except OSError as fault: print(errno.errorcode.get(fault.errno, type(fault).__name__))
def connect(family, kind, address):
    s = socket.socket(family, kind); s.settimeout(2); s.connect(address); s.send(b'x')
attempt(connect, socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', {listener.port}))
attempt(connect, socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', {listener.port}))
attempt(connect, socket.AF_INET6, socket.SOCK_STREAM, ('::1', {listener.port}))
attempt(connect, socket.AF_INET, socket.SOCK_STREAM, ('169.254.169.254', 80))
attempt(connect, socket.AF_UNIX, socket.SOCK_STREAM, '\\0{listener.abstract}')
attempt(connect, socket.AF_UNIX, socket.SOCK_STREAM, '/run/brig/service.sock')
attempt(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0)
attempt(socket.socket, socket.AF_PACKET, socket.SOCK_RAW, 0)
attempt(socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM)
attempt(socket.socket, socket.AF_ALG, socket.SOCK_SEQPACKET)
attempt(socket.getaddrinfo, 'service.invalid', 80)
a, b = socket.socketpair()
a.send(b'pair'); print(b.recv(9))
"""
    # The control: from outside the same listener is reached.
    socket.create_connection(("127.0.0.1", listener.port)).close()
    host.wait_until(lambda: listener.count == 1, "the control's connection")
    result = hostile(code)
    lines = result.text.splitlines()
    assert result.outcome == "ok" and lines[-1] == "b'pair'", result
    assert lines[:10] == ["EAFNOSUPPORT"] * 10
    assert "OPEN" not in lines[10]
    assert listener.count == 1 and listener.datagrams() == 0
    listener.count = 0


def test_network_libraries_fail_at_once(hostile, listener):
    code = (f"import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{listener.port}/')")
    result = hostile(code, wall_ms=20000)
    assert result.outcome == "error" and b"URLError" in result.of_kind("error")[0]
    assert listener.count == 0


# Files

def test_no_host_file(hostile, canary):
    assert canary.read_text() == "canary-of-the-host"  # the control
    paths = [str(canary), f"/proc/self/root{canary}", f"../../../..{canary}", "/etc/shadow",
             "/root", "/home", "/proc/1/environ", "/proc/self/environ",
             "/proc/meminfo", "/sys/kernel", "/dev/mem", "/dev/kvm", "/dev/fuse", "/run/brig",
             "/var/lib/brig", "/boot", "/.dockerenv", f"/dev/fd/3/..{canary}"]
    code = (f"import os\nfor p in {paths!r}:\n    try: open(p).read(); print('OPEN', p)\n"
            "    except IsADirectoryError: print('FOLDER', p, os.listdir(p))\n"
            "    except OSError as f: print(f.errno)")
    result = hostile(code)
    assert result.outcome == "ok"
    assert "OPEN" not in result.text and b"canary" not in result.out.kept.replace(
        CANARY.name.encode(), b"")
    for line in result.text.splitlines():
        assert line in ("2", "13", "20") or line in ("FOLDER /home ['user']", "FOLDER /root []"), line


def test_no_write_outside_the_work_folders(hostile):
    places = ["/x", "/usr/x", "/etc/x", "/mnt/x", "/home/x", "/dev/x", "/var/x", "/lib/x", "/opt/x",
              "/bin/x", "/srv/x", "/usr/lib/python3.13/os.py", "/usr/lib/brig/x"]
    code = (f"import errno\nfor p in {places!r}:\n    try: open(p, 'w').write('x'); print('WROTE', p)\n"
            "    except OSError as f: print(errno.errorcode[f.errno])")
    result = hostile(code)
    assert result.outcome == "ok"
    assert set(result.text.split()) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}


ENVIRONMENT = {"HOME": "/home/user", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin",
               "TMPDIR": "/tmp", "TZ": "UTC", "USER": "user",
               "MPLCONFIGDIR": "/usr/lib/brig/matplotlib", "MKL_NUM_THREADS": "1",
               "NUMEXPR_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def test_environment_is_constant(hostile):
    result = hostile("import os, socket\nprint(dict(os.environ) == " + repr(ENVIRONMENT) + ")\n"
                     "print(socket.gethostname(), open('/etc/hostname').read().strip())\n"
                     "print(os.getuid(), os.getgid(), set(os.getgroups()) <= {1000})\n"
                     "print(os.getcwd(), os.path.realpath(os.path.expanduser('~')))")
    assert result.text == "True\ncell cell\n1000 1000 True\n/mnt/data /mnt/data\n"


# ctypes and the kernel

DEADLY = {"ptrace": 101, "bpf": 321, "unshare": 272, "setns": 308, "mount": 165, "umount2": 166,
          "process_vm_readv": 310, "kexec_load": 246, "init_module": 175, "add_key": 248,
          "keyctl": 250, "perf_event_open": 298, "open_by_handle_at": 304, "seccomp": 317}
REFUSED = {"io_uring_setup": (425, "ENOSYS"), "userfaultfd": (323, "ENOSYS"),
           "clone3": (435, "ENOSYS"), "memfd_create": (319, "EPERM"), "mknod": (133, "EPERM"),
           "chroot": (161, "EPERM"), "setuid": (105, "EPERM"), "splice": (275, "EPERM"),
           "inotify_init1": (294, "EPERM"), "flock": (73, "EPERM"), "mlock": (149, "EPERM")}


@pytest.mark.parametrize("name", sorted(DEADLY))
def test_deadly_system_call(hostile, name):
    """Denied, with the call's number, and what was printed before it is kept."""
    code = (f"print('before', flush=True)\nimport ctypes\n"
            f"ctypes.CDLL(None).syscall({DEADLY[name]}, 0, 0, 0, 0, 0)\nprint('after')")
    result = hostile(code)
    assert (result.outcome, result.syscall, result.text) == ("denied", DEADLY[name], "before\n")


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_system_call(hostile, name):
    number, wanted = REFUSED[name]
    code = ("import ctypes, errno\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            f"rc = libc.syscall({number}, 0, 0, 0, 0, 0)\n"
            "print(rc, errno.errorcode[ctypes.get_errno()])")
    assert hostile(code).text == f"-1 {wanted}\n"


def test_deadly_call_in_a_child_ends_the_job(hostile):
    result = hostile("import os, ctypes\nif os.fork() == 0:\n    ctypes.CDLL(None).syscall(101, 0)\n"
                     "import time; time.sleep(60)")
    assert result.outcome == "denied"


# Exhaustion

def test_fork_bomb(hostile):
    result = hostile("import os\nprint('forking', flush=True)\nwhile True: os.fork()", cpu_ms=2000)
    assert result.outcome in ("error", "timeout_cpu", "timeout_wall")
    assert result.text.startswith("forking\n")
    assert result.usage["processes_peak"] <= 64


@pytest.mark.slow
def test_fork_bomb_that_never_ends(hostile):
    code = ("import os, signal\nprint('forking', flush=True)\nwhile True:\n    try: os.fork()\n"
            "    except OSError: pass")
    result = hostile(code, cpu_ms=1000, wall_ms=20000)
    assert result.outcome == "timeout_cpu" and result.text.startswith("forking\n")


@pytest.mark.parametrize("code", ["while True: pass", "while True:\n    try:\n        while True: pass\n"
                                  "    except BaseException: pass", "sum(iter(int, 1))"])
def test_endless_loop(hostile, code):
    assert hostile(code, cpu_ms=300).outcome == "timeout_cpu"


@pytest.mark.parametrize("code", ["while True: print('x' * 1000)",
                                  "import sys\nwhile True: sys.stderr.write('x' * 1000)",
                                  "import os\nwhile True: os.write(1, b'x')"])
def test_endless_print(hostile, code):
    result = hostile(code, output_bytes=1 << 20)
    assert result.outcome == "output"
    assert 1 << 20 < max(result.out.bytes, result.err.bytes) <= (1 << 20) + (1 << 17)


@pytest.mark.parametrize("code", ["x = 'a' * 10**10", "x = []\nwhile True: x.append(bytearray(1 << 20))",
                                  "import numpy as np\nnp.ones(10**9)"])
def test_memory_bomb(hostile, code):
    result = hostile(f"print('m', flush=True)\n{code}", memory_bytes=128 << 20)
    assert result.outcome in ("memory", "error") and result.text == "m\n"
    if result.outcome == "error":
        assert b"MemoryError" in result.of_kind("error")[0]


def test_disk_bomb(hostile):
    code = ("import os\nfd = os.open('f', os.O_CREAT | os.O_WRONLY)\n"
            "while True: os.write(fd, b'x' * (1 << 20))")
    result = hostile(code)
    assert result.outcome == "error" and b"No space left" in result.of_kind("error")[0]
    # With the room for it but not the memory, the memory limit speaks.
    assert hostile(code, memory_bytes=64 << 20).outcome == "memory"


def test_inode_bomb(hostile):
    result = hostile("i = 0\nwhile True: open(f'{i}', 'w').close(); i += 1")
    assert result.outcome == "error" and b"No space left" in result.of_kind("error")[0]


def test_thread_bomb(hostile):
    result = hostile("import threading, time\nwhile True:\n"
                     "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()")
    assert result.outcome == "error" and b"can't start new thread" in result.of_kind("error")[0]


def test_big_number_and_recursion(hostile):
    assert hostile("print(len(str(10 ** 10000)))").outcome == "error"  # Python's own digit limit
    assert hostile("x = 10 ** 10 ** 9", cpu_ms=500).outcome in ("timeout_cpu", "memory")
    result = hostile("def f(): f()\nf()")
    assert result.outcome == "error" and b"RecursionError" in result.of_kind("error")[0]


# Lifetime

DAEMON = """
import os, signal, time
for number in range(1, 32):
    if number not in (9, 19): signal.signal(number, signal.SIG_IGN)
print('up', flush=True)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1)
        os._exit(0)
"""


@pytest.mark.parametrize("end,outcome", [("", "ok"), ("time.sleep(60)", "timeout_wall"),
                                         ("1 / 0", "error"), ("os._exit(3)", "exit"),
                                         ("os.kill(os.getpid(), 9)", "signal")])
def test_sigterm_ignored_with_double_fork(hostile, end, outcome):
    """Daemons that hold stdout and ignore signals: the answer does not wait for them."""
    result = hostile(DAEMON + end, wall_ms=1500)
    assert result.outcome == outcome and result.text.startswith("up\n")


def test_stopped_child_and_stopped_group(hostile):
    assert hostile("import os, signal\nprint('a', flush=True)\nos.kill(0, signal.SIGSTOP)",
                   wall_ms=400).outcome == "timeout_wall"
    code = ("import os, signal\npid = os.fork()\nif pid == 0: signal.pause()\n"
            "os.kill(pid, signal.SIGSTOP)")
    assert hostile(code).outcome == "ok"


@pytest.mark.parametrize("target", ["-1", "1", "os.getppid()", "0"])
def test_kill_reaches_nobody_else(hostile, service, target):
    with channel.Call(service.socket, "import time; time.sleep(1); print('alive')") as neighbour:
        result = hostile(f"import os\ntry: os.kill({target}, 9)\nexcept OSError as f: print(f)",
                         wall_ms=5000)
        assert result.outcome in ("ok", "signal")
        assert neighbour.result().text == "alive\n"


def cell_numbers():
    """The numbers of wire/cell.h: with others a forged frame is passed over and proves nothing."""
    text = (host.TOP / "src/wire/cell.h").read_text()
    return dict(re.findall(r"\bCELL_((?:TAG_)?[A-Z_]+) = (\d+)", text))


FORGE = "import os, struct, time\n" + "".join(f"{n} = {v}\n" for n, v in cell_numbers().items()) + """
def number(tag, value):
    return struct.pack('<HHIQ', tag, 0, 8, value)
def send(kind, *fields):
    body = number(TAG_CALL, 1) + b''.join(fields)
    os.write(4, struct.pack('<IHH', len(body), kind, 0) + body)
print('a', flush=True)
"""


def test_forged_control_messages(hostile):
    """Frames written by the job itself can spoil its own result, never the verdict's figures."""
    result = hostile(FORGE + "send(DONE, number(TAG_EXIT, 0))\nwhile True: pass", cpu_ms=5000)
    assert (result.outcome, result.text) == ("ok", "a\n")  # it is taken: it says no more than exit
    result = hostile(FORGE + "send(DONE, number(TAG_EXIT, 3))\nwhile True: pass", cpu_ms=5000)
    assert (result.outcome, result.exit_code, result.text) == ("exit", 3, "a\n")
    for junk in ("b'\\xff' * 64", "struct.pack('<IHH', 0xffffffff, ITEM, 0)",
                 "struct.pack('<IHH', 0, FAILED, 0)",
                 "struct.pack('<IHH', 8, ITEM, 9) + b'\\0' * 8"):
        result = hostile(FORGE + f"os.write(4, {junk})\ntime.sleep(0.2)")
        assert (result.outcome, result.text) == ("ok", "a\n"), (junk, result)


def test_flood_of_control_messages(hostile):
    code = FORGE + """
note = struct.pack('<HHI', TAG_PAYLOAD, 0, 1000) + b'n' * 1000
while True:
    send(ITEM, number(TAG_KIND, 6), note)
"""
    result = hostile(code, cpu_ms=2000, wall_ms=2000)
    assert result.outcome in ("timeout_cpu", "timeout_wall")
    assert len(result.items) == 256  # RESULT_ITEMS_MAX


def test_printed_frames_are_output(hostile):
    result = hostile("import os, struct\nos.write(1, struct.pack('<IHH', 0, 5, 0) * 10)\nprint('x')")
    assert result.outcome == "ok" and result.out.bytes == 82


# Between jobs

def test_nothing_is_seen_by_the_next_job(service, hostile):
    hostile("import builtins, os, sys, random\nbuiltins.print = None\nsys.modules['json'] = None\n"
            "os.environ['LEFT'] = '1'\nopen('left', 'w'); open('/tmp/left', 'w'); "
            "open('/dev/shm/left', 'w')\nrandom.seed(1)")
    result = hostile("import json, os\nprint(os.environ.get('LEFT'), os.listdir('.'), "
                     "[n for n in os.listdir('/tmp') if not n.startswith('.')], "
                     "os.listdir('/dev/shm'))")
    assert result.text == "None [] [] []\n"


def test_random_numbers_differ(hostile):
    code = ("import random, uuid, os\nimport numpy as np\nprint(random.random(), np.random.rand(), "
            "uuid.uuid4(), hash('x') if False else '', np.random.default_rng().random())")
    first, second = hostile(code).text.split(), hostile(code).text.split()
    assert len(first) == 4 and not set(first) & set(second)
