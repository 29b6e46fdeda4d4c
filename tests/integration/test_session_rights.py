"""What bounds a session: the limits that it began with, its role as it is now, and whose it is."""

import hashlib
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile

import pytest

import host
from dispatcher import Dispatcher, Reply
from test_session_http import ROLES, STEPS, begin, end, step, token

MIB = 1 << 20
HELD = "x = b'x' * (200 << 20)"
EXTRA = ROLES.replace("[role steps]\n", "[role steps]\nmemory_max = 2G\n")


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=EXTRA) as running:
        yield running


@pytest.fixture
def own_brig():
    with Dispatcher(extra=EXTRA) as running:
        yield running


def reload(brig, *replaced):
    text = brig.config.read_text()
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    brig.config.chmod(0o644)
    brig.config.write_text(text)
    before = brig.log_text().count('"reloaded"')
    brig.process.send_signal(signal.SIGHUP)
    host.wait_until(lambda: brig.log_text().count('"reloaded"') > before, "the reload")


# --- limits


def test_limits_at_the_beginning_are_the_session_s(brig):
    made = brig.request("POST", "/v1/sessions",
                        {"limits": {"memory_bytes": 128 * MIB, "wall_ms": 1000}}, STEPS)
    assert made.status == 201, made.body
    assert (made.json["limits"]["memory_bytes"], made.json["limits"]["wall_ms"]) == (128 * MIB, 1000)
    session = made.json["id"]
    shown = brig.request("GET", f"/v1/sessions/{session}", token=STEPS).json["limits"]
    assert (shown["memory_bytes"], shown["wall_ms"]) == (128 * MIB, 1000)
    slow = step(brig, "import time; time.sleep(60)", session).json
    assert slow["outcome"] == "timeout_wall" and slow["limits"]["wall_ms"] == 1000
    given = step(brig, "import time; time.sleep(1.5)", session, limits={"wall_ms": 20000}).json
    assert given["outcome"] == "ok" and given["limits"]["wall_ms"] == 20000
    large = step(brig, HELD, session, limits={"memory_bytes": 1 << 30}).json
    assert large["limits"]["memory_bytes"] == 128 * MIB
    assert large["outcome"] in ("memory", "error") and large["outcome"] != "ok"
    brig.request("DELETE", f"/v1/sessions/{session}", token=STEPS)


def test_limits_of_a_first_call_are_those_of_later_ones(brig):
    first = step(brig, "1", "new", limits={"memory_bytes": 128 * MIB}).json
    session = first["session"]["id"]
    assert first["limits"]["memory_bytes"] == 128 * MIB
    assert step(brig, "1", session).json["limits"]["memory_bytes"] == 128 * MIB
    assert step(brig, HELD, session).json["outcome"] in ("memory", "error")


def test_a_call_may_have_less(brig):
    session = begin(brig, limits={"memory_bytes": 1 << 30})
    less = step(brig, HELD, session, limits={"memory_bytes": 96 * MIB}).json
    assert less["outcome"] in ("memory", "error") and less["limits"]["memory_bytes"] == 96 * MIB


# --- rights that a reload takes


def test_a_role_that_has_sessions_no_more(own_brig):
    brig = own_brig
    session = begin(brig, code="open('a', 'w').write('1')")
    made = brig.request("POST", "/v2/sandboxes", {"templateID": "base"},
                        headers={"X-API-Key": STEPS}).json
    box = {"E2b-Sandbox-Id": made["sandboxID"], "X-Access-Token": made["envdAccessToken"]}
    steps = "[role steps]\nmemory_max = 2G\ntools = run_sandboxed\nsessions = yes"
    reload(brig, (steps, steps.replace("yes", "no")))
    one = f"/v1/sessions/{session}"
    for method, path in [("GET", one), ("GET", one + "/files"), ("GET", one + "/files/a"),
                         ("PUT", one + "/files/b"), ("DELETE", one + "/files/a")]:
        assert brig.request(method, path, "b" if method == "PUT" else None, STEPS).status == 403, path
    assert step(brig, "1", session).status == 403
    for method, path in [("GET", "/files?path=a"), ("POST", "/execute"), ("GET", "/health")]:
        assert brig.request(method, path, {"code": "1"} if method == "POST" else None,
                            headers=box).status == 403, path
    key = {"X-API-Key": STEPS}
    assert brig.request("GET", f"/sandboxes/{made['sandboxID']}", headers=key).status == 403
    assert brig.request("DELETE", f"/sandboxes/{made['sandboxID']}", headers=key).status == 204
    assert brig.request("DELETE", one, token=STEPS).status == 204


