"""Sessions over MCP: both eras over HTTP, and `brig mcp` with halves of its own."""

import json
import subprocess

import pytest

import host
from dispatcher import Dispatcher
from test_session_http import PLAIN, ROLES, STEPS, UNKNOWN


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


def call(brig, code, session, modern, by=STEPS):
    arguments = {"code": code} | ({"session": session} if session else {})
    reply = brig.mcp("tools/call", {"name": "run_sandboxed", "arguments": arguments}, by, modern)
    assert reply.status == 200, reply.body
    return reply.json["result"]


def text(result):
    return "\n".join(c["text"] for c in result["content"] if c["type"] == "text")


@pytest.mark.parametrize("modern", [True, False])
def test_in_steps(brig, modern):
    first = call(brig, "x = 6", "new", modern)
    session = first["structuredContent"]["session"]["id"]
    assert not first["isError"] and session in text(first)
    assert "42" in text(call(brig, "x * 7", session, modern))
    fresh = call(brig, "x", None, modern)
    assert fresh["isError"] and "NameError" in text(fresh)
    brig.request("DELETE", f"/v1/sessions/{session}", token=STEPS)
    gone = call(brig, "x", session, modern)
    assert gone["isError"] and 'session: "new"' in text(gone)


@pytest.mark.parametrize("modern", [True, False])
def test_a_lost_one_says_how_to_begin_again(brig, modern):
    session = call(brig, "", "new", modern)["structuredContent"]["session"]["id"]
    lost = call(brig, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", session, modern)
    assert lost["isError"] and "session lost" in text(lost)
    again = call(brig, "1", session, modern)
    assert again["isError"] and "lost" in text(again) and 'session: "new"' in text(again)


@pytest.mark.parametrize("modern", [True, False])
def test_a_role_without_sessions(brig, modern):
    tools = brig.mcp("tools/list", token=PLAIN, modern=modern).json["result"]["tools"]
    assert "session" not in tools[0]["inputSchema"]["properties"]
    refused = call(brig, "1", "new", modern, PLAIN)
    assert refused["isError"] and "no sessions" in text(refused)


def test_unknown_and_malformed(brig):
    assert 'session: "new"' in text(call(brig, "1", UNKNOWN, True))
    assert "session" in text(call(brig, "1", "a b", True))


def test_instructions_follow_the_role(brig):
    def words(by):
        return brig.mcp("server/discover", token=by, modern=True).json["result"]["instructions"]
    assert "session" in words(STEPS) and "session" not in words(PLAIN)


def test_brig_mcp_keeps_its_sessions(brig):
    config = brig.folder / "own.ini"
    config.write_text("[role local]\ntools = run_sandboxed\nsessions = yes\n"
                      f"[audit]\ndb = {brig.folder}/log/own.db\n")
    process = subprocess.Popen([host.BRIG, "mcp", "--config", config], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def ask(number, method, params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())["result"]

    def run(number, code, session):
        return ask(number, "tools/call", {"name": "run_sandboxed",
                                          "arguments": {"code": code, "session": session}})
    ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                          "clientInfo": {"name": "test", "version": "1"}})
    session = run(2, "x = 6", "new")["structuredContent"]["session"]["id"]
    assert "42" in text(run(3, "x * 7", session))
    below = host.descendants(process.pid)
    process.stdin.close()
    assert process.wait(host.WATCHDOG_S) == 0
    assert not [pid for pid in below if host.status_of(pid)]
