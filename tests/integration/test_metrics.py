"""/metrics: what the dispatcher counts and what the interpreter services tell of themselves."""

import json
import os
import re
import shutil
import subprocess
import threading

import pytest

import host
from dispatcher import RESEARCH, Dispatcher

SAMPLE = re.compile(r"^([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)$")


@pytest.fixture(scope="module")
def brig():
    with Dispatcher(extra="[service]\ncells_max = 8\n") as running:
        yield running


def samples(brig):
    """{(name, frozenset of labels): value} of one page."""
    found = {}
    for line in brig.request("GET", "/metrics").body.decode().splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        found[name, frozenset(re.findall(r'(\w+)="([^"]*)"', labels or ""))] = float(value)
    return found


def cells(page, state):
    return sum(value for (name, labels), value in page.items()
               if name == "brig_cells" and ("state", state) in labels)


def kills(page, cause):
    return page["brig_kills_total", frozenset({("cause", cause)})]


def settled(brig):
    """A page on which the cells parked without demand stand ready and nothing else goes on."""
    def look():
        page = samples(brig)
        return page if (cells(page, "parked") and not cells(page, "making")
                        and not cells(page, "dying") and not cells(page, "running")) else None
    return host.wait_until(look, "cells being parked")


def test_the_page_is_well_formed(brig):
    """What promtool checks; where it is installed it does so itself."""
    text = brig.request("GET", "/metrics").body
    types, seen = {}, set()
    for line in text.decode().splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in types and kind in ("counter", "gauge", "histogram")
            assert (kind == "counter") == name.endswith("_total"), line
            types[name] = kind
        elif line.startswith("# HELP "):
            assert line.endswith("."), line
        else:
            name, labels, _ = SAMPLE.match(line).groups()
            family = re.sub("_(bucket|sum|count)$", "", name)
            assert family in types and (name, labels) not in seen, line
            seen.add((name, labels))
    tool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if tool:
        done = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True)
        assert done.returncode == 0 and done.stdout + done.stderr == b"", done


def test_slots_groups_and_namespaces(brig):
    page = settled(brig)
    states = ("free", "making", "parked", "running", "session", "dying")
    assert sum(cells(page, state) for state in states) == 8
    assert page["brig_cgroups", frozenset()] == cells(page, "parked")
    # Its own user, pid, mount, net, ipc, uts and cgroup namespace each; user namespaces nest.
    assert page["brig_namespaces", frozenset()] >= 5 * cells(page, "parked")
    assert page["brig_zygotes", frozenset()] >= 1


def test_running_and_waiting_jobs_show(brig):
    threads = [threading.Thread(target=brig.run, args=("import time; time.sleep(2)",))
               for _ in range(12)]
    for thread in threads:
        thread.start()
    host.wait_until(lambda: cells(samples(brig), "running") == 8, "all slots running")
    page = samples(brig)
    waiting = page["brig_queue_jobs", frozenset()] + page["brig_queue_length", frozenset()]
    assert waiting == 4 or cells(page, "running") < 8
    for thread in threads:
        thread.join()
    after = settled(brig)
    assert after["brig_queue_jobs", frozenset()] == 0
    assert after["brig_cgroups", frozenset()] == cells(after, "parked")


@pytest.mark.parametrize("cause, code, limits", [
    ("timeout_wall", "while True: pass", {"wall_ms": 300}),
    ("timeout_cpu", "while True: pass", {"cpu_ms": 300}),
    ("memory", "x = bytearray(1 << 30)", {"memory_bytes": 128 << 20}),
    ("output", "while True: print('x' * 4096)", {"output_bytes": 65536}),
    ("denied", "import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)", {}),
])
def test_kills_by_cause(brig, cause, code, limits):
    before = samples(brig)
    assert brig.run(code, limits=limits).json["outcome"] == cause
    after = samples(brig)
    names = {dict(labels)["cause"] for name, labels in after if name == "brig_kills_total"}
    changed = {name: kills(after, name) - kills(before, name) for name in names}
    assert changed == {name: 1.0 if name == cause else 0.0 for name in names}


# Frames and words on every descriptor that a job has, the control pipe among them.
FORGERY = """
import os, struct
for word in (b's', b'c', struct.pack('<IHH', 0, 5, 0), b'brig_kills_total{cause="denied"} 999\\n',
             struct.pack('<III', 456, 999, 999) * 200):
    for fd in range(64):
        try:
            os.write(fd, word)
        except OSError:
            pass
"""


def test_a_job_forges_no_figure(brig):
    before = samples(brig)
    for _ in range(3):
        brig.run(FORGERY)
    after = samples(brig)
    for cause in ("timeout_wall", "timeout_cpu", "memory", "output", "denied", "cancelled"):
        assert kills(after, cause) == kills(before, cause)
    states = ("free", "making", "parked", "running", "session", "dying")
    assert sum(cells(after, state) for state in states) == 8
    assert after["brig_queue_jobs", frozenset()] == 0


def test_stages_of_the_cell(brig):
    brig.run("1 + 1")
    page = samples(brig)
    for stage in ("cell_queue", "cell_handover", "cell_run", "cell_drain", "cell_verdict", "job"):
        assert page["brig_stage_seconds_count", frozenset({("stage", stage)})] >= 1


