"""A client of the interpreter service's channel, in Python: src/wire/job.h, result.h, session.h.

    with channel.Call(socket_path, code="print(6*7)") as call:
        result = call.result()

It is a second, independent reading of the wire format, so it also tells when that changes. What
a client may not do (bad frames, a cut connection) can be done with it on purpose.
"""

import array
import hashlib
import os
import socket
import struct
import time
import uuid
from dataclasses import dataclass, field

JOB, CANCEL, STDOUT, STDERR, RESULT, SESSION, SESSION_DONE = 1, 2, 3, 4, 5, 6, 7
OUTCOMES = ("ok", "error", "exit", "signal", "timeout_wall", "timeout_cpu", "memory", "output",
            "denied", "cancelled", "rejected", "internal")
ITEMS = {1: "value", 2: "table", 3: "chart", 4: "error", 5: "hint", 6: "note"}
LAYERS = ("uid caps nnp pidns root image work dev proc net ipc seccomp landlock memory pids cpu "
          "rlimits dump fds tty keyring speculation").split()
LAYER_STATES = ("on", "missing", "not offered")
LIMITS = {"wall_ms": 3, "cpu_ms": 4, "memory_bytes": 5, "output_bytes": 6, "work_bytes": 7,
          "work_inodes": 8, "processes": 9, "cpus": 10}
VERBS = ("close", "extend", "state", "write", "read", "list", "stat", "remove", "mkdir", "move")
STATES = ("alone", "alive", "interrupted", "lost")
USAGE = ("wall_ms", "cpu_ms", "memory_peak_bytes", "processes_peak")
FDS_MAX = 128
WATCHDOG_S = 600 if "BRIG_VM" in os.environ else 120  # without KVM a machine is many times slower


def number(tag, value):
    return struct.pack("<HHIQ", tag, 0, 8, value)


def blob(tag, data):
    return struct.pack("<HHI", tag, 0, len(data)) + data


def frame(kind, fields=b"", fds=0):
    return struct.pack("<IHH", len(fields), kind, fds) + fields


def fields_of(data):
    at = 0
    while at < len(data):
        tag, _, size = struct.unpack_from("<HHI", data, at)
        at += 8
        if size > len(data) - at:
            raise ValueError("a field runs over its frame")
        yield tag, bytes(data[at:at + size])
        at += size


def u64(data):
    return struct.unpack("<Q", data)[0]


@dataclass
class Output:
    head: bytes = b""
    tail: bytes = b""
    bytes: int = 0

    @property
    def kept(self):
        return self.head + self.tail


@dataclass
class Status:
    state: str = "alone"
    idle_left_ms: int = 0
    life_left_ms: int = 0
    lost_why: str = ""


@dataclass
class Answer:
    """What was answered to a request about a session."""
    code: int = 0  # an errno, positive
    stage: str = ""
    text: str = ""
    status: Status = field(default_factory=Status)
    data: bytes = None
    entries: dict = field(default_factory=dict)  # path: (bytes, modified_ms, mode)
    more: bool = False
    room: int = 0


@dataclass
class Result:
    outcome: str = ""
    exit_code: int = -1
    signal: int = 0
    syscall: int = -1
    limit_hit: int = 0
    out: Output = field(default_factory=Output)
    err: Output = field(default_factory=Output)
    items: list = field(default_factory=list)  # (kind, payload, image bytes or None)
    artifacts: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)
    usage: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    layers: dict = field(default_factory=dict)
    fault: str = ""
    fault_code: int = 0
    session: Status = field(default_factory=Status)
    stream: dict = field(default_factory=lambda: {STDOUT: b"", STDERR: b""})
    took_s: float = 0.0

    @property
    def text(self):
        return self.out.kept.decode()

    def of_kind(self, kind):
        return [payload for name, payload, _ in self.items if name == kind]


def memfd(data):
    fd = os.memfd_create("brig-test")
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]
    return fd


