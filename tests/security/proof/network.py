"""A: the network. Every listener is the test's own, on loopback."""

from .case import Case, Native

CONNECT = """
import socket
try:
    s = socket.socket(socket.{family}, socket.{kind})
except OSError as fault:
    held(errno_of(lambda: (_ for _ in ()).throw(fault)))
s.settimeout(3)
try:
    {use}
except OSError as fault:
    held(errno.errorcode.get(fault.errno, str(fault)))
reached("{what}")
"""


def connect(family, kind, use, what="connected"):
    return CONNECT.format(family=family, kind=kind, use=use, what=what)


EVERYTHING = """
import socket
tries = 0
for family in range(0, 46):
    for kind in (1, 2, 3, 4, 5, 6, 10):
        for protocol in (0, 1, 6, 17, 255):
            rc = call(41, family, kind, protocol)
            tries += 1
            if rc >= 0:
                if family == 2 and kind == 1:
                    s = socket.socket(fileno=rc)
                    s.connect(("127.0.0.1", @TCP@))
                    reached(f"family {family}")
                os.close(rc)
                if not NATIVE:
                    reached(f"a socket of family {family}")
held(f"{tries} sockets asked for, none made")
"""


def no_connection(lab, case, result):
    """The attack held and no listener of the test was reached meanwhile."""
    from .judge import judge_result

    good, detail = judge_result(case, result)
    if not good:
        return good, detail
    before = lab.listeners.count
    again = lab.cell(case.code, case.args, case.files)
    return (again["outcome"] == "ok" and lab.listeners.count == before,
            f"{detail}, {lab.listeners.count - before} connections counted")


PAIR_TO = """
import socket
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
try:
    a.sendto(b"hello", {address})
except OSError as fault:
    held(errno.errorcode.get(fault.errno, str(fault)))
reached("a datagram went out")
"""

CASES = [
    Case("A1", "connect to the host's loopback", "seccomp net",
         connect("AF_INET", "SOCK_STREAM", 's.connect(("127.0.0.1", @TCP@))'), Native(room="bare"),
         expect="EAFNOSUPPORT"),
    Case("A2", "the same by IPv6", "seccomp net",
         connect("AF_INET6", "SOCK_STREAM", 's.connect(("::1", @TCP6@))'), Native(room="bare"),
         expect="EAFNOSUPPORT"),
    Case("A3", "a DNS query by UDP", "seccomp net",
         connect("AF_INET", "SOCK_DGRAM",
                 's.connect(("127.0.0.1", @UDP@)); '
                 's.send(bytes.fromhex("abcd01000001000000000000076578616d706c650000010001"))'),
         Native(room="bare"), expect="EAFNOSUPPORT"),
    Case("A4", "connect to a Unix socket of the host", "seccomp root",
         connect("AF_UNIX", "SOCK_STREAM", 's.connect("@UNIX@")'), Native(room="bare"),
         expect="EAFNOSUPPORT"),
    Case("A4b", "a datagram from a socket pair to a Unix socket of the host", "root",
         PAIR_TO.format(address='"@DGRAM@"'), Native(room="bare"), expect="ENOENT"),
    Case("A5", "connect to an abstract socket", "seccomp net landlock",
         connect("AF_UNIX", "SOCK_STREAM", 's.connect("\\0@ABSTRACT@")'), Native(room="bare"),
         expect="EAFNOSUPPORT"),
    Case("A5b", "a datagram from a socket pair to an abstract socket", "landlock net",
         PAIR_TO.format(address='"\\0@ABSDGRAM@"'), Native(room="bare"),
         expect="EPERM|ECONNREFUSED"),
    Case("A6", "list the interfaces by netlink", "seccomp",
         connect("AF_NETLINK", "SOCK_RAW", "s.bind((0, 0))", "bound"), Native(),
         expect="EAFNOSUPPORT"),
    Case("A7", "a packet socket", "seccomp caps",
         connect("AF_PACKET", "SOCK_RAW", "s.bind(('lo', 0))", "bound to lo"), Native(),
         expect="EAFNOSUPPORT"),
    Case("A7b", "a raw IP socket", "seccomp caps",
         connect("AF_INET", "SOCK_RAW, 1", "s.getsockname()", "made"), Native(),
         expect="EAFNOSUPPORT"),
    Case("A8", "a VM socket", "seccomp",
         connect("AF_VSOCK", "SOCK_STREAM", "s.getsockname()", "made"), Native(),
         expect="EAFNOSUPPORT"),
    Case("A9", "a kernel crypto socket", "seccomp",
         connect("AF_ALG", "SOCK_SEQPACKET", "s.bind(('hash', 'sha256'))", "bound"),
         Native(),
         expect="EAFNOSUPPORT"),
    Case("A10", "every family, kind and protocol; the host's listeners count", "seccomp net",
         EVERYTHING, Native(room="bare"), check=no_connection),
    Case("A11", "bind, listen, accept and connect on one half of a pair", "seccomp",
         "import socket\na, b = socket.socketpair()\n"
         "got = [call(49, a.fileno(), b'\\1\\0\\0brig', 7), call(50, a.fileno(), 1),\n"
         "       call(43, a.fileno(), 0, 0), call(42, a.fileno(), b'\\1\\0\\0brig', 7)]\n"
         "held(' '.join(map(name, got))) if got == [-38] * 4 else reached(' '.join(map(name, got)))",
         Native()),
]
