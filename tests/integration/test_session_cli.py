"""brig run --session: through a brig that serves, over a service, and without either."""

import hashlib
import json

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


def brig_session(*args, **env):
    return host.run_brig("session", *args, text=True, env=env)


@pytest.fixture(scope="module")
def serving():
    with Dispatcher(config=CONFIG) as running:
        yield running.socket


def begin(socket):
    return host.run_json("--socket", socket, "--session", "new", "-c", "x = 6")[0]["session"]["id"]


def test_list_and_close(serving):
    first, second, third = begin(serving), begin(serving), begin(serving)
    host.run_json("--socket", serving, "--session", third, "-c",
                  "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    listed = brig_session("list", "--socket", serving)
    assert (listed.returncode, listed.stderr) == (0, "")
    rows = {line.split()[0]: line.split(None, 3)[1:] for line in listed.stdout.splitlines()}
    assert list(rows)[:2] == [second, first] and rows[first][0] == "idle"
    assert rows[first][1] < rows[first][2]
    assert rows[third][0] == "lost" and "process" in rows[third][2], rows
    told = json.loads(brig_session("list", "--json", "--socket", serving).stdout)
    assert {s["id"] for s in told["sessions"]} == set(rows)
    closed = brig_session("close", first, third, "--socket", serving)
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")
    again = brig_session("close", first, second, "--socket", serving)
    assert again.returncode == 1 and again.stdout == ""
    assert again.stderr.startswith(f"brig: session: {first}: no such session"), again.stderr
    assert brig_session("list", "--socket", serving).stdout == ""


def test_whose_sessions(serving, tmp_path):
    token, wrong = tmp_path / "token", tmp_path / "wrong"
    token.write_text("token-plain\n")
    wrong.write_text("token-of-nobody\n")
    session = begin(serving)
    assert brig_session("list", "--socket", serving, BRIG_TOKEN_FILE=str(token)).stdout == ""
    theirs = brig_session("close", session, "--socket", serving, BRIG_TOKEN_FILE=str(token))
    assert theirs.returncode == 1 and "no such session" in theirs.stderr
    refused = brig_session("list", "--socket", serving, BRIG_TOKEN_FILE=str(wrong))
    assert refused.returncode == 126 and "BRIG_TOKEN_FILE" in refused.stderr
    assert brig_session("close", session, "--socket", serving).returncode == 0


@pytest.mark.parametrize("args, words", [
    ([], "list"), (["lst"], "did you mean list"), (["close"], "ID"), (["list", "s1"], "no words"),
    (["close", "a/../b"], "no id"), (["close", ""], "no id"), (["close", "s1", "--json"], "--json"),
    (["list", "--sockt", "x"], "--socket"), (["list", "--socket", "/nonexistent"], "brig serve")])
def test_wrong_words(args, words):
    done = brig_session(*args)
    assert done.returncode == 2 and done.stdout == "" and words in done.stderr, done
    assert len(done.stderr.splitlines()) == 1


def test_a_service_alone_lists_none():
    with host.Service(cells=2) as running:
        done = brig_session("list", "--socket", running.socket)
    assert done.returncode == 2 and "brig serve" in done.stderr, done
