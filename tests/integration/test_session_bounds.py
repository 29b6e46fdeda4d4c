"""What a session may hold and how long, over the dispatcher's doors: uploads that are too much, lives
that are over, files while a call runs, and what is said of each."""

import contextlib
import http.client
import threading
import time

import pytest

import host
from dispatcher import Dispatcher
from test_session_e2b import create, form
from test_session_http import FEW, OTHER, ROLES, STEPS, UNKNOWN, begin, end, state, step, token, until
from test_session_rights import reload

MIB = 1 << 20
BUSY = "import time\nopen('made', 'w').write('early')\ntime.sleep(600)"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


@pytest.fixture
def own_brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


def files(session, path=""):
    return f"/v1/sessions/{session}/files{path}"


def head_of(method, path, by, *fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {by}", *fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def send(brig, head, body):
    """The answer to a request whose body nobody may want to the end."""
    got = b""
    with contextlib.closing(brig.connect()) as connection:
        connection.connect()
        try:
            connection.sock.sendall(head + body)
        except (BrokenPipeError, ConnectionResetError):
            pass
        try:
            while piece := connection.sock.recv(65536):
                got += piece
        except ConnectionResetError:
            pass
    return got


def busy(brig, session, code=BUSY):
    """A call that runs until its session is ended, once it has left its file."""
    thread = threading.Thread(target=step, args=(brig, code, session),
                              kwargs={"limits": {"wall_ms": 300000}})
    thread.start()
    host.wait_until(lambda: brig.request("GET", files(session, "/made"), token=STEPS).status == 200,
                    "the call has begun")
    return thread


# --- uploads


def test_an_upload_beyond_the_memory_is_refused_by_its_head(brig):
    session = begin(brig, limits={"memory_bytes": 128 * MIB})
    for method, path, more in [
            ("PUT", files(session, "/big"), []),
            ("POST", "/files?path=big", [f"E2b-Sandbox-Id: {session}"])]:
        answer = brig.raw(head_of(method, path, STEPS, f"Content-Length: {200 * MIB}", *more))
        assert answer.startswith(b"HTTP/1.1 507 ") and b"remove files" in answer, answer[:400]
    rows = brig.audit("door, code, outcome", f"note like '%{session}%' and tool = 'session_write'")
    assert rows == [("rest", "big", "error"), ("e2b", "big", "error")], rows
    put = brig.request("PUT", files(session, "/small"), b"x" * (40 * MIB), STEPS)
    assert put.status == 201, put.body
    assert step(brig, "import os; os.path.getsize('small')", session).json["outcome"] == "ok"
    end(brig, session)


def test_an_upload_without_a_length_is_refused_while_it_streams(brig):
    session = begin(brig, limits={"memory_bytes": 96 * MIB})
    chunk = f"{4 * MIB:x}\r\n".encode() + b"x" * (4 * MIB) + b"\r\n"
    body = chunk * 50 + b"0\r\n\r\n"
    answer = send(brig, head_of("PUT", files(session, "/big"), STEPS, "Transfer-Encoding: chunked"),
                  body)
    assert answer.startswith(b"HTTP/1.1 507 ") and b"remove files" in answer, answer[:400]
    body, type_ = form([("file", f"f{n}", b"x" * (4 * MIB)) for n in range(40)])
    answer = send(brig, head_of("POST", "/files", STEPS, f"E2b-Sandbox-Id: {session}",
                                f"Content-Type: {type_}", f"Content-Length: {len(body)}"), body)
    assert answer.startswith(b"HTTP/1.1 507 ") and b"remove files" in answer, answer[:400]
    end(brig, session)


def test_what_was_uploaded_is_of_the_memory(brig):
    session = begin(brig, limits={"memory_bytes": 300 * MIB})
    for n in range(2):
        assert brig.request("PUT", files(session, f"/{n}"), b"x" * (100 * MIB), STEPS).status == 201
    answer = brig.raw(head_of("PUT", files(session, "/2"), STEPS, f"Content-Length: {100 * MIB}"))
    assert answer.startswith(b"HTTP/1.1 507 "), answer[:400]
    over = step(brig, "x = b'x' * (200 << 20)", session).json
    assert over["outcome"] in ("memory", "error") and over["limits"]["memory_bytes"] == 300 * MIB
    end(brig, session)


@pytest.mark.parametrize("path, status", [
    (files(UNKNOWN, "/f"), b"404"), (files("x", "/f"), b"404"), ("/v1/sessions/" + UNKNOWN, b"404"),
    ("/v1/sessions/x/filesystem/f", b"404")])
def test_an_upload_that_goes_nowhere_is_refused_by_its_head(brig, path, status):
    answer = brig.raw(head_of("PUT", path, STEPS, f"Content-Length: {250 * MIB}"))
    assert answer.startswith(b"HTTP/1.1 " + status), answer[:400]


def test_an_upload_to_anothers_session_is_refused_by_its_head(brig):
    session = begin(brig)
    length = f"Content-Length: {250 * MIB}"
    answer = brig.raw(head_of("PUT", files(session, "/f"), OTHER, length))
    assert answer.startswith(b"HTTP/1.1 404 "), answer[:400]
    answer = brig.raw(head_of("PUT", files(session, "/a//b"), STEPS, length))
    assert answer.startswith(b"HTTP/1.1 422 "), answer[:400]
    answer = brig.raw(head_of("POST", "/files?path=f", OTHER, length, f"E2b-Sandbox-Id: {session}"))
    assert answer.startswith(b"HTTP/1.1 502 "), answer[:400]
    end(brig, session)


# --- files while a call runs


def test_who_reads_does_not_wait_for_a_call(brig):
    session = begin(brig)
    call = busy(brig, session)
    assert brig.request("GET", files(session, "/made"), token=STEPS).body == b"early"
    assert [f["name"] for f in brig.request("GET", files(session), token=STEPS).json["files"]] == ["made"]
    box = {"E2b-Sandbox-Id": session}
    assert brig.request("GET", "/files?path=made", token=STEPS, headers=box).body == b"early"
    looked = brig.request("POST", "/filesystem.Filesystem/Stat", {"path": "/home/user/made"}, STEPS, box)
    assert looked.json["entry"]["size"] == "5", looked.body
    for method in ("PUT", "DELETE"):
        reply = brig.request(method, files(session, "/made"), b"x" if method == "PUT" else None, STEPS)
        assert reply.status == 409 and "between calls" in reply.json["detail"], reply.body
    reply = brig.request("POST", "/filesystem.Filesystem/MakeDir", {"path": "d"}, STEPS, box)
    assert reply.status == 409 and reply.json["code"] == "aborted", reply.body
    assert state(brig, session).json["state"] == "busy"
    end(brig, session)
    call.join()


def test_a_file_that_shrinks_under_its_reader_cuts_the_connection(brig):
    session = begin(brig, code="open('big', 'wb').write(b'x' * (60 << 20))")
    call = busy(brig, session, "import time\nopen('made', 'w').write('early')\ntime.sleep(2)\n"
                               "open('big', 'wb').close()\ntime.sleep(600)")

    def size():
        listed = brig.request("GET", files(session), token=STEPS).json["files"]
        return {f["name"]: f["bytes"] for f in listed}["big"]
    with contextlib.closing(brig.connect()) as connection:
        connection.request("GET", files(session, "/big"), headers={"Authorization": f"Bearer {STEPS}"})
        answer = connection.getresponse()
        assert answer.status == 200 and int(answer.headers["Content-Length"]) == 60 * MIB
        host.wait_until(lambda: size() == 0, "the code makes it shorter")
        with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
            answer.read()
    end(brig, session)
    call.join()


# --- its life


def test_a_call_has_no_more_time_than_its_session(brig):
    made = brig.request("POST", "/v1/sessions", {"life_ms": 1500}, STEPS).json
    over = step(brig, "import time\nprint('begun', flush=True)\ntime.sleep(600)", made["id"],
                limits={"wall_ms": 300000}).json
    assert over["outcome"] == "timeout_wall" and over["limits"]["wall_ms"] <= 1500
    assert "time was up" in over["session"]["lost"] and "begun" in over["stdout"]
    assert "life ended" in over["hint"] and "session_life" in over["hint"]
    assert step(brig, "1", made["id"]).status == 410


def test_a_shorter_life_of_the_role_holds_for_open_sessions(own_brig):
    brig = own_brig
    idle, lasting = begin(brig), begin(brig)
    asked = brig.request("POST", "/v1/sessions", {"idle_ms": 3600000}, STEPS).json["id"]
    call = busy(brig, lasting)
    reload(brig, ("[role steps]\n", "[role steps]\nsession_idle = 1000ms\n"))
    told = until(brig, idle, "lost")
    assert "idle" in told["lost"] or "no call for" in told["lost"], told
    assert state(brig, lasting).json["state"] == "busy" and state(brig, asked).json["state"] == "idle"
    reload(brig, ("session_idle = 1000ms\n", "session_idle = 1s\nsession_life = 2s\n"))
    for session in (lasting, asked):
        told = until(brig, session, "lost")
        assert "time was up" in told["lost"] or "age" in told["lost"], told
    call.join()


def test_the_role_s_life_bounds_a_sandbox(brig):
    key = {"X-API-Key": "token-short"}
    made = brig.request("POST", "/v2/sandboxes", {"templateID": "base", "timeout": 2}, headers=key).json
    one = f"/sandboxes/{made['sandboxID']}"
    begun = time.monotonic()
    while brig.request("POST", one + "/timeout", {"timeout": 3600}, headers=key).status == 204:
        assert time.monotonic() - begun < host.WATCHDOG_S
        time.sleep(0.2)
    assert state(brig, made["sandboxID"], "token-short").json["state"] == "lost"


# --- figures and words


def test_limits_shown_are_those_that_hold(own_brig):
    brig = own_brig
    session = begin(brig, code="x = b'x' * (200 << 20)", limits={"memory_bytes": 400 * MIB})
    reload(brig, ("[role steps]\n", "[role steps]\nmemory_max = 128M\n"))
    assert state(brig, session).json["limits"]["memory_bytes"] == 128 * MIB
    key = {"X-API-Key": STEPS}
    shown = brig.request("GET", f"/sandboxes/{session}", headers=key).json
    assert shown["memoryMB"] == 128
    over = step(brig, "1", session).json
    assert over["outcome"] == "memory" and over["usage"]["cpu_ms"] < 100, over
    assert "all that it may have" in over["hint"] and "higher limit" not in over["hint"]
    reload(brig, ("memory_max = 128M\n", "memory_max = 1G\n"))
    over = step(brig, "1", session, limits={"memory_bytes": 64 * MIB}).json
    assert over["outcome"] == "memory" and "higher limit" in over["hint"], over["hint"]
    assert step(brig, "len(x)", session).json["outcome"] == "ok"


def test_who_has_the_role_s_sessions(own_brig):
    brig = own_brig
    reload(brig, ("[role few]\n", token("few2", "token-few2", "few") + "[role few]\n"))
    mine = [begin(brig, FEW) for _ in range(2)]
    own = step(brig, "1", "new", FEW)
    assert own.status == 429 and "2 of them yours" in own.json["detail"], own.body
    other = step(brig, "1", "new", "token-few2")
    assert other.status == 429 and "all of other callers" in other.json["detail"], other.body
    reload(brig, ("sessions_max = 2", "sessions_max = 1"))
    own = step(brig, "1", "new", FEW)
    assert "sessions_max (1)" in own.json["detail"] and "open are 2" in own.json["detail"], own.body
    end(brig, mine[0], FEW)


def test_a_role_without_sandboxes_is_told_in_their_words(brig):
    reply = create(brig, X_API_Key="token-plain")
    assert reply.status == 403 and "sandboxes" in reply.json["message"]
    assert "leave" not in reply.json["message"]


def test_signed_urls_are_not_offered(brig):
    reply = brig.request("GET", "/files?path=a&username=user&signature=v1_abc")
    assert reply.status == 401 and "no signed URLs" in reply.json["message"], reply.body


# --- what a reload takes


def rows_of(brig, session):
    return brig.audit("tool, role, token, code", f"note like '%{session}%' and tool = 'session_close'")


def test_a_token_that_moves_or_goes_leaves_a_reason_and_a_row(own_brig):
    brig = own_brig
    moved, gone = begin(brig, OTHER), begin(brig, FEW)
    reload(brig, (token("other", OTHER, "steps"), token("other", OTHER, "short")),
           (token("few", FEW, "few"), ""))
    reply = step(brig, "1", moved, OTHER)
    assert reply.status == 410 and "another role now" in reply.json["detail"], reply.body
    assert state(brig, moved, OTHER).json["state"] == "lost"
    assert brig.request("GET", files(moved), token=OTHER).status == 410
    assert brig.request("GET", files(moved), token=STEPS).status == 404
    host.wait_until(lambda: rows_of(brig, moved) and rows_of(brig, gone), "the rows")
    assert rows_of(brig, moved) == [("session_close", "steps", "other", "its token has another role now")]
    assert rows_of(brig, gone) == [("session_close", "few", "few", "its token is no more")]
