"""brig run --session: through a brig that serves, over a service, and without either."""

import hashlib
import json
import os

import pytest

import host
from dispatcher import Dispatcher

CONFIG = ("[audit]\ndb = {folder}/log/audit.db\n[role local]\ntools = run_sandboxed\n"
          "sessions = yes\n[role plain]\ntools = run_sandboxed\n[token plain]\n"
          f"sha256 = {hashlib.sha256(b'token-plain').hexdigest()}\nrole = plain\n")


@pytest.fixture(scope="module", params=["serve", "service"])
def socket(request):
    if request.param == "serve":
        with Dispatcher(config=CONFIG) as running:
            yield running.socket
    else:
        with host.Service(cells=8) as running:
            yield running.socket


def brig_run(*args, **env):
    return host.run_brig("run", *args, text=True, env=env)


def test_in_steps(socket):
    first, status = host.run_json("--socket", socket, "--session", "new", "-c", "x = 6")
    assert status == 0
    session = first["session"]["id"]
    second, _ = host.run_json("--socket", socket, "--session", session, "-c", "x * 7")
    assert second["result"]["text"] == "42" and second["session"]["id"] == session
    fresh, status = host.run_json("--socket", socket, "-c", "x")
    assert status == 1 and "session" not in fresh


def test_what_is_shown(socket):
    first = brig_run("--socket", socket, "--session", "new", "-c", "print('out')")
    assert first.stdout == "out\n" and "pass it as session" in first.stderr
    session = first.stderr.split("session ")[1].split(":")[0]
    again = brig_run("--socket", socket, "--session", session, "-c", "1")
    assert again.stdout == "1\n" and again.stderr == ""
    wrote = brig_run("--socket", socket, "--session", session, "-c", "open('kept', 'w').close()")
    assert "files stay in the session" in wrote.stderr, wrote.stderr
    alone = brig_run("--socket", socket, "-c", "open('kept', 'w').close()")
    assert "files and charts are not kept" in alone.stderr, alone.stderr


def test_one_that_was_lost(socket):
    first, _ = host.run_json("--socket", socket, "--session", "new", "-c", "1")
    session = first["session"]["id"]
    killed = brig_run("--socket", socket, "--session", session, "-c",
                           "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == 137 and "session lost" in killed.stderr
    again = brig_run("--socket", socket, "--session", session, "-c", "1")
    assert again.returncode != 0 and again.stdout == "" and "session" in again.stderr
    assert "begin" in again.stderr, again.stderr


def test_an_unknown_one(socket):
    done = brig_run("--socket", socket, "--session", "s" + 32 * "0", "-c", "1")
    assert done.returncode == 126 and "no such session" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("session", ["", "a/b", "x" * 41])
def test_ids_that_are_none(socket, session):
    done = brig_run("--socket", socket, "--session", session, "-c", "1")
    assert done.returncode == 2 and "--session" in done.stderr


def test_without_a_brig_that_goes_on_running():
    done = brig_run("--socket", "/run/brig/nobody.sock", "--session", "new", "-c", "1")
    assert done.returncode == 2 and done.stdout == "" and "brig serve" in done.stderr
    if os.path.exists("/run/brig/http.sock") or os.path.exists("/run/brig/service.sock"):
        pytest.skip("a brig serves this host")
    done = brig_run("--session", "new", "-c", "1")
    assert done.returncode == 2 and done.stdout == "" and "brig serve" in done.stderr


def test_a_role_without_sessions(tmp_path):
    path = tmp_path / "token"
    path.write_text("token-plain")
    with Dispatcher(config=CONFIG) as brig:
        done = brig_run("--socket", brig.socket, "--session", "new", "--json", "-c", "1",
                        BRIG_TOKEN_FILE=str(path))
        assert done.returncode == 126 and "no sessions" in done.stderr
        assert json.loads(done.stdout)["outcome"] == "rejected"
