"""Either half killed while many clients call: what was answered is in the log, and nothing is left.

`--storm 10000` is the whole of it; docs/http.md says what it showed.
"""

import http.client
import json
import random
import subprocess
import threading
import time

import host
from dispatcher import BILLING, RESEARCH, Dispatcher

CLIENTS = 16
BOUNDARY = "storm-boundary"


class Storm:
    """What the clients share: how many calls are left, and what each was told."""

    def __init__(self, brig, calls):
        self.brig, self.left, self.lock = brig, calls, threading.Lock()
        self.accepted = set()  # job ids that a stream named
        self.jobs = {}         # job id → outcome, as answered
        self.singles = {}      # text of an expression or of refused code → outcome
        self.statuses, self.lost, self.faults = {}, 0, []

    def take(self):
        with self.lock:
            self.left -= self.left > 0
            return self.left + 1 if self.left > 0 else 0

    def answered(self, reply):
        with self.lock:
            self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1

    def result(self, body):
        self.jobs[body["job_id"]] = body["outcome"]


def run_plain(storm, name, pick):
    code = pick.choice(["print(6 * 7)", "import pandas; pandas.DataFrame({'a': [1]})", "1 / 0",
                        "import sys; sys.exit(3)", "open('f', 'w').write('x' * 1000)",
                        "while True: pass"])
    limits = {"wall_ms": 200} if "while" in code else {}
    reply = storm.brig.run(code, token=pick.choice([None, RESEARCH]), limits=limits)
    storm.answered(reply)
    if reply.status == 200:
        storm.result(reply.json)


def run_stream(storm, name, pick):
    connection = storm.brig.connect()
    try:
        connection.request("POST", "/v1/run", json.dumps({"code": "for i in range(50): print(i)"}),
                           {"Content-Type": "application/json", "Accept": "text/event-stream"})
        answer = connection.getresponse()
        event = None
        for line in answer:
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                event = text[7:]
            elif text.startswith("data: ") and event == "job":
                storm.accepted.add(json.loads(text[6:])["job_id"])
            elif text.startswith("data: ") and event == "result":
                storm.result(json.loads(text[6:]))
                storm.answered(answer)
    finally:
        connection.close()


def run_upload(storm, name, pick):
    parts = (f"--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\n"
             f"print(len(open('in.bin', 'rb').read()))\r\n--{BOUNDARY}\r\nContent-Disposition: "
             f"form-data; name=\"f\"; filename=\"in.bin\"\r\n\r\n{'y' * 70000}\r\n--{BOUNDARY}--\r\n")
    reply = storm.brig.request("POST", "/v1/run", parts.encode(), headers={
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})
    storm.answered(reply)
    if reply.status == 200:
        storm.result(reply.json)


def run_mcp(storm, name, pick):
    reply = storm.brig.mcp("tools/call", {"name": "run_sandboxed", "arguments":
                                          {"code": "print('mcp')"}}, modern=True)
    storm.answered(reply)
    if reply.status == 200 and "result" in reply.json:
        storm.result(reply.json["result"]["structuredContent"])


def run_forbidden(storm, name, pick):
    code = f"# {name}\n1"
    reply = storm.brig.run(code, token=BILLING)
    storm.answered(reply)
    if reply.status == 403:
        storm.singles[code] = "rejected"


def run_and_leave(storm, name, pick):
    connection = storm.brig.connect()
    try:
        connection.request("POST", "/v1/run", json.dumps({"code": "import time; time.sleep(60)"}),
                           {"Content-Type": "application/json"})
        time.sleep(pick.random() / 20)
    finally:
        connection.close()


def calculate(storm, name, pick):
    expr, outcome = pick.choice([(f"{name} * 1.5", "ok"), (f"{name} / 0", "error"),
                                 (f"f({name})", "error")])
    reply = storm.brig.calculate(expr, token=pick.choice([None, BILLING]))
    storm.answered(reply)
    if reply.status == 200:
        storm.singles[expr] = outcome


KINDS = [run_plain] * 4 + [run_stream, run_stream, run_upload, run_mcp, run_forbidden,
                           run_and_leave, calculate, calculate, calculate]


