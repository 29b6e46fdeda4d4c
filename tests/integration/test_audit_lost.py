"""An audit log that is removed or replaced under a running brig: nothing is served until somebody
has put it back, or has said that a new one begins."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

import host
from dispatcher import AUDITOR, RESEARCH, Dispatcher

FILES = ("audit.db", "audit.db-wal", "audit.db-shm")


@pytest.fixture
def brig():
    with Dispatcher() as running:
        assert running.run("'before'").status == 200
        yield running


def log_of(brig):
    return pathlib.Path(brig.folder / "log")


def events(brig, name):
    return [line for line in map(json.loads, brig.log_text().splitlines()) if line["event"] == name]


def move_away(brig, names, to="away"):
    (log_of(brig) / to).mkdir(exist_ok=True)
    for name in names:
        (log_of(brig) / name).rename(log_of(brig) / to / name)


def rm_all(brig):
    for name in FILES:
        (log_of(brig) / name).unlink()


def replace_by_a_copy(brig):
    shutil.copy(log_of(brig) / "audit.db", log_of(brig) / "copy")
    (log_of(brig) / "copy").rename(log_of(brig) / "audit.db")


def replace_by_garbage(brig):
    (log_of(brig) / "new").write_text("no log")
    owner = (log_of(brig) / "audit.db").stat()
    os.chown(log_of(brig) / "new", owner.st_uid, owner.st_gid)
    (log_of(brig) / "new").rename(log_of(brig) / "audit.db")


LOSSES = {
    "rm of all": rm_all,
    "rm of the database": lambda brig: (log_of(brig) / "audit.db").unlink(),
    "rm of the WAL": lambda brig: (log_of(brig) / "audit.db-wal").unlink(),
    "rm of its index": lambda brig: (log_of(brig) / "audit.db-shm").unlink(),
    "mv": lambda brig: move_away(brig, ["audit.db"]),
    "mv of the folder": lambda brig: log_of(brig).rename(brig.folder / "log2"),
    "a copy in its place": replace_by_a_copy,
    "garbage in its place": replace_by_garbage,
}


def must_refuse(brig):
    """Every door says why, readiness and the log too; and nothing runs."""
    for reply in (brig.run("open('/mnt/out/ran','w')"), brig.calculate("6*7"),
                  brig.request("GET", "/v1/audit", token=AUDITOR),
                  brig.request("GET", "/v1/audit/verify", token=AUDITOR)):
        assert reply.status == 503 and int(reply.headers["Retry-After"]) > 0
        assert "audit log is not at its place" in reply.json["detail"], reply.body
    told = brig.mcp("tools/call", {"name": "calculate", "arguments": {"expr": "6*7"}}).json
    assert "audit log is not at its place" in told["result"]["content"][0]["text"]
    assert told["result"]["isError"]
    done = host.run_brig("run", "--socket", brig.socket, "-c", "1")
    assert done.returncode == 125 and b"audit log is not at its place" in done.stderr
    host.wait_until(lambda: brig.request("GET", "/readyz").status == 503, "/readyz")
    assert "audit log" in brig.request("GET", "/readyz").json["detail"]
    assert b"brig_audit_lost 1" in brig.request("GET", "/metrics").body
    assert brig.request("GET", "/healthz").status == 200
    lost = host.wait_until(lambda: events(brig, "audit_lost"), "the event")
    assert len(lost) == 1 and "SIGHUP" in lost[0]["error"], lost


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
def test_nothing_is_served_without_the_log(brig, lose):
    lose(brig)
    must_refuse(brig)


def test_it_is_noticed_without_a_call(brig):
    rm_all(brig)
    host.wait_until(lambda: brig.request("GET", "/readyz").status == 503, "/readyz")
    assert events(brig, "audit_lost")


def test_the_same_files_back_again(brig):
    move_away(brig, FILES)
    must_refuse(brig)
    for name in FILES:
        (log_of(brig) / "away" / name).rename(log_of(brig) / name)
    host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "/readyz")
    assert brig.run("'after'").status == 200 and events(brig, "audit_back")
    assert [row[0] for row in brig.audit("code", "kind = 'accepted'")] == ["'before'", "'after'"]
    done = host.run_brig("audit", "verify", "--db", log_of(brig) / "audit.db")
    assert done.returncode == 0, done.stderr


def reload(brig):
    before = len(events(brig, "reloaded")) + len(events(brig, "reload_failed"))
    brig.process.send_signal(signal.SIGHUP)
    host.wait_until(lambda: len(events(brig, "reloaded")) + len(events(brig, "reload_failed"))
                    > before, "a reload")


@pytest.mark.parametrize("names", [["audit.db"], FILES], ids=["database", "all"])
def test_a_reload_begins_a_new_one(brig, names):
    """As logrotate does it: the old log keeps every row, the new one says what it follows."""
    move_away(brig, names)
    must_refuse(brig)
    reload(brig)
    assert brig.request("GET", "/readyz").status == 200
    assert brig.run("'after'").status == 200
    old, new = log_of(brig) / "away/audit.db", log_of(brig) / "audit.db"
    exported = {}
    for path in (old, new):
        done = host.run_brig("audit", "verify", "--db", path)
        assert done.returncode == 0, done.stderr
        lines = host.run_brig("audit", "export", "--db", path).stdout.splitlines()
        exported[path] = [json.loads(line) for line in lines]
    last = exported[old][-1]
    assert last["code"] == "" and last["kind"] == "completed" and last["outcome"] == "ok"
    first, *rest = exported[new]
    assert (first["seq"], first["tool"], first["kind"]) == (1, "audit_begin", "single")
    note = first["note"] if isinstance(first["note"], dict) else json.loads(first["note"])
    assert (note["after"], note["hash"]) == (last["seq"], last["hash"])
    assert events(brig, "audit_begins")[0]["after"] == last["hash"]
    assert [row["code"] for row in rest if row["kind"] == "accepted"] == ["'after'"]
    listed = json.loads(brig.request("GET", "/v1/audit", token=AUDITOR).body)["calls"]
    assert [call["tool"] for call in listed] == ["run_sandboxed", "audit_begin"]


def test_a_reload_takes_no_garbage_for_a_log(brig):
    replace_by_garbage(brig)
    reload(brig)
    assert "no log of brig's" in events(brig, "reload_failed")[0]["error"]
    assert brig.run("1").status == 503
    assert brig.request("GET", "/v1/audit", token=AUDITOR).status == 503
    (log_of(brig) / "audit.db").unlink()
    reload(brig)
    assert brig.run("1").status == 200


def test_a_job_that_runs_meanwhile_is_not_told(brig):
    """Its result could not be logged either."""
    process = subprocess.Popen([host.BRIG, "run", "--socket", brig.socket, "-c",
                                "print('go', flush=True); import time; time.sleep(3); print('end')"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"go\n"
    rm_all(brig)
    _, told = process.communicate(timeout=host.WATCHDOG_S)
    assert process.returncode == 125 and b"audit log is not at its place" in told, told


def test_a_reload_with_the_log_in_place_keeps_it(brig):
    reload(brig)
    assert brig.run("1").status == 200 and not events(brig, "audit_begins")
    assert not brig.audit("1", "tool = 'audit_begin'")


def test_a_long_wal_is_not_copied_into_another_log(brig):
    """The thread that copies has a connection of its own."""
    large = "x = 0  # " + os.urandom(400_000).hex()
    for _ in range(24):
        assert brig.run(large, RESEARCH).status == 200
    move_away(brig, FILES)
    must_refuse(brig)
    reload(brig)
    for _ in range(24):
        assert brig.run(large, RESEARCH).status == 200
    for path in (log_of(brig) / "away/audit.db", log_of(brig) / "audit.db"):
        done = host.run_brig("audit", "verify", "--db", path)
        assert done.returncode == 0, done.stderr


@pytest.fixture
def small_disk():
    """A brig whose log is on a disk of its own."""
    if os.geteuid() != 0:
        pytest.skip("mounts a disk: needs root")
    brig = Dispatcher()
    (brig.folder / "log").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0777", "none", log_of(brig)], check=True)
    try:
        with brig:
            yield brig
            subprocess.run(["umount", "-l", log_of(brig)], check=True)
    except BaseException:
        subprocess.run(["umount", "-l", log_of(brig)], check=False)
        raise


def test_a_full_disk_shows_in_readyz_and_passes(small_disk):
    """503 at every door, so 503 there too; it recovers without a call, as then none may come."""
    brig = small_disk
    assert brig.run("1").status == 200 and brig.request("GET", "/readyz").status == 200
    hog = log_of(brig) / "hog"
    with open(hog, "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(bytes(4096))
    told = host.wait_until(lambda: (r := brig.calculate("6*7")).status == 503 and r, "it is full")
    assert "cannot be written" in told.json["detail"]
    ready = brig.request("GET", "/readyz")
    assert ready.status == 503 and int(ready.headers["Retry-After"]) > 0
    assert "audit log cannot be written (No space left on device)" in ready.json["detail"]
    assert brig.request("GET", "/healthz").status == 200
    assert len(events(brig, "audit_unwritten")) == 1
    hog.unlink()
    host.wait_until(lambda: brig.request("GET", "/readyz").status == 200, "/readyz")
    assert events(brig, "audit_back")
    assert brig.calculate("6*7").status == 200 and brig.run("1").status == 200
    done = host.run_brig("audit", "verify", "--db", log_of(brig) / "audit.db")
    assert done.returncode == 0, done.stderr
