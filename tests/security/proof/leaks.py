"""C: what could leak; M: what a self-check program sees, against the golden lists."""

import os

from .case import Case, Cell, Native, Off
from .lab import TOP

SCAN = """
import base64
needle = base64.b64decode("@XORED@")
flip = bytes(255 - i for i in range(256))
PAGE = 4096
read_end, write_end = os.pipe()
os.set_blocking(read_end, False)
libc = ctypes.CDLL(None)
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
def there(page):
    if libc.write(write_end, page, 1) != 1:
        return False
    os.read(read_end, 1)
    return True
libc.sbrk.restype = ctypes.c_void_p
libc.sbrk.argtypes = [ctypes.c_long]
local = ctypes.c_char_p.in_dll(libc, "program_invocation_name")
starts = [id(object()), id(needle), libc.sbrk(0) - PAGE,
          ctypes.cast(libc.getenv, ctypes.c_void_p).value,
          ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value,
          ctypes.cast(local, ctypes.c_void_p).value,
          ctypes.c_void_p.in_dll(libc, "environ").value,
          ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value]
done, pages, hits = set(), 0, []
for start in starts:
    for step in (PAGE, -PAGE):
        page, gap = start & ~(PAGE - 1), 0
        if step < 0:
            page += step
        while gap < 512 and page > 0 and pages < 60000:
            if page in done:
                page += step
                gap = 0
                continue
            if there(page):
                done.add(page)
                pages += 1
                gap = 0
                if needle in ctypes.string_at(page, PAGE).translate(flip):
                    hits.append(page)
            else:
                gap += 1
            page += step
reached(f"{len(hits)} places") if hits else held(f"none in {pages} pages")
"""

# Natively the same questions are asked of the host; any answer of its own reaches it.
HOST = """
open_now = []
for path in ("/proc/sys/kernel/hostname", "/proc/meminfo", "/proc/1/environ", "/proc/kallsyms",
             "/proc/kcore", "/proc/self/maps", "/proc/self/cgroup", "/proc/mounts", "/proc/version",
             "/sys/kernel", "/sys/class/net", "/sys/fs/cgroup", "/dev/kmsg", "/dev/mem", "/run",
             "/var", "/root", "/boot", "/opt", "/srv", "/etc/shadow", "/etc/machine-id",
             "/etc/resolv.conf"):
    if os.path.lexists(path):
        open_now.append(path)
reached(" ".join(open_now)[:80]) if open_now else held("23 paths absent")
"""

FIND_PROC = """
import ctypes
found, seen = [], 0
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(256)
for folder, folders, _ in os.walk("/"):
    seen += 1
    if folder.count("/") > 2 or folder.startswith("/usr/lib") or folder.startswith("/proc/"):
        folders.clear()
    if libc.statfs(folder.encode(), buffer) == 0:
        kind = int.from_bytes(buffer[:8], "little")
        if kind in (0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720):
            found.append(folder)
            folders.clear()
reached(" ".join(found)[:80]) if found else held(f"none among {seen} folders")
"""

