"""Sessions over REST: what stays, whose they are, how they end, and what is told of it."""

import hashlib
import json
import os
import signal
import threading

import pytest

import host
from dispatcher import Dispatcher

STEPS, OTHER, FEW, SHORT, PLAIN = ("token-steps", "token-other", "token-few", "token-short",
                                   "token-plain")


def token(name, text, role):
    return f"[token {name}]\nsha256 = {hashlib.sha256(text.encode()).hexdigest()}\nrole = {role}\n"


ROLES = (
    "[role steps]\ntools = run_sandboxed\nsessions = yes\njobs_at_once = 8\n"
    "[role few]\ntools = run_sandboxed\nsessions = yes\nsessions_max = 2\n"
    "[role short]\ntools = run_sandboxed\nsessions = yes\nsession_idle = 1s\nsession_life = 4s\n"
    "[role plain]\ntools = run_sandboxed\n"
    + token("steps", STEPS, "steps") + token("other", OTHER, "steps") + token("few", FEW, "few")
    + token("short", SHORT, "short") + token("plain", PLAIN, "plain"))
UNKNOWN = "s" + 32 * "0"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


def step(brig, code, session, by=STEPS, **more):
    return brig.run(code, by, session=session, **more)


def begin(brig, by=STEPS, code="", **more):
    """A session's id."""
    reply = step(brig, code, "new", by, **more)
    assert reply.status == 200 and reply.json["outcome"] == "ok", reply.body
    return reply.json["session"]["id"]


def state(brig, session, by=STEPS):
    return brig.request("GET", f"/v1/sessions/{session}", token=by)


def until(brig, session, wanted, by=STEPS):
    return host.wait_until(lambda: (got := state(brig, session, by).json)["state"] == wanted and got,
                           f"the session is {wanted}")


def end(brig, session, by=STEPS):
    assert brig.request("DELETE", f"/v1/sessions/{session}", token=by).status == 204


def test_variables_imports_files_and_figures_stay(brig):
    first = step(brig, "import math\nx = 20\nopen('note.txt', 'w').write('kept')", "new").json
    session = first["session"]["id"]
    assert first["session"]["expires_at"].endswith("Z")
    assert session in first["text"] and "pass it as session" in first["text"]
    second = step(brig, "x += int(math.sqrt(4))\nx", session).json
    assert second["result"]["text"] == "22"
    assert session not in second["text"] and second["session"]["id"] == session
    assert step(brig, "open('note.txt').read(), x", session).json["result"]["text"] == "('kept', 22)"
    assert "session" not in brig.run("1", STEPS).json
    assert brig.run("x", STEPS).json["error"]["type"] == "NameError"
    end(brig, session)


def test_an_error_leaves_the_session(brig):
    session = begin(brig, code="x = 1")
    failed = step(brig, "x = 2\n1/0", session).json
    assert failed["outcome"] == "error" and failed["session"]["id"] == session
    assert step(brig, "x", session).json["result"]["text"] == "2"
    assert step(brig, "import sys; sys.exit(3)", session).json["exit_code"] == 3
    end(brig, session)


def test_begin_list_look_end(brig):
    reply = brig.request("POST", "/v1/sessions", {"limits": {"memory_bytes": 256 << 20}}, STEPS)
    assert reply.status == 201, reply.body
    session = reply.json["id"]
    assert reply.headers["Location"] == f"/v1/sessions/{session}"
    assert step(brig, "7", session).json["result"]["text"] == "7"
    listed = brig.request("GET", "/v1/sessions", token=STEPS).json["sessions"]
    mine = next(s for s in listed if s["id"] == session)
    assert mine["state"] == "idle" and mine["begun_at"] < mine["expires_at"]
    assert state(brig, session).json["id"] == session
    end(brig, session)
    assert state(brig, session).status == 404
    gone = step(brig, "1", session)
    assert gone.status == 404 and 'session: "new"' in gone.json["detail"]
    assert gone.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("body, field", [
    ({"limits": {"wall_ms": "x"}}, "limits.wall_ms"), ({"idle_ms": 0}, "idle_ms"),
    ({"life_ms": "1"}, "life_ms"), ({"name": 1}, "name")])
def test_wishes_that_are_none(brig, body, field):
    reply = brig.request("POST", "/v1/sessions", body, STEPS)
    assert reply.status == 422 and reply.json["field"] == field


