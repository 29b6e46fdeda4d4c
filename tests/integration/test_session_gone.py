"""A change of a session's files is in the log also where whoever asked for it did not wait."""

import json
import socket
import threading

import pytest

import host
from dispatcher import Dispatcher
from test_session_http import ROLES, STEPS, begin, end, step

CHANGES = {
    "put": ("PUT", "/v1/sessions/{id}/files/new.txt", b"by nobody", {}, "session_write"),
    "delete": ("DELETE", "/v1/sessions/{id}/files/old.txt", b"", {}, "session_remove"),
    "e2b write": ("POST", "/files?path=new.txt", b"by nobody",
                  {"Content-Type": "application/octet-stream"}, "session_write"),
    "e2b move": ("POST", "/filesystem.Filesystem/Move",
                 json.dumps({"source": "old.txt", "destination": "new.txt"}).encode(),
                 {"Content-Type": "application/json"}, "session_move"),
    "e2b folder": ("POST", "/filesystem.Filesystem/MakeDir", json.dumps({"path": "new"}).encode(),
                   {"Content-Type": "application/json"}, "session_mkdir"),
}


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra=ROLES) as running:
        yield running


def ask_and_go(brig, method, path, body, fields):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}",
             f"Authorization: Bearer {STEPS}", *(f"{k}: {v}" for k, v in fields.items())]
    with socket.create_connection(("127.0.0.1", brig.port), timeout=host.WATCHDOG_S) as s:
        s.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        # It has the request once it answers one behind it, on another connection.
        reply = brig.request("GET", "/healthz")
        assert reply.status == 200


@pytest.mark.parametrize("which", CHANGES)
def test_a_change_that_nobody_waits_for_has_its_row(brig, which):
    method, path, body, fields, tool = CHANGES[which]
    session = begin(brig, code="open('old.txt', 'w').write('old')")
    # The change stands in line behind a call, which gives its client the time to go.
    call = threading.Thread(target=step, args=(brig, "import time; time.sleep(1.5)", session))
    call.start()
    host.wait_until(lambda: brig.request("GET", f"/v1/sessions/{session}", token=STEPS)
                    .json["state"] == "busy", "the call running")
    ask_and_go(brig, method, path.format(id=session), body,
               {**fields, "E2b-Sandbox-Id": session})
    call.join()
    left = step(brig, "import os\nsorted(os.listdir())", session).json["result"]["text"]
    assert left != "['old.txt']"
    rows = host.wait_until(lambda: brig.audit("token, outcome, door", f"tool = '{tool}' and "
                                              f"note like '%{session}%'"), "its row", 20)
    assert rows == [("steps", "ok", "e2b" if which.startswith("e2b") else "rest")]
    end(brig, session)
