"""The dispatcher over HTTP: both tools, what is refused and how, and what lives on afterwards."""

import hashlib
import http.client
import json
import os
import signal
import socket
import threading
import time

import pytest

import host
from dispatcher import AUDITOR, BILLING, RESEARCH, Dispatcher


@pytest.fixture(scope="module")
def brig():
    with Dispatcher() as running:
        yield running


@pytest.fixture
def own_brig():
    with Dispatcher() as running:
        yield running


def still_serves(brig):
    assert brig.calculate("6 * 7").json["value"] == 42


# --- what works


def test_calculate(brig):
    reply = brig.calculate("0.1 + 0.2")
    assert reply.status == 200 and reply.json["exact"] == "0.3"
    assert reply.json["value"] == 0.30000000000000004
    assert brig.calculate("__import__('os')").json["error"]["message"] == "forbidden node: Call"
    assert brig.calculate("1 / 0").json["error"]["type"] == "ZeroDivisionError"


def test_run(brig):
    reply = brig.run("print('x')\n6 * 7")
    assert reply.status == 200
    result = reply.json
    assert (result["outcome"], result["stdout"], result["result"]["text"]) == ("ok", "x\n", "42")


def test_a_job_that_fails_is_200(brig):
    reply = brig.run("1 / 0")
    assert (reply.status, reply.json["outcome"]) == (200, "error")
    assert reply.json["error"]["type"] == "ZeroDivisionError"


def test_files_and_urls(brig):
    files = [{"name": "in.csv", "content": "a\n1\n"},
             {"name": "b.bin", "content_base64": "AAEC"}]
    code = ("open('sub dir.txt', 'wb').write(open('in.csv', 'rb').read() + open('b.bin', 'rb').read())")
    result = brig.run(code, files=files).json
    assert [f["name"] for f in result["files"]] == ["sub dir.txt"]
    path = result["files"][0]["url"].removeprefix(brig.url)
    assert path.endswith("/files/sub%20dir.txt")
    got = brig.request("GET", path)
    assert (got.status, got.body) == (200, b"a\n1\n\x00\x01\x02")
    assert got.headers["X-Content-Type-Options"] == "nosniff"


def test_path_below_a_root(brig):
    (brig.folder / "data/in.txt").write_text("held\n")
    (brig.folder / "data/in.txt").chmod(0o644)
    (brig.folder / "data/out").symlink_to("/etc/passwd")
    ok = brig.run("print(open('in.txt').read())", token=RESEARCH, files=[{"path": "data/in.txt"}])
    assert ok.json["stdout"] == "held\n\n"
    for path in ("data/out", "data/../../etc/passwd", "data/none", "nowhere/in.txt", "/etc/passwd",
                 "data/in.txt\0", "", "data"):
        refused = brig.run("1", token=RESEARCH, files=[{"name": "x", "path": path}])
        assert refused.status == 422 and refused.json["field"] == "files[0].path", path
    assert brig.run("1", files=[{"path": "data/in.txt"}]).status == 422


