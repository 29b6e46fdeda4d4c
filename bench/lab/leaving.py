"""How long a cell outlives a client that hangs up: from its close to the end of all of the cell."""
import http.client
import json
import os
import time

from . import halves

CODE = "print('on', flush=True)\nimport time\nwhile True: time.sleep(1)"
LIMIT_S = 20


def group_folder(pid):
    """The cell's own control group, where a controller's or the unified hierarchy shows it."""
    for line in halves.read(f"/proc/{pid}/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for top in (f"/sys/fs/cgroup/{controllers}", "/sys/fs/cgroup"):
            if "/cell-" in path and os.path.isdir(top + path):
                return top + path
    return None


def cells(serve):
    """{folder of the group: pids} of all cells that there are."""
    found = {}
    for process in serve.processes():
        folder = group_folder(process.pid) if process.in_cell else None
        if folder:
            found.setdefault(folder, set()).add(process.pid)
    return found


def once(serve, address):
    """Microseconds. The job's cell is the parked one that goes."""
    before = cells(serve)
    connection = http.client.HTTPConnection(address, timeout=LIMIT_S)
    connection.request("POST", "/v1/run", json.dumps({"code": CODE}), {
        "Content-Type": "application/json", "Accept": "text/event-stream"})
    answer = connection.getresponse()
    while b"stdout" not in answer.readline():
        pass
    answer.close()
    connection.close()
    began = time.monotonic()
    while time.monotonic() < began + LIMIT_S:
        for folder, pids in before.items():
            if not os.path.isdir(folder):
                took = time.monotonic() - began
                left = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
                return None if left else took * 1e6
    return None


def figures(serve, address, count):
    found = []
    for _ in range(count):
        serve.wait_parked(2)
        took = once(serve, address)
        if took is None:
            return {"failed": "a cell outlived its client"}
        found.append(took)
    found.sort()
    return {"jobs": count, "p50_us": found[len(found) // 2], "max_us": found[-1],
            "p99_us": found[min(len(found) - 1, len(found) * 99 // 100)]}