def test_a_role_with_less_memory(own_brig):
    brig = own_brig
    session = begin(brig, code="y = 1", limits={"memory_bytes": 1 << 30})
    full = begin(brig, code=HELD, limits={"memory_bytes": 1 << 30})
    reload(brig, ("memory_max = 2G\n", "memory_max = 128M\n"))
    over = step(brig, "len(x)", full).json
    assert over["outcome"] == "memory" and over["limits"]["memory_bytes"] == 128 * MIB
    assert "already holds more than 128 MiB" in over["hint"] and "lost" not in over["session"]
    small = step(brig, "y", session).json
    assert small["outcome"] == "ok" and small["limits"]["memory_bytes"] == 128 * MIB
    assert step(brig, HELD, session).json["outcome"] in ("memory", "error")


def test_a_token_s_new_secret_closes_what_the_old_one_opened(own_brig):
    brig = own_brig
    made = brig.request("POST", "/v2/sandboxes", {"templateID": "base"},
                        headers={"X-API-Key": STEPS}).json

    def health(access):
        return brig.request("GET", "/health", headers={
            "E2b-Sandbox-Id": made["sandboxID"], "X-Access-Token": access}).status
    assert health(made["envdAccessToken"]) == 204
    reload(brig, (hashlib.sha256(STEPS.encode()).hexdigest(),
                  hashlib.sha256(b"token-fresh").hexdigest()))
    assert health(made["envdAccessToken"]) == 502
    again = brig.request("POST", f"/sandboxes/{made['sandboxID']}/connect", {"timeout": 60},
                         headers={"X-API-Key": "token-fresh"}).json
    assert again["envdAccessToken"] != made["envdAccessToken"]
    assert health(again["envdAccessToken"]) == 204 and health(made["envdAccessToken"]) == 502


def test_sessions_of_a_token_that_is_no_more_are_ended(own_brig):
    brig = own_brig
    few = "token-few"
    for _ in range(2):
        begin(brig, few)
    assert step(brig, "1", "new", few).status == 429
    reload(brig, (token("few", few, "few"), token("few2", "token-few2", "few")))
    begin(brig, "token-few2")


def test_a_connection_of_brig_mcp_learns_of_it_too(own_brig):
    brig = own_brig
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(host.WATCHDOG_S)
        s.connect(brig.socket)
        s.sendall(f"GET /mcp/lines HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                  f"Upgrade: brig-mcp-lines\r\nAuthorization: Bearer {STEPS}\r\n\r\n".encode())
        lines = s.makefile("rb")
        while lines.readline().strip():
            pass

        def tools():
            s.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
            got = lines.readline()
            return [t["name"] for t in json.loads(got)["result"]["tools"]] if got else None
        assert tools() == ["run_sandboxed"]
        steps = "[role steps]\nmemory_max = 2G\ntools = run_sandboxed"
        reload(brig, (steps, steps.replace("run_sandboxed", "calculate")))
        assert tools() == ["calculate"]
        reload(brig, (hashlib.sha256(STEPS.encode()).hexdigest(),
                      hashlib.sha256(b"token-fresh").hexdigest()))
        assert tools() is None


# --- whose it is, without a token


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=host.WATCHDOG_S)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


@pytest.fixture(scope="module")
def lone():
    """A `brig serve` without a configuration, at TCP and at a socket that everybody may open."""
    with tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp") as name:
        os.chmod(name, 0o755)
        env = dict(host.QUIET_ENV, BRIG_CONFIG="/nonexistent")
        path = os.path.join(name, "http.sock")
        with open(os.path.join(name, "stderr"), "w+") as log:
            process = subprocess.Popen(
                [host.BRIG, "serve", "--listen", "127.0.0.1:0", "--socket", path], env=env,
                stdin=subprocess.DEVNULL, stderr=log)
            try:
                def ready():
                    lines = open(log.name).read().split("\n")
                    found = [json.loads(line) for line in lines if line.startswith("{")]
                    return next((f for f in found if f["event"] == "ready"), None)
                said = host.wait_until(ready, "it is ready")
                if not said.get("config", "").startswith("none"):
                    pytest.skip("this host has a configuration of its own")
                probe = Dispatcher.__new__(Dispatcher)
                probe.port, probe.socket, probe.said = int(said["url"].rsplit(":", 1)[1]), path, said
                yield probe
            finally:
                process.terminate()
                process.wait(host.WATCHDOG_S)


