"""A half that is there and does not answer: its callers get their error, and the next are served.

The limit is set low here (`silence_max`); nothing asserts how long anything took.
"""

import contextlib
import http.client
import os
import signal
import socket
import threading
import time

import host
import pytest
from dispatcher import Dispatcher
from test_http_death import only_parked_cells

EXTRA = "[service]\nsilence_max = {}s\n"
ROLE = "[role local]\ntools = calculate, run_sandboxed\nsessions = yes\n"
CONFIG = "[audit]\ndb = {{folder}}/log/audit.db\n" + EXTRA + ROLE
SLEEP = "import time; time.sleep(40)"


def serve(seconds):
    return Dispatcher(config=CONFIG.format(seconds))


def begin(brig):
    return brig.run("x = 6", session="new").json["session"]["id"]


class Callers:
    """Calls that wait for their answers."""

    def __init__(self):
        self.replies, self.threads = {}, []

    def start(self, name, call):
        def wait():
            self.replies[name] = call()
        self.threads.append(threading.Thread(target=wait))
        self.threads[-1].start()

    def join(self):
        for thread in self.threads:
            thread.join(host.WATCHDOG_S)
        assert len(self.replies) == len(self.threads), "a caller is held for ever"
        return self.replies


def unless_cut(call):
    """The reply, or None where the connection was cut."""
    try:
        return call()
    except (OSError, http.client.HTTPException):
        return None


def stop_in_mid_job(brig, callers, session):
    callers.start("job", lambda: brig.run(SLEEP))
    callers.start("call", lambda: brig.run(SLEEP, session=session))
    host.wait_until(lambda: cells_running(brig) == 2, "both run")
    pid = brig.child("brig-service")
    os.kill(pid, signal.SIGSTOP)
    return pid


def cells_running(brig):
    text = brig.request("GET", "/metrics").body.decode()
    return sum(int(float(line.split()[-1])) for line in text.splitlines()
               if line.startswith('brig_cells{state="running"'))


def is_back(brig, pid):
    host.wait_until(lambda: brig.child("brig-service") not in (None, pid), "another is there")
    host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is ready")
    assert brig.run("6 * 7").json["result"]["text"] == "42"
    host.wait_until(lambda: only_parked_cells(brig), "no cell is left")


def test_a_stopped_service_is_ended_and_another_serves():
    with serve(5) as brig:
        callers = Callers()
        session, idle = begin(brig), begin(brig)
        below = set(host.descendants(brig.child("brig-service")))
        pid = stop_in_mid_job(brig, callers, session)
        below |= set(host.descendants(pid))
        # These come to one that is deaf already; the second is about a session.
        callers.start("late", lambda: brig.run("print(1)"))
        callers.start("files", lambda: brig.request("GET", f"/v1/sessions/{idle}/files"))
        replies = callers.join()
        for name in "job", "call", "late":
            assert replies[name].status == 200, replies[name].body
            assert replies[name].json["outcome"] == "internal", name
        assert replies["files"].status in (410, 503), replies["files"].body
        assert "lost" in replies["call"].json["session"]
        assert '"service_silent"' in brig.log_text()
        is_back(brig, pid)
        assert not host.status_of(pid) and not any(host.status_of(one) for one in below)
        assert brig.run("x", session=idle).status == 410
        rows = brig.audit("kind, outcome", "tool = 'run_sandboxed' and kind = 'completed'")
        assert sum(outcome == "internal" for _, outcome in rows) == 3
    assert brig.process.returncode == 0


@pytest.mark.slow
def test_the_dispatcher_gives_a_job_up_by_itself():
    """Where nobody ends the service: its parent is stopped too."""
    with serve(5) as brig:
        session, callers = begin(brig), Callers()
        pid = brig.child("brig-service")
        os.kill(brig.process.pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGSTOP)
        try:
            callers.start("job", lambda: brig.run("print(1)", limits={"wall_ms": 500}))
            callers.start("files", lambda: brig.request("GET", f"/v1/sessions/{session}/files"))
            replies = callers.join()
            assert brig.child("brig-service") == pid
        finally:
            os.kill(brig.process.pid, signal.SIGCONT)
        assert replies["job"].status == 200
        assert replies["job"].json["outcome"] == "internal", replies["job"].body
        assert replies["files"].status == 503, replies["files"].body
        assert "said nothing of a job" in brig.log_text()
        is_back(brig, pid)


