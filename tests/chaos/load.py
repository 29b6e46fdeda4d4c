"""Callers of brig serve who never tire, and who know how each job must end."""

import collections
import http.client
import json
import os
import random
import subprocess
import threading
import time

import host
from dispatcher import Dispatcher

CALLERS = 8
# Without KVM a machine is many times slower.
SLOW = "BRIG_VM" in os.environ
WALL_MS, CPU_MS = (200000, 200000) if SLOW else (4000, 20000)

# (request, outcome, what the answer must hold)
JOBS = [
    ({"code": "print(6 * 7)"}, "ok", lambda r: r["stdout"] == "42\n"),
    ({"code": "import pandas as pd\npd.DataFrame({'a': [1, 2]}).sum()"}, "ok",
     lambda r: "3" in r["text"]),
    ({"code": "1 / 0"}, "error", lambda r: r["error"]["type"] == "ZeroDivisionError"),
    ({"code": "import sys; sys.exit(3)"}, "exit", lambda r: r["exit_code"] == 3),
    ({"code": "import time; time.sleep(60)", "limits": {"wall_ms": 60}}, "timeout_wall", None),
    ({"code": "while True: pass", "limits": {"cpu_ms": 40}}, "timeout_cpu", None),
    ({"code": "x = b'x' * (1 << 30)", "limits": {"memory_bytes": 64 << 20}}, "memory", None),
    ({"code": "print(open('in.txt').read())", "files": [{"name": "in.txt", "content": "given"}]},
     "ok", lambda r: r["stdout"] == "given\n"),
    ({"code": "open('out.txt', 'w').write('x' * 70000)"}, "ok",
     lambda r: r["files"][0]["bytes"] == 70000),
    ({"code": "import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)"}, "denied",
     lambda r: r["syscall"] == "ptrace"),
]
# What a blow can make of any job: its runner was killed, stopped, or short of what it needed.
STRUCK = {"internal", "signal", "timeout_wall", "timeout_cpu"}
BUSY = {429, 503}


class Load:
    """A brig serve, and callers that send it jobs until they are told to stop."""

    def __init__(self, seed, *, callers=CALLERS, allowed=(), cells=6, statuses=(), jobs=None):
        self.allowed = STRUCK | set(allowed)
        self.statuses = {200} | BUSY | set(statuses)
        self.jobs = jobs or JOBS
        self.stop = threading.Event()
        self.faults, self.answered = [], []
        self.outcomes, self.lost = collections.Counter(), 0
        self.first = host.Snapshot()
        self.brig = Dispatcher(extra=f"[service]\ncells_max = {cells}\n")
        self.threads = [threading.Thread(target=self.call, args=(f"{seed} {n}",), daemon=True)
                        for n in range(callers)]

    def __enter__(self):
        self.brig.__enter__()
        for thread in self.threads:
            thread.start()
        return self

    def call(self, seed):
        pick = random.Random(seed)
        while not self.stop.is_set():
            try:
                self.one(pick.choice(self.jobs))
            except (ConnectionError, http.client.HTTPException):
                self.lost += 1  # the dispatcher was struck
                time.sleep(0.02)
            except Exception as fault:
                self.faults.append(fault)
                return

    def one(self, job):
        request, want, holds = job
        limits = {"wall_ms": WALL_MS, "cpu_ms": CPU_MS, **request.get("limits", {})}
        body = {**request, "limits": limits}
        reply = self.brig.request("POST", "/v1/run", body)
        assert reply.status in self.statuses, (reply.status, reply.body[:400])
        if reply.status != 200:
            self.outcomes[reply.status] += 1
            time.sleep(0.02)
            return
        result = json.loads(reply.body)
        outcome = result["outcome"]
        assert outcome == want or outcome in self.allowed, (request["code"], want, result)
        if outcome == want and holds:
            assert holds(result), (request["code"], result)
        if outcome == "internal":
            told = json.dumps(result)
            assert result.get("hint") and "zygote" not in told and "maker" not in told, told
        self.outcomes[outcome if outcome != want else "as it should"] += 1
        self.answered.append((result["job_id"], outcome))

    def progress(self, watchdog_s=host.WATCHDOG_S, count=3):
        """Waits for jobs that end as they should: the others go on."""
        before = self.outcomes["as it should"]
        host.wait_until(lambda: self.faults or self.outcomes["as it should"] >= before + count,
                        lambda: f"jobs that end well: {self.outcomes} {self.brig.log_text()[-2000:]}",
                        watchdog_s)
        if self.faults:
            raise self.faults[0]

    def quiet(self):
        """Ends the callers; each has an answer by then."""
        self.stop.set()
        for thread in self.threads:
            thread.join(host.WATCHDOG_S)
            assert not thread.is_alive(), "a caller still waits for its answer"
        if self.faults:
            raise self.faults[0]

    def whole_again(self):
        """Every kind of job works, once the blows have ended."""
        def works():
            try:
                if self.brig.request("GET", "/readyz").status != 200:
                    return False
                return self.brig.run("print(6 * 7)").json.get("outcome") == "ok"
            except (ConnectionError, http.client.HTTPException):
                return False
        host.wait_until(works, lambda: f"service: {self.brig.log_text()[-2000:]}")
        # A zygote that could not be started three times is tried again after a pause.
        for job in self.jobs:
            host.wait_until(lambda job=job: self.ends_well(job), f"this to end well: {job[0]}")

    def ends_well(self, job):
        before = self.outcomes["as it should"]
        self.one(job)
        return self.outcomes["as it should"] > before

    def __exit__(self, kind, *_):
        self.stop.set()
        try:
            if kind is None:
                self.quiet()
                self.whole_again()
                self.check_log()
        finally:
            below = host.descendants(self.brig.process.pid)
            self.brig.process.terminate()
            self.brig.process.wait(host.WATCHDOG_S)
            text = self.brig.log_text()
            self.brig.__exit__(None, None, None)
        assert "assert" not in text.lower(), text[-2000:]
        for pid in below:
            assert not host.status_of(pid), f"left: {below[pid]}"
        if kind is None:
            self.first.must_be_the_same()

    def check_log(self):
        """What was answered stands in the audit log as it was answered, and the chain holds."""
        rows = dict(self.brig.audit("call, outcome", "kind = 'completed'"))
        for job, outcome in self.answered:
            assert rows.get(job) == outcome, (job, outcome, rows.get(job))
        verified = subprocess.run(
            [host.BRIG, "audit", "verify", "--db", self.brig.folder / "log/audit.db"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=host.WATCHDOG_S)
        assert verified.returncode == 0, verified.stdout

    def told(self):
        return f"{len(self.answered)} jobs, {dict(self.outcomes)}, {self.lost} connections lost"

    # The processes that blows are meant for.

    def service(self):
        return self.brig.child("brig-service")

    def parts(self, kind):
        """pids of zygote, runner, maker or init."""
        service = self.service()
        if not service:
            return []
        depth = len(host.status_of(service).get("NSpid", "").split())
        found = []
        for pid, name in host.descendants(service).items():
            inside = len(host.status_of(pid).get("NSpid", "").split())
            if name == "brig-zygote":
                name = "zygote" if inside == depth else "runner"
            elif inside > depth and name not in ("brig-init", "brig-maker"):
                name = "runner"  # a thread's or the job's own name
            if name.removeprefix("brig-") == kind:
                found.append(pid)
        return found

    def victims(self, kind):
        if kind == "service":
            return [self.service()] if self.service() else []
        if kind == "dispatcher":
            return [pid for pid in [self.brig.child("brig")] if pid]
        return self.parts(kind)