def job_fields(code, inputs=(), stdin=None, stream=False, receipt=False, level=None, job_id=None,
               chart_format="png", table_csv=False, role=None, isolate=False, session=None, use=None,
               context="", idle_ms=None, life_ms=None, **limits):
    """The fields of CHANNEL_JOB and the descriptors that belong to them (the caller's)."""
    if isinstance(code, str):
        code = code.encode()
    out = [blob(1, (job_id or "t" + uuid.uuid4().hex).encode()), blob(2, code)]
    out += [number(LIMITS[name], value) for name, value in limits.items()]
    out.append(number(13, chart_format == "svg"))
    out.append(number(14, table_csv))
    out.append(number(15, stream))
    out.append(number(16, receipt))
    if level:
        out.append(blob(17, level.encode()))
    if role:
        out.append(blob(18, role.encode()))
    if isolate:
        out.append(number(19, 1))
    if session or use:
        nested = number(1, 1 if session else 2) + blob(2, (session or use).encode())
        nested += blob(3, context.encode())
        nested += number(4, idle_ms) if idle_ms else b""
        nested += number(5, life_ms) if life_ms else b""
        out.append(blob(20, nested))
    fds = []
    for name, data in dict(inputs).items():
        name = name if isinstance(name, bytes) else name.encode()
        nested = blob(1, name) + number(2, len(data)) + blob(3, hashlib.sha256(data).digest())
        out.append(blob(11, nested))
        fds.append(memfd(data))
    if stdin is not None:
        out.append(number(12, len(stdin)))
        fds.append(memfd(stdin))
    return b"".join(out), fds


def request_fields(verb, session, path="", target="", depth=1, idle_ms=0, life_ms=0, data=None,
                   memory_bytes=0):
    """The fields of CHANNEL_SESSION and the descriptor that belongs to them (the caller's)."""
    out = [number(1, VERBS.index(verb) + 1), blob(2, session.encode())]
    out += [blob(3, os.fsencode(path)), blob(4, os.fsencode(target)), number(5, depth)]
    out += [number(6, idle_ms), number(7, life_ms), number(9, memory_bytes)]
    if data is None:
        return b"".join(out), []
    return b"".join([*out, number(8, len(data))]), [memfd(data)]


