"""Every call of a tool has its row, also one that never became a call: what was asked, and why not."""

import hashlib
import json

import pytest

import host
from dispatcher import Dispatcher, RESEARCH

LARGE = "x = 1\n" * 200_000  # beyond 1 MiB
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher() as running:
        yield running


class Rows:
    """The rows that come after this moment; the log is the test's alone meanwhile."""

    COLUMNS = "kind, role, token, door, tool, code, code_bytes, outcome, error, inputs"

    def __init__(self, brig):
        self.brig = brig
        self.seen = brig.audit("max(seq)")[0][0] or 0

    def one(self):
        found = self.brig.audit(self.COLUMNS, f"seq > {self.seen}")
        assert len(found) == 1, found
        row = dict(zip(self.COLUMNS.split(", "), found[0]))
        assert (row["kind"], row["outcome"]) == ("single", "rejected"), row
        return row


FAULTS = [
    ({"code": "1", "files": [{"path": "/etc/shadow"}]}, "files[0].path"),
    ({"code": "1", "files": [{"path": "data/../../etc/shadow"}]}, "files[0].path"),
    ({"code": "1", "files": [{"name": "../x", "content": ""}]}, "files[0].name"),
    ({"code": "1", "image": "other"}, "image"),
    ({"code": "1", "limits": {"wall_ms": "60"}}, "limits.wall_ms"),
    ({"code": "1", "stdin": 7}, "stdin"),
    ({"code": LARGE}, "code"),
    ({"code": 1}, "code"),
    ({}, "code"),
]
FAULT_IDS = ["host path", "dots", "name", "unknown field", "limit", "stdin", "large", "type", "none"]


@pytest.mark.parametrize("body,field", FAULTS, ids=FAULT_IDS)
@pytest.mark.parametrize("door", ["rest", "mcp older", "mcp modern"])
def test_a_field_at_fault(brig, door, body, field):
    rows = Rows(brig)
    if door == "rest":
        reply = brig.request("POST", "/v1/run", body, RESEARCH)
        assert reply.status in (413, 422) and reply.json["field"] == field
    else:
        reply = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": body}, RESEARCH,
                         modern=door == "mcp modern")
        assert reply.json["result"]["isError"]
    row = rows.one()
    assert (row["role"], row["token"], row["door"], row["tool"]) == \
        ("research", "ci", door[:4].strip(), "run_sandboxed")
    assert field in row["error"], row
    code = body.get("code")
    if isinstance(code, str):
        assert row["code_bytes"] == len(code)
        assert code.startswith(row["code"].removesuffix("\n[cut]")) and len(row["code"]) > 0
    else:
        assert row["code"] == ""


@pytest.mark.parametrize("body,field", [({"expr": 7}, "expr"), ({"expression": "1"}, "expression")])
def test_an_expression_at_fault(brig, body, field):
    rows = Rows(brig)
    assert brig.request("POST", "/v1/calculate", body, RESEARCH).json["field"] == field
    assert field in rows.one()["error"]
    rows = Rows(brig)
    assert brig.mcp("tools/call", {"name": "calculate", "arguments": body},
                    RESEARCH).json["result"]["isError"]
    assert field in rows.one()["error"]


@pytest.mark.parametrize("path,tool", [("/v1/run", "run_sandboxed"), ("/v1/calculate", "calculate")])
@pytest.mark.parametrize("body", ['{"code": "1"', "", "[]", '{"code": "1", "code": "2"}'])
def test_a_body_that_is_no_object(brig, path, tool, body):
    rows = Rows(brig)
    reply = brig.request("POST", path, body, RESEARCH)
    assert reply.status in (400, 422)
    row = rows.one()
    assert (row["tool"], row["token"], row["error"]) == (tool, "ci", reply.json["detail"])
    if body not in ("[]",):
        assert row["code"] == body


def test_what_is_refused_before_its_body_is_read(brig):
    for path, tool in (("/v1/run", "run_sandboxed"), ("/v1/calculate", "calculate")):
        rows = Rows(brig)
        reply = brig.request("POST", path, "x=1", RESEARCH, {"Content-Type": "text/plain"})
        assert (reply.status, rows.one()["tool"]) == (415, tool)
        head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {RESEARCH}\r\n"
                "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\n")
        assert b"\r\nConnection: close\r\n" in brig.raw(head.encode())  # the body never came
        rows = Rows(brig)
        head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {RESEARCH}\r\n"
                "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n")
        assert brig.raw(head.encode()).startswith(b"HTTP/1.1 413 ")
        assert "larger than this route takes" in rows.one()["error"]


@pytest.mark.parametrize("params", [{"arguments": {}}, {"name": "run_sandboxed", "arguments": []}])
def test_a_call_over_mcp_that_is_none(brig, params):
    rows = Rows(brig)
    assert brig.mcp("tools/call", params, RESEARCH).json["error"]["code"] == -32602
    row = rows.one()
    assert (row["door"], row["tool"]) == ("mcp", params.get("name", ""))
    assert "arguments must be an object" in row["error"] or "lacks the tool's name" in row["error"]