def test_multipart(brig):
    body = (b'--XX\r\nContent-Disposition: form-data; name="code"\r\n\r\nlen(open("big").read())\r\n'
            b'--XX\r\nContent-Disposition: form-data; name="f"; filename="big"\r\n\r\n'
            + b"y" * 3_000_000 + b"\r\n--XX--\r\n")
    reply = brig.request("POST", "/v1/run", body,
                         headers={"Content-Type": "multipart/form-data; boundary=XX"})
    assert reply.json["result"]["text"] == "3000000"
    for cut in (10, 100, len(body) // 2, len(body) - 8):
        broken = brig.request("POST", "/v1/run", body[:cut],
                              headers={"Content-Type": "multipart/form-data; boundary=XX"})
        assert broken.status == 400
    still_serves(brig)


def multipart(*parts):
    """The body of (name, file name or None, content)…"""
    whole = b""
    for name, file, content in parts:
        called = f'; filename="{file}"' if file else ""
        whole += (f'--XX\r\nContent-Disposition: form-data; name="{name}"{called}\r\n\r\n'.encode()
                  + content + b"\r\n")
    return whole + b"--XX--\r\n"


def test_names_of_uploads_in_quotes(brig):
    fields = {"Content-Type": "multipart/form-data; boundary=XX"}
    code = ("code", None, b"import os; print(ascii(sorted(os.listdir())))")
    for sent, name in (('a\\"b.csv', 'a"b.csv'), ("a;b.csv", "a;b.csv"), ("a\\\\", "a\\")):
        reply = brig.request("POST", "/v1/run", multipart(("f", sent, b"1"), code), headers=fields)
        assert reply.json["stdout"] == ascii([name]) + "\n", reply.body
    broken = brig.request("POST", "/v1/run", multipart(("f", "a\\", b"1"), code), headers=fields)
    assert broken.status == 400


def test_a_forbidden_upload_is_in_the_log_with_its_code(brig):
    """Also one larger than any JSON; and of one that is no multipart, what was understood."""
    fields = {"Content-Type": "multipart/form-data; boundary=XX"}
    data = b"y" * 20_000_000
    bodies = [
        multipart(("f", "in.csv", data), ("stdin", None, b"typed"), ("code", None, b"# as a part")),
        multipart(("request", None, json.dumps({"code": "# in the JSON"}).encode())),
        multipart(("code", None, b"# before a fault"), ("none", None, b"1"), ("g", "h", b"2")),
        multipart(("code", None, b"# cut off"), ("f", "in.csv", data))[:-60],
        b"nothing of the kind"]
    for body in bodies:
        refused = brig.request("POST", "/v1/run", body, token=BILLING, headers=fields)
        assert refused.status == 403 and set(refused.json) == {"type", "title", "status", "detail"}
    assert brig.request("POST", "/v1/run", b"x", token=BILLING, headers={
        "Content-Type": "multipart/form-data"}).status == 403
    rows = {code: (kind, outcome, inputs, stdin) for kind, outcome, code, inputs, stdin in brig.audit(
        "kind, outcome, code, inputs, stdin", "role = 'billing' and tool = 'run_sandboxed'")}
    for code in "# as a part", "# in the JSON", "# before a fault", "# cut off", "":
        assert rows[code][:2] == ("single", "rejected"), rows
    kept = json.loads(rows["# as a part"][2])[0]
    assert kept == {"name": "in.csv", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert rows["# as a part"][3] == "typed"
    still_serves(brig)


def test_events(brig):
    code = "import sys\nprint('é' * 3)\nprint('w', file=sys.stderr)\nopen('a', 'w').write('1')"
    reply = brig.run(code, headers={"Accept": "text/event-stream"})
    names = [name for name, _ in reply.events()]
    assert names[0] == "job" and names[-1] == "result" and {"stdout", "stderr"} <= set(names)
    assert "".join(d["text"] for n, d in reply.events() if n == "stdout") == "ééé\n"
    assert reply.events()[-1][1]["job_id"] == reply.events()[0][1]["job_id"]


def test_events_under_backpressure(brig):
    with socket.create_connection(("127.0.0.1", brig.port)) as s:
        body = json.dumps({"code": "for _ in range(20000): print('z' * 1000)"}).encode()
        s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                  b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                  % (len(body), body))
        time.sleep(1)
        assert host.rss_kib(brig.child("brig")) < 120 * 1024
        got = 0
        while piece := s.recv(1 << 20):
            got += piece.count(b"z")
            last = piece
    assert got >= 20_000_000 and last.endswith(b"0\r\n\r\n")


def test_unix_socket(brig):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(brig.socket)
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b" 200 OK" in s.recv(4096)


def test_pipelined_requests_are_answered_in_order(brig):
    one = b"POST /v1/calculate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    data = b""
    for i in range(50):
        body = b'{"expr": "%d"}' % i
        data += one + b"Content-Length: %d\r\n\r\n" % len(body) + body
    data += b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    got = brig.raw(data).decode()
    values = [json.loads(part[:part.index("}") + 1])["value"]
              for part in got.split("\r\n\r\n") if part.startswith('{"value"')]
    assert values == list(range(50))


def test_information(brig):
    for path in ("/healthz", "/readyz", "/openapi.json", "/",
                 "/.well-known/oauth-protected-resource"):
        assert brig.request("GET", path).status == 200, path
    text = brig.request("GET", "/metrics").body.decode()
    assert 'brig_stage_seconds_bucket{stage="job",le="+Inf"}' in text
    tools = brig.request("GET", "/v1/tools", token=BILLING).json["tools"]
    assert [t["name"] for t in tools] == ["calculate"]


def test_jobs_are_their_owners(brig):
    job = brig.run("open('f', 'w').write('1')", token=RESEARCH).json["job_id"]
    for path in (f"/v1/jobs/{job}", f"/v1/jobs/{job}/files/f"):
        assert brig.request("GET", path, token=RESEARCH).status == 200
        assert brig.request("GET", path, token=AUDITOR).status == 200
        assert brig.request("GET", path, token=BILLING).status == 404
        assert brig.request("GET", path).status == 404
    assert brig.request("DELETE", f"/v1/jobs/{job}", token=BILLING).status == 404
    listed = brig.request("GET", "/v1/jobs", token=RESEARCH).json["jobs"]
    assert job in [j["job_id"] for j in listed]
    assert brig.request("GET", "/v1/jobs", token=BILLING).json["jobs"] == []


# --- what is refused


def test_billing_may_calculate_alone(own_brig):
    brig = own_brig
    assert brig.calculate("2 ** 8", token=BILLING).status == 200
    refused = brig.run("print('secret plan')", token=BILLING)
    assert refused.status == 403 and refused.headers["Content-Type"] == "application/problem+json"
    assert "secret" not in refused.body.decode()
    streamed = brig.run("print(1)", token=BILLING, headers={"Accept": "text/event-stream"})
    assert streamed.status == 403
    rows = brig.audit("role, tool, outcome")
    assert rows.count(("billing", "run_sandboxed", "rejected")) == 2
    assert ("billing", "calculate", "ok") in rows


def test_tokens(brig):
    unknown = brig.calculate("1", token="wrong")
    assert unknown.status == 401
    assert "resource_metadata=" in unknown.headers["WWW-Authenticate"]
    assert brig.request("GET", "/v1/jobs?access_token=x").status == 400
    forwarded = brig.request("POST", "/v1/calculate", {"expr": "1"},
                             headers={"X-Forwarded-For": "10.0.0.1"})
    assert forwarded.status == 401
    for name in ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Server", "Via", "Forwarded",
                 "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"):
        assert brig.request("GET", "/metrics", headers={name: "10.0.0.1"}).status == 401, name
    assert RESEARCH not in brig.log_text()


