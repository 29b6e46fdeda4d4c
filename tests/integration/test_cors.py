"""Pages of listed origins may call from a browser; no other page may, this host's own neither."""

import json

import pytest

from dispatcher import BILLING, RESEARCH, Dispatcher

APP, NEIGHBOUR = "https://app.example.com", "http://localhost:5173"
MCP_FIELDS = "authorization, content-type, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=f"[server]\norigins = {APP}, http://localhost:6274\n") as running:
        yield running


def ask(brig, path, method="POST", fields=MCP_FIELDS, origin=APP, **more):
    return brig.request("OPTIONS", path, headers={
        "Origin": origin, "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": fields, **more})


def must_not_be_readable(reply):
    assert not [name for name in reply.headers if name.lower().startswith("access-control-")]


@pytest.mark.parametrize("path,method,methods", [
    ("/mcp", "POST", "POST"), ("/v1/run", "POST", "POST"), ("/v1/jobs/x", "DELETE", "GET, HEAD, DELETE"),
    ("/v1/sessions/s1/files/a", "PUT", "GET, HEAD, PUT, DELETE"), ("/healthz", "GET", "GET, HEAD"),
    ("/sandboxes", "POST", "GET, POST")])
@pytest.mark.parametrize("origin", [APP, "http://localhost:6274"])
def test_preflight(brig, path, method, methods, origin):
    reply = ask(brig, path, method, origin=origin)
    assert (reply.status, reply.body) == (204, b"")
    assert reply.headers["Access-Control-Allow-Origin"] == origin
    assert reply.headers["Access-Control-Allow-Methods"] == methods
    assert reply.headers["Access-Control-Allow-Headers"] == MCP_FIELDS
    assert int(reply.headers["Access-Control-Max-Age"]) > 0
    assert "Access-Control-Allow-Credentials" not in reply.headers
    vary = ", ".join(reply.headers.get_all("Vary"))
    assert "Origin" in vary and "Access-Control-Request-Headers" in vary


def test_a_page_of_the_internet_that_asks_for_this_host(brig):
    reply = ask(brig, "/mcp", **{"Access-Control-Request-Private-Network": "true"})
    assert reply.headers["Access-Control-Allow-Private-Network"] == "true"


@pytest.mark.parametrize("fields", ["x y;z", "a" * 2000, "a: b"])
def test_fields_that_are_no_names_are_not_granted(brig, fields):
    reply = ask(brig, "/mcp", fields=fields)
    assert reply.status == 204 and "Access-Control-Allow-Headers" not in reply.headers


@pytest.mark.parametrize("path,status", [("/no-such-route", 404), ("/mcp", 204)])
def test_preflight_of_a_route(brig, path, status):
    assert ask(brig, path).status == status


def test_others_get_nothing(brig):
    for origin in ("https://evil.example", "null", APP + ".evil.example", "http://app.example.com"):
        reply = ask(brig, "/mcp", origin=origin)
        assert reply.status == 403
        must_not_be_readable(reply)
        must_not_be_readable(brig.request("GET", "/healthz", headers={"Origin": origin}))
    # A neighbour on this host is a stranger as well.
    for reply in (ask(brig, "/mcp", origin=NEIGHBOUR),
                  brig.request("GET", "/healthz", headers={"Origin": NEIGHBOUR})):
        assert reply.status == 403
        must_not_be_readable(reply)
        assert "Origin" in reply.headers["Vary"]



def test_a_client_in_a_browser(brig):
    """The calls that it makes, and that it may read each answer, refusals and streams too."""
    def readable(reply):
        assert reply.headers["Access-Control-Allow-Origin"] == APP
        assert "Mcp-Session-Id" in reply.headers["Access-Control-Expose-Headers"]
        assert "Origin" in reply.headers["Vary"]
        return reply
    own = {"Origin": APP}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}
    begun = readable(brig.mcp("initialize", hello, RESEARCH, headers=own))
    assert begun.status == 200 and begun.headers["Mcp-Session-Id"]
    called = readable(brig.mcp("tools/call", {"name": "calculate", "arguments": {"expr": "6*7"}},
                               RESEARCH, modern=True, headers=own))
    assert called.json["result"]["structuredContent"]["value"] == 42
    assert readable(brig.run("1", BILLING, headers=own)).status == 403
    assert readable(brig.run("1", "no-such-token", headers=own)).status == 401
    assert readable(brig.request("POST", "/v1/run", "{", RESEARCH, own)).status == 400
    assert readable(brig.request("GET", "/v1/jobs/none", token=RESEARCH, headers=own)).status == 404
    streamed = readable(brig.run("print(1)", RESEARCH, {**own, "Accept": "text/event-stream"}))
    assert streamed.events()[-1][0] == "result"
    one = brig.connect()
    for _ in range(2):  # nothing of one answer is left for the next
        one.request("GET", "/healthz", headers=own)
        answer = one.getresponse()
        assert answer.read() and answer.headers.get_all("Access-Control-Allow-Origin") == [APP]
    one.request("GET", "/healthz")
    answer = one.getresponse()
    assert json.load(answer) and "Access-Control-Allow-Origin" not in answer.headers


def test_without_origins_nothing_is_said():
    with Dispatcher() as brig:
        reply = brig.request("GET", "/healthz", headers={"Origin": brig.url})
        assert reply.status == 200 and "Vary" not in reply.headers
        must_not_be_readable(reply)
        assert brig.request("OPTIONS", "/mcp", headers={
            "Origin": brig.url, "Access-Control-Request-Method": "POST"}).status == 405