@pytest.mark.parametrize("headers", [{}, {"Accept": "text/event-stream"}])
def test_a_client_that_leaves_takes_its_cell_along(brig, headers):
    """Its parked cell, which the job got, goes: all of its processes and its group."""
    settled(brig)
    before = {pid for pid, name in host.descendants(brig.process.pid).items()
              if name == "brig-init"}
    cancelled = kills(samples(brig), "cancelled")
    connection = brig.connect()
    connection.request("POST", "/v1/run", json.dumps({"code": "while True: pass"}),
                       {"Content-Type": "application/json", **headers})
    host.wait_until(lambda: cells(samples(brig), "running") == 1, "the job running")
    connection.close()
    host.wait_until(lambda: any(not host.status_of(pid) for pid in before), "its cell being gone")
    page = settled(brig)
    assert kills(page, "cancelled") == cancelled + 1
    assert page["brig_cgroups", frozenset()] == cells(page, "parked")
    assert page["brig_jobs_running", frozenset()] == 0


def test_a_role_that_floods_waits_for_itself(brig):
    """It holds no more than three quarters of the slots: another's job does not wait for it."""
    assert brig.run("1").json["outcome"] == "ok"  # now the service knows that there are two
    flood = []
    for _ in range(12):
        connection = brig.connect()
        connection.request("POST", "/v1/run", json.dumps({"code": "import time; time.sleep(59)"}),
                           {"Content-Type": "application/json",
                            "Authorization": f"Bearer {RESEARCH}"})
        flood.append(connection)
    host.wait_until(lambda: cells(samples(brig), "running") == 6, "the flood has its share")
    assert brig.run("6 * 7").json["result"]["text"] == "42"
    assert brig.audit("call", "kind = 'completed' and role = 'research'") == []
    for connection in flood:
        connection.close()
    settled(brig)


def test_a_dead_service_does_not_keep_the_page(brig):
    brig.kill("brig-service")
    assert any(name == "brig_build_info" for name, _ in samples(brig))
    settled(brig)


SESSIONS = ("[audit]\ndb = {folder}/log/audit.db\n[role local]\n"
            "tools = calculate, run_sandboxed\nsessions = yes\n")


def test_a_session_s_calls_are_counted_once_at_every_door():
    """One job in the metrics, one line in the log and one pair of rows each; a refusal has one row."""
    with Dispatcher(config=SESSIONS) as brig:
        box = brig.request("POST", "/sandboxes", {"templateID": "base"}).json["sandboxID"]
        session = brig.request("POST", "/v1/sessions", {}).json["id"]
        at_box = {"E2b-Sandbox-Id": box}

        def call(code):
            return {"name": "run_sandboxed", "arguments": {"code": code, "session": session}}

        def counts():
            page = samples(brig)
            jobs = {dict(labels)["outcome"]: int(value) for (name, labels), value in page.items()
                    if name == "brig_jobs_total"}
            return (jobs, sum(int(v) for (name, _), v in page.items() if name == "brig_refusals_total"),
                    int(page["brig_stage_seconds_count", frozenset({("stage", "job")})]),
                    brig.log_text().count('"event":"job"'), len(brig.audit("seq")))

        for door, outcome, ask in [
                ("rest", "ok", lambda: brig.run("x = 1", session=session)),
                ("rest", "error", lambda: brig.run("1 / 0", session=session)),
                ("rest", "ok", lambda: brig.run("2", session=session,
                                                headers={"Accept": "text/event-stream"})),
                ("mcp", "ok", lambda: brig.mcp("tools/call", call("x + 1"), modern=True)),
                ("mcp", "ok", lambda: brig.mcp("tools/call", call("x + 2"))),
                ("e2b", "ok", lambda: brig.request("POST", "/execute", {"code": "6 * 7"},
                                                   headers=at_box)),
                ("e2b", "rejected", lambda: brig.request(
                    "POST", "/execute", {"code": "puts 1", "language": "ruby"}, headers=at_box)),
                ("rest", "rejected", lambda: brig.run("1", session="s" + "0" * 32))]:
            before = counts()
            ask()
            after = counts()
            ran = outcome != "rejected"
            jobs = {name: n - before[0].get(name, 0) for name, n in after[0].items()
                    if n != before[0].get(name, 0)}
            grew = tuple(after[i] - before[i] for i in range(1, 5))
            assert jobs == ({outcome: 1} if ran else {}), (door, outcome, jobs)
            assert grew == ((0, 1, 1, 2) if ran else (1, 0, 0, 1)), (door, outcome, grew)
            kind, seen_door, seen, code, note = brig.audit("kind, door, outcome, code, note")[-1]
            assert (kind, seen_door, seen) == ("completed" if ran else "single", door, outcome)
            assert '"session"' in note and (door != "e2b" or ran or code == "puts 1")


def test_a_service_that_is_lost_is_counted_once():
    with Dispatcher(config=SESSIONS) as brig:
        threads = [threading.Thread(target=brig.run, args=("import time; time.sleep(60)",))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        host.wait_until(lambda: cells(samples(brig), "running") == 3, "three jobs run")
        brig.kill("brig-service")
        for thread in threads:
            thread.join()
        host.wait_until(lambda: samples(brig)["brig_service_losses_total", frozenset()], "a loss")
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is back")
        page = samples(brig)
        assert page["brig_service_losses_total", frozenset()] == 1
        assert page["brig_jobs_total", frozenset({("role", "local"), ("outcome", "internal")})] == 3