def as_root(lone, method, path, body=None):
    return lone.request(method, path, body, connection=Unix(lone.socket))


def as_other(lone, *words):
    """Status and body for another user in the socket's group, by a client of its own."""
    code = ("import json, socket, sys, http.client\n"
            "c = http.client.HTTPConnection('localhost')\n"
            "c.sock = socket.socket(socket.AF_UNIX); c.sock.connect(sys.argv[1])\n"
            "c.request(sys.argv[2], sys.argv[3], sys.argv[4] or None,"
            " {'Content-Type': 'application/json'})\n"
            "r = c.getresponse(); print(json.dumps([r.status, r.read().decode()]))\n")
    group = os.stat(lone.socket).st_gid
    done = subprocess.run(
        ["/usr/bin/python3", "-c", code, lone.socket, *words], user=65534, group=65534,
        extra_groups=[group], capture_output=True, text=True, check=True)
    status, body = json.loads(done.stdout)
    return Reply(status, {}, body.encode())


def test_nobody_reads_the_audit_log_over_tcp(lone):
    assert lone.request("GET", "/v1/audit").status == 403
    assert lone.request("GET", "/v1/audit/verify").status == 403
    assert lone.request("GET", "/v1/whoami").json["audit"] is False
    assert as_root(lone, "GET", "/v1/audit").status == 200
    assert as_root(lone, "GET", "/v1/whoami").json["audit"] is True
    assert "audit" in lone.said["config"]


def test_the_socket_s_calls_are_their_users(lone):
    made = as_root(lone, "POST", "/v1/run", {"code": "open('f', 'w').write('1')", "session": "new"})
    job, session = made.json["job_id"], made.json["session"]["id"]
    paths = [f"/v1/jobs/{job}", f"/v1/jobs/{job}/files/f", f"/v1/sessions/{session}",
             f"/v1/sessions/{session}/files"]
    can_be_other = os.stat(lone.socket).st_gid != 0
    for path in paths:
        assert as_root(lone, "GET", path).status == 200, path
        assert lone.request("GET", path).status == 404, path
        if can_be_other:
            assert as_other(lone, "GET", path, "").status == 404, path
    assert lone.request("GET", "/v1/sessions").json["sessions"] == []
    assert job not in [j["job_id"] for j in lone.request("GET", "/v1/jobs").json["jobs"]]
    assert lone.run("1", session=session).status == 404
    if can_be_other:
        assert as_other(lone, "GET", "/v1/audit", "").status == 403
        own = json.loads(as_other(lone, "POST", "/v1/run", '{"code": "1"}').body)["job_id"]
        assert as_other(lone, "GET", f"/v1/jobs/{own}", "").status == 200
        assert lone.request("GET", f"/v1/jobs/{own}").status == 404
    assert as_root(lone, "DELETE", f"/v1/sessions/{session}").status == 204


def test_tcp_callers_share_what_they_begin(lone):
    made = lone.run("x = 6", session="new").json
    assert lone.run("x * 7", session=made["session"]["id"]).json["result"]["text"] == "42"
    assert as_root(lone, "GET", f"/v1/sessions/{made['session']['id']}").status == 404
    assert lone.request("DELETE", f"/v1/sessions/{made['session']['id']}").status == 204


# --- the service is started again


@pytest.mark.slow
def test_a_session_that_begins_while_the_service_starts_again_waits_for_it(own_brig):
    brig = own_brig
    for _ in range(3):
        brig.kill("brig-service")
        reply = step(brig, "6 * 7", "new")
        assert reply.status in (200, 503), reply.body
        if reply.status == 200 and reply.json["outcome"] == "ok":
            assert reply.json["result"]["text"] == "42"
            end(brig, reply.json["session"]["id"])
        elif reply.status == 503:
            assert int(reply.headers["Retry-After"]) > 0
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is ready")


def test_code_that_spoils_the_channel_of_its_results_is_told_so(brig):
    result = step(brig, "import os\nos.write(4, b'\\xff' * 100)\nimport time; time.sleep(600)",
                  begin(brig)).json
    assert result["outcome"] == "exit" and "spoiled" in result["session"]["lost"]
    assert "channel of its own results" in result["hint"]
