"""MCP's two eras over HTTP and over stdio: what the suites' fixtures would show, on the real tools."""

import base64
import json
import re
import os
import socket
import subprocess
import threading

import pytest

import host
from dispatcher import BILLING, META, RESEARCH, Dispatcher

CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('squares')\nprint('drawn')"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher() as running:
        yield running


def call(brig, tool, arguments, modern=True, **more):
    reply = brig.mcp("tools/call", {"name": tool, "arguments": arguments}, modern=modern, **more)
    assert reply.status == 200, reply.body
    return reply.json["result"]


@pytest.mark.parametrize("modern", [True, False])
def test_tools(brig, modern):
    tools = brig.mcp("tools/list", modern=modern).json["result"]["tools"]
    assert [t["name"] for t in tools] == ["calculate", "run_sandboxed"]
    for tool in tools:
        assert tool["inputSchema"]["$schema"].endswith("2020-12/schema")
        assert tool["outputSchema"]["type"] == "object" and tool["title"]
        assert set(tool["annotations"]) == {
            "title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    described = tools[1]["description"]
    for word in ("Python 3", "pandas", "/mnt/data", "No network", "30 s", "last expression"):
        assert word in described, word


@pytest.mark.parametrize("modern", [True, False])
def test_calls(brig, modern):
    result = call(brig, "calculate", {"expr": "0.1 + 0.2"}, modern)
    assert result["content"] == [{"type": "text", "text": "0.30000000000000004 (exactly 0.3)"}]
    assert result["structuredContent"]["exact"] == "0.3" and result["isError"] is False
    result = call(brig, "calculate", {"expr": "2^10"}, modern)
    assert result["isError"] and "**" in result["content"][0]["text"]
    result = call(brig, "run_sandboxed", {"code": "1/0"}, modern)
    assert result["isError"] and "ZeroDivisionError" in result["content"][0]["text"]
    assert result["structuredContent"]["outcome"] == "error"
    assert ("resultType" in result) == modern


@pytest.mark.parametrize("modern", [True, False])
def test_chart(brig, modern):
    result = call(brig, "run_sandboxed", {"code": CHART}, modern)
    kinds = [c["type"] for c in result["content"]]
    assert kinds[:2] == ["text", "image"]
    assert base64.b64decode(result["content"][1]["data"])[1:4] == b"PNG"
    assert "data_base64" not in json.dumps(result["structuredContent"])
    assert result["structuredContent"]["charts"][0]["url"].startswith(brig.url)


def test_large_images_become_links(brig):
    code = ("import numpy as np, matplotlib.pyplot as plt\n"
            "for _ in range(3):\n"
            "    plt.figure(figsize=(9, 9)); plt.imshow(np.random.rand(900, 900, 3))\n")
    patient = {"wall_ms": 300000, "cpu_ms": 300000}
    result = call(brig, "run_sandboxed", {"code": code, "limits": patient})
    links = [c for c in result["content"] if c["type"] == "resource_link"]
    images = [c for c in result["content"] if c["type"] == "image"]
    assert len(links) + len(images) == 3 and links
    assert sum(len(i["data"]) for i in images) <= 1 << 20
    told = [line for line in result["content"][0]["text"].splitlines() if " is not shown: " in line]
    assert len(told) == len(links)
    for line, link in zip(told, links):
        number = re.search(r"chart-(\d)\.png$", link["uri"]).group(1)
        assert line.startswith(f"chart {number} ") and line.endswith(" " + link["uri"])
    assert " is not shown: " not in result["structuredContent"]["text"]
    read = brig.mcp("resources/read", {"uri": links[0]["uri"]}, modern=True).json["result"]
    assert base64.b64decode(read["contents"][0]["blob"])[1:4] == b"PNG"


def test_pictures_that_are_files_are_told_of(brig):
    result = call(brig, "run_sandboxed", {"code": (
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('a b.png'); plt.close()\n"
        "open('t.csv', 'w').write('1')")})
    link, = [c for c in result["content"] if c.get("name") == "a b.png"]
    told, = [line for line in result["content"][0]["text"].splitlines() if "is not shown: " in line]
    assert told.startswith("file a b.png ") and told.endswith(" " + link["uri"])
    shown = call(brig, "run_sandboxed", {"code": CHART})
    assert "is not shown: " not in shown["content"][0]["text"]


@pytest.mark.parametrize("modern", [True, False])
def test_resources(brig, modern):
    result = call(brig, "run_sandboxed", {
        "code": "open('a b.csv', 'w').write('x,y\\n')\nopen('raw', 'wb').write(b'\\0\\1')"}, modern,
        token=RESEARCH)
    links = {c["name"]: c["uri"] for c in result["content"] if c["type"] == "resource_link"}
    def read(name, token=RESEARCH):
        return brig.mcp("resources/read", {"uri": links[name]}, modern=modern, token=token)
    assert read("a b.csv").json["result"]["contents"][0]["text"] == "x,y\n"
    assert read("raw").json["result"]["contents"][0]["blob"] == "AAE="
    assert read("raw", BILLING).json["error"]["code"] == (-32602 if modern else -32002)
    listed = brig.mcp("resources/list", modern=modern, token=RESEARCH).json["result"]["resources"]
    assert links["raw"] in [r["uri"] for r in listed]
    assert brig.mcp("resources/list", modern=modern, token=BILLING).json["result"]["resources"] == []


@pytest.mark.parametrize("modern", [True, False])
def test_arguments_that_are_no_good(brig, modern):
    for arguments, word in (({}, "code"), ({"code": 5}, "code"), ({"code": "1", "limit": 1}, "limit"),
                            ({"code": "1", "files": [{"name": "../x", "content": ""}]}, "name")):
        result = call(brig, "run_sandboxed", arguments, modern)
        assert result["isError"] and word in result["content"][0]["text"]


@pytest.mark.parametrize("modern", [True, False])
def test_billing_has_one_tool(brig, modern):
    tools = brig.mcp("tools/list", modern=modern, token=BILLING).json["result"]["tools"]
    assert [t["name"] for t in tools] == ["calculate"]
    before = len(brig.audit("1", "role = 'billing' and outcome = 'rejected' and door = 'mcp'"))
    refused = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": {"code": "1"}},
                       modern=modern, token=BILLING)
    assert refused.json["error"]["code"] == -32602
    after = len(brig.audit("1", "role = 'billing' and outcome = 'rejected' and door = 'mcp'"))
    assert after == before + 1