def test_without_the_role_local_a_token_is_needed():
    brig = Dispatcher()
    brig.config.write_text(brig.config.read_text().replace("[role local]", "[role other]"))
    with brig:
        assert brig.calculate("1").status == 401
        assert brig.calculate("1", token=BILLING).status == 200


@pytest.mark.parametrize("headers, status", [
    ({"Host": "evil.example"}, 403), ({"Host": "localhost:1:2"}, 403), ({"Host": ""}, 403),
    ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
    ({"Origin": "http://localhost:3000"}, 403), ({"Host": "[::1]:80"}, 200),
    ({"Host": "localhost:80", "Origin": "http://127.0.0.1"}, 200),
    ({"Host": "localhost:80", "Origin": "https://localhost"}, 403),
])
def test_host_and_origin(brig, headers, status):
    for method, path in (("GET", "/healthz"), ("GET", "/openapi.json"), ("GET", "/")):
        assert brig.request(method, path, headers=headers).status == status
    reply = brig.request("POST", "/v1/calculate", {"expr": "1"}, headers=headers)
    assert reply.status == status


DOORS = [("POST", "/v1/run"), ("POST", "/v1/calculate"), ("POST", "/mcp"), ("POST", "/v1/sessions"),
         ("DELETE", "/v1/jobs/x"), ("PUT", "/v1/sessions/x/files/a"), ("POST", "/sandboxes"),
         ("POST", "/execute"), ("POST", "/files"), ("POST", "/process.Process/List"),
         ("DELETE", "/sandboxes/x")]


