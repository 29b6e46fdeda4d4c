"""B: the file system."""

from .case import Case, Cell, Native, Off

# Natively the same names lie below the attack's own folder.
IMAGE = """
import stat
BASE = WORK if NATIVE else ""
FOLDERS = ["/usr/lib/python3.13", "/usr/bin", "/etc", "/usr/libexec", "/usr/lib/brig"]
FILES = ["/etc/passwd", "/etc/hosts", "/usr/lib/python3.13/os.py", "/etc/ld.so.cache"]
if NATIVE:
    for folder in FOLDERS:
        os.makedirs(BASE + folder, exist_ok=True)
    for file in FILES:
        open(BASE + file, "w").close()
got = {}
def note(what, function, *arguments):
    got[what] = errno_of(function, *arguments)
for folder in FOLDERS:
    at = BASE + folder
    note("mkdir " + folder, os.mkdir, at + "/x1")
    note("symlink " + folder, os.symlink, "x", at + "/x2")
    note("utime " + folder, os.utime, at)
for file in FILES:
    at = BASE + file
    note("unlink " + file, lambda: (os.link(at, at + ".l"), os.unlink(at + ".l")) if NATIVE else os.unlink(at))
    note("utime " + file, os.utime, at)
    note("chmod " + file, os.chmod, at, 0o666)
    note("rename " + file, os.rename, at, at + ".moved")
"""

INPUT = """
import stat
path = WORK + "/{name}"
if NATIVE or {make}:
    open(path, "wb").write(b"x" * {size})
before = open(path, "rb").read()
other = WORK + "/other"
def put_over():
    open(other, "wb").write(b"evil")
    os.rename(other, path)
def exchange():
    open(other, "wb").write(b"evil")
    rc = call(316, -100, other.encode(), -100, path.encode(), 2)
    if rc < 0:
        raise OSError(-rc, "")
def by_read_descriptor():
    fd = os.open(path, os.O_RDONLY)
    os.ftruncate(fd, 0)
def remap():
    import mmap
    fd = os.open(path, os.O_RDONLY)
    m = mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    rc = call(10, ctypes.addressof(ctypes.c_char.from_buffer_copy(b"x")) & ~4095, 4096, 3)
    raise OSError(errno.EACCES, "")
def folder_away():
    os.rename(WORK, WORK + "2")
def folder_open():
    os.chmod(WORK, 0o777)
tries = {{
    "write": lambda: open(path, "r+b").write(b"evil"), "truncate": lambda: os.truncate(path, 0),
    "ftruncate": by_read_descriptor, "chmod": lambda: os.chmod(path, 0o666),
    "fchmod": lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o666),
    "unlink": lambda: os.unlink(path), "rename": lambda: os.rename(path, other + "2"),
    "rename over": put_over, "exchange": exchange, "append": lambda: open(path, "ab").write(b"e"),
    "utime": lambda: os.utime(path, (1, 1)), "chmod of the folder": folder_open,
    "folder away": folder_away,
}}
wrong = []
for what, function in tries.items():
    error = errno_of(function)
    if error not in ("EACCES", "EPERM", "EBUSY", "EROFS", "EXDEV", "EINVAL"):
        wrong.append(f"{{what}}: {{error or 'done'}}")
    if not os.path.exists(path) or open(path, "rb").read() != before:
        reached(what)
reached(", ".join(wrong)) if wrong else held(f"{{len(tries)}} ways refused, the input unchanged")
"""

ELF = """
import base64, struct
code = bytes.fromhex("b83c000000bf070000000f05")
elf = (b"\\x7fELF\\x02\\x01\\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x400078, 64, 0, 0,
       64, 56, 1, 0, 0, 0) + struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 132, 132, 0x1000) + code)
path = WORK + "/program"
with open(path, "wb") as f:
    f.write(elf)
os.chmod(path, {mode})
"""

EXEC = ELF + """
import signal
pid = os.fork()
if pid == 0:
    try:
        {how}
    except OSError as fault:
        os._exit(100 + min(fault.errno, 100))
    os._exit(99)
status = os.waitpid(pid, 0)[1]
code = os.waitstatus_to_exitcode(status)
reached("it ran") if code in (7, 127) else held(errno.errorcode.get(code - 100, str(code)))
"""


def execute(how, mode="0o755"):
    return EXEC.format(how=how, mode=mode)


def mount_case(ident, title, name, code):
    return Case(ident, title, "seccomp caps", code, Native(), outcome="denied", syscall=name)


