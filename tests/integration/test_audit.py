"""brig audit: what calls leave in the log, how it is read, and what shows when it is changed.

The calls go through `brig mcp` with a log of each test's own. Chains are also checked here, from an
export alone, by what src/audit/audit_row.h says of them.
"""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import threading

import pytest

import host

TEXTS = ("kind", "call", "role", "token", "door", "tool", "code", "code_sha256", "stdin", "inputs",
         "limits", "outcome", "usage", "output", "error", "note")
HELLO = [
    {"jsonrpc": "2.0", "id": "hello", "method": "initialize",
     "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def tool_call(number, name, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}}


class Log:
    """A folder with a configuration and a log."""

    def __init__(self, folder, roles, audit=""):
        self.folder = pathlib.Path(folder)
        os.chmod(folder, 0o755)
        self.db = self.folder / "state" / "audit.db"
        self.config = self.folder / "brig.ini"
        self.config.write_text(f"{roles}\n[audit]\ndb = {self.db}\n{audit}")

    def start(self, role="local"):
        with open(self.folder / "stderr", "w") as stderr:
            return subprocess.Popen([host.BRIG, "mcp", "--config", self.config, "--role", role],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                                    text=True, start_new_session=True, env=host.QUIET_ENV)

    def stderr(self):
        return (self.folder / "stderr").read_text()

    def mcp(self, *requests, role="local", until=""):
        """The replies by id, and what the log on stderr said, which is waited for."""
        brig, replies = self.start(role), {}
        watchdog = threading.Timer(host.WATCHDOG_S, kill, [brig])
        watchdog.start()
        try:
            for request in [*HELLO, *requests]:
                brig.stdin.write(json.dumps(request) + "\n")
            brig.stdin.flush()
            while len(replies) < 1 + len(requests):
                line = brig.stdout.readline()
                assert line, self.stderr()
                reply = json.loads(line)
                replies[reply["id"]] = reply
            host.wait_until(lambda: until in self.stderr(), f"no {until} in the log")
            brig.stdin.close()
            assert brig.wait(host.WATCHDOG_S) == 0, self.stderr()
        finally:
            watchdog.cancel()
            kill(brig)
        return replies, self.stderr()

    def audit(self, *args, status=0):
        done = host.run_brig("audit", *args, "--db", self.db, text=True)
        assert done.returncode == status, (args, done.stdout, done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr

    def json(self, *args):
        return json.loads(self.audit(*args, "--json"))

    def rows(self):
        return [json.loads(line) for line in self.audit("export").splitlines()]

    def sql(self, *statements):
        """Changes the log as somebody would who can write the file."""
        with sqlite3.connect(self.db) as handle:
            for trigger in ("entry_unchanged", "entry_kept"):
                handle.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            for statement in statements:
                handle.execute(statement)
        handle.close()

    def bytes(self):
        return b"".join(path.read_bytes() for path in self.db.parent.iterdir())


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def row_hash(row):
    """BLAKE2b-256 of a row as `brig audit export` gives it."""
    state = hashlib.blake2b(digest_size=32)
    state.update(b"brig-audit-1\0" + bytes.fromhex(row["prev"]))
    state.update(struct.pack("<QQQQ", row["seq"], row["time_us"], row["writer"], row["code_bytes"]))
    for name in TEXTS:
        text = row[name].encode()
        state.update(struct.pack("<Q", len(text)) + text)
    return state.hexdigest()


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory(prefix="brigtest-") as path:
        yield path


@pytest.fixture
def log(folder):
    return Log(folder, "[role local]\ntools = calculate\n[role billing]\ntools = calculate\n")


@pytest.fixture
def filled(log):
    log.mcp(*(tool_call(n, "calculate", expr=f"{n} * 7") for n in range(1, 6)))
    log.mcp(tool_call(1, "calculate", expr="1/0"),
            tool_call(2, "run_sandboxed", code="print('not for billing')"), role="billing")
    return log


def test_each_call_is_listed(filled):
    calls = filled.json("list")
    assert len(calls) == 7
    assert sorted(call["code"] for call in calls if call["role"] == "local") == [
        f"{n} * 7" for n in range(1, 6)]
    assert {call["door"] for call in calls} == {"mcp"}
    assert [call["seq"] for call in calls] == list(range(7, 0, -1))
    for call in calls:
        assert call["code_sha256"] == hashlib.sha256(call["code"].encode()).hexdigest()
        assert call["code_bytes"] == len(call["code"])
    text = filled.audit("list")
    assert len(text.splitlines()) == 7
    assert "print('not for billing')" in text


@pytest.mark.parametrize("mark", ["\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
                                  "\u2066", "\u2069"])
def test_marks_that_turn_a_line_are_shown_as_escapes(log, mark):
    """For the eye alone: the log has them, and its JSON."""
    code = f"1  # {mark}42{mark}"
    log.mcp(tool_call(1, "calculate", expr=code))
    call, = log.json("list")
    assert call["code"] == code
    for text in (log.audit("list"), log.audit("show", call["id"])):
        assert mark not in text and f"1  # \\u{ord(mark):04x}42\\u{ord(mark):04x}" in text


def test_a_refusal_is_in_the_log(filled):
    refused, = filled.json("list", "--outcome", "rejected")
    assert (refused["role"], refused["tool"]) == ("billing", "run_sandboxed")
    assert refused["code"] == "print('not for billing')"
    assert "error" in refused
    failed, = filled.json("list", "--outcome", "error")
    assert failed["code"] == "1/0"
    assert "ZeroDivisionError" in failed["error"]


def test_filters(filled):
    count = lambda *args: len(filled.json("list", *args))
    assert count("--role", "billing") == 2
    assert count("--role", "nobody") == 0
    assert count("--text", "FOR BILL") == 1
    assert count("--text", "%") == 0
    assert count("--limit", "3") == 3
    assert count("--since", "1h") == 7
    assert count("--until", "1h") == 0
    assert count("--since", "2020-01-01", "--until", "2020-01-02T03:04:05Z") == 0
    assert count("--role", "local", "--outcome", "ok", "--text", "3 *") == 1
    assert len(filled.audit("export", "--role", "billing").splitlines()) == 2


def test_show(filled):
    call = filled.json("list", "--limit", "1")[0]
    row, = filled.json("show", call["id"])
    assert row["seq"] == call["seq"]
    assert row["kind"] == "single"
    assert filled.json("show", str(call["seq"])) == [row]
    text = filled.audit("show", call["id"])
    assert f"call         {call['id']}" in text
    assert "no call" in filled.audit("show", "nobody", status=1)


def test_the_chain_verifies_by_other_means_too(filled):
    rows = filled.rows()
    before = "0" * 64
    for number, row in enumerate(rows, 1):
        assert row["seq"] == number
        assert row["prev"] == before
        before = row_hash(row)
        assert row["hash"] == before
    verdict = filled.json("verify")
    assert verdict == {"good": True, "rows": 7, "first": 1, "last": 7, "removed": 0,
                       "open_calls": 0, "head": before}
    assert before in filled.audit("verify")
    assert "row 3" in filled.audit("verify", "--head", rows[2]["hash"])


@pytest.mark.parametrize("change, told", [
    ("UPDATE entry SET code = '1' WHERE seq = 3", "row 3 was changed"),
    ("UPDATE entry SET role = 'local' WHERE seq = 6", "row 6 was changed"),
    ("UPDATE entry SET outcome = 'ok' WHERE seq = 7", "row 7 was changed"),
    ("UPDATE entry SET time_us = time_us - 1 WHERE seq = 1", "row 1 was changed"),
    ("DELETE FROM entry WHERE seq = 4", "row 4 is missing"),
    ("DELETE FROM entry WHERE seq IN (3, 4, 5)", "rows 3 to 5 are missing"),
    ("DELETE FROM entry WHERE seq < 3", "rows 1 to 2 are missing"),
    ("UPDATE entry SET seq = CASE seq WHEN 3 THEN -4 WHEN 4 THEN -3 ELSE seq END;"
     "UPDATE entry SET seq = -seq WHERE seq < 0", "row 3 does not follow row 2"),
])
def test_what_was_changed_shows(filled, change, told):
    filled.sql(*change.split(";"))
    assert told in filled.audit("verify", status=1)
    done = host.run_brig("audit", "verify", "--json", "--db", filled.db, text=True)
    verdict = json.loads(done.stdout)
    assert done.returncode == 1
    assert not verdict["good"] and told in verdict["fault"]


def test_a_cut_tail_shows_against_the_logged_head(log):
    _, stderr = log.mcp(*(tool_call(n, "calculate", expr=str(n)) for n in range(5)),
                        until='"audit_head"')
    head = [json.loads(line) for line in stderr.splitlines() if '"audit_head"' in line][-1]["hash"]
    log.audit("verify", "--head", head)
    log.mcp(tool_call(1, "calculate", expr="1"))
    log.audit("verify", "--head", head)
    kept = [row["seq"] for row in log.rows() if row["hash"] == head][0]
    log.sql(f"DELETE FROM entry WHERE seq >= {kept}")
    log.audit("verify")
    assert "no row has that head" in log.audit("verify", "--head", head, status=1)
    assert "64 hexadecimal digits" in log.audit("verify", "--head", "12", status=2)


def test_secrets_are_in_no_file(folder):
    token = "gh" + "p_" + "0123456789abcdefghijABCDEFGHIJ012345"
    values = pathlib.Path(folder) / "values"
    values.write_text("an-internal-name\n")
    values.chmod(0o600)
    log = Log(folder, "[role local]\ntools = calculate\n", f"redact_file = {values}\n")
    expr = f"f('{token}', password='hunter2', at='an-internal-name')"
    _, stderr = log.mcp(tool_call(1, "calculate", expr=expr),
                        tool_call(2, "run_sandboxed", code=expr),
                        tool_call(3, token, code=expr))
    files = log.bytes() + stderr.encode()
    for secret in (token, token[4:20], "hunter2", "an-internal-name"):
        assert secret.encode() not in files
    for call in log.json("list"):
        if call["tool"] == "calculate":
            assert call["code"] == ("f('[redacted:github]', password='[redacted:secret]',"
                                    " at='[redacted:configured]')")
            assert call["code_sha256"] == hashlib.sha256(expr.encode()).hexdigest()


def test_the_log_is_nobody_elses(filled):
    assert filled.db.stat().st_mode & 0o777 == 0o600
    for path in filled.db.parent.iterdir():
        assert path.stat().st_mode & 0o077 == 0


def test_wrong_command_lines(log):
    assert "no audit log there" in log.audit("list", status=2)
    assert "did you mean list" in log.audit("lst", status=2)
    assert "show needs an id" in log.audit("show", status=2)
    assert "is no moment" in log.audit("list", "--since", "soon", status=2)
    assert "running or interrupted" in log.audit("list", "--outcome", "bogus", status=2)
    assert "--limit" in log.audit("list", "--limit", "0", status=2)
    assert "did you mean --since" in log.audit("list", "--sinc", "1h", status=2)
    done = host.run_brig("audit", text=True)
    assert done.returncode == 2 and "say list, show, verify or export" in done.stderr
    log.db.parent.mkdir()
    log.db.write_bytes(b"no database at all" * 100)
    assert "no log of brig's" in log.audit("list", status=1)


def test_the_configuration_says_where(filled):
    done = host.run_brig("audit", "list", "--json", "--config", filled.config, text=True)
    assert len(json.loads(done.stdout)) == 7


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's brig has two users")
@pytest.mark.parametrize("mode,owner,good", [(0o755, 0, False), (0o1777, 0, True),
                                             (0o700, 4321, False)])
def test_a_folder_that_brig_has_not_made_stays_as_it_is(folder, mode, owner, good):
    """What the dispatcher can write is used, what it cannot is refused, before and at the start;
    neither mode nor owner of it changes."""
    log = Log(folder, "[role local]\ntools = calculate\n")
    log.db.parent.mkdir()
    os.chown(log.db.parent, owner, owner)
    log.db.parent.chmod(mode)
    checked = host.run_brig("serve", "--check-config", log.config, text=True)
    assert checked.returncode == (0 if good else 2), checked.stdout
    assert (": good: " in checked.stdout) == good and len(checked.stdout.splitlines()) == 1
    if good:
        log.mcp(tool_call(1, "calculate", expr="6*7"))
        assert len(log.json("list")) == 1
    else:
        started = host.run_brig("mcp", "--config", log.config, text=True)
        assert started.returncode == 2
        for told in (checked.stdout, started.stderr):
            assert f"{log.db.parent} cannot be written" in told and "name a new one" in told
        assert not log.db.exists()
    now = log.db.parent.stat()
    assert (now.st_mode & 0o7777, now.st_uid, now.st_gid) == (mode, owner, owner)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's brig has two users")
def test_another_users_file_is_not_given_away(folder):
    log = Log(folder, "[role local]\ntools = calculate\n")
    log.db.parent.mkdir()
    log.db.parent.chmod(0o1777)
    log.db.write_text("mine")
    log.db.chmod(0o600)
    started = host.run_brig("mcp", "--config", log.config, text=True)
    assert started.returncode == 2 and f"{log.db} cannot be written" in started.stderr
    assert log.db.read_text() == "mine" and log.db.stat().st_uid == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's brig has two users")
def test_a_log_where_nobody_else_comes_is_refused_before_the_start(folder):
    os.chmod(folder, 0o700)
    log = Log(folder, "[role local]\ntools = calculate\n")
    os.chmod(folder, 0o700)
    checked = host.run_brig("serve", "--check-config", log.config, text=True)
    assert checked.returncode == 2 and f"reached below {log.folder}" in checked.stdout


def test_the_folder_that_brig_made_is_used_again(folder):
    log = Log(folder, "[role local]\ntools = calculate\n")
    for _ in range(2):
        log.mcp(tool_call(1, "calculate", expr="6*7"))
    assert len(log.json("list")) == 2


@pytest.mark.skipif(not shutil.which("mount") or os.geteuid() != 0, reason="runs a cell: needs root")
def test_what_a_dead_brig_left_open_is_interrupted(folder):
    log = Log(folder, "[role local]\ntools = calculate, run_sandboxed\n")
    brig = log.start()
    try:
        for request in [*HELLO, tool_call(1, "run_sandboxed", code="while True: pass")]:
            brig.stdin.write(json.dumps(request) + "\n")
        brig.stdin.flush()
        host.wait_until(lambda: log.db.exists() and host.run_brig(
            "audit", "list", "--outcome", "running", "--db", log.db).stdout, "no running call")
        running, = log.json("list")
        assert running["outcome"] == "running"
        assert log.json("verify")["open_calls"] == 1
    finally:
        below = host.descendants(brig.pid)
        kill(brig)
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert log.json("verify")["good"]
    log.mcp(tool_call(1, "calculate", expr="6*7"))
    interrupted, = log.json("list", "--outcome", "interrupted")
    assert interrupted["id"] == running["id"]
    assert not log.json("list", "--outcome", "running")
    verdict = log.json("verify")
    assert verdict["good"] and verdict["open_calls"] == 0


def test_token_new_makes_a_good_section(folder):
    done = host.run_brig("token", "new", "ci", "--role", "local", text=True)
    assert done.returncode == 0
    token = done.stderr.removeprefix("token: ").strip()
    assert hashlib.sha256(token.encode()).hexdigest() in done.stdout
    assert token not in done.stdout
    os.chmod(folder, 0o755)
    config = pathlib.Path(folder) / "brig.ini"
    config.write_text("[role local]\ntools = calculate\n" + done.stdout)
    checked = host.run_brig("serve", "--check-config", config, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "1 role, 1 token" in checked.stdout + checked.stderr
    config.write_text("[role local]\ntool = calculate\n" + done.stdout)
    checked = host.run_brig("serve", "--check-config", config, text=True)
    assert checked.returncode == 2
    assert f"{config}:2: [role] has no key 'tool'; did you mean tools?" in (
        checked.stdout + checked.stderr)
