"""brig's own processes: starting them, and what they hold and use."""
import json
import os
import signal
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            return source.read()
    except OSError:
        return ""


class Process:
    """One line of /proc."""

    def __init__(self, pid, stat):
        rest = stat[stat.rindex(")") + 2:].split()
        self.pid = pid
        self.name = stat[stat.index("(") + 1:stat.rindex(")")]
        self.parent = int(rest[1])
        self.own_s = (int(rest[11]) + int(rest[12])) / TICK
        self.reaped_s = (int(rest[13]) + int(rest[14])) / TICK

    @property
    def in_cell(self):
        return "/cell-" in read(f"/proc/{self.pid}/cgroup")


def tree(root):
    """`root` and all below it."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        stat = read(f"/proc/{name}/stat")
        if stat:
            found[int(name)] = Process(int(name), stat)
    below, grew = {root}, True
    while grew:
        more = {p.pid for p in found.values() if p.parent in below} - below
        below |= more
        grew = bool(more)
    return [found[pid] for pid in below if pid in found]


class Running:
    """`brig serve` or `brig service` for the time of a with block."""

    def __init__(self, words, folder):
        self.log = open(os.path.join(folder, f"{words[1]}.log"), "w+", encoding="utf-8")
        self.started = time.monotonic()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.log)
        self.ready = self.wait_ready()

    def wait_ready(self):
        while time.monotonic() < self.started + 60:
            for line in read(self.log.name).splitlines():
                if line.startswith('{"event": "ready"') or '"event":"ready"' in line:
                    return json.loads(line)
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.__exit__()
        raise SystemExit(f"bench: {self.process.args} did not become ready: "
                         f"{read(self.log.name)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def processes(self):
        return tree(self.process.pid)

    def of_kind(self, kind):
        """serve: all that is neither zygote nor cell; zygote; runner; init."""
        kinds = {"brig-zygote": "zygote", "brig-init": "init"}
        found = []
        for process in self.processes():
            named = kinds.get(process.name, "serve")
            if named == "zygote" and process.in_cell:
                named = "runner"
            if named == kind:
                found.append(process)
        return found

    def service_pid(self):
        return next(p.pid for p in self.processes() if p.name == "brig-service")

    def wait_parked(self, count, seconds=30):
        """Until so many runners are there and none is at work any more."""
        until = time.monotonic() + seconds
        before = None
        while time.monotonic() < until:
            now = [(p.pid, p.own_s) for p in self.of_kind("runner")]
            if len(now) >= count and now == before:
                return len(now)
            before = now
            time.sleep(0.2)
        return len(self.of_kind("runner"))


KIB_KEYS = {"Rss": "rss", "Pss": "pss", "Private_Clean": "uss", "Private_Dirty": "uss"}


def memory(pid):
    """Bytes: rss, pss, uss of one process, and its page tables."""
    found = {"rss": 0, "pss": 0, "uss": 0, "page_tables": 0}
    for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
        key, _, rest = line.partition(":")
        if key in KIB_KEYS:
            found[KIB_KEYS[key]] += int(rest.split()[0]) * 1024
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmPTE:"):
            found["page_tables"] = int(line.split()[1]) * 1024
    return found


def cgroup_bytes(pid):
    """What the kernel charges the cell's own cgroup, or None."""
    for line in read(f"/proc/{pid}/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            file = f"/sys/fs/cgroup/memory{path}/memory.usage_in_bytes"
        elif controllers == "":
            file = f"/sys/fs/cgroup{path}/memory.current"
        else:
            continue
        text = read(file)
        if text:
            return int(text)
    return None


def middle(numbers):
    numbers = sorted(n for n in numbers if n is not None)
    return numbers[len(numbers) // 2] if numbers else None


def parked_memory(running):
    """The medians over the parked cells of the warmest level; None where there is none."""
    runners = [(p.pid, memory(p.pid)) for p in running.of_kind("runner")]
    inits = [memory(p.pid) for p in running.of_kind("init")]
    largest = max((found["rss"] for _, found in runners), default=0)
    data = [(pid, found) for pid, found in runners if found["rss"] > largest / 2]
    if not data or not inits:
        return None
    figures = {"cells": len(data)}
    for key in ("rss", "pss", "uss", "page_tables"):
        figures[f"runner_{key}"] = middle(found[key] for _, found in data)
        figures[f"init_{key}"] = middle(found[key] for found in inits)
    figures["own"] = figures["runner_uss"] + figures["init_uss"]
    figures["own_with_page_tables"] = (figures["own"] + figures["runner_page_tables"]
                                       + figures["init_page_tables"])
    figures["cgroup"] = middle(cgroup_bytes(pid) for pid, _ in data)
    return figures


def available_bytes():
    for line in read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def own_cgroups(service):
    """Directories of cells below the service's own, in the hierarchy that all hosts have."""
    for line in read(f"/proc/{service}/cgroup").splitlines():
        if line.startswith("0::"):
            folder = os.path.dirname(line[3:])
            for top in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup"):
                if os.path.isdir(top + folder):
                    return sum(name.startswith("cell-") for name in os.listdir(top + folder))
    return 0


def standing(running):
    """What must not grow with the number of jobs."""
    service = running.service_pid()
    return {
        "service_rss": memory(service)["rss"],
        "serve_rss": sum(memory(p.pid)["rss"] for p in running.of_kind("serve")),
        "zygotes_rss": sum(memory(p.pid)["rss"] for p in running.of_kind("zygote")),
        "service_fds": len(os.listdir(f"/proc/{service}/fd")),
        "mounts": len(read(f"/proc/{service}/mountinfo").splitlines()),
        "own_cgroups": own_cgroups(service),
        "processes": len(running.processes()),
    }


def cpu_seconds(running):
    """CPU so far by kind; `cells` is what the service has reaped: runners and inits, whole."""
    spent = {}
    for process in running.processes():
        if process.name == "brig-zygote":
            if process.in_cell:
                continue
            key = "zygotes"
        elif process.name == "brig-init":
            continue
        else:
            key = process.name.removeprefix("brig-")
        spent[key] = spent.get(key, 0) + process.own_s
        if process.name == "brig-service":
            spent["cells"] = process.reaped_s
    return spent