@pytest.mark.parametrize("session", ["", "a/b", 7, "x" * 40, ["new"]])
def test_ids_that_are_none(brig, session):
    reply = step(brig, "1", session)
    assert reply.status == 422 and reply.json["field"] == "session"


def test_anothers_session_is_as_unknown_as_any(brig):
    session = begin(brig, code="secret = 1")
    try:
        for method, path, body in [
                ("POST", "/v1/run", {"code": "secret", "session": "{}"}),
                ("GET", "/v1/sessions/{}", None), ("DELETE", "/v1/sessions/{}", None),
                ("GET", "/v1/sessions/{}/files", None), ("PUT", "/v1/sessions/{}/files/a", "b"),
                ("DELETE", "/v1/sessions/{}/files/a", None)]:
            def ask(name, by):
                filled = json.loads(json.dumps(body).replace("{}", name)) if body else body
                return brig.request(method, path.format(name), filled, by)
            for by in (OTHER, FEW):
                mine, none = ask(session, by), ask(UNKNOWN, by)
                assert (mine.status, mine.body) == (404, none.body), (method, path)
        assert brig.request("GET", "/v1/sessions", token=OTHER).json == {"sessions": []}
        assert step(brig, "secret", session).json["result"]["text"] == "1"
    finally:
        end(brig, session)


@pytest.mark.parametrize("by", [PLAIN, None])
def test_a_role_without_sessions(brig, by):
    """The local role of this configuration has none either."""
    for reply in (step(brig, "1", "new", by), brig.request("POST", "/v1/sessions", {}, by)):
        assert reply.status == 403 and "no sessions" in reply.json["detail"]
    tool = brig.request("GET", "/v1/tools", token=by).json["tools"][-1]
    assert "session" not in tool["inputSchema"]["properties"]
    assert "Every call starts fresh" in tool["description"]
    may = brig.request("GET", "/v1/tools", token=STEPS).json["tools"][-1]
    assert "session" in may["inputSchema"]["properties"] and 'session: "new"' in may["description"]
    assert brig.audit("count(*)", "outcome = 'rejected' and error like '%no sessions%'")[0][0] >= 2


def test_as_many_as_the_role_may_have(brig):
    sessions = [begin(brig, FEW) for _ in range(2)]
    beyond = step(brig, "1", "new", FEW)
    assert beyond.status == 429 and int(beyond.headers["Retry-After"]) > 0
    assert "sessions_max" in beyond.json["detail"]
    end(brig, sessions.pop(), FEW)
    sessions.append(begin(brig, FEW))
    for session in sessions:
        end(brig, session, FEW)


def test_idle_too_long(brig):
    session = begin(brig, SHORT)
    told = until(brig, session, "lost", SHORT)
    assert "no call for" in told["lost"] or "idle" in told["lost"], told
    reply = step(brig, "1", session, SHORT)
    assert reply.status == 410 and reply.json["field"] == "session"
    assert "lost" in reply.json["detail"] and 'session: "new"' in reply.json["detail"]
    assert brig.request("GET", f"/v1/sessions/{session}/files", token=SHORT).status == 410
    end(brig, session, SHORT)
    assert state(brig, session, SHORT).status == 404


@pytest.mark.slow
def test_its_life_is_over_however_busy(brig):
    session = begin(brig, SHORT)
    host.wait_until(lambda: step(brig, "1", session, SHORT).status == 410, "its life is over")
    assert state(brig, session, SHORT).json["state"] == "lost"


