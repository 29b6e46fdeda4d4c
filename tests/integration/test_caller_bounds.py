"""What one caller may take of what all share: the parser, the log, the records and kept files."""

import json
import subprocess

import pytest

import host
from dispatcher import BILLING, RESEARCH, Dispatcher

VALUES = 20000
MANY = "[" + "[]," * 2_000_000 + "[]]"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher() as running:
        yield running


DOORS = ["/v1/run", "/v1/calculate", "/v1/sessions", "/sandboxes", "/v2/sandboxes", "/execute"]


@pytest.mark.parametrize("token", [BILLING, RESEARCH])
@pytest.mark.parametrize("door", DOORS)
def test_a_body_of_many_values_is_not_parsed(brig, door, token):
    """6 MiB that a parser makes half a gigabyte of: the process stays as small as it was."""
    pid = brig.child("brig")
    before = memory_peak_kib(pid)
    reply = brig.request("POST", door, '{"code": "1", "x": ' + MANY + "}", token,
                         {"X-API-Key": token})
    assert reply.status in (400, 403), reply.body
    if reply.status == 400:
        assert f"more than {VALUES} values" in reply.body.decode()
        assert "a file or as one string" in reply.body.decode()
    assert memory_peak_kib(pid) - before < 128 << 10


def memory_peak_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1])


def test_the_request_of_an_upload(brig):
    body = ('--x\r\nContent-Disposition: form-data; name="request"\r\n\r\n{"code": "1", "x": '
            + "[" + "1," * 100_000 + "1]}\r\n--x--\r\n")
    reply = brig.request("POST", "/v1/run", body, RESEARCH,
                         {"Content-Type": "multipart/form-data; boundary=x"})
    assert reply.status == 400 and f"more than {VALUES} values" in reply.json["detail"]


def test_up_to_the_cap(brig):
    """Counted are values and not characters: what stands in a string is one."""
    text = "[{," * 500_000
    reply = brig.run("import sys; print(len(sys.stdin.read()))", RESEARCH, stdin=text)
    assert reply.json["stdout"] == f"{len(text)}\n"
    reply = brig.request("POST", "/v1/calculate", {"expr": "6*7", "x": [1] * (VALUES - 10)}, BILLING)
    assert reply.status == 422 and reply.json["field"] == "x"


def test_over_mcp(brig):
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "calculate", "arguments": {"expr": "6*7", "x": 0}}}).replace("0}", MANY + "}")
    reply = brig.request("POST", "/mcp", message, BILLING,
                         {"Accept": "application/json, text/event-stream"})
    assert reply.status == 400 and reply.json["error"]["code"] == -32700
    assert f"more than {VALUES} values" in reply.json["error"]["message"]
    deep = '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ' + "[" * 64 + "]" * 64 + "}}"
    reply = brig.request("POST", "/mcp", deep, BILLING)
    assert reply.json["error"]["code"] == -32700 and "64 deep" in reply.json["error"]["message"]


def test_over_lines(brig):
    line = '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ' + MANY + "}}\n"
    ping = '{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n'
    done = subprocess.run([host.BRIG, "mcp", "--config", brig.config, "--role", "local"],
                          input=(line + ping).encode(), capture_output=True, timeout=host.WATCHDOG_S)
    told, pong = [json.loads(text) for text in done.stdout.splitlines()]
    assert told["error"]["code"] == -32700 and f"{VALUES} values" in told["error"]["message"]
    assert pong == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_kept_files_of_another_role_stay():
    with Dispatcher(extra="[server]\nartifacts_max = 64M\n") as brig:
        mine = brig.run("open('mine.txt', 'w').write('precious'); print('kept')", RESEARCH).json
        for _ in range(4):
            theirs = brig.run("open('b', 'wb').write(bytes(25 << 20))").json
            assert theirs["files"][0]["url"]
        path = f"/v1/jobs/{mine['job_id']}"
        assert brig.request("GET", f"{path}/files/mine.txt", token=RESEARCH).body == b"precious"
        assert brig.request("GET", path, token=RESEARCH).json["result"]["stdout"] == "kept\n"
        assert brig.request("GET", f"/v1/jobs/{theirs['job_id']}/files/b").status == 200
