"""What one role's job takes while another role floods: over HTTP, each with a token of its own."""
import hashlib
import os
import signal
import subprocess
import time

from . import measure

ROLES = ("quiet", "flood")
FLOODERS = 16
WARM_S = 3


def config():
    """Sections for two roles and their tokens, which are their names."""
    return "".join(f"[role {name}]\ntools = calculate, run_sandboxed\n[token {name}]\n"
                   f"sha256 = {hashlib.sha256(name.encode()).hexdigest()}\nrole = {name}\n"
                   for name in ROLES)


class Flood:
    """Clients of one role that never rest, for the time of a with block."""

    def __init__(self, address, kind, body):
        self.command = [measure.BUILD + "http_latency", address, "/v1/run", "10000000",
                        str(FLOODERS), kind, body, '"outcome":"ok"']

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, "BENCH_TOKEN": "flood"})
        time.sleep(WARM_S)
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)  # each client is a process
        self.process.wait()


def figures(address, count, kind, bodies, pause_us):
    """{what floods: the quiet role's figures}, `alone` the first. `bodies`: what floods → a file."""
    quiet = next(iter(bodies.values()))

    def one():
        return measure.http(address, "/v1/run", count, 1, kind, quiet, '"outcome":"ok"', pause_us,
                            token="quiet")
    found = {"alone": one()}
    for name, body in bodies.items():
        with Flood(address, kind, body):
            found[name] = one()
    return found