@pytest.mark.parametrize("method, path", DOORS)
def test_pages_of_other_ports_send_nothing(brig, method, path):
    """Neither as a form nor as a request without CORS, which no browser asks about first."""
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    body = b'--b\r\nContent-Disposition: form-data; name="code"\r\n\r\n6*7\r\n--b--\r\n'
    before = brig.request("GET", "/v1/jobs").json
    for headers in ({"Origin": "http://localhost:1"}, {"Origin": "http://127.0.0.1:1"},
                    {"Origin": "null"}, {"Origin": "http://[::1]:65535"},
                    {"Origin": "http://localhost"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        reply = brig.request(method, path, body, headers={**headers, **form})
        assert reply.status == 403 and b"Origin" in reply.body, headers
    assert brig.request("GET", "/v1/jobs").json == before


def test_own_page_and_no_page(brig):
    for headers in ({"Origin": brig.url}, {"Origin": brig.url.replace("127.0.0.1", "localhost")},
                    {"Origin": brig.url, "Sec-Fetch-Site": "same-origin"},
                    {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {}):
        assert brig.request("POST", "/v1/calculate", {"expr": "1"}, headers=headers).status == 200
    # A link from elsewhere opens the page.
    assert brig.request("GET", "/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/nothing", 404), ("GET", "/v1/run", 405), ("PUT", "/v1/run", 405),
    ("DELETE", "/mcp", 405), ("GET", "/mcp", 405), ("GET", "/v1/jobs/none", 404),
    ("POST", "/v1/sessions", 403), ("GET", "/v1/sessions/none", 404),
    ("PUT", "/v1/sessions/none", 404), ("DELETE", "/v1/sessions/none", 404),
    ("GET", "/v1/sessions/none/files", 404), ("PATCH", "/v1/sessions/none", 405),
    ("GET", "/v1/jobs/../../etc/passwd", 404),
    ("GET", "/v1/jobs/%2e%2e/files/..%2f..%2fetc%2fpasswd", 404),
])
def test_routes(brig, method, path, status):
    body = {} if method == "POST" else None
    reply = brig.request(method, path, body)
    assert reply.status == status
    assert reply.json["status"] == status


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/v3/templates", 501), ("GET", "/volumes", 501), ("GET", "/v2/sandboxes/none", 404),
    ("GET", "/health", 400), ("GET", "/execute", 405), ("PUT", "/files", 405)])
def test_routes_of_e2b(brig, method, path, status):
    reply = brig.request(method, path)
    assert reply.status == reply.json["code"] == status and reply.json["message"]


def test_content_types(brig):
    for kind in ("text/plain", "application/xml", "application/jsonx", ""):
        reply = brig.request("POST", "/v1/run", b"{}", headers={"Content-Type": kind})
        assert reply.status == 415, kind
    assert brig.request("POST", "/v1/run", b"x", headers={
        "Content-Type": "multipart/form-data"}).status == 400


FIELDS = [
    ({"code": 1}, "code"), ({}, "code"), ({"code": "1", "cod": "x"}, "cod"),
    ({"code": "1", "limits": {"wall": 1}}, "limits.wall"),
    ({"code": "1", "limits": {"wall_ms": "5"}}, "limits.wall_ms"),
    ({"code": "1", "limits": {"wall_ms": 0}}, "limits.wall_ms"),
    ({"code": "1", "limits": {"cpu_ms": 1.5}}, "limits.cpu_ms"),
    ({"code": "1", "limits": []}, "limits"), ({"code": "1", "files": {}}, "files"),
    ({"code": "1", "files": [1]}, "files[0]"),
    ({"code": "1", "files": [{"name": "../x", "content": ""}]}, "files[0].name"),
    ({"code": "1", "files": [{"name": "..", "content": ""}]}, "files[0].name"),
    ({"code": "1", "files": [{"name": "x"}]}, "files[0]"),
    ({"code": "1", "files": [{"content": "x"}]}, "files[0].name"),
    ({"code": "1", "files": [{"name": "x", "content": "", "path": "a/b"}]}, "files[0].path"),
    ({"code": "1", "files": [{"name": "x", "content_base64": "A"}]}, "files[0].content_base64"),
    ({"code": "1", "files": [{"name": "x", "content": ""}] * 2}, "files[1].name"),
    ({"code": "1", "stdin": 5}, "stdin"), ({"code": "1", "receipt": "yes"}, "receipt"),
    ({"code": "1", "chart_format": "gif"}, "chart_format"), ({"code": "1", "session": 7}, "session"),
    ({"code": "1", "image": "other"}, "image"), ({"code": "1", "role": "root"}, "role"),
]


@pytest.mark.parametrize("body, field", FIELDS)
def test_fields(brig, body, field):
    reply = brig.request("POST", "/v1/run", body)
    assert (reply.status, reply.json["field"]) == (422, field)


def test_duplicate_keys(brig):
    reply = brig.request("POST", "/v1/run", b'{"code": "1", "code": "2"}')
    assert (reply.status, reply.json["field"]) == (400, "code")


