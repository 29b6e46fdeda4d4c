"""The host as seen from outside: brig's processes, and what jobs could leave behind.

`Snapshot` is everything that must be the same before and after any number of jobs.
"""

import atexit
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BRIG = os.environ.get("BRIG", str(TOP / "build/brig"))
WATCHDOG_S = 600 if "BRIG_VM" in os.environ else 120  # without KVM a machine is many times slower
TEST_FOLDERS = ("pytest-of-", "brigtest-")
QUIET_ENV = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_RUNTIME_DIR", "BRIG_IMAGE",
                                                  "XDG_DATA_HOME") if name in os.environ}

CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000


# Where brig has its locks and sockets.
RUN = pathlib.Path("/run" if os.geteuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/run")) / "brig"


def take_own_mounts():
    """Mounts, a /tmp and a /run/brig of this process's own: what is compared before and after is its
    alone, and no brig that serves this host is found."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    folders = [(RUN, 0o755)]
    if not BRIG.startswith("/tmp/") and not str(TOP).startswith("/tmp/"):
        folders.append(("/tmp", 0o1777))
    for folder, mode in folders:
        os.makedirs(folder, exist_ok=True)
        own = tempfile.mkdtemp(prefix="brigtest-", dir="/var/tmp")
        os.chmod(own, mode)
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        done = done or libc.mount(own.encode(), os.fsencode(folder), None, MS_BIND, None)
    if done:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def wait_until(test, what, watchdog_s=WATCHDOG_S):
    """Waits for a condition that is certain to come; the watchdog is no measurement."""
    end = time.monotonic() + watchdog_s
    while not (got := test()):
        assert time.monotonic() < end, f"waited in vain: {what() if callable(what) else what}"
        time.sleep(0.01)
    return got


def status_of(pid):
    """/proc/PID/status as a dict, empty once the process is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def processes():
    """pid → (ppid, name, state) of every process that is not a zombie's shadow."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (status := status_of(entry)):
            found[int(entry)] = (int(status["PPid"]), status["Name"], status["State"][0])
    return found


def descendants(pid):
    """pid → name of all processes below `pid`."""
    table, below, grew = processes(), {pid}, True
    while grew:
        more = {p for p, (parent, _, _) in table.items() if parent in below} - below
        below |= more
        grew = bool(more)
    return {p: table[p][1] for p in below if p != pid and p in table}


def others_may_run():
    """Whether an ordinary user can reach brig: a build below a private folder cannot be tried so."""
    path = pathlib.Path(BRIG).resolve()
    return all(folder.stat().st_mode & 1 for folder in (path, *path.parents))


def rss_kib(pid):
    return int(status_of(pid)["VmRSS"].split()[0])


def fd_targets(pid):
    """What each descriptor of `pid` is, without the numbers that differ each time."""
    names = []
    for entry in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{entry}").split(":")[0]
            names.append(re.sub(r"/cell-\d+-\d+", "/cell", target))
        except FileNotFoundError:
            continue
    return sorted(names)


def cgroup_roots():
    roots = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        if right.split()[0] in ("cgroup", "cgroup2"):
            roots.append(pathlib.Path(left.split()[4].replace("\\040", " ")))
    return roots


def cgroups():
    """Every cgroup folder of brig's, in every hierarchy."""
    found = set()
    for root in cgroup_roots():
        for folder, names, _ in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                if "/brig." in path or "/cell-" in path:
                    found.add(path)
    return found


def cgroup_counts():
    """num_cgroups of each controller."""
    lines = pathlib.Path("/proc/cgroups").read_text().splitlines()[1:]
    return {line.split()[0]: int(line.split()[2]) for line in lines}


def listing(folder):
    found = []
    for at, names, files in os.walk(folder):
        found += [os.path.join(at, name) for name in names + files]
    return sorted(found)


def mounts():
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return sorted(line.split(None, 3)[3] for line in lines)


def held_instances():
    """Numbers of the instances whose groups a living launcher or service holds the lock on."""
    held = set()
    for path in cgroups():
        at, name = os.path.split(path)
        if not name.startswith("brig.") or "/brig." in at or not name[5:].isdigit():
            continue
        with contextlib.suppress(FileNotFoundError):
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                held.add(name[5:])
            finally:
                os.close(fd)
    return held


def orphaned_cgroups():
    """Those of instances that nobody runs any more."""
    found = cgroups()
    held = held_instances()
    found = {path for path in found if not any(f"/brig.{n}/" in path + "/" for n in held)}
    return sorted(path for path in found if os.path.isdir(path))


class Snapshot:
    """Mounts, cgroups, folders and brig's processes at one moment."""

    def __init__(self, pid=None):
        self.pid = pid
        self.mounts = mounts()
        self.cgroups = orphaned_cgroups()
        self.tmp = [name for name in os.listdir("/tmp") if not name.startswith(TEST_FOLDERS)]
        self.shm = listing("/dev/shm")
        self.run = [p for p in listing(RUN) if not p.endswith((".lock", ".sock"))]
        self.processes = sorted(descendants(pid).values()) if pid else []

    def differences(self):
        """What is not now as it was. A cgroup that has gone since is nobody's leftover."""
        found, now = [], Snapshot(self.pid)
        for name, mine in vars(self).items():
            theirs = getattr(now, name)
            gone = [x for x in mine if x not in theirs] if name != "pid" else []
            new = [x for x in theirs if x not in mine] if name != "pid" else []
            if new or (gone and name != "cgroups"):
                found.append(f"{name}: gone {gone}, new {new}")
            elif mine != theirs and name != "cgroups":
                found.append(f"{name}: {mine} became {theirs}")
        return found

    def must_be_the_same(self):
        """What is taken down behind the answers may take its time, but must go."""
        wait_until(lambda: not self.differences(), self.differences, watchdog_s=30)


def run_brig(*args, watchdog_s=WATCHDOG_S, env=None, **options):
    options.setdefault("stdin", subprocess.DEVNULL if "input" not in options else None)
    if "input" in options:
        del options["stdin"]
    options.setdefault("capture_output", True)
    return subprocess.run([BRIG, *map(os.fspath, args)], timeout=watchdog_s,
                          env={**QUIET_ENV, **(env or {})}, **options)


def run_json(*args, **options):
    """(object, exit status) of `brig run --json ARGS`."""
    done = run_brig("run", "--json", *args, **options)
    lines = done.stdout.splitlines()
    assert len(lines) == 1, (done.returncode, done.stdout[:2000], done.stderr[:2000])
    return json.loads(lines[0]), done.returncode


class Service:
    """`brig service` on a socket of its own. Without parked cells nothing stands in between jobs."""

    def __init__(self, cells=8, park=0, args=()):
        self.park = park
        self.folder = tempfile.TemporaryDirectory(prefix="brigtest-")
        os.chmod(self.folder.name, 0o755)
        self.socket = os.path.join(self.folder.name, "service.sock")
        self.log_path = os.path.join(self.folder.name, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [BRIG, "service", "--socket", self.socket, "--cells", str(cells),
                 "--park", str(park), *args],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=QUIET_ENV)
        wait_until(self._ready, f"no ready line: {self.log()}")

    def _ready(self):
        assert self.process.poll() is None, f"brig service ended: {self.log()}"
        return '"ready"' in self.log()

    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def children(self, name=None):
        return [p for p, n in sorted(descendants(self.pid).items()) if name in (None, n)]

    def service_pid(self):
        """The brig-service process itself: the one child of the parent."""
        for pid, (parent, name, _) in processes().items():
            if parent == self.pid and name.startswith("brig-service"):
                return pid
        raise AssertionError(f"no brig-service below {self.pid}: {descendants(self.pid)}")

    def cells(self):
        """Names of this service's cells, by their cgroups in any hierarchy."""
        return {path.rsplit("/", 1)[1] for path in cgroups() if "/cell-" in path and
                self.owns(path)}

    def settled(self):
        """Waits until only parked cells are left: an answer comes before its cell is taken down. One
        that is about to go counts as one, so a second look must find the same."""
        def parked():
            cells = self.cells()
            return cells if (len(cells) == self.park == len(self.children("brig-init")) ==
                             len(self.runners())) else None

        def still():
            cells = parked()
            time.sleep(0.05)
            return cells is not None and parked() == cells

        wait_until(still, lambda: f"{self.park} cells, not {self.cells()}: {descendants(self.pid)}")

    def runners(self):
        """Forks of a zygote, which bear its name and lie in a cell's pid namespace."""
        depth = len(status_of(self.service_pid()).get("NSpid", "").split())
        return [pid for pid in self.children("brig-zygote")
                if len(status_of(pid).get("NSpid", "").split()) > depth]

    def owns(self, path):
        """Whether a group is of this service."""
        if not hasattr(self, "_instance"):
            cgroup = pathlib.Path(f"/proc/{self.service_pid()}/cgroup").read_text()
            self._instance = next((part for line in cgroup.splitlines()
                                   for part in line.split("/") if part.startswith("brig.")), "brig.")
        return f"/{self._instance}/" in path

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(WATCHDOG_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