def test_one_that_is_only_kept_from_running_stays():
    """A machine that sleeps, or has no time for either: silence that the parent slept through."""
    with serve(5) as brig:
        session = begin(brig)
        pid = brig.child("brig-service")
        os.kill(brig.process.pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(7)
        os.kill(brig.process.pid, signal.SIGCONT)
        os.kill(pid, signal.SIGCONT)
        time.sleep(3)
        assert brig.run("x", session=session).json["result"]["text"] == "6"
        assert brig.child("brig-service") == pid
        assert "service_silent" not in brig.log_text()


def test_a_stopped_dispatcher_is_ended_and_another_answers():
    with serve(5) as brig:
        session, callers = begin(brig), Callers()
        callers.start("job", lambda: unless_cut(lambda: brig.run(SLEEP)))
        host.wait_until(lambda: cells_running(brig) == 1, "it runs")
        service, pid = brig.child("brig-service"), brig.child("brig")
        os.kill(pid, signal.SIGSTOP)
        # This one comes to a door that nobody opens, until the next one does.
        callers.start("late", lambda: brig.run("6 * 7"))
        host.wait_until(lambda: brig.child("brig") not in (None, pid), "another is there")
        replies = callers.join()
        assert replies["job"] is None, "the connection went with its process"
        assert replies["late"].json["result"]["text"] == "42"
        assert '"dispatcher_silent"' in brig.log_text()
        assert brig.child("brig-service") == service
        assert brig.run("6 * 7").json["result"]["text"] == "42"
        assert brig.run("x", session=session).status in (404, 410)
        host.wait_until(lambda: only_parked_cells(brig), "no cell is left")
    assert brig.process.returncode == 0


@pytest.mark.slow
def test_a_service_alone_is_started_again_too():
    """With more callers at its door than its link takes."""
    with host.Service(cells=2) as running, contextlib.ExitStack() as callers:
        pid = running.service_pid()
        os.kill(pid, signal.SIGSTOP)
        for _ in range(400):
            caller = callers.enter_context(socket.socket(socket.AF_UNIX))
            caller.setblocking(False)
            try:
                caller.connect(running.socket)
            except BlockingIOError:
                break  # nor does the door take more
        host.wait_until(lambda: running.log().count('"ready"') == 2, "another is ready")
        assert '"service_silent"' in running.log() and not host.status_of(pid)
        done = host.run_brig("run", "--socket", running.socket, "-c", "print(6 * 7)")
        assert done.stdout == b"42\n", done


def calc_worker(brig):
    """The pid of the dispatcher's worker for arithmetic, or None while it is being started."""
    own = {pid for pid, (parent, _, _) in host.processes().items() if parent == brig.process.pid}
    for pid, (parent, _, state) in host.processes().items():
        with contextlib.suppress(OSError):
            words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
            if parent in own and b"--calc-worker" in words and state != "Z":
                return pid
    return None


def test_a_stopped_worker_for_arithmetic():
    with serve(30) as brig:
        stopped = calc_worker(brig)
        os.kill(stopped, signal.SIGSTOP)
        callers = Callers()
        for n in range(3):
            callers.start(n, lambda n=n: brig.calculate(f"{n} + 40"))
        assert {reply.status for reply in callers.join().values()} == {503}
        rows = brig.audit("code, outcome")
        assert sorted(rows) == [(f"{n} + 40", "rejected") for n in range(3)]
        host.wait_until(lambda: calc_worker(brig) not in (None, stopped), "another worker")
        assert host.wait_until(lambda: (got := brig.calculate("6 * 7")).status == 200 and got,
                               "arithmetic again").json["value"] == 42
        assert '"calc_worker_silent"' in brig.log_text()


@pytest.mark.slow
def test_a_client_over_lines_that_takes_nothing():
    """Half a minute, then it is closed; one that only rests is not."""
    with serve(30) as brig:
        clients = []
        for _ in range(2):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.settimeout(host.WATCHDOG_S)
            s.connect(brig.socket)
            s.sendall(b"GET /mcp/lines HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                      b"Upgrade: brig-mcp-lines\r\n\r\n")
            assert s.recv(4096).startswith(b"HTTP/1.1 101 ")
            clients.append(s)
        deaf, resting = clients
        deaf.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            for _ in range(1000):
                deaf.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
        dispatcher = next(pid for pid, (parent, name, _) in host.processes().items()
                          if parent == brig.process.pid and name == "brig")
        had = len(os.listdir(f"/proc/{dispatcher}/fd"))
        host.wait_until(lambda: len(os.listdir(f"/proc/{dispatcher}/fd")) < had, "it is closed")
        resting.sendall(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        assert resting.recv(4096) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