SELF_CHECKS = {
    "M1": ("identity, groups, session and privilege bits", "uid caps nnp dump tty", "identity", """
prctl = lambda *a: call(157, *a, *([0] * (5 - len(a))))
caps = sum(1 for c in range(64) if prctl(23, c) == 1)
print("uid", os.getresuid(), "gid", os.getresgid(), "groups", os.getgroups())
print("bounding capabilities", caps)
print("no_new_privs", prctl(39), "dumpable", prctl(3), "seccomp", prctl(21))
print("session leader", os.getsid(0) == os.getpid(), "group leader", os.getpgrp() == os.getpid())
print("parent", os.getppid())
print("terminal", [fd for fd in range(3) if os.isatty(fd)])
print("umask", oct(os.umask(0o22)))
import resource
for limit in ("CORE", "NOFILE", "FSIZE", "STACK", "MEMLOCK", "MSGQUEUE", "NICE", "RTPRIO",
              "SIGPENDING", "AS", "DATA", "CPU"):
    print(limit, *resource.getrlimit(getattr(resource, "RLIMIT_" + limit)))
"""),
    "M2": ("mounts: flags and types of every place", "root image work dev", "mounts", """
libc = ctypes.CDLL(None)
buffer = ctypes.create_string_buffer(256)
kinds = {0xe0f5e1e2: "erofs", 0x01021994: "tmpfs", 0x9fa0: "proc", 0x62656572: "sysfs"}
devices = {}
for folder, folders, files in os.walk("/"):
    folders.sort()
    if folder in ("/usr/lib", "/usr/share", "/etc"):
        folders.clear()
    for path in [folder] + [os.path.join(folder, f) for f in sorted(files)]:
        status = os.lstat(path)
        if status.st_dev in devices and folder != "/dev":
            continue
        view = os.statvfs(path)
        libc.statfs(path.encode(), buffer)
        kind = kinds.get(int.from_bytes(buffer[:8], "little") & 0xffffffff, "other")
        flags = [n for b, n in ((1, "ro"), (2, "nosuid"), (4, "nodev"), (8, "noexec"),
                                (1024, "noatime")) if view.f_flag & b]
        if path == "/":  # EROFS, or a folder of the host's file system
            kind, flags = "image", [f for f in flags if f != "noatime"]
        if status.st_dev not in devices or folder == "/dev":
            print(path, "" if path.startswith("/dev/") and path != "/dev/shm" else kind, *flags)
        devices[status.st_dev] = path
"""),
    "M3": ("devices", "dev", "devices", """
import stat
for name_ in sorted(os.listdir("/dev")):
    status = os.stat("/dev/" + name_)
    kind = "device" if stat.S_ISCHR(status.st_mode) else "folder" if stat.S_ISDIR(status.st_mode) else "other"
    number = (os.major(status.st_rdev), os.minor(status.st_rdev)) if kind == "device" else ""
    print(name_, kind, number, oct(status.st_mode & 0o7777))
"""),
    "M4": ("environment", "fds", "environment", """
import json
for key in sorted(os.environ):
    print(f"{key}={os.environ[key]}")
"""),
    "M5": ("descriptors: fstat of 0 to 1023", "fds", "descriptors", """
import stat, fcntl
for fd in range(1024):
    try:
        status = os.fstat(fd)
    except OSError:
        continue
    kind = "pipe" if stat.S_ISFIFO(status.st_mode) else oct(stat.S_IFMT(status.st_mode))
    print(fd, kind, ("read", "write", "both")[fcntl.fcntl(fd, fcntl.F_GETFL) & 3])
"""),
    "M6": ("the root and its folders", "root image", "root", """
for folder in ("/", "/etc", "/home", "/mnt", "/mnt/data", "/tmp", "/dev/shm", "/usr", "/usr/bin",
               "/usr/libexec"):
    print(folder, *sorted(n for n in os.listdir(folder)))
import stat
odd = []
for folder, folders, files in os.walk("/"):
    for file in files:
        status = os.lstat(os.path.join(folder, file))
        if status.st_mode & 0o6000 or (stat.S_ISREG(status.st_mode) and status.st_mode & 0o002):
            odd.append(os.path.join(folder, file))
print("setuid, setgid or open to all:", odd)
"""),
    "M7": ("host name, system, parent, process ids", "ipc pidns", "names", """
import socket, platform
print(os.uname().sysname, os.uname().nodename, os.uname().machine)
def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
alive = [pid for pid in range(1, 4096) if exists(pid)]
print("others than init and this:", [p for p in alive if p not in (1, os.getpid())])
print("small pid:", os.getpid() < 64)
"""),
}

# What each number answers is the policy's table; unit tests interpret the filter, this asks it.
SYSTEM_CALLS = """
import json
skip = set(json.loads("@SKIP@"))
known = json.loads("@TABLE@")
wrong = []
asked = 0
for number in range(0, 601):
    if number in skip:
        continue
    want = known.get(str(number), 38)
    ctypes.set_errno(0)
    rc = call(number, 0, 0, 0, 0, 0, 0)
    asked += 1
    if rc != -want:
        wrong.append(f"{number}: {name(rc)} for {errno.errorcode.get(want, want)}")
reached("; ".join(wrong[:4])) if wrong else held(f"{asked} numbers answered as the table says")
"""


