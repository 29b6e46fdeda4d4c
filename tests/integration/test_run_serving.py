"""`brig run` through the brig that serves, and without one: the same words, roles and rows."""

import json
import os
import pathlib
import pwd
import signal
import subprocess
import tempfile
import time

import pytest

import host
from dispatcher import BILLING, RESEARCH, Dispatcher
from test_outcomes import ALWAYS, OUTCOMES

CHART = """
import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.title('lines'); plt.show()
open('sub.bin', 'wb').write(bytes(range(256)) * 4096)
open(b'n\\xff.txt', 'w').write('odd name')
import pandas as pd
pd.DataFrame({'a': [1, 2]})
"""

# Flags and code, standard input. Both ways must say the same, byte for byte.
SAME = [
    (["-c", "print('out'); import sys; print('err', file=sys.stderr); 6 * 7"], None),
    (["-c", "import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\xc3'); 1"], None),
    (["-c", "print('\\x1b[31m\\0')"], None),
    (["-c", "print('é' * 50000)"], None),
    (["-c", "print('x' * 3_000_000)"], None),
    (["-c", "display(__import__('pandas').DataFrame({'a': [1, 2]})); 'v'"], None),
    (["-c", "def f(): raise ValueError('no good')\nf()"], None),
    (["-c", "import sys; sys.exit(9)"], None),
    (["-c", "import sys; print(sys.stdin.buffer.read())", "--stdin", "-"], b"\xff\0bytes\n"),
    (["-c", "input()"], None),
    (["-"], b"print('from stdin')\n"),
    (["-c", "syntax error"], None),
    (["-c", ""], None),
    (["-c", CHART], None),
    (["--chart-format", "svg", "-c", CHART], None),
    (["--table-csv", "-c", CHART], None),
    # On a busy host 300 ms may be over before the first line has run.
    *[([{"300ms": "4s", "200ms": "1s"}.get(flag, flag) for flag in flags] + ["-c", code], None)
      for code, flags, *_ in OUTCOMES.values()],
]


@pytest.fixture(scope="module")
def brig():
    with Dispatcher() as running:
        yield running


def through(brig, *args, token=None, **options):
    env = {}
    if token:
        path = brig.folder / "token"
        path.write_text(token + "\n")
        env["BRIG_TOKEN_FILE"] = str(path)
    return host.run_brig("run", "--socket", brig.socket, *args, env=env, **options)


@pytest.mark.parametrize("number", range(len(SAME)))
def test_the_same_either_way(brig, own_service, number):
    args, given = SAME[number]
    options = {} if given is None else {"input": given}
    here = host.run_brig("run", "--socket", own_service.socket, *args, **options)
    there = through(brig, *args, **options)
    assert (there.returncode, there.stdout, there.stderr) == \
        (here.returncode, here.stdout, here.stderr)


def test_json_is_the_object(brig):
    done = through(brig, "--json", "--receipt", "--wall", "7s", "-c", "2 ** 64")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 1 and done.stderr == b""
    got = json.loads(lines[0])
    assert got.keys() == ALWAYS | {"result", "receipt", "exit_code"}
    assert got["limits"]["wall_ms"] == 7000
    assert got["result"]["json"] == {"$type": "int", "value": str(2 ** 64)}


def test_inputs_by_any_name(brig):
    files = {"plain.csv": b"a,b\n1,2\n", 'q"uo;te %41.txt': b"\r\n--x\r\n", "ünï.bin": bytes(range(256)),
             "empty": b""}
    flags = []
    for i, (name, data) in enumerate(files.items()):
        path = brig.folder / f"in-{i}"
        path.write_bytes(data)
        flags += ["--file", f"{path}:{name}"]
    code = "import os; print({n: open(n, 'rb').read() for n in os.listdir()})"
    done = through(brig, *flags, "-c", code)
    assert eval(done.stdout) == files


def test_large_input(brig):
    path = brig.folder / "large"
    path.write_bytes(os.urandom(1 << 20) * 40)
    code = "import hashlib; print(hashlib.sha256(open('large', 'rb').read()).hexdigest())"
    done = through(brig, "--file", path, "-c", code)
    wanted = subprocess.run(["sha256sum", path], capture_output=True).stdout.split()[0]
    assert done.stdout.strip() == wanted, done.stderr


def test_files_out(brig, own_service):
    folders = [brig.folder / "here", brig.folder / "there"]
    here = host.run_brig("run", "--socket", own_service.socket, "--out", folders[0], "-c", CHART)
    there = through(brig, "--out", folders[1], "-c", CHART)
    assert there.returncode == 0
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr.replace(bytes(folders[0]), bytes(folders[1]))
    left = [{entry.name: entry.stat().st_size for entry in os.scandir(os.fsencode(folder))}
            for folder in folders]
    assert left[0] == left[1] and b"n\xff.txt" in left[0] and b"chart-1.png" in left[0]
    assert (folders[1] / "sub.bin").read_bytes() == bytes(range(256)) * 4096