def test_files(brig):
    session = begin(brig)
    base = f"/v1/sessions/{session}/files"
    data = os.urandom(300_000)

    def ask(method, path="", body=None):
        return brig.request(method, base + path, body, STEPS,
                            {"Content-Type": "application/octet-stream"})
    put = ask("PUT", "/in/deep/data.bin", data)
    assert put.status == 201, put.body
    assert put.json == {"name": "in/deep/data.bin", "bytes": len(data),
                        "sha256": hashlib.sha256(data).hexdigest()}
    code = "import hashlib\nopen('out.txt', 'w').write(" \
           "hashlib.sha256(open('in/deep/data.bin', 'rb').read()).hexdigest())"
    left = step(brig, code, session).json
    assert left["outcome"] == "ok" and [f["name"] for f in left["files"]] == ["out.txt"]
    got = ask("GET", "/out.txt")
    assert got.body.decode() == hashlib.sha256(data).hexdigest()
    assert got.headers["Content-Disposition"] == "attachment"
    assert ask("GET", "/in/deep/data.bin").body == data
    assert ask("PUT", "/gr%C3%BC%C3%9Fe%20%26.txt", "häßlich".encode()).status == 201
    listed = {f["name"]: f for f in ask("GET").json["files"]}
    assert listed["in"]["kind"] == "folder" and listed["in/deep/data.bin"]["bytes"] == len(data)
    assert listed["grüße &.txt"]["kind"] == "file"
    assert [f["name"] for f in ask("GET", "/in/").json["files"]] == ["deep", "deep/data.bin"]
    assert ask("GET").json["truncated"] is False
    assert step(brig, "import os\nos.makedirs('/mnt/data/' + 'd/' * 17)", session).json["outcome"] == "ok"
    deep = ask("GET", "/d/").json
    assert deep["truncated"] is False and len(deep["files"]) == 16
    deep = ask("GET").json
    assert deep["truncated"] is True and "/".join("d" * 16) in {f["name"] for f in deep["files"]}
    assert step(brig, "open('grüße &.txt').read()", session).json["result"]["text"] == "'häßlich'"
    assert ask("PUT", "/out.txt", b"").status == 201
    assert ask("GET", "/out.txt").body == b""
    assert ask("DELETE", "/in").status == 204
    assert ask("GET", "/in/deep/data.bin").status == 404
    assert ask("DELETE", "/in").status == 404
    assert step(brig, "import os; os.path.exists('in')", session).json["result"]["text"] == "False"
    end(brig, session)


@pytest.mark.parametrize("path", ["../x", "a/../../x", "%2e%2e/x", "%2Fetc%2Fpasswd", "a//b", "a/./b",
                                  "%00", "a%2", "x" * 2000])
def test_paths_that_are_none(brig, path):
    session = begin(brig)
    for method in ("GET", "PUT", "DELETE"):
        reply = brig.request(method, f"/v1/sessions/{session}/files/{path}", b"x", STEPS)
        assert reply.status == 422, (method, reply.status, reply.body)
    end(brig, session)


@pytest.mark.parametrize("path, word", [("sub/", "'/'"), ("a%0Ab", "control"), ("d%1B/x", "control"),
                                        ("%C2%85", "control"), ("%FF", "UTF-8")])
def test_names_that_no_new_file_has(brig, path, word):
    session = begin(brig, code="open(b'a\\nb', 'w').close()")
    reply = brig.request("PUT", f"/v1/sessions/{session}/files/{path}", b"x", STEPS)
    assert (reply.status, word in reply.json["detail"]) == (422, True), reply.body
    # What the code itself made under such a name can be had.
    assert brig.request("GET", f"/v1/sessions/{session}/files/a%0Ab", token=STEPS).status == 200
    assert brig.request("DELETE", f"/v1/sessions/{session}/files/a%0Ab", token=STEPS).status == 204
    end(brig, session)


def test_links_lead_nowhere(brig):
    """A link that the code made is neither followed out nor opened."""
    session = begin(brig, code="import os\nos.symlink('/proc/self/environ', 'e')\n"
                               "os.symlink('/', 'root')\nos.symlink('/dev/zero', 'zero')\n"
                               "open('plain', 'w').close()\nos.symlink('plain', 'inside')")
    reply = brig.request("GET", f"/v1/sessions/{session}/files/inside", token=STEPS)
    assert (reply.status, "symbolic link" in reply.json["detail"]) == (403, True), reply.body
    for path in ("e", "root/proc/version", "zero"):
        reply = brig.request("GET", f"/v1/sessions/{session}/files/{path}", token=STEPS)
        assert reply.status >= 400, (path, reply.body)
    assert brig.request("PUT", f"/v1/sessions/{session}/files/root/x", b"x", STEPS).status >= 400
    assert step(brig, "1", session).status == 200
    end(brig, session)