def test_eras(brig):
    first = brig.mcp("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "t", "version": "1"}})
    assert first.json["result"]["protocolVersion"] == "2025-06-18"
    unknown = brig.mcp("initialize", {"protocolVersion": "1999-01-01", "capabilities": {}})
    assert unknown.json["result"]["protocolVersion"] == "2025-11-25"
    assert brig.mcp("ping").json["result"] == {}
    assert brig.mcp("tools/list", headers={"MCP-Protocol-Version": "1999-01-01"}).status == 400
    found = brig.mcp("server/discover", modern=True).json["result"]
    assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete"
    for gone in ("ping", "initialize", "logging/setLevel", "nonsense"):
        reply = brig.mcp(gone, modern=True)
        assert (reply.status, reply.json["error"]["code"]) == (404, -32601), gone
    assert brig.mcp("prompts/list").json["error"]["code"] == -32601


@pytest.mark.parametrize("headers, code", [
    ({"Mcp-Method": "tools/list"}, -32020), ({"Mcp-Name": "run_sandboxed"}, -32020),
    ({"MCP-Protocol-Version": "2025-11-25"}, -32020),
    ({"Mcp-Name": "=?base64?Y2FsY3VsYXRl?="}, None), ({"Mcp-Name": "  calculate "}, None),
])
def test_fields_that_repeat_the_message(brig, headers, code):
    reply = brig.mcp("tools/call", {"name": "calculate", "arguments": {"expr": "1"}}, modern=True,
                     headers=headers)
    assert reply.status == (400 if code else 200)
    assert (reply.json.get("error") or {}).get("code") == code


def test_what_a_modern_request_must_carry(brig):
    for meta, code in (({}, -32602), ({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, -32602),
                       (dict(META, **{"io.modelcontextprotocol/protocolVersion": "2031-01-01"}), None)):
        reply = brig.mcp("tools/list", {"_meta": meta}, modern=True)
        assert reply.status == 400
        if code:
            assert reply.json["error"]["code"] == code
    version = "2031-01-01"
    reply = brig.mcp("tools/list", {"_meta": dict(META, **{
        "io.modelcontextprotocol/protocolVersion": version})}, modern=True,
        headers={"MCP-Protocol-Version": version})
    assert reply.json["error"]["code"] == -32022
    assert reply.json["error"]["data"] == {"supported": ["2026-07-28"], "requested": version}


@pytest.mark.parametrize("body, status, code", [
    (b"", 400, -32700), (b"{", 400, -32700), (b"[]", 400, -32600), (b"5", 400, -32600),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', 400, -32700),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', 400, -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}', 200, -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}', 200, -32602),
])
def test_messages_that_are_none(brig, body, status, code):
    reply = brig.request("POST", "/mcp", body)
    assert (reply.status, reply.json["error"]["code"]) == (status, code)


