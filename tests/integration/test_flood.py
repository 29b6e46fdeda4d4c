"""Connections that say nothing, or nothing more: whoever has something to say is served."""

import contextlib
import http.client
import json
import resource
import select
import socket
import subprocess

import pytest

import host
from dispatcher import Dispatcher, RESEARCH

SILENT = 2000


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=host.WATCHDOG_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)
        self.sock.settimeout(self.timeout)


@pytest.fixture
def descriptors():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 8192), max(before[1], 8192)))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def patient():
    """A brig whose idle connections stay for as long as the test takes."""
    with Dispatcher(extra="[server]\nidle_timeout = 60m\n") as brig:
        yield brig


def address(brig, by):
    if by == "tcp":
        return socket.AF_INET, ("127.0.0.1", brig.port)
    return socket.AF_UNIX, brig.socket


def flood(brig, by, count, first=b""):
    """`count` connections; each says `first` and takes an answer if that asks for one."""
    family, where = address(brig, by)
    held = []
    for _ in range(count):
        s = socket.socket(family)
        s.connect(where)  # with a timeout it would not wait for the kernel's queue
        s.settimeout(host.WATCHDOG_S)
        if first:
            s.sendall(first)
            if b"\r\n\r\n" in first:
                assert s.recv(65536).startswith(b"HTTP/1.1 200")
        held.append(s)
    return held


def must_be_served(brig, by):
    connection = brig.connect() if by == "tcp" else UnixConnection(brig.socket)
    token = {"Authorization": f"Bearer {RESEARCH}", "Content-Type": "application/json"}
    for _ in range(3):
        assert brig.request("GET", "/healthz", connection=connection).status == 200
        assert brig.request("GET", "/metrics", connection=connection).status == 200
        connection.request("POST", "/v1/run", json.dumps({"code": "6*7"}), token)
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)["outcome"]) == (200, "ok")
        connection.close()


@pytest.mark.parametrize("first", [
    b"", b"GET /healthz HTTP/1.1\r\nHo", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ids=["silent", "half a head", "kept alive"])
@pytest.mark.parametrize("by", ["tcp", "unix"])
def test_a_flooded_door_serves_who_asks(patient, descriptors, by, first):
    with contextlib.ExitStack() as stack:
        for s in flood(patient, by, SILENT, first):
            stack.callback(s.close)
        must_be_served(patient, "tcp")
        must_be_served(patient, "unix")
        done = host.run_brig("run", "--socket", patient.socket, "-c", "print(6*7)")
        assert (done.returncode, done.stdout) == (0, b"42\n"), done.stderr


def test_requests_that_are_under_way_keep_their_places(patient, descriptors):
    """Those that come are served, while one that was begun before them all gets its answer."""
    connection = patient.connect()
    body = json.dumps({"code": "input()", "stdin": "kept"})
    connection.putrequest("POST", "/v1/run")
    for name, value in {"Authorization": f"Bearer {RESEARCH}", "Content-Length": str(len(body)),
                        "Content-Type": "application/json"}.items():
        connection.putheader(name, value)
    connection.endheaders()
    with contextlib.ExitStack() as stack:
        for s in flood(patient, "tcp", SILENT):
            stack.callback(s.close)
        must_be_served(patient, "tcp")
        connection.send(body.encode())
        assert json.load(connection.getresponse())["outcome"] == "ok"


def test_a_connection_that_never_says_a_word_is_closed(patient):
    for by in ("tcp", "unix"):
        with flood(patient, by, 1)[0] as s:
            assert s.recv(1) == b""


@pytest.mark.parametrize("field", ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
def test_nobody_holds_a_place_with_a_body_that_an_open_route_does_not_take(patient, field):
    got = patient.raw(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{field}\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 413 "), got


@contextlib.contextmanager
def deaf_server(folder, words, answers=0, backlog=8):
    """Answers as many health requests, then takes connections, as `backlog` lets it, and is mute."""
    path = str(folder / f"deaf-{words[0]}-{answers}-{backlog}.sock")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as s:
        s.bind(path)
        s.listen(backlog)
        process = subprocess.Popen(
            [host.BRIG, *words, "--socket", path], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**host.QUIET_ENV, "BRIG_TOKEN_FILE": str(folder / "token")})
        held = [s.accept()[0] for _ in range(2 * answers)]  # the request's own waits meanwhile
        for connection in held[1:]:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        yield process
        for connection in held:
            connection.close()


def test_a_brig_that_does_not_answer_is_named_as_such(tmp_path):
    """No refusal, and not a word of tokens: 125, for what is the server's fault."""
    (tmp_path / "token").write_text("some-token")
    run, listing = ["run", "-c", "1"], ["session", "list"]
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(deaf_server(tmp_path, *options)) for options in (
            (run, 0, 8), (run, 1, 8), (run, 0, 0), (listing, 0, 8), (listing, 1, 8),
            (["mcp"], 0, 8))]
        for process in started:
            out, told = process.communicate(timeout=2 * host.WATCHDOG_S)
            assert (process.returncode, out) == (125, b""), (process.args, told)
            assert b"stuck or stopped" in told and b"token" not in told, (process.args, told)


def test_files_of_uploads_leave_descriptors_for_others():
    """Empty files cost no bytes, but a descriptor each: all requests together have so many."""
    with Dispatcher() as brig:
        part = "--x\r\nContent-Disposition: form-data; name=f; filename=f{}\r\n\r\n\r\n"
        body = "".join(part.format(i) for i in range(64)).encode()
        head = (f"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {RESEARCH}\r\n"
                "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n")
        open_ = [socket.create_connection(("127.0.0.1", brig.port)) for _ in range(40)]
        for s in open_:
            s.sendall(head.encode() + body)
        answered, _, _ = select.select(open_, [], [], host.WATCHDOG_S)
        assert b"503 Service Unavailable" in answered[0].recv(4096)
        assert brig.run("print(6 * 7)", RESEARCH).json["stdout"] == "42\n"
        for s in open_:
            s.close()
        content = {"name": "a.txt", "content": "x"}
        assert brig.run("open('a.txt').read()", RESEARCH, files=[content]).status == 200