@pytest.mark.slow
def test_files_beyond_the_folder(brig):
    session = begin(brig)
    base = f"/v1/sessions/{session}/files"
    head = (f"PUT {base}/big HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {STEPS}\r\n"
            f"Content-Length: {257 << 20}\r\n\r\n")
    assert brig.raw(head.encode()).startswith(b"HTTP/1.1 413 ")
    half = b"x" * (150 << 20)
    assert brig.request("PUT", base + "/one", half, STEPS).status == 201
    full = brig.request("PUT", base + "/two", half, STEPS)
    assert full.status == 507 and "remove files" in full.json["detail"], full.body
    assert step(brig, "import os; os.listdir('.')", session).json["result"]["text"] == "['one']"
    end(brig, session)


def test_calls_come_one_after_another(brig):
    session = begin(brig, code="seen = []")
    slow = threading.Thread(target=step, args=(
        brig, "import time\ntime.sleep(1)\nseen.append('first')", session))
    slow.start()
    until(brig, session, "busy")
    assert step(brig, "seen.append('second')\nseen", session).json["result"]["text"] == \
        "['first', 'second']"
    slow.join(host.WATCHDOG_S)
    end(brig, session)


def test_a_call_that_overruns_is_interrupted_and_the_state_stays(brig):
    session = begin(brig, code="kept = 1")
    over = step(brig, "import time\nkept = 2\nwhile True: time.sleep(0.01)", session,
                limits={"wall_ms": 700}).json
    assert over["outcome"] == "timeout_wall", over
    assert over["session"]["interrupted"] is True and over["session"]["id"] == session
    assert "variables and files are kept" in over["text"]
    assert step(brig, "kept", session).json["result"]["text"] == "2"
    end(brig, session)


def test_a_call_that_cannot_be_interrupted_loses_the_session(brig):
    session = begin(brig)
    over = step(brig, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                      "while True: pass", session, limits={"wall_ms": 700}).json
    assert over["outcome"] in ("timeout_wall", "timeout_cpu") and over["session"]["lost"], over
    assert "session lost" in over["text"] and 'session: "new"' in over["text"]
    reply = step(brig, "1", session)
    assert reply.status == 410 and over["session"]["lost"] in reply.json["detail"]


def test_a_crash_says_that_the_state_is_lost(brig):
    session = begin(brig)
    crashed = step(brig, "import ctypes\nprint('before', flush=True)\nctypes.memset(0, 1, 4)",
                   session).json
    assert crashed["outcome"] == "signal" and crashed["stdout"] == "before\n"
    assert crashed["session"]["lost"] and "session lost" in crashed["text"]
    assert step(brig, "1", session).status == 410
    assert step(brig, "6 * 7", begin(brig)).json["result"]["text"] == "42"


def test_a_client_that_goes_away_interrupts_its_call(brig):
    session = begin(brig, code="kept = 1")
    connection = brig.connect()
    body = json.dumps({"code": "import time\nkept = 2\nwhile True: time.sleep(0.01)",
                       "session": session})
    connection.request("POST", "/v1/run", body, {"Content-Type": "application/json",
                                                 "Authorization": f"Bearer {STEPS}"})
    until(brig, session, "busy")
    connection.close()
    until(brig, session, "idle")
    assert step(brig, "kept", session).json["result"]["text"] in ("1", "2")
    end(brig, session)


def test_who_leaves_while_a_session_begins_leaves_none(brig):
    before = {s["id"] for s in brig.request("GET", "/v1/sessions", token=STEPS).json["sessions"]}
    connection = brig.connect()
    body = json.dumps({"code": "import time\ntime.sleep(60)", "session": "new"})
    connection.request("POST", "/v1/run", body, {"Content-Type": "application/json",
                                                 "Authorization": f"Bearer {STEPS}"})

    def fresh():
        listed = brig.request("GET", "/v1/sessions", token=STEPS).json["sessions"]
        return [s for s in listed if s["id"] not in before and s["state"] == "busy"]
    host.wait_until(fresh, "it begins")
    connection.close()
    host.wait_until(lambda: not fresh(), "it is gone")


def test_ending_a_busy_session_cancels_its_call(brig):
    session = begin(brig)
    got = []
    running = threading.Thread(target=lambda: got.append(
        step(brig, "import time\ntime.sleep(60)", session)))
    running.start()
    until(brig, session, "busy")
    end(brig, session)
    running.join(host.WATCHDOG_S)
    assert got and got[0].status == 200 and got[0].json["outcome"] == "cancelled", got[0].body
    assert state(brig, session).status == 404