def upload(*parts):
    lines = []
    for disposition, body in parts:
        lines.append(f"--x\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{body}\r\n")
    return "".join(lines) + "--x--\r\n", {"Content-Type": "multipart/form-data; boundary=x"}


@pytest.mark.parametrize("parts,field", [
    ([('name="code"', "6*7"), ('name="f"; filename="../x"', "data")], "files"),
    ([('name="code"', "6*7"), ('name="f"; filename="x"', "data"), ('name="odd"', "1")], "odd"),
    ([('name="code"', "6*7"), ('name="request"', '{"limits": 7}')], "limits"),
    ([('name="f"; filename="x"', "data")], "code"),
])
def test_an_upload_at_fault(brig, parts, field):
    rows = Rows(brig)
    body, headers = upload(*parts)
    assert brig.request("POST", "/v1/run", body, RESEARCH, headers).status in (400, 422)
    row = rows.one()
    assert field in row["error"] and row["code"] == ("6*7" if "6*7" in body else "")
    if ('name="f"; filename="x"', "data") in parts:
        assert [(f["name"], f["bytes"]) for f in json.loads(row["inputs"])] == [("x", 4)]


def test_an_upload_without_end_or_boundary(brig):
    for headers in ({"Content-Type": "multipart/form-data; boundary=x"},
                    {"Content-Type": "multipart/form-data"}):
        rows = Rows(brig)
        reply = brig.request("POST", "/v1/run",
                             '--x\r\nContent-Disposition: form-data; name="code"\r\n\r\n1', RESEARCH,
                             headers)
        assert (reply.status, rows.one()["error"]) == (400, reply.json["detail"])


def test_secrets_go_from_refused_calls_too(brig):
    rows = Rows(brig)
    code = f"key = '{SECRET}'"
    brig.request("POST", "/v1/run", {"code": code, SECRET: 1}, RESEARCH)
    row = rows.one()
    assert SECRET not in str(row) and "[redacted:" in row["code"] and "[redacted:" in row["error"]
    rows = Rows(brig)
    brig.request("POST", "/v1/run", json.dumps({"code": code})[:-1], RESEARCH)
    assert SECRET not in str(rows.one())


def test_a_call_of_nobody_who_is_known(brig):
    rows = Rows(brig)
    assert brig.run("1", "no-such-token").status == 401
    row = rows.one()
    assert (row["role"], row["token"], row["tool"]) == ("", "", "run_sandboxed")
    assert "token is not known" in row["error"]
    assert brig.request("GET", "/v1/jobs", token="no-such-token").status == 401  # no call of a tool
    rows.one()


def test_strangers_do_not_fill_the_log():
    with Dispatcher() as brig:
        for _ in range(200):
            assert brig.calculate("1", "no-such-token").status == 401
        assert 60 <= len(brig.audit("seq")) < 200
        assert 'brig_refusals_total{role="none"} 200' in brig.request("GET", "/metrics").body.decode()


def test_refused_calls_count_among_the_calls_of_a_minute():
    slow = "[role slow]\ntools = calculate, run_sandboxed\njobs_per_minute = 3\n"
    slow += f"[token slow]\nrole = slow\nsha256 = {hashlib.sha256(b'token-slow').hexdigest()}\n"
    with Dispatcher(extra=slow) as brig:
        got = [brig.run("1", "token-slow", image="x") for _ in range(4)]
        assert [reply.status for reply in got] == [422, 422, 422, 429]
        assert int(got[3].headers["Retry-After"]) > 0
        assert len(brig.audit("seq", "outcome = 'rejected'")) == 4


@pytest.mark.parametrize("body,status,words", [
    ('{"code": "1"', 400, "malformed JSON"), ({"code": 7}, 400, "code must be a string"),
    ({"code": LARGE}, 413, "larger than 1 MiB"),
    ({"code": "1", "context_id": "none"}, 404, "no such context")])
def test_calls_of_e2b_s_clients(body, status, words):
    with Dispatcher(config="[audit]\ndb = {folder}/log/audit.db\n[role local]\n"
                           "tools = run_sandboxed\nsessions = yes\n") as brig:
        box = brig.request("POST", "/v2/sandboxes", {"templateID": "base"}).json["sandboxID"]
        rows = Rows(brig)
        reply = brig.request("POST", "/execute", body, headers={"E2b-Sandbox-Id": box})
        assert reply.status == status and words in reply.json["message"]
        row = rows.one()
        assert (row["door"], row["tool"]) == ("e2b", "run_sandboxed") and words in row["error"]


@pytest.mark.parametrize("name", ["a" * n + "é" for n in range(62, 82)])
def test_a_name_that_is_cut_within_a_character(brig, name):
    reply = brig.run("1", RESEARCH, **{name: 1})
    assert reply.status == 422 and reply.json["detail"].startswith("unknown field a")
    called = brig.mcp("tools/call", {"name": name}, RESEARCH)
    assert called.json["error"]["message"].startswith("unknown tool: a")
    called = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": {"code": "1", name: 1}},
                      RESEARCH)
    assert called.json["result"]["content"][0]["text"].startswith("unknown field a")
