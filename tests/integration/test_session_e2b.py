"""E2B's API without its SDK: who may, what is kept out of the log, and what is refused how.

tests/clients/e2b.mjs has the unmodified SDK.
"""

import json
import threading

import pytest

import host
from dispatcher import Dispatcher
from test_session_http import FEW, ROLES, STEPS, begin, end, state, step, until

LONE = "[audit]\ndb = {folder}/log/audit.db\n[role local]\ntools = run_sandboxed\nsessions = yes\n"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


@pytest.fixture(scope="module")
def lone():
    with Dispatcher(config=LONE) as running:
        yield running


def ask(brig, method, path, body=None, **fields):
    return brig.request(method, path, body, headers={k.replace("_", "-"): v for k, v in fields.items()})


def create(brig, body=None, **fields):
    return ask(brig, "POST", "/v2/sandboxes", {"templateID": "base", **(body or {})}, **fields)


def lines(reply):
    assert reply.status == 200, reply.body
    return [json.loads(line) for line in reply.body.splitlines()]


def test_any_key_where_there_are_no_tokens(lone):
    made = create(lone, X_API_Key="e2b_anything").json
    assert made["envdVersion"] == "0.6.0" and made["clientID"]
    box = made["sandboxID"]
    got = lines(ask(lone, "POST", "/execute", {"code": "6 * 7"}, E2b_Sandbox_Id=box))
    assert [line["type"] for line in got] == ["number_of_executions", "result", "end_of_execution"]
    assert got[1]["text"] == "42" and got[1]["is_main_result"] is True
    assert ask(lone, "GET", "/health", E2b_Sandbox_Id=box).status == 204
    assert ask(lone, "DELETE", f"/sandboxes/{box}").status == 204
    assert ask(lone, "GET", "/health", E2b_Sandbox_Id=box).status == 502


def test_whoever_comes_through_a_proxy_needs_a_token(lone):
    for fields in ({"X_API_Key": "any"}, {}):
        reply = create(lone, X_Forwarded_For="10.0.0.9", **fields)
        assert reply.status == 401 and "E2B_API_KEY" in reply.json["message"]


def test_the_key_as_bearer_or_by_its_own_name(brig):
    for fields in ({"X_API_Key": STEPS}, {"Authorization": f"Bearer {STEPS}"}):
        made = create(brig, **fields)
        assert made.status == 201, made.body
        assert ask(brig, "DELETE", f"/sandboxes/{made.json['sandboxID']}", **fields).status == 204
    assert create(brig, X_API_Key="wrong").status == 401
    assert ask(brig, "POST", f"/sandboxes?api_key={STEPS}", {}).status == 400


def test_what_opens_a_sandbox(brig):
    made = create(brig, X_API_Key=STEPS).json
    box, access = made["sandboxID"], made["envdAccessToken"]

    def run(**fields):
        return ask(brig, "POST", "/execute", {"code": "1"}, E2b_Sandbox_Id=box, **fields).status
    assert run(X_Access_Token=access) == 200
    assert run(E2B_Traffic_Access_Token=made["trafficAccessToken"]) == 200
    assert run(X_Access_Token=access, Authorization="Basic dXNlcjo=") == 200
    assert run(X_API_Key=STEPS) == 200
    assert run(X_API_Key=FEW) == 502
    assert run(X_Access_Token=access[:-1]) == 502
    assert run() == 502  # the role local: another caller
    for fields in ({}, {"X_Access_Token": access[:-1]}, {"X_API_Key": FEW}):
        refused = ask(brig, "POST", "/execute", {"code": "1"}, E2b_Sandbox_Id=box, **fields)
        assert refused.json["message"].startswith("The sandbox was not found: ")
        assert "X-Access-Token" in refused.json["message"]
    assert access not in json.dumps(ask(brig, "GET", "/v2/sandboxes", X_API_Key=STEPS).json)
    other = create(brig, X_API_Key=STEPS).json["sandboxID"]
    assert ask(brig, "GET", "/health", E2b_Sandbox_Id=other, X_Access_Token=access).status == 502
    for made in (box, other):
        assert ask(brig, "DELETE", f"/sandboxes/{made}", X_API_Key=STEPS).status == 204


