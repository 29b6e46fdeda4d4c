"""Running the clients of bench/ and reading what they print."""
import json
import os
import signal
import subprocess
import sys
import time

BUILD = "build/bench/"
LIMIT_S = 600


class Failed(Exception):
    """A measurement that gave no figure, with the reason."""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def finish(command, token=""):
    """Runs it to its end, but not for ever: then all of its session is killed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True,
                          env={**os.environ, "BENCH_TOKEN": token}) as process:
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as late:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failed(f"did not end within {LIMIT_S} s") from late
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def client(program, *arguments, cpu=None, token=""):
    """One of build/bench's programs; its line of JSON. Failed where any job was not ok."""
    command = [BUILD + program, *[str(word) for word in arguments]]
    if cpu is not None:
        command = ["taskset", "-c", str(cpu), *command]
    done = finish(command, token)
    reason = done.stderr.strip().splitlines()
    if done.returncode or not done.stdout:
        raise Failed(reason[-1] if reason else f"{program} ended with status {done.returncode}")
    figures = json.loads(done.stdout)
    if figures["ok"] != figures["jobs"]:
        raise Failed(f"{figures['jobs'] - figures['ok']} of {figures['jobs']} jobs were not ok: "
                     + (reason[-1] if reason else "no reason given"))
    return figures


def cell(socket, count, clients, code, pause_us=0, inputs=()):
    return client("cell_latency", socket, count, clients, code, pause_us, *inputs)


def http(address, path, count, clients, kind, body, expect, pause_us=0, cpu=None, token=""):
    return client("http_latency", address, path, count, clients, kind, body, expect, pause_us,
                  cpu=cpu, token=token)


def spawn(count, clients, command):
    return client("spawn_latency", count, clients, *command)


def printed(command):
    """What a peer's command prints: it is only measured once it does the work."""
    done = finish(command)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()
        raise Failed(reason[-1] if reason else f"status {done.returncode}")
    return done.stdout


def attempt(what, work):
    """The figures of work(), or {"failed": why}: one row that fails does not end the run."""
    say(what)
    try:
        return work()
    except Failed as failure:
        say(f"{what}: {failure}")
        return {"failed": str(failure)}


def median_of(times, work):
    """Milliseconds, the middle of some calls of work()."""
    took = []
    for _ in range(times):
        start = time.monotonic()
        work()
        took.append((time.monotonic() - start) * 1000)
    return sorted(took)[times // 2]
