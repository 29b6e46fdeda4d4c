"""./quickstart on a machine that has it all: ends with a service that its caller can reach."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess

import pytest

import host

OUT = host.TOP / "build" / "quickstart"

# A /run of its own, so that no other brig is found, and no other finds this one.
APART = 'mount -t tmpfs none /run && exec ./quickstart'


@pytest.fixture
def somebody():
    """An ordinary user who called sudo."""
    name = f"brigq{os.getpid()}"
    had_group = subprocess.run(["getent", "group", "brig"], capture_output=True).returncode == 0
    subprocess.run(["useradd", "--no-create-home", "--shell", "/bin/sh", name], check=True)
    try:
        yield name
    finally:
        subprocess.run(["userdel", name], check=True, capture_output=True)
        if not had_group:
            subprocess.run(["groupdel", "brig"], check=False, capture_output=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_service():
    with contextlib.suppress(OSError, ValueError):
        pid = int((OUT / "serve.pid").read_text(encoding="utf-8"))
        if pathlib.Path(f"/proc/{pid}/exe").samefile(host.BRIG):
            os.kill(pid, signal.SIGTERM)
    with contextlib.suppress(OSError):
        (OUT / "serve.pid").unlink()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="quickstart installs packages: root")
def test_ends_with_a_service_for_its_caller(somebody):
    end_service()
    environment = dict(os.environ, SUDO_USER=somebody, BRIG_PORT=str(free_port()))
    try:
        done = subprocess.run(["unshare", "-m", "bash", "-c", APART], cwd=host.TOP,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=900)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert f"{somebody} is in the group brig now" in done.stdout
        assert "tools: calculate, run_sandboxed" in done.stdout
        assert 'run_sandboxed({"code": "print(6 * 7)"}): stdout:\n42' in done.stdout
        assert f"For an MCP client, tried as {somebody}:" in done.stdout
        assert (OUT / "climate.png").stat().st_size > 10_000
        line = done.stdout.strip().splitlines()[-1]
        reachable = subprocess.run(["runuser", "-u", somebody, "--", "test", "-x", host.BRIG],
                                   check=False).returncode == 0
        assert ('"command"' if reachable else '"url"') in line
        assert ("newgrp brig there" in done.stdout) == reachable
    finally:
        end_service()


@pytest.mark.parametrize("args,port,status,words", [
    (["-h"], None, 0, "usage:"), (["--help"], None, 0, "BRIG_PORT"),
    (["--port"], None, 2, "usage:"), (["-x", "-h"], None, 2, "no '-x' here"),
    (["word"], None, 2, "usage:"), ([], "http", 2, "BRIG_PORT=http is no port"),
    ([], "70000", 2, "is no port")])
def test_usage(args, port, status, words):
    """Nothing is begun for a word that it does not know."""
    environment = {"PATH": os.environ["PATH"], **({"BRIG_PORT": port} if port else {})}
    done = subprocess.run(["./quickstart", *args], cwd=host.TOP, env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=host.WATCHDOG_S)
    assert done.returncode == status, done.stderr
    told = done.stderr if status else done.stdout
    assert words in told and "==" not in done.stdout + done.stderr