class Call:
    """One channel: sends its job at once; `result()` waits for the answer."""

    def __init__(self, socket_path, code=None, **options):
        self.result_read = Result()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(WATCHDOG_S)
        self.socket.connect(str(socket_path))
        self.started = time.monotonic()
        self.pending = b""
        self.fds = []
        if code is not None:
            fields, fds = job_fields(code, **options)
            self.send(frame(JOB, fields, len(fds)), fds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for fd in self.fds:
            os.close(fd)
        self.fds = []
        self.socket.close()

    def send(self, data, fds=()):
        """Sends bytes with descriptors, which are closed here."""
        try:
            sent = socket.send_fds(self.socket, [data], fds) if fds else 0
            if sent < len(data):
                self.socket.sendall(data[sent:])
        finally:
            for fd in fds:
                os.close(fd)

    def ask(self, verb, session, **options):
        """Sends a request about a session, in place of a job; `answer()` waits for the answer."""
        fields, fds = request_fields(verb, session, **options)
        self.send(frame(SESSION, fields, len(fds)), fds)
        return self

    def answer(self):
        got = self.next_frame()
        assert got, "the service hung up without an answer"
        assert got[0] == SESSION_DONE and len(self.fds) == got[2], got
        return decode_answer(got[1], self.fds)

    def cancel(self):
        self.send(frame(CANCEL))

    def _read(self):
        room = socket.CMSG_SPACE(FDS_MAX * 4)
        data, control, _, _ = self.socket.recvmsg(1 << 18, room, socket.MSG_CMSG_CLOEXEC)
        for level, kind, payload in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(payload[:len(payload) - len(payload) % 4])
                self.fds.extend(numbers)
        self.pending += data
        return len(data)

    def next_frame(self):
        """(kind, fields, number of descriptors), or None where the service has hung up."""
        while True:
            if len(self.pending) >= 8:
                size, kind, fds = struct.unpack_from("<IHH", self.pending)
                if len(self.pending) >= 8 + size:
                    fields = self.pending[8:8 + size]
                    self.pending = self.pending[8 + size:]
                    return kind, fields, fds
            if not self._read():
                return None

    def wait_output(self, text):
        """Reads streamed output until `text` has come; the job must ask to stream."""
        wanted = text.encode() if isinstance(text, str) else text
        while wanted not in self.result_read.stream[STDOUT]:
            got = self.next_frame()
            assert got and got[0] in (STDOUT, STDERR), f"no {wanted!r} in the output: {got}"
            self._stream(got)

    def _stream(self, got):
        for tag, value in fields_of(got[1]):
            if tag == 1:
                self.result_read.stream[got[0]] += value

    def result(self):
        while True:
            got = self.next_frame()
            assert got, "the service hung up without an answer"
            if got[0] in (STDOUT, STDERR):
                self._stream(got)
                continue
            assert got[0] == RESULT, got[0]
            self.result_read.took_s = time.monotonic() - self.started
            assert len(self.fds) == got[2], "descriptors are missing"
            return decode(got[1], self.fds, self.result_read)


def _read_fd(fds, size):
    fd = fds.pop(0)
    try:
        return os.pread(fd, size, 0) if size < 1 << 20 else _pread_all(fd, size)
    finally:
        os.close(fd)


def _pread_all(fd, size):
    parts, at = [], 0
    while at < size:
        part = os.pread(fd, size - at, at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _output(data):
    out = Output()
    for tag, value in fields_of(data):
        if tag == 1:
            out.head = value
        elif tag == 2:
            out.tail = value
        elif tag == 3:
            out.bytes = u64(value)
    return out


def _record(data, names):
    return {names[tag - 1]: u64(value) for tag, value in fields_of(data)}


def _nested(result, tag, value, fds):
    parts = dict(fields_of(value))
    if tag == 9:
        image = _read_fd(fds, u64(parts[3])) if 3 in parts else None
        result.items.append((ITEMS[u64(parts[1])], parts.get(2, b""), image))
    elif tag == 10:
        result.artifacts[os.fsdecode(parts[1])] = _read_fd(fds, u64(parts[2]))
    elif tag == 11:
        result.skipped.append((os.fsdecode(parts[1]), parts.get(3, b"").decode()))
    elif tag == 14:
        result.layers[LAYERS[u64(parts[1])]] = (LAYER_STATES[u64(parts[2])], parts[3].decode())
    elif tag == 18:
        result.fault_code = u64(parts[1])
        result.fault = f"{parts.get(2, b'').decode()}: {parts.get(3, b'').decode()}"


def decode(data, fds, result):
    """Reads CHANNEL_RESULT's fields; takes the descriptors."""
    for tag, value in fields_of(data):
        if tag == 1:
            result.outcome = OUTCOMES[u64(value)]
        elif tag == 2:
            result.exit_code = u64(value) - 1
        elif tag == 3:
            result.signal = u64(value)
        elif tag == 4:
            result.syscall = u64(value) - 1
        elif tag == 6:
            result.limit_hit = u64(value)
        elif tag == 7:
            result.out = _output(value)
        elif tag == 8:
            result.err = _output(value)
        elif tag == 12:
            result.usage = _record(value, USAGE)
        elif tag == 13:
            result.limits = _record(value, tuple(LIMITS))
        elif tag == 20:
            result.session = _status(value)
        elif tag in (9, 10, 11, 14, 18):
            _nested(result, tag, value, fds)
    return result


def _status(data):
    parts = dict(fields_of(data))
    return Status(STATES[u64(parts[1])], u64(parts[2]), u64(parts[3]), parts[4].decode("ascii"))


def decode_answer(data, fds):
    """Reads CHANNEL_SESSION_DONE's fields; takes the descriptor."""
    answer = Answer()
    for tag, value in fields_of(data):
        parts = dict(fields_of(value)) if tag in (1, 4) else {}
        if tag == 1:
            answer.code, answer.stage = u64(parts[1]), parts[2].decode()
            answer.text = parts[3].decode()
        elif tag == 2:
            answer.status = _status(value)
        elif tag == 3:
            answer.data = _read_fd(fds, u64(value))
        elif tag == 4:
            answer.entries[os.fsdecode(parts[1])] = (u64(parts[2]), u64(parts[3]), u64(parts[4]))
        elif tag == 5:
            answer.more = bool(u64(value))
        elif tag == 6:
            answer.room = u64(value)
    return answer


def ask(socket_path, verb, session, **options):
    with Call(socket_path) as call:
        return call.ask(verb, session, **options).answer()


def run(socket_path, code, **options):
    with Call(socket_path, code, **options) as call:
        return call.result()