MOUNTS = [
    mount_case("B15a", "mount a tmpfs", "mount",
               "verdict(call(165, b'none', b'/tmp', b'tmpfs', 0, 0))"),
    mount_case("B15b", "unmount", "umount2",
               "if NATIVE:\n    call(165, b'none', b'/tmp', b'tmpfs', 0, 0)\n"
               "verdict(call(166, b'/tmp', 2))"),
    mount_case("B15c", "remount the root writable", "mount",
               "verdict(call(165, 0, b'/tmp' if NATIVE else b'/', 0, 4096 | 32, 0) if not NATIVE "
               "else call(165, b'none', b'/tmp', b'tmpfs', 0, 0))"),
    mount_case("B15d", "fsopen", "fsopen", "verdict(call(430, b'tmpfs', 0))"),
    mount_case("B15e", "open_tree", "open_tree", "verdict(call(428, -100, b'/', 1))"),
    mount_case("B15f", "move_mount", "move_mount",
               "fd = call(430, b'tmpfs', 0) if NATIVE else 3\n"
               "if NATIVE:\n    call(431, fd, 6, 0, 0, 0); fd = call(432, fd, 0, 0)\n"
               "verdict(call(429, fd, b'', -100, b'/tmp', 4))"),
    mount_case("B15g", "mount_setattr", "mount_setattr",
               "verdict(call(442, -100, b'/', 0, bytes(32), 32))"),
    mount_case("B15h", "pivot_root", "pivot_root",
               "if NATIVE:\n    os.makedirs('n/o'); n = os.path.abspath('n').encode()\n"
               "    call(165, 0, b'/', 0, 0x44000, 0); call(165, n, n, 0, 4096, 0)\n"
               "    verdict(call(155, n, n + b'/o'))\nverdict(call(155, b'/mnt', b'/mnt/data'))"),
    mount_case("B15i", "fsconfig", "fsconfig",
               "fd = call(430, b'tmpfs', 0) if NATIVE else 1\nverdict(call(431, fd, 6, 0, 0, 0))"),
    mount_case("B15j", "fsmount", "fsmount",
               "fd = 1\nif NATIVE:\n    fd = call(430, b'tmpfs', 0); call(431, fd, 6, 0, 0, 0)\n"
               "verdict(call(432, fd, 0, 0))"),
    mount_case("B15k", "fspick", "fspick", "verdict(call(433, -100, b'/tmp' if not NATIVE "
               "else b'/proc', 0))"),
]

