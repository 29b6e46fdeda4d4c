"""The lab: a service with cells, the host's side of every attack, and how both are run."""

import base64
import ctypes
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HERE = os.path.dirname(os.path.abspath(__file__))
# Without KVM a machine is many times slower.
WATCHDOG_S, SLOW_LIMITS = 90, ()
if "BRIG_VM" in os.environ:
    WATCHDOG_S, SLOW_LIMITS = 400, ("--wall", "240s", "--cpu", "240s")
KEYCTL, ADD_KEY, JOIN_SESSION = 250, 248, 1
LANDLOCK_CREATE_RULESET, ABI_VERSION = 444, 1
FAULTS = r"Sanitizer|runtime error:|[Aa]ssertion|stack smashing|buffer overflow"
SHM_KEY = 0x62726967
ROOTS_MUTANT = "/var/lib/brig/images/mutant"  # a folder: an ordinary user may mount it too

with open(os.path.join(HERE, "probe.py"), encoding="utf-8") as _file:
    PROBE = _file.read()


def no_number(text):
    """NaN and Infinity are no JSON: an answer with them is none."""
    raise ValueError(text)


class Listeners:
    """Loopback listeners of the test's own; whoever connects is counted."""

    def __init__(self, folder):
        self.count = 0
        self.places = {}
        self.sockets = []
        self.abstract = "brig-proof-" + secrets.token_hex(6)
        self._add("TCP", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self._add("TCP6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
        self._add("UDP", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self._add("UNIX", socket.AF_UNIX, socket.SOCK_STREAM, folder + "/stream")
        self._add("DGRAM", socket.AF_UNIX, socket.SOCK_DGRAM, folder + "/dgram")
        self._add("ABSTRACT", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.abstract)
        self._add("ABSDGRAM", socket.AF_UNIX, socket.SOCK_DGRAM, "\0" + self.abstract + "-d")
        self.places["ABSTRACT"] = self.abstract
        self.places["ABSDGRAM"] = self.abstract + "-d"

    def _add(self, name, family, kind, address):
        try:
            listener = socket.socket(family, kind)
            listener.bind(address)
        except OSError:
            self.places[name] = "0"
            return
        if family == socket.AF_UNIX and address[0] != "\0":
            os.chmod(address, 0o777)
        where = listener.getsockname()
        self.places[name] = str(where[1]) if isinstance(where, tuple) else str(where)
        if kind == socket.SOCK_STREAM:
            listener.listen(16)
        self.sockets.append(listener)
        threading.Thread(target=self._serve, args=(listener, kind), daemon=True).start()

    def _serve(self, listener, kind):
        while True:
            try:
                if kind == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(2048)
            except OSError:
                return
            self.count += 1


class Service:
    """One holder with its cells, of a build and with layers left out."""

    def __init__(self, lab, build, cells=4, leave_out="", silently=False):
        self.lab, self.build = lab, build
        flavour = "" if build == "release" else build
        if build == "release" and lab.flavour:
            flavour = lab.flavour
        out = os.path.join(TOP, "build", flavour).rstrip("/")
        self.brig = lab.brig or os.path.join(TOP, "build/brig")
        self.socket = os.path.join(lab.folder, "s" + secrets.token_hex(4))
        environment = {"PATH": os.environ["PATH"], "BRIG_CANARY": lab.canary}
        if build != "release":
            environment["BRIG_IMAGE"] = "mutant" if os.geteuid() == 0 else ROOTS_MUTANT
        elif "BRIG_IMAGE" in os.environ:
            environment["BRIG_IMAGE"] = os.environ["BRIG_IMAGE"]
        for name in ("XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME"):
            if name in os.environ:
                environment[name] = os.environ[name]
        if leave_out:
            environment["BRIG_LEAVE_OUT"] = leave_out.replace(" ", ",")
            environment["BRIG_LEAVE_OUT_SILENTLY"] = "1" if silently else "0"
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [out + "/tests/holder", self.socket, str(cells), *lab.allow],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=environment)
        if self.process.stdout.readline() != "ready\n":
            self.process.wait()
            self.log.seek(0)
            raise RuntimeError(self.log.read().strip() or "the service did not start")

    def pid(self):
        """The service's own pid, below the holder."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(path, encoding="ascii") as file:
            return int(file.read().split()[0])

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log.seek(0)
        self.lab.noise += [line.strip() for line in self.log if re.search(FAULTS, line)]
        self.log.close()


class Job:
    """A job that runs; result() waits for its JSON."""

    def __init__(self, lab, service, code, args, files):
        self.lab = lab
        self.folder = tempfile.mkdtemp(dir=lab.folder)
        flags = []
        for file, data in files.items():
            path = os.path.join(self.folder, file)
            with open(path, "wb") as out:
                out.write(data)
            flags += ["--file", path]
        path = os.path.join(self.folder, "attack.py")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write(PROBE + lab.fill(code))
        self.process = subprocess.Popen(
            [service.brig, "run", "--json", "--receipt", "--socket", service.socket,
             *SLOW_LIMITS, *args, *flags, path],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def result(self, seconds=WATCHDOG_S):
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            return {"outcome": "no answer", "stdout": "", "stderr": "", "raw": b""}
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        try:
            result = json.loads(out.decode("utf-8"), parse_constant=no_number)
        except ValueError:
            return {"outcome": "no result", "stdout": "", "raw": out,
                    "stderr": err.decode("utf-8", "replace"), "status": self.process.returncode}
        result["raw"], result["status"] = out, self.process.returncode
        result["notices"] = err.decode("utf-8", "replace")
        return result


class Lab:
    """Everything a case may use."""

    def __init__(self, brig="", allow="", flavour=""):
        self.brig, self.flavour, self.allow = brig, flavour, [allow] if allow else []
        self.gaps = set(allow.split(",")) if allow else set()
        # Hosts differ in their umask: what the attacks look for is open to everyone.
        self.folder = tempfile.mkdtemp(prefix="brig-proof-")
        os.chmod(self.folder, 0o755)
        self.canary = "canary-" + secrets.token_hex(16)
        self.canary_path = os.path.join(self.folder, "file-" + secrets.token_hex(8))
        with open(self.canary_path, "w", encoding="ascii") as file:
            file.write(self.canary)
        os.chmod(self.canary_path, 0o644)
        self.listeners = Listeners(self.folder)
        self.mark = "m" + secrets.token_hex(4)
        self.services = {}
        self.noise = []  # what sanitizers and asserts of the service said
        self.current = None  # the service of the case in hand, where it is not the usual one
        self.key = self._plant_key()

    def _plant_key(self):
        """A System V segment, and a key in a session keyring that every child inherits."""
        libc = ctypes.CDLL(None, use_errno=True)
        self.segment = libc.shmget(SHM_KEY, 4096, 0o1666)
        if libc.syscall(KEYCTL, JOIN_SESSION, b"brig-proof") < 0:
            return ""
        description = self.mark + "-key"
        serial = libc.syscall(ADD_KEY, b"user", description.encode(), b"secret", 6, -3)
        return description if serial > 0 else ""

    @staticmethod
    def landlock_abi():
        return ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, ABI_VERSION)

    def fill(self, code):
        xored = base64.b64encode(bytes(b ^ 0xff for b in self.canary.encode())).decode()
        places = {**self.listeners.places, "CANARY": self.canary_path, "MARK": self.mark,
                  "CANARYNAME": os.path.basename(self.canary_path), "XORED": xored,
                  "KEY": self.key}
        return re.sub("@([A-Z0-9]+)@", lambda m: places.get(m[1], m[0]), code)

    def service(self, build="", leave_out="", **options):
        if not build and self.current:
            return self.current
        build = build or "release"
        key = (build, leave_out, options.get("silently", False))
        if key not in self.services or self.services[key].process.poll() is not None:
            self.services[key] = Service(self, build, leave_out=leave_out, **options)
        return self.services[key]

    def drop(self, service):
        """Ends a service that is not wanted any more."""
        for key in [k for k, v in self.services.items() if v is service]:
            del self.services[key]
        service.close()

    def start(self, code, args=(), files=None, service=None):
        return Job(self, service or self.service(), code, tuple(args), files or {})

    def cell(self, code, args=(), files=None, service=None):
        return self.start(code, args, files, service).result()

    def native(self, code, room="ns"):
        """The attack on the host. Returns its standard output."""
        folder = tempfile.mkdtemp(dir=self.folder)
        path = os.path.join(folder, "attack.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(PROBE + self.fill(code))
        command = ["python3", "-I", path]
        if room == "ns":
            as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
            command = ["unshare", *as_root, "--mount", "--ipc", "--uts", "--pid", "--fork", "--kill-child",
                       "--mount-proc", *command]
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
            env={"PATH": os.environ["PATH"], "BRIG_CONTROL": "1", "BRIG_CANARY": self.canary})
        try:
            out, err = process.communicate(timeout=WATCHDOG_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        shutil.rmtree(folder, ignore_errors=True)
        return out.decode("utf-8", "replace") + err.decode("utf-8", "replace")[-300:]

    def processes_named(self, text):
        """Processes of the host whose name holds `text`."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/comm", encoding="utf-8", errors="replace") as file:
                    if text in file.read():
                        found.append(int(entry))
            except OSError:
                continue
        return found

    def close(self):
        for service in list(self.services.values()):
            service.close()
        if self.segment >= 0:
            ctypes.CDLL(None).shmctl(self.segment, 0, None)
        shutil.rmtree(self.folder, ignore_errors=True)