def test_every_byte_of_a_request(brig):
    """Cut short, or with a bit flipped, at each byte: an answer, never a hang or a crash."""
    body = b'{"code": "6*7", "limits": {"wall_ms": 900}, "files": [{"name": "a", "content": "b"}]}'
    connection = brig.connect()
    for at in range(len(body)):
        reply = brig.request("POST", "/v1/run", body[:at], connection=connection)
        assert reply.status == 400, body[:at]
    for at in range(0, len(body)):
        for bit in (1, 0x20, 0x80):
            flipped = body[:at] + bytes([body[at] ^ bit]) + body[at + 1:]
            reply = brig.request("POST", "/v1/run", flipped, connection=connection)
            assert reply.status in (200, 400, 422), flipped
    connection.close()
    still_serves(brig)


HEADS = [
    (b"GARBAGE\r\n\r\n", 400), (b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", 505),
    (b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", 400),
    (b"GET /\x80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9e9\r\n\r\n", 400),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"
     b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
     b"Content-Length: 99999999999\r\n\r\n", 413),
    (b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
     b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200_000, 431),
]


@pytest.mark.parametrize("data, status", HEADS)
def test_heads(brig, data, status):
    got = brig.raw(data)
    assert got.startswith(b"HTTP/1.1 %d " % status), got[:100]
    assert b"application/problem+json" in got
    still_serves(brig)


def test_ten_mib_of_headers_take_no_memory(brig):
    before = host.rss_kib(brig.child("brig"))
    for _ in range(4):
        brig.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Pad: " + b"y" * (10 << 20))
    assert host.rss_kib(brig.child("brig")) < before + 8 * 1024
    still_serves(brig)


@pytest.mark.parametrize("mib", [17, 40])
def test_body_beyond_the_cap(brig, mib):
    """Also who sends all of it before reading learns why it is refused."""
    big = b'{"code": "' + b"#" * (mib << 20) + b'"}'
    got = brig.raw(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(big), big))
    assert b" 413 " in got
    assert brig.run("#" * ((1 << 20) + 1)).status == 413
    still_serves(brig)


