"""Callers of one role share it: none keeps the others out, and who is told to wait is told how long."""

import hashlib
import json
import socket
import threading
import time

import pytest

import host
from dispatcher import Dispatcher

TOKENS = "".join(f"[token {name}]\nrole = small\nsha256 = {hashlib.sha256(name.encode()).hexdigest()}\n"
                 for name in ("greedy", "modest"))
SMALL = "[role small]\ntools = run_sandboxed\njobs_at_once = 1\nqueue_max = 2\nwall_max = 300s\n" + TOKENS
NAP = "import time; time.sleep(2)"


@pytest.fixture
def brig():
    with Dispatcher(extra=SMALL) as running:
        yield running


class Call(threading.Thread):
    """A job of a caller's, which notes when it ended."""

    ended = []

    def __init__(self, brig, token, name, code=NAP):
        super().__init__(daemon=True)
        self.brig, self.token, self.name, self.code, self.reply = brig, token, name, code, None
        self.start()

    def run(self):
        self.reply = self.brig.run(self.code, token=self.token)
        Call.ended.append(self.name)

    def status(self):
        self.join(host.WATCHDOG_S)
        return self.reply.status


def waiting(brig, running, waiting_jobs):
    def test():
        text = brig.request("GET", "/metrics").body.decode()
        return (f"brig_jobs_running {running}\n" in text
                and f"brig_queue_length {waiting_jobs}\n" in text)
    host.wait_until(test, f"{running} running, {waiting_jobs} waiting")


def test_one_token_does_not_keep_another_out(brig):
    Call.ended = []
    calls = []
    for number in range(3):
        calls.append(Call(brig, "greedy", f"greedy {number}"))
        waiting(brig, 1, number)
    refused = brig.run(NAP, token="greedy")
    assert refused.status == 429 and "queue_max" in refused.json["detail"]
    calls.append(Call(brig, "modest", "modest"))
    waiting(brig, 1, 3)
    assert [call.status() for call in calls] == [200] * 4
    assert Call.ended.index("modest") == 1, Call.ended


def test_retry_after_is_the_time_that_it_takes(brig):
    """The jobs have 40 s: nobody is sent away for a second, forty times over."""
    limits = {"wall_ms": 40_000}
    jobs = []
    for _ in range(3):
        connection = brig.connect()
        connection.request("POST", "/v1/run", json.dumps(
            {"code": "import time; time.sleep(39)", "limits": limits}),
            {"Authorization": "Bearer greedy", "Content-Type": "application/json"})
        jobs.append(connection)
        waiting(brig, 1, len(jobs) - 1)
    refused = brig.run("1", token="greedy")
    told = int(refused.headers["Retry-After"])
    assert refused.status == 429 and 5 < told <= 40, told
    assert f"try again after {told} s" in refused.json["detail"]
    for connection in jobs:
        connection.close()


def test_a_reader_that_trickles_holds_no_place(brig):
    """It takes something all the time, and far too little: cut off, and its job is over."""
    body = json.dumps({"code": "print('x' * 30_000_000)", "limits": {"wall_ms": 300_000}})
    with socket.socket(socket.AF_UNIX) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(brig.socket)
        s.sendall((f"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer greedy\r\n"
                   f"Content-Type: application/json\r\nAccept: text/event-stream\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
        end = time.monotonic() + host.WATCHDOG_S
        try:
            while s.recv(1024):
                assert time.monotonic() < end, "it is still served"
                [job] = brig.request("GET", "/v1/jobs", token="greedy").json["jobs"]
                if job["state"] == "done":
                    break
                time.sleep(0.2)
        except ConnectionResetError:
            pass
    assert brig.run("6*7", token="modest").json["result"]["text"] == "42"