def test_many_charts_come_by_url(brig):
    """More than a reply holds: those that are not inline are fetched."""
    code = ("import matplotlib.pyplot as plt, numpy as np\n"
            "for i in range(6):\n"
            "    plt.figure(figsize=(10, 10), dpi=80)\n"
            "    plt.imshow(np.random.rand(800, 800, 3), interpolation='nearest')\n"
            "    plt.show()\n")
    out = brig.folder / "charts"
    done = through(brig, "--wall", "300s", "--cpu", "300s", "--out", out, "-c", code)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(out)) == [f"chart-{i}.png" for i in range(1, 7)]
    assert all((out / name).read_bytes().endswith(b"IEND\xaeB`\x82") for name in os.listdir(out))


def test_interrupted(brig):
    code = "print('before', flush=True)\nimport time; time.sleep(300)"
    process = subprocess.Popen([host.BRIG, "run", "--socket", brig.socket, "-c", code],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"before\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=host.WATCHDOG_S)
    assert process.returncode == 130 and b"outcome: cancelled" in err
    assert brig.audit("outcome", "kind='completed' order by seq desc limit 1") == [("cancelled",)]


def test_reader_goes_away(brig):
    process = subprocess.Popen([host.BRIG, "run", "--socket", brig.socket, "-c",
                                "while True: print('x' * 1000)"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(host.WATCHDOG_S) == 141


def test_a_reader_that_rests_holds_nobody(brig):
    """Nothing is read before the job has ended, and nothing is lost."""
    seen = len(brig.audit("seq", "kind='completed'"))
    process = subprocess.Popen([host.BRIG, "run", "--socket", brig.socket,
                                "--wall", "300s", "--cpu", "300s", "-c",
                                "for i in range(2_000_000): print(i)"], stdout=subprocess.PIPE)
    host.wait_until(lambda: len(brig.audit("seq", "kind='completed'")) > seen, "the job's end")
    out = process.stdout.read()
    assert process.wait(host.WATCHDOG_S) == 0
    assert out == b"".join(b"%d\n" % i for i in range(2_000_000))


def test_role_forbids(brig):
    refused = through(brig, "-c", "print('planned')", token=BILLING)
    assert refused.returncode == 126 and refused.stdout == b""
    assert refused.stderr == b"brig: run: this role does not have that tool\n"
    as_json = through(brig, "--json", "-c", "1", token=BILLING)
    assert as_json.returncode == 126 and json.loads(as_json.stdout)["outcome"] == "rejected"
    rows = brig.audit("role, token, tool, outcome, code", "outcome='rejected'")
    assert ("billing", "bill", "run_sandboxed", "rejected", "print('planned')") in rows


def test_the_token_decides(brig):
    done = through(brig, "--json", "--wall", "200s", "-c", "1", token=RESEARCH)
    assert json.loads(done.stdout)["limits"]["wall_ms"] == 60000
    unknown = through(brig, "-c", "1", token="nobody-knows")
    assert unknown.returncode == 126 and b"token is not known" in unknown.stderr
    missing = host.run_brig("run", "--socket", brig.socket, "-c", "1",
                            env={"BRIG_TOKEN_FILE": "/nowhere/token"})
    assert missing.returncode == 2 and b"BRIG_TOKEN_FILE" in missing.stderr


def test_without_local_a_token_is_needed():
    with Dispatcher(config="[audit]\ndb = {folder}/log/audit.db\n"
                           "[role billing]\ntools = calculate\n") as brig:
        done = through(brig, "-c", "1")
        assert done.returncode == 126 and b"BRIG_TOKEN_FILE" in done.stderr


def test_quota_is_a_refusal():
    extra = "[role slow]\ntools = run_sandboxed\njobs_per_minute = 1\n[token s]\nsha256 = " \
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\nrole = slow\n"
    with Dispatcher(extra=extra) as brig:  # the SHA-256 of "secret"
        assert through(brig, "-c", "1", token="secret").returncode == 0
        done = through(brig, "-c", "1", token="secret")
        assert done.returncode == 126 and b"jobs_per_minute" in done.stderr


def test_dispatcher_dies(brig):
    process = subprocess.Popen([host.BRIG, "run", "--socket", brig.socket, "-c",
                                "print('kept', flush=True)\nimport time; time.sleep(300)"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"kept\n"
    children = [pid for pid, (parent, comm, _) in host.processes().items()
                if parent == brig.process.pid and comm == "brig"]
    os.kill(children[0], signal.SIGKILL)
    _, err = process.communicate(timeout=host.WATCHDOG_S)
    assert process.returncode == 125 and b"went away" in err
    host.wait_until(lambda: through(brig, "-c", "1").returncode == 0, "brig serving again")


def test_found_by_an_ordinary_user():
    """At XDG_RUNTIME_DIR; the socket's group may use it."""
    user = pwd.getpwnam("nobody")
    if not host.others_may_run():
        pytest.skip("the build is in a folder that nobody can enter")
    with Dispatcher(extra="[server]\nsocket_group = nogroup\n") as brig:
        runtime = brig.folder / "runtime"
        (runtime / "brig").mkdir(parents=True)
        os.link(brig.socket, runtime / "brig/http.sock")
        env = {"XDG_RUNTIME_DIR": str(runtime), "PATH": os.environ["PATH"]}
        done = subprocess.run([host.BRIG, "run", "-c", "6 * 7"], env=env, capture_output=True,
                              user=user.pw_uid, group=user.pw_gid, extra_groups=[],
                              stdin=subprocess.DEVNULL)
        assert done.returncode == 0 and done.stdout == b"42\n", done
        rows = brig.audit("role, door", "kind='completed'")
        assert rows == [("local", "rest")]


# --- without one: what names an image does not go through the one that serves

PRIVATE = {"BRIG_IMAGE": "default"}


def audit_rows(text):
    done = host.run_brig("audit", "list", "--text", text, "--json", "--limit", "10")
    return json.loads(done.stdout)


def test_a_private_run_is_audited():
    mark = f"mark{time.monotonic_ns()}"
    secret = "ghp_" + "a1B2" * 9
    done = host.run_brig("run", "--stdin", "-", "-c", f"print('{mark}', input())",
                         input=secret.encode(), env=PRIVATE)
    assert done.returncode == 0 and secret.encode() in done.stdout
    rows = audit_rows(mark)
    assert len(rows) == 1, rows
    text = json.dumps(rows)
    assert rows[0]["role"] == "local" and rows[0]["door"] == "cli" and rows[0]["outcome"] == "ok"
    assert secret not in text
    shown = host.run_brig("audit", "show", rows[0]["id"])
    assert secret.encode() not in shown.stdout and b"redacted" in shown.stdout
    assert host.run_brig("audit", "verify").returncode == 0


def with_config(text, *args, token=None):
    """brig run with an /etc/brig/brig.ini of its own, in mounts of its own."""
    script = ('d=$(mktemp -d /dev/shm/brigtest.XXXXXX); '
              'mount -t tmpfs none $d && mkdir $d/u $d/w && '
              'mount -t overlay none -o lowerdir=/etc,upperdir=$d/u,workdir=$d/w /etc || exit 99; '
              'mkdir -p /etc/brig; cat >/etc/brig/brig.ini; "$@"; s=$?; umount /etc $d; '
              'rm -rf $d; exit $s')
    env = {**os.environ, **PRIVATE}
    if token:
        env["BRIG_TOKEN_FILE"] = token
    return subprocess.run(["unshare", "-m", "bash", "-c", script, "x", host.BRIG, "run", *args],
                          input=text.encode(), capture_output=True, env=env,
                          timeout=host.WATCHDOG_S)


@pytest.fixture
def open_folder():
    """A folder that the dispatcher's user may enter."""
    with tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp") as name:
        os.chmod(name, 0o755)
        yield pathlib.Path(name)


def test_a_private_run_has_a_role(open_folder):
    config = f"[audit]\ndb = {open_folder}/log/audit.db\n[role local]\ntools = calculate\n" \
        "[role ci]\ntools = run_sandboxed\nwall_max = 9s\n[token t]\nsha256 = " \
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\nrole = ci\n"
    open_folder.chmod(0o755)
    refused = with_config(config, "-c", "1")
    assert refused.returncode == 126, refused
    assert refused.stderr == b"brig: run: this role does not have that tool\n"
    (open_folder / "token").write_text("secret")
    done = with_config(config, "--json", "-c", "1", token=str(open_folder / "token"))
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["limits"]["wall_ms"] == 9000
    without = with_config(f"[audit]\ndb = {open_folder}/log/audit.db\n[role ci]\n"
                          "tools = run_sandboxed\n", "-c", "1")
    assert without.returncode == 126 and b"BRIG_TOKEN_FILE" in without.stderr
    listed = host.run_brig("audit", "list", "--db", open_folder / "log/audit.db", "--json")
    assert [row["outcome"] for row in json.loads(listed.stdout)] == ["rejected", "ok", "rejected"]


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's socket, in a /run of its own: root")
@pytest.mark.parametrize("verb", [["run", "-c", "1"], ["mcp"]])
def test_a_socket_that_is_not_ones_own_is_named(verb):
    """Where one serves that this user may not open, and nothing else can run the job."""
    script = ("mount -t tmpfs none /run; cp \"$1\" /run/brig-program; mkdir /run/brig; shift; "
              "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/run/brig/http.sock\")'; "
              "chmod 660 /run/brig/http.sock; cd /; exec setpriv --reuid 4242 --regid 4242 "
              "--clear-groups env -i HOME=/nonexistent PATH=/usr/bin:/bin /run/brig-program \"$@\"")
    done = subprocess.run(["unshare", "--mount", "sh", "-euc", script, "sh", host.BRIG, *verb],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=host.WATCHDOG_S)
    assert done.returncode != 0
    assert "/run/brig/http.sock is there but not yours to open" in done.stderr, done.stderr
    assert "newgrp brig" in done.stderr