CASES = [
    Case("B11", "change the image: 31 tries at 9 places", "image landlock uid", IMAGE + """
bad = {k: v for k, v in got.items() if v != "EROFS"}
reached(f"{len(bad)} not EROFS: {list(bad.items())[:3]}") if bad else held(f"{len(got)} tries, EROFS")
""", Native(), expect="31 tries, EROFS"),
    Case("B11b", "open files of the image for writing", "image landlock uid", """
BASE = WORK if NATIVE else ""
done = []
for at in ("/etc/passwd", "/usr/lib/python3.13/os.py", "/usr/libexec/brig-zygote"):
    if NATIVE:
        os.makedirs(os.path.dirname(BASE + at), exist_ok=True); open(BASE + at, "w").close()
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC, os.O_WRONLY | os.O_APPEND):
        error = errno_of(os.open, BASE + at, flags)
        if error not in ("EROFS", "EACCES"):
            done.append(at)
    if errno_of(os.truncate, BASE + at, 0) not in ("EROFS", "EACCES"):
        done.append(at)
reached(str(done)) if done else held("15 tries")
""", Native()),
    Case("B12", "out by .., by descriptors and by links", "root", """
found = []
root = os.stat("/")
for way in ("/..", "/../../../..", "/mnt/../..", "/dev/../.."):
    if os.path.exists(way) and (os.stat(way).st_ino, os.stat(way).st_dev) != (root.st_ino, root.st_dev):
        found.append(way)
fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
for _ in range(40):
    fd = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
if errno_of(os.stat, "@CANARY@"[1:], ) == "" or os.access("@CANARY@"[1:], os.R_OK, dir_fd=fd):
    found.append("descriptor")
os.symlink("/../../.." + "@CANARY@", WORK + "/link")
for way in ("/proc/self/root@CANARY@", "/proc/1/root@CANARY@", "/proc/self/cwd/../..@CANARY@",
            "/dev/fd/../..@CANARY@", WORK + "/link", WORK + "/../../../../..@CANARY@"):
    if os.path.exists(way):
        found.append(way)
reached(found[0]) if found else held("/ is the top")
""", Native()),
    Case("B13", "read a file of the host by its path", "root",
         "attempt(lambda: open('@CANARY@').read())", Native(), expect="ENOENT"),
    Case("B13b", "look for the host's file in the whole tree", "root", """
seen = 0
top = os.path.dirname("@CANARY@") if NATIVE else "/"
for folder, folders, files in os.walk(top):
    seen += len(files)
    if folder.count("/") > 6:
        folders.clear()
    if "@CANARYNAME@" in files:
        reached(folder)
held(f"not among {seen} files")
""", Native()),
    Case("B14", "make a device node", "seccomp caps", """
import stat
attempt(os.mknod, WORK + "/node", 0o666 | stat.S_IFCHR, os.makedev(1, 1))
""", Native(), expect="EPERM"),
    Case("B14b", "make a FIFO", "seccomp", "attempt(os.mkfifo, WORK + '/fifo')", Native(),
         expect="EPERM"),
    *MOUNTS,
    Case("B16", "chroot with fchdir", "seccomp caps", """
fd = os.open("/", os.O_RDONLY)
os.makedirs(WORK + "/jail")
attempt(lambda: (os.chroot(WORK + "/jail"), os.fchdir(fd)))
""", Native(), expect="EPERM"),
    Case("B17", "open a file by handle", "seccomp caps", """
handle = ctypes.create_string_buffer(8 + 128)
handle[0:4] = (128).to_bytes(4, "little")
mount = ctypes.c_int()
call(303, -100, b"/", handle, ctypes.byref(mount), 0)
verdict(call(304, os.open("/", os.O_RDONLY), handle, 0))
""", Native(), outcome="denied", syscall="open_by_handle_at"),
    Case("B17b", "ask for a file's handle", "seccomp", """
handle = ctypes.create_string_buffer(8 + 128)
handle[0:4] = (128).to_bytes(4, "little")
mount = ctypes.c_int()
verdict(call(303, -100, b"/", handle, ctypes.byref(mount), 0))
""", Native(), expect="EPERM"),
    Case("B18", "chmod 4755, then exec", "seccomp nnp work",
         execute("os.execv(path, ['x'])", "0o4755"), Native(), expect="EPERM"),
    Case("B19a", "exec from the work folder", "seccomp landlock work",
         execute("os.execv(path, ['x'])"), Native(), expect="EPERM"),
    Case("B19b", "exec through the loader", "seccomp landlock",
         execute("os.execv('/lib64/ld-linux-x86-64.so.2', ['ld', path])"), Native(), expect="EPERM"),
    Case("B19c", "exec from a memfd", "seccomp", ELF.format(mode="0o755") + """
fd = call(319, b"x", 0)
if fd < 0:
    held(name(fd))
os.write(fd, elf)
pid = os.fork()
if pid == 0:
    call(322, fd, b"", 0, 0, 0x1000)
    os._exit(99)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
reached("it ran") if code == 7 else held(str(code))
""", Native(), expect="EPERM"),
    Case("B19d", "map a file of the work folder executable", "work", ELF.format(mode="0o755") + """
import mmap
fd = os.open(path, os.O_RDONLY)
attempt(mmap.mmap, fd, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
""", Native(), expect="EPERM"),
    Case("B19e", "exec a program of the image", "seccomp landlock",
         execute("os.execv('/bin/true' if NATIVE else '/usr/libexec/brig-zygote', ['x', 'y', 'z'])")
         .replace("(7, 127)", "(0, 2, 7, 125, 127)"), Native(), expect="EPERM"),
    Case("B20a", "a small input: write, unlink, rename, chmod and ten more", "uid work caps",
         INPUT.format(name="small.csv", size=64, make="False"), Native(),
         files={"small.csv": b"a,b\n1,2\n"}),
    Case("B20b", "a large input, which is a mount", "work uid caps",
         INPUT.format(name="large.bin", size=70000, make="False"), Native(),
         files={"large.bin": b"0123456789" * 7000}),
    Case("B20c", "link an input under another name and write through it", "uid", """
path = WORK + "/small.csv"
if NATIVE:
    open(path, "w").write("x")
try:
    os.link(path, WORK + "/alias")
    with open(WORK + "/alias", "r+b") as f:
        f.write(b"evil")
except OSError as fault:
    held(errno.errorcode[fault.errno])
reached("written")
""", Native(), files={"small.csv": b"a,b\n1,2\n"}, expect="EPERM|EACCES"),
    Case("B21", "link a file of the image into the work folder", "work root", """
source = "@CANARY@" if NATIVE else "/etc/passwd"
attempt(os.link, source, (os.path.dirname(source) + "/alias" if NATIVE else WORK + "/alias"))
""", Native(), expect="EXDEV"),
    Case("B22", "extended attributes, also those that give a privilege", "seccomp", """
path = WORK + "/x"
open(path, "w").close()
attempt(os.setxattr, path, "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))
""", Native(), expect="EOPNOTSUPP|ENOTSUP"),
]
