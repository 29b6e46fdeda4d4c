"""SIGHUP and --check-config: what is taken over, what waits, what is refused, and that each is said."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

import pytest

import host
from dispatcher import AUDITOR, BILLING, RESEARCH, Dispatcher

SECRETS = "a-secret-of-the-operator\n"


@pytest.fixture
def brig():
    with Dispatcher() as running:
        yield running


def events(brig, name):
    return [line for line in map(json.loads, brig.log_text().splitlines()) if line["event"] == name]


def reload(brig):
    """The event that a reload ends in."""
    def ended():
        return events(brig, "reloaded") + events(brig, "reload_failed")
    before = len(ended())
    brig.process.send_signal(signal.SIGHUP)
    host.wait_until(lambda: len(ended()) > before, "the reload")
    return [line for line in map(json.loads, brig.log_text().splitlines())
            if line["event"].startswith("reload")][-1]


def check(brig):
    return subprocess.run([host.BRIG, "serve", "--check-config", brig.config], text=True,
                          stdout=subprocess.PIPE)


def rewrite(brig, old, new):
    text = brig.config.read_text()
    assert old in text
    brig.config.write_text(text.replace(old, new))


CHANGES = {
    "listen": ("[role local]", "[server]\nlisten = 127.0.0.1:1\n[role local]"),
    "socket": ("[role local]", "[server]\nsocket = /run/brig/other.sock\n[role local]"),
    "socket_group": ("[role local]", "[server]\nsocket_group = root\n[role local]"),
    "user": ("[role local]", "[server]\nuser = nobody\n[role local]"),
    "connections_max": ("[role local]", "[server]\nconnections_max = 7\n[role local]"),
    "allow_degraded": ("[role local]", "[service]\nallow_degraded = memory\n[role local]"),
    "cells_max": ("[role local]", "[service]\ncells_max = 7\n[role local]"),
    "jobs_at_once in [service]": ("[role local]", "[service]\njobs_at_once = 7\n[role local]"),
    "db": ("/log/audit.db", "/log/other.db"),
    "durability": ("[audit]", "[audit]\ndurability = power"),
}


def test_what_a_reload_cannot_take_over_is_named():
    with Dispatcher(extra="\n") as brig:
        text = brig.config.read_text()
        for key, (old, new) in CHANGES.items():
            brig.config.write_text(text.replace(old, new, 1))
            assert reload(brig).get("needs_restart") == key
            assert brig.run("6*7").status == 200
        brig.config.write_text(text)
        told = reload(brig)
        assert told["event"] == "reloaded" and "needs_restart" not in told
        metrics = brig.request("GET", "/metrics").body.decode()
        assert f'brig_reloads_total{{result="ok"}} {len(CHANGES) + 1}\n' in metrics


def test_a_failed_reload_is_counted(brig):
    brig.config.write_text("[role\n")
    assert reload(brig)["event"] == "reload_failed"
    text = brig.request("GET", "/metrics").body.decode()
    assert 'brig_reloads_total{result="failed"} 1\n' in text


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's halves share the uid")
@pytest.mark.parametrize("which", ["config", "redact"])
def test_what_the_dispatcher_cannot_read_is_refused_beforehand(brig, which):
    redact = brig.folder / "redact"
    redact.write_text(SECRETS)
    redact.chmod(0o640)
    gid = host.status_of(brig.child("brig"))["Gid"].split()[0]
    os.chown(redact, 0, int(gid))
    rewrite(brig, "[audit]", f"[audit]\nredact_file = {redact}")
    assert check(brig).returncode == 0 and reload(brig)["event"] == "reloaded"
    closed = brig.config if which == "config" else redact
    closed.chmod(0o600)
    rewrite(brig, "[role billing]\ntools = calculate", "[role billing]\ntools = run_sandboxed")
    checked = check(brig)
    assert checked.returncode == 2 and str(closed) in checked.stdout, checked.stdout
    assert "chgrp" in checked.stdout and gid in checked.stdout
    told = reload(brig)
    assert told["event"] == "reload_failed" and str(closed) in told["error"]
    assert brig.calculate("1", BILLING).status == 200  # as it was
    os.chown(closed, 0, int(gid))
    closed.chmod(0o640)
    assert check(brig).returncode == 0 and reload(brig)["event"] == "reloaded"
    assert brig.calculate("1", BILLING).status == 403


def test_an_image_that_is_not_there(brig):
    rewrite(brig, "[role research]", "[role research]\nimage = no-such-image")
    done = check(brig)
    assert done.returncode == 2 and "[role research] has image = no-such-image" in done.stdout


def test_a_role_that_loses_code_keeps_its_root_unused(brig):
    rewrite(brig, "[role research]\ntools = calculate, run_sandboxed",
            "[role research]\ntools = calculate")
    done = check(brig)
    assert done.returncode == 0 and "note: [role research] has a file_root" in done.stdout
    assert reload(brig)["event"] == "reloaded"
    assert brig.run("1", RESEARCH).status == 403 and brig.calculate("1", RESEARCH).status == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's halves share the uid")
@pytest.mark.parametrize("length", [10, 150])
def test_a_folder_for_the_log_that_will_not_do(brig, length):
    """The whole sentence, however long the name."""
    folder = brig.folder / ("x" * length)
    folder.mkdir()
    rewrite(brig, f"{brig.folder}/log/audit.db", f"{folder}/audit.db")
    done = check(brig)
    assert done.returncode == 2 and "cannot be written by the dispatcher" in done.stdout
    assert done.stdout.rstrip().endswith(
        f"as {folder}/brig/audit.db" if length == 10 else "as `db` in [audit]"), done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="images are in root's store")
def test_readyz_says_why_a_service_cannot_be_started(tmp_path, monkeypatch):
    image = pathlib.Path(os.environ.get("BRIG_IMAGE", "default"))
    image = image if "/" in str(image) else pathlib.Path("/var/lib/brig/images") / image
    own = pathlib.Path(tempfile.mkdtemp(prefix="brigtest-", dir=image.parent)) / "own"
    try:
        subprocess.run(["cp", "-al", image, own], check=True)
        monkeypatch.setenv("BRIG_IMAGE", str(own))
        with Dispatcher() as brig:
            assert brig.run("6*7").status == 200
            own.rename(own.with_name("away"))
            brig.kill("brig-service")

            def told(headers=None):
                reply = brig.request("GET", "/readyz", headers=headers)
                return reply.json["detail"] if reply.status == 503 else ""
            host.wait_until(lambda: "cannot be started: " in told(), "the cause")
            assert "own" in told(), told()
            assert told({"X-Forwarded-For": "192.0.2.1"}).endswith("the server's log says why")
            refused = brig.run("1")
            assert refused.status == 503 and "cannot be started" in refused.json["detail"]
            own.with_name("away").rename(own)
            host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "it is back")
            assert brig.run("6*7").status == 200
    finally:
        shutil.rmtree(own.parent, ignore_errors=True)


def begun(brig, code, doing):
    """A job that runs, its caller waiting for it elsewhere: (what to call for the reply, its id)."""
    before = {row[0] for row in brig.audit("call", "kind = 'accepted'")}
    replies = []
    thread = threading.Thread(target=lambda: replies.append(doing(code)))
    thread.start()
    new = lambda: {row[0] for row in brig.audit("call", "kind = 'accepted'")} - before
    job = host.wait_until(lambda: next(iter(new()), None), "its row")
    running = lambda: brig.request("GET", f"/v1/jobs/{job}", token=AUDITOR).json["state"] == "running"
    host.wait_until(running, "it runs")

    def reply():
        thread.join(host.WATCHDOG_S)
        return replies[0]
    return reply, job


CI = "[token ci]\nsha256 = {sha256}\nrole = research\n"
SLOW = "import time\nprint('what it did', flush=True)\ntime.sleep({})"
TAKEN = {"token": ("", "its token is no more"),
         "role": (CI.replace("research", "local"), "its token has another role now")}


@pytest.mark.parametrize("how", TAKEN)
@pytest.mark.parametrize("door", ["rest", "events", "mcp"])
def test_a_job_of_a_token_that_is_no_more_is_cancelled(brig, door, how):
    """As its sessions are; nothing of it is delivered, and the jobs of others go on."""
    sha256 = hashlib.sha256(RESEARCH.encode()).hexdigest()
    doors = {
        "rest": lambda code: brig.run(code, RESEARCH),
        "events": lambda code: brig.run(code, RESEARCH, {"Accept": "text/event-stream"}),
        "mcp": lambda code: brig.mcp(
            "tools/call", {"name": "run_sandboxed", "arguments": {"code": code}}, RESEARCH)}
    mine, job = begun(brig, SLOW.format(60), doors[door])
    theirs, _ = begun(brig, SLOW.format(3), brig.run)
    text, why = TAKEN[how]
    rewrite(brig, CI.format(sha256=sha256), text.format(sha256=sha256))
    assert reload(brig)["event"] == "reloaded"
    reply = mine()
    if door == "rest":
        assert reply.status == 403 and why in reply.json["detail"]
    elif door == "events":
        assert [data["detail"] for event, data in reply.events() if event == "problem"] == [why]
        assert not [event for event, data in reply.events() if event == "result"]
    else:
        assert reply.json["result"]["isError"] and why in reply.json["result"]["content"][0]["text"]
    if door != "events":
        assert b"what it did" not in reply.body
    assert brig.audit("outcome", f"kind = 'completed' and call = '{job}'") == [("cancelled",)]
    assert theirs().json["outcome"] == "ok"
