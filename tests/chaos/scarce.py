"""A host that runs short: disk, memory, processes, descriptors; and a clock that is set."""

import contextlib
import ctypes
import glob
import os
import pathlib
import socket
import subprocess
import tempfile
import time

import host
from load import JOBS, Load

FILES = [
    ({"code": "open('out.bin', 'wb').write(b'x' * 3000000)"}, "ok",
     lambda r: r["files"][0]["bytes"] == 3000000),
    JOBS[0],
]


@contextlib.contextmanager
def small_disk(size):
    folder = "/var/tmp/brigtest-small-disk"
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", folder], check=True)
    try:
        yield pathlib.Path(folder)
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        os.rmdir(folder)


def fill(folder):
    """Takes every byte that is free; returns the file that does."""
    path = folder / "filler"
    with open(path, "ab", buffering=0) as file:
        for block in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * block) == block:
                    pass
    return path


def disk(pick, _):
    """The disk of the audit log fills up: calls are refused with 503, none goes unlogged; with room
    again they are served."""
    with small_disk("24m") as folder:
        state = folder / "log"
        load = Load(pick.random(), statuses={500, 503, 507}, jobs=FILES)
        load.brig.config.write_text(load.brig.config.read_text().replace(
            f"{load.brig.folder}/log/audit.db", f"{state}/audit.db"))
        if (load.brig.folder / "log").is_dir():
            (load.brig.folder / "log").rmdir()
        (load.brig.folder / "log").symlink_to(state)
        load.first = host.Snapshot()
        with load:
            for _ in range(3):
                load.progress()
                filler = fill(folder)
                refused = load.outcomes[503]
                host.wait_until(lambda: load.faults or load.outcomes[503] > refused + 5,
                                lambda: f"refusals: {load.outcomes}")
                filler.unlink()
            load.progress()
            told = load.told()
    return told


def groups_of(load, controller):
    """The folders that hold all cells of this service, or the service itself on v2."""
    cgroup = pathlib.Path(f"/proc/{load.service()}/cgroup").read_text()
    instance = next(part for line in cgroup.splitlines() for part in line.split("/")
                    if part.startswith("brig."))
    found = [path for root in host.cgroup_roots()
             for path in glob.glob(f"{root}/**/{instance}", recursive=True)
             if os.path.exists(f"{path}/{controller}")]
    assert found, f"no {controller} for {instance}"
    return found


def memory(pick, _):
    """The kernel kills whom it likes among the cells: the group of all has next to no room."""
    v2 = not os.path.exists("/sys/fs/cgroup/memory")
    limit, usage, none = (("memory.max", "memory.current", "max") if v2 else
                          ("memory.limit_in_bytes", "memory.usage_in_bytes", "-1"))
    with Load(pick.random(), allowed={"memory", "error"}) as load:
        for _ in range(3):
            load.progress()
            group = pathlib.Path(groups_of(load, limit)[0])
            for _ in range(50):  # v1 refuses a limit below what is in use
                with contextlib.suppress(OSError):
                    (group / limit).write_text(str(int((group / usage).read_text()) + (1 << 20)))
                    break
            time.sleep(2)
            (group / limit).write_text(none)
            load.progress()
        return load.told()


@contextlib.contextmanager
def own_pids_group(load):
    """The folder whose pids.max counts every process of this brig serve."""
    if not os.path.exists("/sys/fs/cgroup/pids"):
        yield pathlib.Path(groups_of(load, "pids.max")[0])
        return
    # v1 counts where a process stands, and only cells stand in brig's own groups.
    group = pathlib.Path("/sys/fs/cgroup/pids/brigtest-chaos")
    group.mkdir(exist_ok=True)
    try:
        for pid in [load.brig.process.pid, *host.descendants(load.brig.process.pid)]:
            with contextlib.suppress(OSError):
                if "/cell-" not in pathlib.Path(f"/proc/{pid}/cgroup").read_text():
                    (group / "cgroup.procs").write_text(str(pid))
        yield group
    finally:
        (group / "pids.max").write_text("max")