def test_chunked_body(brig):
    got = brig.raw(b"POST /v1/calculate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                   b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                   b'8;x=y\r\n{"expr":\r\n6\r\n"2+3"}\r\n0\r\nTrailer: t\r\n\r\n')
    assert b'"value": 5.0' in got


def test_slow_clients_hold_nobody_up(brig, quick):
    slow = [socket.create_connection(("127.0.0.1", brig.port)) for _ in range(50)]
    for s in slow:
        s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Le")
    still_serves(brig)
    assert brig.run("1").status == 200
    for s in slow[:1] if quick else slow:
        s.settimeout(60)
        assert s.recv(100).startswith(b"HTTP/1.1 408 ")
    for s in slow:
        s.close()


# --- ends


def test_a_client_that_goes_away_cancels_its_job(brig):
    for accept in (b"application/json", b"text/event-stream"):
        body = b'{"code": "import time; time.sleep(60)"}'
        with socket.create_connection(("127.0.0.1", brig.port)) as s:
            s.sendall(b"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nContent-Type: "
                      b"application/json\r\nContent-Length: %d\r\n\r\n%s"
                      % (accept, len(body), body))
            running = lambda: [j for j in brig.request("GET", "/v1/jobs").json["jobs"]
                               if j["state"] == "running"]
            job = host.wait_until(running, "the job runs")[0]["job_id"]
        done = host.wait_until(
            lambda: (j := brig.request("GET", f"/v1/jobs/{job}").json)["state"] == "done" and j,
            "the job is over")
        assert done["outcome"] == "cancelled"


def test_delete_cancels(brig):
    result = {}
    thread = threading.Thread(target=lambda: result.update(
        brig.run("import time\nprint('so far', flush=True)\ntime.sleep(60)").json))
    thread.start()
    job = host.wait_until(lambda: [j for j in brig.request("GET", "/v1/jobs").json["jobs"]
                                   if j["state"] == "running"], "it runs")[0]["job_id"]
    time.sleep(0.3)
    assert brig.request("DELETE", f"/v1/jobs/{job}").status == 204
    thread.join(host.WATCHDOG_S)
    assert (result["outcome"], result["stdout"]) == ("cancelled", "so far\n")


def test_quota():
    extra = "[role small]\ntools = run_sandboxed\njobs_at_once = 1\nqueue_max = 1\n" \
            "[token small]\nsha256 = %s\nrole = small\n"
    import hashlib
    with Dispatcher(extra=extra % hashlib.sha256(b"small").hexdigest()) as brig:
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(
            brig.run("import time; time.sleep(1)", token="small"))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(host.WATCHDOG_S)
        assert sorted(r.status for r in replies) == [200, 200, 429, 429]
        refused = next(r for r in replies if r.status == 429)
        assert int(refused.headers["Retry-After"]) >= 1


def refused(brig):
    try:
        socket.create_connection(("127.0.0.1", brig.port)).close()
    except ConnectionRefusedError:
        return True


def test_term_drains(own_brig):
    brig, result = own_brig, {}
    thread = threading.Thread(
        target=lambda: result.update(brig.run("import time; time.sleep(2); print('done')").json))
    thread.start()
    host.wait_until(lambda: brig.request("GET", "/v1/jobs").json["jobs"], "the job is there")
    brig.process.terminate()
    host.wait_until(lambda: refused(brig), "new connections are refused")
    thread.join(host.WATCHDOG_S)
    assert result["stdout"] == "done\n"
    assert brig.process.wait(host.WATCHDOG_S) == 0


def test_reload(own_brig):
    brig = own_brig
    brig.config.chmod(0o644)
    brig.config.write_text(brig.config.read_text().replace(
        "[role billing]\ntools = calculate", "[role billing]\ntools = run_sandboxed"))
    brig.process.send_signal(signal.SIGHUP)
    host.wait_until(lambda: "reloaded" in brig.log_text(), "the reload")
    assert brig.run("1", token=BILLING).status == 200
    assert brig.calculate("1", token=BILLING).status == 403
    brig.config.write_text("[role\n")
    brig.process.send_signal(signal.SIGHUP)
    host.wait_until(lambda: "reload_failed" in brig.log_text(), "the failed reload")
    assert brig.run("1", token=BILLING).status == 200


def test_a_role_that_only_calculates_starts_no_service():
    with Dispatcher(config="[role local]\ntools = calculate\n[audit]\ndb = {folder}/log/audit.db\n") as brig:
        assert brig.calculate("6 * 7").json["value"] == 42
        assert brig.run("1").status == 403
        assert brig.request("GET", "/readyz").status == 200
        assert brig.child("brig-service") is None


def test_the_worker_that_evaluates_is_replaced(own_brig):
    """It holds nothing of the dispatcher's, and its death costs what it was at, and no more."""
    brig = own_brig
    worker = lambda: next((p for p, name in host.descendants(brig.child("brig")).items()), None)
    pid = worker()
    assert len(os.listdir(f"/proc/{pid}/fd")) == 1
    assert "audit" not in str([os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")])
    os.kill(pid, signal.SIGKILL)
    host.wait_until(lambda: worker() not in (None, pid), "another worker")
    host.wait_until(lambda: brig.calculate("6 * 7").status == 200, "it answers")
    still_serves(brig)


def test_a_worker_that_is_being_started_again_is_told_of(own_brig):
    """Who asks meanwhile hears what is so, and when to come again; nothing of load."""
    brig = own_brig
    worker = lambda: next((p for p, name in host.descendants(brig.child("brig")).items()), None)
    told = []

    def killed_and_asked():
        if pid := worker():
            os.kill(pid, signal.SIGKILL)
            host.wait_until(lambda: worker() != pid, "it is gone")
        for _ in range(20):
            if (reply := brig.calculate("6 * 7")).status == 503:
                assert int(reply.headers["Retry-After"]) > 0
                assert "too much" not in reply.json["detail"]
                told.append(reply.json["detail"])
        return any("is being started again" in detail for detail in told)

    host.wait_until(killed_and_asked, "somebody is told")
    host.wait_until(lambda: brig.calculate("6 * 7").status == 200, "it answers")


def test_nothing_survives_the_parent(own_brig):
    brig = own_brig

    def call():
        """Cut off, or told `internal`: whichever half falls first."""
        try:
            brig.run("import time; time.sleep(60)")
        except (ConnectionError, http.client.HTTPException):
            pass
    thread = threading.Thread(target=call)
    thread.start()
    host.wait_until(lambda: brig.request("GET", "/v1/jobs").json["jobs"], "the job is there")
    below = host.descendants(brig.process.pid)
    brig.process.kill()
    brig.process.wait(host.WATCHDOG_S)
    for pid in below:
        host.wait_until(lambda: not host.status_of(pid), f"{below[pid]} is gone")
    thread.join(host.WATCHDOG_S)


def test_a_second_brig_says_what_to_do(brig):
    import subprocess
    for flags, words in ((["--listen", brig.url.removeprefix("http://")], "--listen"),
                         (["--listen", "127.0.0.1:0", "--socket", brig.socket], "--socket"),
                         (["--listen", "here"], "127.0.0.1:7777"), (["--lisen", "x"], "--listen"),
                         (["--config", "/nonexistent"], "/nonexistent")):
        done = subprocess.run([host.BRIG, "serve", "--socket", "none", *flags], text=True,
                              stderr=subprocess.PIPE, timeout=host.WATCHDOG_S)
        assert done.returncode in (2, 125) and words in done.stderr, flags
        assert len(done.stderr.splitlines()) == 1


def test_localhost_is_an_address():
    with Dispatcher("--listen", "localhost:0") as brig:
        assert brig.url == f"http://127.0.0.1:{brig.port}"
        assert brig.request("GET", "/healthz").status == 200


def test_check_config(brig):
    import subprocess
    bad = brig.folder / "bad.ini"
    bad.write_text("[role r]\ntools = calculate\nwal_max = 5s\n[token t]\nrole = nobody\n")
    for flags in (["--check-config", bad], ["--config", bad, "--check-config"]):
        done = subprocess.run([host.BRIG, "serve", *flags], text=True, stdout=subprocess.PIPE)
        assert done.returncode == 2
        assert f"{bad}:3: " in done.stdout and "wall_max" in done.stdout and "nobody" in done.stdout
    assert subprocess.run([host.BRIG, "serve", "--check-config", brig.config],
                          stdout=subprocess.DEVNULL).returncode == 0


def test_check_config_warns_of_a_number_that_nobody_reaches(brig):
    import subprocess
    config = brig.folder / "many.ini"
    for service, role, warned in (("", "jobs_at_once = 17", True), ("", "jobs_at_once = 16", False),
                                  ("jobs_at_once = 4", "jobs_at_once = 5", True),
                                  ("jobs_at_once = 4", "", False),
                                  ("jobs_at_once = 32", "jobs_at_once = 32", False)):
        # The service may come behind the role.
        config.write_text(f"[role r]\ntools = calculate\n{role}\n[service]\n{service}\n"
                          f"[audit]\ndb = {brig.folder}/log/audit.db\n")
        done = subprocess.run([host.BRIG, "serve", "--check-config", config], text=True,
                              stdout=subprocess.PIPE)
        assert done.returncode == 0, done.stdout
        assert ("warning: [role r] has jobs_at_once" in done.stdout) == warned, done.stdout


def test_the_dispatcher_has_no_privilege(brig):
    status = host.status_of(brig.child("brig"))
    assert status["NoNewPrivs"] == "1"
    if os.geteuid() == 0:
        assert "0" not in status["Uid"].split()
        assert status["CapEff"].strip("0") == "" and status["CapPrm"].strip("0") == ""
        assert status["Groups"].strip() == ""


def test_the_runner_is_not_in_the_dispatcher(brig):
    """Neither linked into it nor reachable by a descriptor."""
    import subprocess
    symbols = subprocess.run(["nm", host.BRIG], stdout=subprocess.PIPE, text=True).stdout
    for name in ("zygote_", "service_init", "landlock_", "seccomp_build", "cell_make", "Py_"):
        assert name not in symbols, name
    pid = brig.child("brig")
    maps = open(f"/proc/{pid}/maps").read()
    assert "python" not in maps and "seccomp" not in maps
    targets = [os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")]
    for target in targets:
        assert not any(word in target for word in ("erofs", "images", "cgroup", "/proc/")), targets


def test_the_server_section_is_obeyed():
    extra = "[server]\nread_timeout = 1s\nidle_timeout = 1s\nbody_max = 64K\nheader_max = 4K\n"
    with Dispatcher(extra=extra) as brig:
        assert brig.run("#" * 70_000).status == 413
        assert brig.request("GET", "/healthz", headers={"X": "y" * 5000}).status == 431
        assert brig.raw(b"GET / HTTP/1.1\r\nHo").startswith(b"HTTP/1.1 408 ")
        assert brig.raw(b"") == b""
        still_serves(brig)


def test_the_ready_line_is_json_whatever_the_socket_is_called(tmp_path):
    path = str(tmp_path / 'a "quoted" \\ name.sock')
    with Dispatcher("--socket", path) as brig:
        assert brig.find_ready()["socket"] == path