def test_every_byte_of_a_message(brig):
    body = (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "calculate", '
            b'"arguments": {"expr": "6*7"}}}')
    connection = brig.connect()
    for at in range(len(body)):
        assert brig.request("POST", "/mcp", body[:at], connection=connection).status == 400
        for bit in (1, 0x20, 0x80):
            flipped = body[:at] + bytes([body[at] ^ bit]) + body[at + 1:]
            reply = brig.request("POST", "/mcp", flipped, connection=connection)
            assert reply.status in (200, 202, 400, 404), flipped
    connection.close()


def test_notifications(brig):
    for method in ("notifications/initialized", "notifications/cancelled", "notifications/other"):
        reply = brig.request("POST", "/mcp", {"jsonrpc": "2.0", "method": method})
        assert (reply.status, reply.body) == (202, b"")
    reply = brig.request("POST", "/mcp", {"jsonrpc": "2.0", "id": 9, "result": {}})
    assert reply.status == 202


def test_progress(brig):
    params = {"name": "run_sandboxed", "arguments": {"code": "import time; time.sleep(2.2)"}}
    reply = brig.mcp("tools/call", dict(params, _meta=dict(META, progressToken="p")), modern=True)
    messages = [data for _, data in reply.events()]
    told = [m["params"]["progress"] for m in messages[:-1]]
    assert len(told) >= 2 and told == sorted(set(told))
    assert all(m["params"]["progressToken"] == "p" for m in messages[:-1])
    assert messages[-1]["result"]["structuredContent"]["outcome"] == "ok"
    plain = brig.mcp("tools/call", params, modern=True)
    assert plain.headers["Content-Type"] == "application/json"


def running(brig):
    return [j for j in brig.request("GET", "/v1/jobs").json["jobs"] if j["state"] == "running"]


