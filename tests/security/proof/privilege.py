"""D: privilege, identity, other processes."""

import dataclasses

from .case import Case, Native

CHILD = """
import signal, time
pid = os.fork()
if pid == 0:
    time.sleep(30)
    os._exit(0)
"""


def ids(ident, title, code):
    return Case(ident, title, "seccomp caps", code, Native(), expect="EPERM")


def new(ident, what, flag):
    return Case(ident, f"unshare {what}", "seccomp caps", f"verdict(call(272, {flag}))", Native(),
                outcome="denied", syscall="unshare")


def clone(ident, title, flags):
    return Case(ident, title, "seccomp", f"""
rc = call(56, {flags}, 0, 0, 0, 0)
if rc == 0:
    os._exit(0)
verdict(rc, "a child")
""", Native(), expect="ENOSYS")


CASES = [
    ids("D26a", "setuid(0)", "attempt(os.setuid, 0)"),
    ids("D26b", "setresuid, setreuid, setfsuid", "got = [call(117, 0, 0, 0), call(113, 0, 0), "
        "call(122, 5)]\nheld('EPERM') if got == [-1, -1, -1] else reached(str(got))"),
    ids("D26c", "setgid, setgroups", "got = [call(106, 0), call(116, 0, 0)]\n"
        "held('EPERM') if got == [-1, -1] else reached(str(got))"),
    ids("D26d", "capset", """
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)(0xffffffff, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0)
if NATIVE:
    call(125, header, data)
verdict(call(126, header, data))
"""),
    new("D27a", "a user namespace", "0x10000000"),
    new("D27b", "a mount namespace", "0x00020000"),
    new("D27c", "a network namespace", "0x40000000"),
    new("D27d", "a pid namespace", "0x20000000"),
    new("D27e", "the descriptor table", "0x400"),
    clone("D27f", "clone into a user namespace", "0x10000000 | 17"),
    clone("D27g", "clone into every namespace", "0x7e020000 | 17"),
    Case("D27h", "clone3", "seccomp", """
args = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
rc = call(435, args, 88)
if rc == 0:
    os._exit(0)
verdict(rc, "a child")
""", Native(), expect="ENOSYS"),
    dataclasses.replace(clone("D27i", "clone with CLONE_PARENT", "0x8000 | 17"),
                        control=Native(room="bare")),
    clone("D27j", "clone with CLONE_UNTRACED", "0x800000 | 17"),
    Case("D27k", "clone with CLONE_VM but no thread, as posix_spawn does", "seccomp",
         "attempt(os.posix_spawn, '/bin/true', ['true'], {})", Native(), expect="ENOSYS"),
    Case("D27l", "fork and vfork by their own numbers", "seccomp", """
got = []
for number in (57,) if NATIVE else (57, 58):
    rc = call(number)
    if rc == 0:
        os._exit(0)
    got.append(rc)
held("EPERM") if got == [-1, -1] else reached(str(got))
""", Native(), expect="EPERM"),
    Case("D28", "setns into another's namespace", "seccomp caps", """
fd = os.open("/proc/1/ns/uts", os.O_RDONLY) if NATIVE else 1
verdict(call(308, fd, 0))
""", Native(), outcome="denied", syscall="setns"),
    Case("D29a", "ptrace a child", "seccomp dump", CHILD + """
rc = call(101, 16, pid, 0, 0)
os.kill(pid, 9)
verdict(rc, "attached")
""", Native(), outcome="denied", syscall="ptrace"),
    Case("D29b", "write another's memory", "seccomp dump", CHILD + """
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
rc = call(311, pid, vector, 1, vector, 1, 0)
os.kill(pid, 9)
verdict(rc)
""", Native(), outcome="denied", syscall="process_vm_writev"),
    Case("D29c", "read another's memory", "seccomp dump", CHILD + """
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(data), 8)
rc = call(310, pid, vector, 1, vector, 1, 0)
os.kill(pid, 9)
verdict(rc)
""", Native(), outcome="denied", syscall="process_vm_readv"),
    Case("D29d", "take a descriptor of init", "seccomp uid", """
target = os.getpid() if NATIVE else 1
fd = call(434, target, 0)
if fd < 0:
    held(name(fd))
verdict(call(438, fd, 3 if not NATIVE else 0, 0), "a descriptor")
""", Native(), expect="ENOSYS"),
    Case("D29e", "compare, dump and inject: kcmp, pidfd_send_signal, process_madvise", "seccomp",
         "got = [call(312, 1, os.getpid(), 0, 0, 0), call(424, 0, 9, 0, 0), call(440, 0, 0, 0, 0, 0)]\n"
         "held('ENOSYS') if got == [-38] * 3 else reached(' '.join(map(name, got)))",
         Native(), expect="ENOSYS"),
    Case("D30", "switch address randomisation off", "seccomp",
         "verdict(call(135, 0x0040000))", Native(), expect="ENOSYS"),
    Case("D31", "signals to init: every one of 64", "pidns uid landlock", """
import signal, time
target = 1
if NATIVE:
    target = os.fork()
    if target == 0:
        time.sleep(30)
        os._exit(0)
sent = [n for n in range(1, 65) if n != 18 and errno_of(os.kill, target, n) == ""]
time.sleep(0.05)
if NATIVE:
    ended = os.waitpid(target, os.WNOHANG)[0] != 0
else:
    ended = errno_of(os.kill, target, 0) == "ESRCH"
held("EPERM") if not sent and not ended else reached(f"{len(sent)} signals, ended {ended}")
""", Native(), expect="EPERM"),
    Case("D32", "more privilege by prctl: keepcaps, securebits, ambient, dumpable, subreaper",
         "seccomp caps", """
got = {n: call(157, n, 1, 0, 0, 0) for n in (4, 8, 28, 36, 47, 53)}
bad = {n: r for n, r in got.items() if r >= 0}
held("none of six") if not bad else reached(str(bad))
""", Native()),
    Case("D33", "raise a limit", "seccomp rlimits", """
import resource
if NATIVE:
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
new = (ctypes.c_uint64 * 2)(257, 257)
got = [call(302, 0, 7, new, 0), call(160, 7, new)]
held(" ".join(map(name, got))) if all(g < 0 for g in got) else reached(str(got))
""", Native()),
    Case("D34", "a higher priority, another scheduler, other CPUs", "seccomp", """
got = [call(141, 0, 0, -5), call(144, 0, 1, (ctypes.c_int * 1)(10)), call(203, 0, 128, b"\\xff" * 128),
       call(251, 1, 0, 1 << 13)]
held("EPERM") if got == [-1] * 4 else reached(str(got))
""", Native(), expect="EPERM"),
    Case("D35", "install a filter of its own", "seccomp",
         "verdict(call(317, 1, 0, 0) if not NATIVE else call(317, 2, 0, (ctypes.c_uint32 * 1)(0x7fff0000)))",
         Native(), outcome="denied", syscall="seccomp"),
]