def test_environments_reach_neither_log_nor_audit(brig):
    secret = "hunter2-in-an-environment"
    reply = create(brig, {"envVars": {"KEY": secret}}, X_API_Key=STEPS)
    assert reply.status == 400 and "environment" in reply.json["message"]
    box = begin(brig)
    got = lines(ask(brig, "POST", "/execute", {"code": "1", "env_vars": {"KEY": secret}},
                    E2b_Sandbox_Id=box, X_API_Key=STEPS))
    assert [line["type"] for line in got][1:] == ["error", "end_of_execution"]
    assert secret not in json.dumps(got)
    end(brig, box)
    assert secret not in brig.log_text()
    for path in (brig.folder / "log").iterdir():
        assert secret.encode() not in path.read_bytes(), path


def test_beyond_the_quota(brig):
    made = [create(brig, X_API_Key=FEW) for _ in range(2)]
    assert all(reply.status == 201 for reply in made)
    reply = create(brig, X_API_Key=FEW)
    assert reply.status == 429 and reply.json["code"] == 429 and "sessions_max" in reply.json["message"]
    for one in made:
        ask(brig, "DELETE", f"/sandboxes/{one.json['sandboxID']}", X_API_Key=FEW)


@pytest.mark.parametrize("body", [{"timeout": "x"}, {"timeout": -1}, {"metadata": {"a": 1}},
                                  {"metadata": "x"}, {"metadata": {"a": "x" * 20000}},
                                  {"autoPause": True}, {"volumeMounts": [{"name": "v"}]}])
def test_requests_that_are_none(brig, body):
    reply = create(brig, body, X_API_Key=STEPS)
    assert reply.status == 400 and reply.json["code"] == 400 and reply.json["message"]


@pytest.mark.parametrize("method, path, type_, status", [
    ("POST", "/process.Process/Start", "application/connect+json", 200),
    ("POST", "/process.Process/List", "application/json", 501),
    ("POST", "/filesystem.Filesystem/WatchDir", "application/connect+json", 200),
    ("POST", "/filesystem.Filesystem/CreateWatcher", "application/json", 501)])
def test_refused_over_connect(brig, method, path, type_, status):
    box = begin(brig)
    reply = ask(brig, method, path, "{}", E2b_Sandbox_Id=box, X_API_Key=STEPS, Content_Type=type_)
    assert reply.status == status, reply.body
    if status == 200:
        assert reply.body[0] == 2 and int.from_bytes(reply.body[1:5], "big") == len(reply.body) - 5
        assert json.loads(reply.body[5:])["error"]["code"] == "unimplemented"
    else:
        assert reply.json["code"] == "unimplemented"
    end(brig, box)


def form(parts, boundary="b0undary"):
    body = b""
    for name, file, data in parts:
        body += (f"--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\""
                 + (f"; filename=\"{file}\"" if file else "") + "\r\n\r\n").encode() + data + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


@pytest.mark.parametrize("path, parts, status", [
    ("/files?path=a.txt", [("file", "b.txt", b"x")], 200),
    ("/files", [("file", "/home/user/b.txt", b"x"), ("file", "c.txt", b"")], 200),
    ("/files?path=a.txt", [("file", "b", b"x"), ("file", "c", b"y")], 400),
    ("/files", [("file", "/etc/b.txt", b"x")], 400), ("/files", [("other", "b.txt", b"x")], 400),
    ("/files", [("file", None, b"x")], 400), ("/files", [], 400),
    ("/files?path=%2Fhome%2Fuser", [("file", "x", b"x")], 400),
    ("/files?path=%zz", [("file", "x", b"x")], 400),
    ("/files?path=a%0Ab", [("file", "x", b"x")], 400),
    ("/files", [("file", f"f{n}", b"") for n in range(65)], 413)])