def leave(brig, modern):
    """Sends a long call and goes away. The id of its job."""
    import socket
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run_sandboxed", "arguments": {"code": "import time; time.sleep(3)"}}}
    fields = ""
    if modern:
        message["params"]["_meta"] = META
        fields = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: run_sandboxed\r\n"
    body = json.dumps(message)
    with socket.create_connection(("127.0.0.1", brig.port)) as s:
        s.sendall((f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Type: application/json\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        return host.wait_until(lambda: running(brig), "the job runs")[0]["job_id"]


@pytest.mark.parametrize("modern, outcome", [(True, "cancelled"), (False, "ok")])
def test_a_closed_stream(brig, modern, outcome):
    job = leave(brig, modern)
    done = host.wait_until(
        lambda: (j := brig.request("GET", f"/v1/jobs/{job}").json)["state"] == "done" and j, "it ends")
    assert done["outcome"] == outcome


def test_cancelling_by_notification(brig):
    result = {}
    session = {"Mcp-Session-Id": "s-of-this-test"}
    params = {"name": "run_sandboxed", "arguments": {"code": "import time; time.sleep(60)"}}
    thread = threading.Thread(target=lambda: result.update(
        brig.mcp("tools/call", params, headers=session).json))
    thread.start()
    host.wait_until(lambda: running(brig), "it runs")
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    brig.request("POST", "/mcp", cancel, headers={"Mcp-Session-Id": "another"})
    assert running(brig)
    brig.request("POST", "/mcp", cancel, headers=session)
    thread.join(host.WATCHDOG_S)
    assert result["result"]["structuredContent"]["outcome"] == "cancelled"


# --- stdio


class Stdio:
    def __init__(self, *args, env=None):
        self.process = subprocess.Popen([host.BRIG, "mcp", *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **(env or {})))

    def send(self, method, params=None, id=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if id is not None:
            message["id"] = id
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return json.loads(line)

    def ask(self, method, params=None, id=1):
        self.send(method, params, id)
        reply = self.receive()
        assert reply["id"] == id
        return reply

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(host.WATCHDOG_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


@pytest.fixture(params=["private", "running"])
def stdio(request, brig):
    args = ["--config", brig.config, "--role", "local"] if request.param == "private" \
        else ["--socket", brig.socket]
    return Stdio(*args)


def test_stdio(stdio):
    begun = stdio.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                     "clientInfo": {"name": "t", "version": "1"}})
    assert begun["result"]["serverInfo"]["name"] == "brig"
    stdio.send("notifications/initialized")
    result = stdio.ask("tools/call", {"name": "run_sandboxed", "arguments": {"code": CHART}}, id="x")
    assert [c["type"] for c in result["result"]["content"]][:2] == ["text", "image"]
    modern = stdio.ask("tools/call", {"name": "calculate", "arguments": {"expr": "6*7"}, "_meta": META})
    assert modern["result"]["resultType"] == "complete"
    stdio.process.stdin.write("nonsense\n")
    stdio.process.stdin.flush()
    assert stdio.receive()["error"]["code"] == -32700
    assert stdio.ask("ping", id=5)["result"] == {}
    assert stdio.end() == 0


def test_stdio_cancellation(stdio):
    stdio.send("tools/call", {"name": "run_sandboxed", "arguments": {
        "code": "import time; time.sleep(60)"}, "_meta": {"progressToken": 1}}, id=1)
    assert stdio.receive()["method"] == "notifications/progress"
    stdio.send("notifications/cancelled", {"requestId": 1})
    stdio.send("ping", id=2)
    while (message := stdio.receive()).get("method"):
        pass
    assert message["id"] == 2
    assert stdio.end() == 0


def test_stdio_ends_with_its_input_and_leaves_nothing(brig):
    stdio = Stdio("--config", brig.config, "--role", "local")
    stdio.send("tools/call", {"name": "run_sandboxed", "arguments": {
        "code": "import time; time.sleep(60)"}}, id=1)
    below = host.wait_until(lambda: len(b := host.descendants(stdio.process.pid)) > 3 and b, "it runs")
    assert stdio.end() == 0
    for pid in below:
        host.wait_until(lambda: not host.status_of(pid), "it is gone")


def test_stdio_by_token(brig):
    path = brig.folder / "token"
    path.write_text(BILLING + "\n")
    stdio = Stdio("--socket", brig.socket, env={"BRIG_TOKEN_FILE": str(path)})
    tools = stdio.ask("tools/list")["result"]["tools"]
    assert [t["name"] for t in tools] == ["calculate"]
    assert stdio.end() == 0
    path.write_text("wrong")
    stdio = Stdio("--socket", brig.socket, env={"BRIG_TOKEN_FILE": str(path)})
    assert stdio.process.wait(host.WATCHDOG_S) == 125
    assert "BRIG_TOKEN_FILE" in stdio.process.stderr.read()


def test_stdio_files(brig):
    stdio = Stdio("--config", brig.config, "--role", "local", "--files", brig.folder / "data")
    (brig.folder / "data/given.txt").write_text("given")
    (brig.folder / "data/given.txt").chmod(0o644)
    result = stdio.ask("tools/call", {"name": "run_sandboxed", "arguments": {
        "code": "open('given.txt').read()", "files": [{"path": "files/given.txt"}]}})
    assert result["result"]["structuredContent"]["result"]["text"] == "'given'"
    assert stdio.end() == 0


@pytest.mark.parametrize("form, key", [("openai", "function"), ("anthropic", "input_schema"), ("mcp", "inputSchema")])
def test_tools_to_paste(form, key):
    done = subprocess.run([host.BRIG, "tools", "--format", form], stdout=subprocess.PIPE, check=True)
    tools = json.loads(done.stdout)
    assert len(tools) == 2 and all(key in tool for tool in tools)


NOISE = """
import matplotlib.pyplot as plt, numpy as np
def noise(side, title):
    axes = plt.figure(figsize=(side / 100, side / 100), dpi=100).add_axes([0, 0, 1, 1])
    axes.imshow(np.random.randint(0, 255, (side, side, 3), dtype=np.uint8))
    axes.set_title(title)
    axes.set_axis_off()
    plt.show()
open('large', 'wb').write(bytes(60 << 20))  # leaves room for one of the first two
noise(1050, 'a')
noise(1050, 'b')
noise(90, 'c')
noise(120, 'd')
"""


def test_a_link_is_its_own_charts():
    """One chart has no room, neither in the reply nor in the store: the others keep their links."""
    with Dispatcher(extra="[server]\nartifacts_max = 64M\n") as brig:
        result = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": {"code": NOISE}},
                          modern=True).json["result"]
        assert result["structuredContent"]["outcome"] == "ok", result["structuredContent"]
        charts = result["structuredContent"]["charts"]
        assert [chart["title"] for chart in charts] == ["a", "c", "d"]
        for chart in charts:
            path = "/v1/" + chart["url"].split("/v1/", 1)[1]
            image = brig.request("GET", path).body
            assert image[:4] == b"\x89PNG"
            assert int.from_bytes(image[16:20], "big") == chart["width"], chart["title"]
        links = [block["uri"] for block in result["content"] if block["type"] == "resource_link"]
        assert [link.rsplit("/", 1)[1] for link in links] == ["chart-1.png", "large"]


def lines(brig, token):
    """A connection that was asked to be one for lines, and the status that this got."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.settimeout(host.WATCHDOG_S)
    s.connect(brig.socket)
    s.sendall(f"GET /mcp/lines HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
              "Connection: Upgrade\r\nUpgrade: brig-mcp-lines\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += s.recv(4096)
    return s, int(head.split()[1])


def test_clients_over_lines_are_few_and_leave_room_for_others():
    with Dispatcher(extra="[server]\nconnections_max = 16\n") as brig:
        own = [lines(brig, RESEARCH) for _ in range(16)]
        assert [status for _, status in own] == [101] * 3 + [503] * 13
        others = [lines(brig, BILLING) for _ in range(16)]
        assert [status for _, status in others] == [101] * 2 + [503] * 14
        for s, _ in own:
            s.close()
        host.wait_until(lambda: lines(brig, RESEARCH)[1] == 101, "a place again")


def test_clients_over_lines_do_not_hold_up_the_end():
    """The drain's limit is far beyond this watchdog: it ends because nothing is under way."""
    with Dispatcher(extra="[server]\ndrain_timeout = 60m\n") as brig:
        idle, status = lines(brig, RESEARCH)
        assert status == 101
        busy, status = lines(brig, RESEARCH)
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "run_sandboxed", "arguments": {"code": "import time; time.sleep(1); print(6 * 7)"}}}
        busy.sendall(json.dumps(call).encode() + b"\n")
        host.wait_until(lambda: brig.audit("1", "kind = 'accepted'"), "the call accepted")
        brig.process.terminate()
        brig.process.wait(host.WATCHDOG_S)
        assert idle.recv(10) == b""
        answer = b"".join(iter(lambda: busy.recv(65536), b""))
        assert json.loads(answer)["result"]["structuredContent"]["stdout"] == "42\n"


def test_a_text_of_control_characters_is_read_as_bytes(brig):
    made = brig.run("open('a.txt', 'w').write('a' * 65536 + '\\x01' * (8000 << 10))", RESEARCH).json
    uri = f"brig://jobs/{made['job_id']}/files/a.txt"
    read = brig.mcp("resources/read", {"uri": uri}, RESEARCH)
    assert read.status == 200, read.body
    contents = read.json["result"]["contents"][0]
    assert base64.b64decode(contents["blob"]) == b"a" * 65536 + b"\x01" * (8000 << 10)