def lines_for(text, lacking):
    """The lines of a golden list. One that begins with @LAYER is for where that layer is, with
    @no-LAYER for where the host lacks it."""
    for line in text.splitlines():
        where = ""
        if line.startswith("@"):
            where, _, line = line[1:].partition(" ")
        if not where or where.startswith("no-") == (where.removeprefix("no-") in lacking):
            yield line


def golden(file):
    def check(lab, case, result):
        path = os.path.join(TOP, "tests/security/golden", file)
        lines = "\n".join(line.rstrip() for line in result["stdout"].splitlines()) + "\n"
        if os.environ.get("BRIG_WRITE_GOLDEN") == "1":
            with open(path, "w", encoding="utf-8") as out:
                out.write(lines)
        with open(path, encoding="utf-8") as wanted:
            want = list(lines_for(wanted.read(), ",".join(lab.allow).split(",")))
        got = lines.splitlines()
        if result["outcome"] == "ok" and got == want:
            return True, f"{len(want)} lines as in golden/{file}"
        odd = [line for line in got if line not in want] or [line for line in want if line not in got]
        return False, f"{result['outcome']}: {len(odd)} lines differ: {(odd or [''])[0][:90]}"
    return check


def differs(code):
    """The host sees something else: the program tells two places apart."""
    return Native("import io, contextlib\nout = io.StringIO()\ntry:\n    with contextlib."
                  f"redirect_stdout(out):\n        exec({code!r})\nexcept Exception as fault:\n"
                  "    out.write(str(fault))\nreached('other answers: ' + "
                  "' '.join(out.getvalue().split())[:50])", room="bare")


CASES = [
    Case("C20", "other processes, by their numbers", "pidns", """
mine = {1, os.getpid()}
def exists(pid):
    return errno_of(os.kill, pid, 0) != "ESRCH"
others = [pid for pid in range(1, 32769) if pid not in mine and exists(pid)]
reached(f"{len(others)} others") if others else held("init and itself")
""", Native(room="bare"), expect="init and itself"),
    Case("C20b", "procfs, sysfs or cgroupfs anywhere in the tree", "proc root", FIND_PROC,
         Native(room="bare")),
    Case("C21", "files that tell of the host", "proc root dev", HOST, Native(room="bare"),
         expect="absent"),
    Case("C21b", "the kernel's log by system call", "seccomp",
         "verdict(call(103, 10, 0, 0))", Native(), expect="ENOSYS"),
    Case("C24", "host name and ids", "ipc uid", """
import socket
seen = (socket.gethostname(), os.getuid(), os.getgid(), os.getgroups())
held(str(seen)) if seen == ("cell", 1000, 1000, []) else reached(str(seen))
""", Native(room="bare"), expect="cell"),
    Case("C25", "the parent's canary anywhere in memory", "fds root", SCAN, Native(room="bare"),
         slow=True),
    Case("C26", "host figures: sysinfo, memory, load, boot", "seccomp proc", """
buffer = ctypes.create_string_buffer(256)
rc = call(99, buffer)
if rc == 0 or os.path.exists("/proc/loadavg"):
    reached("sysinfo")
held(name(rc))
""", Native(), expect="ENOSYS"),
    Case("C27", "the kernel's ring, quotas, accounting, swap, reboot", "seccomp caps",
         "got = [call(n, 0, 0, 0) for n in (103, 179, 163, 167, 168, 169, 170, 171, 161 + 11)]\n"
         "bad = [g for g in got if g not in (-38,)]\n"
         "reached(str([name(g) for g in bad])) if bad else held('ENOSYS')",
         Native("rc = call(103, 10, 0, 0)\nreached(str(rc)) if rc >= 0 else held(name(rc))"),
         expect="ENOSYS"),
    *[Case(ident, "self-check: " + title, layers, code, differs(code), check=golden(file + ".txt"),
           args=("--cpu", "20s"))  # its limit is on the list
      for ident, (title, layers, file, code) in SELF_CHECKS.items()],
]