def test_uploads(brig, path, parts, status):
    box = begin(brig)
    body, type_ = form(parts)
    reply = ask(brig, "POST", path, body, E2b_Sandbox_Id=box, X_API_Key=STEPS, Content_Type=type_)
    assert reply.status == status, reply.body
    if status == 200:
        assert len(reply.json) == len(parts)
    names = {f["name"] for f in brig.request("GET", f"/v1/sessions/{box}/files", token=STEPS).json["files"]}
    assert bool(names) == (status == 200), names
    end(brig, box)


def test_a_body_cut_short_leaves_nothing(brig):
    box = begin(brig)
    body, type_ = form([("file", "a.txt", b"x" * 1000)])
    reply = ask(brig, "POST", "/files", body[:-30], E2b_Sandbox_Id=box, X_API_Key=STEPS,
                Content_Type=type_)
    assert reply.status == 400
    assert brig.request("GET", f"/v1/sessions/{box}/files", token=STEPS).json["files"] == []
    end(brig, box)


def test_every_context_that_fits(brig):
    box = begin(brig)
    fields = {"E2b_Sandbox_Id": box, "X_API_Key": STEPS}
    made = [ask(brig, "POST", "/contexts", {}, **fields) for _ in range(15)]
    assert all(reply.status == 201 for reply in made)
    assert ask(brig, "POST", "/contexts", {}, **fields).status == 404
    ids = [reply.json["id"] for reply in made]
    for number, context in enumerate(ids):
        got = lines(ask(brig, "POST", "/execute", {"code": f"x = {number}\nx", "context_id": context},
                        **fields))
        assert got[1]["text"] == str(number), got
    assert ask(brig, "DELETE", f"/contexts/{ids[3]}", **fields).status == 204
    again = ask(brig, "POST", "/contexts", {}, **fields).json["id"]
    got = lines(ask(brig, "POST", "/execute", {"code": "x", "context_id": again}, **fields))
    assert got[1]["name"] == "NameError"
    for wrong in ("none", "default/restart/x", ids[3], "default"):
        assert ask(brig, "DELETE", f"/contexts/{wrong}", **fields).status == 404
    end(brig, box)


def test_a_call_that_waits_when_its_session_is_ended(brig):
    session = begin(brig)
    got = {}

    def run(name, code):
        got[name] = step(brig, code, session)
    first = threading.Thread(target=run, args=("first", "import time\ntime.sleep(60)"))
    first.start()
    until(brig, session, "busy")
    second = threading.Thread(target=run, args=("second", "1"))
    second.start()
    host.wait_until(lambda: len([j for j in brig.request("GET", "/v1/jobs", token=STEPS).json["jobs"]
                                 if j["state"] == "running"]) >= 2, "both are with the service")
    end(brig, session)
    for thread in (first, second):
        thread.join(host.WATCHDOG_S)
    assert got["first"].json["outcome"] == "cancelled"
    assert got["second"].status == 404 and "no such session" in got["second"].json["detail"]
    assert state(brig, session).status == 404


@pytest.mark.slow
def test_more_than_the_service_has_room_for():
    config = LONE + "sessions_max = 100\n[service]\ncells_max = 8\n"
    with Dispatcher(config=config) as brig:
        made, reply = [], None
        for _ in range(9):
            reply = brig.run("", session="new")
            if reply.status != 200:
                break
            made.append(reply.json["session"]["id"])
        assert reply.status == 429 and "as fit are open" in reply.json["detail"], reply.body
        assert made and int(reply.headers["Retry-After"]) > 0
        assert brig.run("6 * 7").json["result"]["text"] == "42"
        assert brig.request("DELETE", f"/v1/sessions/{made[0]}").status == 204
        host.wait_until(lambda: brig.run("", session="new").status == 200, "there is room again")