def test_streamed(brig):
    session = begin(brig, code="x = 5")
    reply = step(brig, "print(x)", session, headers={"Accept": "text/event-stream"})
    events = dict(reply.events())
    assert events["stdout"]["text"] == "5\n" and events["result"]["session"]["id"] == session
    refused = step(brig, "1", UNKNOWN, headers={"Accept": "text/event-stream"})
    assert refused.status == 404
    end(brig, session)


def test_inputs_of_each_call(brig):
    """The same name again, with other content."""
    session = begin(brig)
    for value in ("v,1\n", "v,2\n"):
        reply = step(brig, "open('data.csv').read()", session,
                     files=[{"name": "data.csv", "content": value}]).json
        assert reply["outcome"] == "ok", reply
        assert reply["result"]["text"] == repr(value)
    end(brig, session)


def test_rows_carry_the_session(brig):
    session = begin(brig, code="x = 1")
    assert brig.request("PUT", f"/v1/sessions/{session}/files/a.txt", b"abc", STEPS).status == 201
    assert brig.request("DELETE", f"/v1/sessions/{session}/files/a.txt", token=STEPS).status == 204
    end(brig, session)
    rows = brig.audit("kind, tool, note, inputs", f"note like '%{session}%' order by seq")
    assert [row[:2] for row in rows] == [
        ("accepted", "run_sandboxed"), ("completed", "run_sandboxed"), ("single", "session_write"),
        ("single", "session_remove"), ("single", "session_close")]
    assert json.loads(rows[0][2]) == {"session": session}
    listed = host.run_brig("audit", "list", "--db", brig.folder / "log/audit.db", "--text", session,
                           "--json")
    assert len(json.loads(listed.stdout)) == 4, listed
    written = json.loads(rows[2][3])[0]
    assert written == {"name": "a.txt", "bytes": 3, "sha256": hashlib.sha256(b"abc").hexdigest()}


@pytest.mark.slow
def test_a_killed_service_loses_its_sessions_and_says_so():
    with Dispatcher(extra=ROLES) as brig:
        session = begin(brig, code="x = 1")
        pid = brig.kill("brig-service")
        host.wait_until(lambda: brig.child("brig-service") not in (None, pid), "it is back")
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is ready")
        reply = step(brig, "x", session)
        assert reply.status == 410 and "interpreter service" in reply.json["detail"], reply.body
        assert step(brig, "6 * 7", begin(brig)).json["result"]["text"] == "42"


def big_cells(brig):
    """Cells below this brig that hold what the test has them hold."""
    found = []
    for pid in host.descendants(brig.process.pid):
        try:
            if host.rss_kib(pid) > 180_000:
                found.append(pid)
        except (KeyError, FileNotFoundError):
            continue
    return found


@pytest.mark.slow
def test_a_killed_dispatcher_leaves_no_session():
    with Dispatcher(extra=ROLES) as brig:
        session = begin(brig, code="held = b'x' * (200 << 20)")
        assert big_cells(brig)
        pid = brig.kill("brig")
        host.wait_until(lambda: brig.child("brig") not in (None, pid), "it is back")
        host.wait_until(lambda: not big_cells(brig), "the session's cell is gone")
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is ready")
        assert step(brig, "1", session).status == 404


def test_without_a_configuration_local_has_sessions():
    folder = host.tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp")
    with folder as name:
        log = open(os.path.join(name, "stderr"), "w+")
        env = dict(host.QUIET_ENV, BRIG_CONFIG="/nonexistent")
        process = host.subprocess.Popen(
            [host.BRIG, "serve", "--listen", "127.0.0.1:0", "--socket", "none"], env=env,
            stdin=host.subprocess.DEVNULL, stderr=log)
        try:
            def ready():
                lines = open(log.name).read().split("\n")
                found = [json.loads(line) for line in lines if line.startswith("{")]
                return next((f for f in found if f["event"] == "ready"), None)
            url = host.wait_until(ready, "it is ready")["url"]
            if "config" not in ready() or not ready()["config"].startswith("none"):
                pytest.skip("this host has a configuration of its own")
            probe = Dispatcher.__new__(Dispatcher)
            probe.port = int(url.rsplit(":", 1)[1])
            first = probe.run("x = 6", session="new").json
            second = probe.run("x * 7", session=first["session"]["id"]).json
            assert second["result"]["text"] == "42"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(host.WATCHDOG_S)
            log.close()
