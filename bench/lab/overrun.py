"""How long after a job's limit its answer comes, at the client over HTTP."""
import json
import os

from . import measure

LIMIT_MS = 300
STUBBORN = """import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(1)
        os._exit(0)
while True:
    time.sleep(1)
"""

# name: (title, code, which limit, outcome)
CASES = {
    "sleep": ("sleeps, wall", "import time\ntime.sleep(60)", "wall_ms", "timeout_wall"),
    "busy": ("an endless loop, wall", "while True: pass", "wall_ms", "timeout_wall"),
    "cpu": ("an endless loop, CPU", "while True: pass", "cpu_ms", "timeout_cpu"),
    "stubborn": ("ignores SIGTERM, five daemons, wall", STUBBORN, "wall_ms", "timeout_wall"),
    "print": ("prints without end, wall", "while True: print('x')", "wall_ms", "timeout_wall"),
}


def figures(address, folder, kind, count):
    """{case: p50, p99 and max in microseconds beyond the limit}; a job that ends before is wrong."""
    found = {}
    for name, (title, code, limit, outcome) in CASES.items():
        body = os.path.join(folder, f"overrun-{name}.json")
        with open(body, "w", encoding="utf-8") as out:
            json.dump({"code": code, "limits": {limit: LIMIT_MS}}, out)
        took = measure.http(address, "/v1/run", count, 1, kind, body, f'"outcome":"{outcome}"',
                            20000)
        found[name] = {"title": title, "jobs": took["jobs"]}
        for key in ("p50_us", "p99_us", "max_us"):
            found[name][key] = took[key] - LIMIT_MS * 1000
    return found