def test_words_that_are_cut_within_a_character(brig):
    """What quotes a stranger in a place of fixed size is JSON all the same."""
    odd = "a" * 126 + "é" + "b"
    made = create(brig, {"templateID": odd}, X_API_Key=STEPS)
    assert made.status == 201 and made.json["templateID"] == "a" * 126
    box = made.json["sandboxID"]
    listed = ask(brig, "GET", "/sandboxes", X_API_Key=STEPS)
    assert listed.status == 200 and box in [s["sandboxID"] for s in listed.json]
    for path in ("a" * 58 + "%C3%A9", "%FF"):
        reply = ask(brig, "GET", f"/files?path=/{path}", X_API_Key=STEPS, E2b_Sandbox_Id=box)
        assert reply.status == 400 and "outside of the sandbox's folder" in reply.json["message"]
    end(brig, box)


@pytest.mark.parametrize("code, words", [
    ("!pip install x", "nothing can be installed"), ("%matplotlib inline", "%"), ("import no_such_module_at_all", "")])
def test_errors_come_with_their_hint(brig, code, words):
    box = create(brig, X_API_Key=STEPS).json["sandboxID"]
    reply = ask(brig, "POST", "/execute", {"code": code}, E2b_Sandbox_Id=box, X_API_Key=STEPS)
    told, = [line for line in map(json.loads, reply.body.splitlines()) if line["type"] == "error"]
    hint = told["traceback"].splitlines()[-1]
    assert hint.startswith("hint: ") and words in hint, told
    assert told["value"].endswith("\n" + hint)
    end(brig, box)


@pytest.mark.parametrize("fields,body,status,words", [
    ({"X_API_Key": STEPS, "E2b_Sandbox_Id": "{box}", "Content_Type": "text/plain"}, "x = 1", 415,
     "application/json"),
    ({"X_API_Key": "no", "E2b_Sandbox_Id": "{box}"}, {"code": "secret()"}, 401, "a token"),
    ({"X_API_Key": STEPS}, {"code": "x = 1"}, 400, "E2b-Sandbox-Id"),
    ({"X_API_Key": STEPS, "E2b_Sandbox_Id": "s" + 32 * "0"}, {"code": "x = 1"}, 502, "not found"),
    ({"X_API_Key": STEPS, "E2b_Sandbox_Id": "{box}"}, "{", 400, "malformed JSON"),
])
def test_every_call_that_is_none_has_its_row(brig, fields, body, status, words):
    box = create(brig, X_API_Key=STEPS).json["sandboxID"]
    seen = brig.audit("max(seq)")[0][0]
    reply = ask(brig, "POST", "/execute", body,
                **{name: value.format(box=box) for name, value in fields.items()})
    assert reply.status == status and words in reply.json["message"]
    rows = brig.audit("kind, tool, door, outcome, code, error", f"seq > {seen}")
    assert len(rows) == 1 and rows[0][:4] == ("single", "run_sandboxed", "e2b", "rejected")
    assert rows[0][4] == ("" if status in (401, 415) else "{" if body == "{" else "x = 1")
    assert words in rows[0][5]
    end(brig, box)


def test_a_call_whose_body_is_too_large_has_its_row(brig):
    box = create(brig, X_API_Key=STEPS).json["sandboxID"]
    seen = brig.audit("max(seq)")[0][0]
    head = (f"POST /execute HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {STEPS}\r\n"
            f"E2b-Sandbox-Id: {box}\r\nContent-Type: application/json\r\n"
            "Content-Length: 99999999999\r\n\r\n")
    assert brig.raw(head.encode()).startswith(b"HTTP/1.1 413 ")
    rows = brig.audit("tool, door, outcome", f"seq > {seen}")
    assert rows == [("run_sandboxed", "e2b", "rejected")]
    end(brig, box)
