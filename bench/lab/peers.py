"""What else runs Python: the commands, each over the image's own root where it can."""
import json
import os
import shutil
import subprocess

from . import measure, works

PYTHON = "/usr/bin/python3.13"


def image_folder():
    """The image's folder, as brig itself finds it."""
    name = os.environ.get("BRIG_IMAGE", "default")
    if "/" in name:
        return name
    base = "/var/lib" if os.geteuid() == 0 else os.environ.get(
        "XDG_DATA_HOME", os.path.expanduser("~/.local/share"))
    return os.path.join(base, "brig/images", name)


def mount_image(folder):
    """The image's root, mounted below `folder`; None where only root could. The mount goes with
    the mount namespace that bench/run is in."""
    image = image_folder()
    if os.path.isdir(os.path.join(image, "root")):
        return os.path.join(image, "root")
    root = os.path.join(folder, "root")
    os.makedirs(root, exist_ok=True)
    done = subprocess.run(["mount", "-t", "erofs", "-o", "ro,loop",
                           os.path.join(image, "root.erofs"), root], check=False)
    return root if done.returncode == 0 else None


class Peer:
    """One way to run Python code on an input, a process each time."""

    def __init__(self, name, title, base, data_words=None, needs=None, missing=None):
        self.name, self.title, self.base = name, title, base
        self.data_words = data_words or (lambda data: [])
        self.needs, self.missing = needs, missing

    def command(self, code, data):
        """`data` is a folder to be seen at /mnt/data, or None."""
        words = []
        for word in self.base:
            words += self.data_words(data) if word is DATA and data else [word]
        return [word for word in words if word is not DATA] + ["-I", "-c", code]

    def why_not(self):
        if self.missing:
            return self.missing
        if self.needs and not shutil.which(self.needs):
            return "not installed here"
        return None


DATA = object()


def peers(root):
    none = None if root else "needs root, to mount the image"
    root = root or "/"
    runsc = ["runsc", "--network=none", "--ignore-cgroups"]
    inside = ["do", "-root", root, "-cwd", "/", PYTHON]

    def bind(data):
        return ["--ro-bind", data, "/mnt/data"]

    return [
        Peer("host-python", "`python3 -I -c`, the host's", ["/usr/bin/python3"]),
        Peer("python", "`python3 -I -c`, the image's", ["chroot", root, PYTHON], missing=none),
        Peer("bwrap", "`bwrap` + the image's Python",
             ["bwrap", "--ro-bind", root, "/", DATA, "--dev", "/dev", "--tmpfs", "/tmp",
              "--unshare-all", "--die-with-parent", PYTHON], bind, "bwrap", none),
        Peer("runsc", "`runsc` + the image's Python", runsc + inside, None, "runsc", none),
    ]


def show_data(root, data):
    """Binds `data` to /mnt/data of the mounted image, for those that have no flag for it."""
    target = os.path.join(root, "mnt/data")
    subprocess.run(["umount", target], check=False, stderr=subprocess.DEVNULL)
    if data:
        subprocess.run(["mount", "--bind", data, target], check=True)


def can_do(peer, work):
    """None, or why this peer is not asked to do this work."""
    reason = peer.why_not()
    if reason:
        return reason
    if peer.name == "host-python" and work.name != "print":
        return "the host's Python has no pandas or matplotlib of the image's versions"
    return None


def run_peer(peer, work, folder, count, clients=1):
    """The figures of one peer and one work."""
    reason = can_do(peer, work)
    if reason:
        raise measure.Failed(reason)
    command = peer.command(work.plain, works.data_folder(folder, work))
    shown = measure.printed(command)
    if work.expect not in shown:
        raise measure.Failed(f"printed something else: {shown[:80]!r}")
    return measure.spawn(count, clients, command)


NPM = "build/bench/node_modules/pyodide"


def fetch_pyodide():
    """The npm package, below build/."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise measure.Failed("node or npm is not installed here")
    if not os.path.isdir(NPM):
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock",
                               "--ignore-scripts", "--prefix", "build/bench", "pyodide"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise measure.Failed("npm install pyodide: " + (done.stderr.strip() or "failed"))
    with open(f"{NPM}/package.json", encoding="utf-8") as source:
        return json.load(source)["version"]


def pyodide_warm(count, code):
    done = subprocess.run(["node", "bench/pyodide.mjs", NPM, str(count), code],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise measure.Failed(next((l for l in lines if "Error" in l), "node failed")[:200])
    return json.loads(done.stdout)


def pyodide_cold(count, code):
    return measure.spawn(count, 1, ["node", "bench/pyodide.mjs", NPM, "0", code])
