"""Either half killed while many clients call: what was answered is in the log, and nothing is left."""

import http.client
import json
import random
import subprocess
import threading
import time

import host
from dispatcher import BILLING, Dispatcher


def caller(brig, stop, answered, number):
    pick = random.Random(number)
    while not stop.is_set():
        kind = pick.randrange(4)
        try:
            if kind == 0:
                reply = brig.run("print(6 * 7)")
            elif kind == 1:
                reply = brig.run("1", token=BILLING)
            else:
                reply = brig.calculate(f"{number} + {pick.randrange(1000)}")
        except (ConnectionError, http.client.HTTPException, TimeoutError):
            continue
        body = json.loads(reply.body)
        if kind == 0 and reply.status == 200:
            answered.append((body["job_id"], body["outcome"]))
        else:
            assert reply.status in (200, 403, 429, 503), reply.body


def test_halves_that_are_killed(quick):
    rounds = 3 if quick else 10
    with Dispatcher() as brig:
        stop, answered = threading.Event(), []
        clients = [threading.Thread(target=caller, args=(brig, stop, answered, n)) for n in range(16)]
        for client in clients:
            client.start()
        for name in ("brig", "brig-service"):
            for _ in range(rounds):
                before = len(answered)
                host.wait_until(lambda: len(answered) > before, "jobs are answered")
                pid = host.wait_until(lambda: brig.kill(name), f"{name} is there")
                host.wait_until(lambda: brig.child(name) not in (None, pid), f"{name} is back")
        time.sleep(0.5)
        stop.set()
        for client in clients:
            client.join(host.WATCHDOG_S)
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "both are back")
        assert brig.run("print(1)").json["outcome"] == "ok"
        rows = dict(brig.audit("call, outcome", "kind = 'completed'"))
        for job, outcome in answered:
            assert rows.get(job) == outcome, job
        accepted = {row[0] for row in brig.audit("call", "kind = 'accepted'")}
        ended = {row[0] for row in brig.audit("call", "kind in ('completed', 'interrupted')")}
        assert accepted <= ended
        assert any(outcome == "internal" for _, outcome in answered) or quick
        verified = subprocess.run(
            [host.BRIG, "audit", "verify", "--db", brig.folder / "log/audit.db"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=host.WATCHDOG_S)
        assert verified.returncode == 0, verified.stdout
        below = host.descendants(brig.process.pid)
    assert brig.process.returncode == 0
    for pid in below:
        assert not host.status_of(pid)