def client(storm, number):
    pick = random.Random(number)
    while name := storm.take():
        while True:
            try:
                pick.choice(KINDS)(storm, name, pick)
                break
            except ConnectionRefusedError:
                time.sleep(0.02)  # nobody listens: no call was made
            except (ConnectionError, http.client.HTTPException, TimeoutError):
                storm.lost += 1
                break
            except Exception as fault:  # pylint: disable=broad-except
                storm.faults.append(f"{name}: {fault!r}")
                break


def kill_at(brig, storm, name, when):
    host.wait_until(lambda: storm.left <= when, f"{when} calls are left", watchdog_s=600)
    pid = host.wait_until(lambda: brig.kill(name), f"{name} is there")
    host.wait_until(lambda: brig.child(name) not in (None, pid), f"{name} is back")


def check_log(brig, storm):
    rows = {}
    for call, kind, outcome, code in brig.audit("call, kind, outcome, code"):
        rows.setdefault(call, {})[kind] = (outcome, code)
    for job, outcome in storm.jobs.items():
        assert rows[job]["completed"][0] == outcome and "accepted" in rows[job], job
    for job in storm.accepted:
        assert "accepted" in rows[job], job
    for call, kinds in rows.items():
        if "accepted" in kinds:
            assert "completed" in kinds or "interrupted" in kinds, (call, kinds)
    singles = {kinds["single"][1]: kinds["single"][0] for kinds in rows.values()
               if "single" in kinds}
    for text, outcome in storm.singles.items():
        assert singles[text] == outcome, text
    done = subprocess.run([host.BRIG, "audit", "verify", "--db", brig.folder / "log/audit.db"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=host.WATCHDOG_S)
    assert done.returncode == 0, done.stdout
    return rows


def gauge(brig, line):
    for text in brig.request("GET", "/metrics").body.decode().splitlines():
        if text.startswith(line + " "):
            return float(text.split()[-1])
    return None


def only_parked_cells(brig):
    """Groups, processes and metrics agree: there are the parked cells, and no other."""
    text = brig.request("GET", "/metrics").body.decode()
    busy = [line for line in text.splitlines() if line.startswith("brig_cells{") and any(
        f'state="{state}"' in line for state in ("making", "running", "dying"))
        and not line.endswith(" 0")]
    inits = [name for name in host.descendants(brig.process.pid).values() if name == "brig-init"]
    return not busy and gauge(brig, "brig_cgroups") == len(inits)


def test_halves_that_are_killed(request, quick, capsys):
    calls = int(request.config.getoption("--storm") or (400 if quick else 1500))
    kills = 3 if quick and calls < 10000 else 10
    with Dispatcher() as brig:
        storm, started = Storm(brig, calls), time.monotonic()
        clients = [threading.Thread(target=client, args=(storm, n)) for n in range(CLIENTS)]
        for one in clients:
            one.start()
        for number in range(2 * kills):
            kill_at(brig, storm, "brig" if number < kills else "brig-service",
                    calls - calls * (number + 1) // (2 * kills + 1))
        for one in clients:
            one.join(600)
        took = time.monotonic() - started
        assert not storm.faults, storm.faults[:5]
        host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "both are back")
        assert brig.run("print(1)").json["outcome"] == "ok"
        host.wait_until(lambda: not brig.audit("call", "kind='accepted' and call not in (select "
                                               "call from entry where kind in ('completed', "
                                               "'interrupted'))"), "every call ended")
        rows = check_log(brig, storm)
        host.wait_until(lambda: only_parked_cells(brig), "no cell is left")
        below = host.descendants(brig.process.pid)
        with capsys.disabled():
            print(f"\nstorm: {calls} calls, {2 * kills} kills, {took:.0f} s; answered "
                  f"{sum(storm.statuses.values())} {dict(sorted(storm.statuses.items()))}, "
                  f"lost {storm.lost}, jobs answered {len(storm.jobs)} "
                  f"({sum(o == 'internal' for o in storm.jobs.values())} internal), streams "
                  f"accepted {len(storm.accepted)}, singles {len(storm.singles)}, calls in the "
                  f"log {len(rows)}, interrupted "
                  f"{sum('interrupted' in kinds for kinds in rows.values())}")
    assert brig.process.returncode == 0
    for pid in below:
        assert not host.status_of(pid)