def processes(pick, _):
    """No process more can be made: no runner, no init, no zygote, no dispatcher."""
    with Load(pick.random(), allowed={"error"}, statuses={500}) as load:
        load.progress()
        struck = 0
        with own_pids_group(load) as group:
            for _ in range(4):
                load.progress()
                before = len(load.answered)
                used = int((group / "pids.current").read_text())
                (group / "pids.max").write_text(str(max(1, used + pick.randrange(-2, 3))))
                host.wait_until(lambda before=before: load.faults or len(load.answered) > before + 10
                                or load.outcomes[503] > 5, lambda: f"answers: {load.told()}")
                load.victims("zygote") and os.kill(pick.choice(load.victims("zygote")), 9)
                time.sleep(1)
                (group / "pids.max").write_text("max")
                load.progress()
            struck = load.outcomes["internal"] + load.outcomes[503]
        assert struck, f"nothing was short: {load.told()}"
        told = load.told()
    group = pathlib.Path("/sys/fs/cgroup/pids/brigtest-chaos")
    if group.is_dir():
        host.wait_until(lambda: not (group / "cgroup.procs").read_text(), "an empty group")
        group.rmdir()
    return told


@contextlib.contextmanager
def few_descriptors(count):
    """brig, and all that it starts, may have only so many open."""
    usual = host.BRIG
    with tempfile.NamedTemporaryFile("w", prefix="brigtest-", dir="/var/tmp", delete=False) as script:
        script.write(f"#!/bin/sh\nexec prlimit --nofile={count}:{count} '{usual}' \"$@\"\n")
    os.chmod(script.name, 0o755)
    host.BRIG = script.name
    try:
        yield
    finally:
        host.BRIG = usual
        os.unlink(script.name)


MANY_INPUTS = {"code": "import os; print(len(os.listdir()))",
               "files": [{"name": f"{n}.txt", "content": "x"} for n in range(40)]}


def descriptors(pick, _):
    """Descriptors for a few cells, and two dozen callers whose inputs take hundreds; then more
    connections than the dispatcher can hold. There are fewer cells then, what does not fit is refused
    or fails, and what fits goes on."""
    # A cell's own limit is 256: on a host that gives less there is none.
    limit = pick.randrange(256, 300)
    jobs = [*JOBS[:3], (MANY_INPUTS, "ok", lambda r: r["stdout"] == "40\n")]
    with few_descriptors(limit), \
            Load(pick.random(), statuses={500}, callers=24, cells=24, jobs=jobs) as load:
        load.progress(count=20)
        assert '"fewer_cells"' in load.brig.log_text()
        idle = [socket.create_connection(("127.0.0.1", load.brig.port)) for _ in range(limit)]
        most = max(len(os.listdir(f"/proc/{pid}/fd")) for pid in load.victims("dispatcher"))
        time.sleep(1.5)
        for end in idle:
            end.close()
        load.progress(count=20)
        return f"a limit of {limit}, {most} open in the dispatcher; {load.told()}"


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def set_clock(by_s):
    now = time.clock_gettime(time.CLOCK_REALTIME) + by_s
    spec = Timespec(int(now), 0)
    assert ctypes.CDLL(None).clock_settime(time.CLOCK_REALTIME, ctypes.byref(spec)) == 0


def clock(pick, _):
    """The clock of the whole machine jumps, by hours and years, both ways: no limit depends on it."""
    assert "BRIG_VM" in os.environ, "this sets the clock of the machine: tests/vm/run chaos"
    jumps = [3600, -7200, 86400 * 400, -86400 * 800, 86400 * 400 + 3600]
    pick.shuffle(jumps)
    with Load(pick.random()) as load:
        load.allowed = set()  # nobody is struck: each job ends as it should
        for by_s in jumps:
            load.progress()
            set_clock(by_s)
            load.progress()
        return load.told()
