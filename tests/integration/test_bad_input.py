"""Bad input: one line naming the fault and the fix, exit 2 for flags and paths, 126 for refused
requests, and nothing left behind. No service is started for any of them."""

import os
import pathlib
import subprocess

import pytest

import host

MIB = 1 << 20


@pytest.fixture
def refused(tmp_path):
    """refused(status, words, *args): the shape of every refusal, and that nothing is left."""
    def check(status, words, *args, **options):
        before = host.Snapshot()
        files = sorted(tmp_path.rglob("*"))
        # A socket nobody listens on: a run that came as far as a service would say so instead.
        done = host.run_brig("run", "--socket", tmp_path / "none.sock", *args, **options)
        text = done.stderr.decode()
        assert done.returncode == status, (done.returncode, text)
        assert text.count("\n") == 1 and text.endswith("\n"), text
        assert text.startswith("brig: run: ") and "\x1b" not in text and len(text) < 700
        assert done.stdout == b""
        for word in [words] if isinstance(words, str) else words:
            assert word in text, text
        before.must_be_the_same()
        assert sorted(tmp_path.rglob("*")) == files
        return text
    return check


@pytest.fixture
def code_file(tmp_path):
    path = tmp_path / "code.py"
    path.write_text("print(1)")
    return path


# What looks bad and is none

def test_empty_code_is_ok(brig, tmp_path):
    (tmp_path / "empty.py").touch()
    for args in (["-c", ""], [tmp_path / "empty.py"], ["-"]):
        done = brig(*args)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nul_in_code_is_a_syntax_error(run_json, brig, tmp_path):
    path = tmp_path / "nul.py"
    path.write_bytes(b"print('a')\0\nprint('b')\n")
    result, status = run_json(path)
    assert (result["outcome"], status) == ("error", 1)
    assert result["error"]["type"] == "SyntaxError" and "null" in result["error"]["message"]
    assert result["stdout"] == "" and result["hint"]


def test_code_from_stdin(brig):
    assert brig("-", input=b"print('from stdin')").stdout == b"from stdin\n"


def test_bom_in_code_is_left_out(brig, tmp_path):
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbfprint('bom')")
    assert brig(tmp_path / "bom.py").stdout == b"bom\n"


def test_limits_beyond_every_ceiling_are_clamped(run_json):
    huge = "99999999999999999999"
    result, status = run_json("--wall", f"{huge}s", "--memory", f"{huge}G", "-c", "1")
    assert status == 0 and result["limits"]["wall_ms"] == 300000


# Code

def test_code_of_one_byte_too_many(refused, tmp_path):
    path = tmp_path / "long.py"
    path.write_bytes(b"#" * (MIB + 1))
    refused(126, ["larger than 1024 KiB", "--file"], path)


def test_code_of_one_byte_too_many_from_stdin(refused):
    refused(126, "larger than 1024 KiB", "-", input=b"#" * (MIB + 1))


@pytest.mark.parametrize("code,at", [(b"x = '\xff'", 5), (b"\xc3", 0), (b"a\xed\xa0\x80", 1),
                                     (b"\xf5\x80\x80\x80", 0)])
def test_code_that_is_not_utf8(refused, tmp_path, code, at):
    path = tmp_path / "latin.py"
    path.write_bytes(code)
    refused(126, [f"not UTF-8 at byte {at}", "save it as UTF-8"], path)


def test_no_code(refused):
    refused(2, "no code; give -c CODE")


def test_code_twice(refused, code_file):
    refused(2, "not both", "-c", "1", code_file)
    refused(2, "-c stands twice", "-c", "1", "-c", "2")
    refused(2, "--file", code_file, code_file)


def test_code_file_missing(refused, tmp_path):
    refused(2, ["gone.py", "No such file"], tmp_path / "gone.py")


def test_code_file_is_a_folder(refused, tmp_path):
    refused(2, "a folder; name a file in it", tmp_path)


def test_code_and_its_input_cannot_both_be_stdin(refused):
    refused(2, "standard input cannot be", "-", "--stdin", "-")


# Flags

@pytest.mark.parametrize("flag,words", [
    (["--wal", "3s"], "did you mean --wall"), (["--nonsense"], "unknown flag --nonsense"),
    (["-x"], "unknown flag -x"), (["--json=1"], "--json takes no value"),
    (["--\x1b[31m"], "unknown flag"),
    (["--wall", "soon"], "as in --wall 10s"), (["--wall", "-1s"], "--wall"),
    (["--wall", "0s"], "--wall"), (["--wall", ""], "--wall"), (["--wall", "1e3s"], "--wall"),
    (["--cpu", "10"], "--cpu"),
    (["--memory", "1X"], "--memory"), (["--memory", "63M"], "at least 64M"),
    (["--memory", "-512M"], "--memory"),
    (["--output", "0"], "--output"),
    (["--chart-format", "gif"], "png or svg"),
    (["--session", "a b"], "write new"),
    (["--allow-degraded", "memry"], ["did you mean memory", "brig doctor"]),
    (["--allow-degraded", ""], "memory,pids"),
])
def test_flag(refused, flag, words):
    refused(2, words, *flag, "-c", "1")


@pytest.mark.parametrize("flag", ["--file", "--wall", "--cpu", "--memory", "--output", "--out",
                                  "--stdin", "--socket", "--image", "--chart-format", "-c"])
def test_flag_without_its_value(refused, flag):
    refused(2, f"{flag} needs a value after it", flag)


@pytest.mark.parametrize("flag,value", [("--out", "a"), ("--stdin", "/dev/null"),
                                        ("--socket", "/x")])
def test_flag_twice(refused, flag, value):
    refused(2, f"{flag} stands twice", flag, value, flag, value, "-c", "1")


# Inputs

def test_input_missing(refused, tmp_path):
    refused(2, ["gone.csv", "no such file", "PATH:NAME"], "--file", tmp_path / "gone.csv", "-c",
            "1")


def test_input_is_a_folder(refused, tmp_path):
    refused(2, "a folder; name a file in it", "--file", tmp_path, "-c", "1")
    refused(2, "a folder; name a file in it", "--file", f"{tmp_path}:x", "-c", "1")


def test_stdin_missing_or_a_folder(refused, tmp_path):
    refused(2, "No such file", "--stdin", tmp_path / "gone", "-c", "1")
    refused(2, "a folder", "--stdin", tmp_path, "-c", "1")


def test_two_inputs_of_one_name(refused, code_file, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "code.py").write_text("other")
    refused(126, ["two files have the name 'code.py'", "rename one"], "--file", code_file,
            "--file", tmp_path / "sub" / "code.py", "-c", "1")
    refused(126, "two files have the name 'x'", "--file", f"{code_file}:x", "--file",
            f"{code_file}:x", "-c", "1")


@pytest.mark.parametrize("name,words", [
    ("..", "names a folder"), (".", "names a folder"), ("../x", "holds a '/'"),
    ("a/../../x", "holds a '/'"), ("/etc/x", "holds a '/'"), ("a/b", "give a plain name"),
    ("a\nb", "control character at byte 1"), ("a\tb", "control character"),
    ("\x1b[31m", "control character at byte 0"), ("\x7f", "control character"),
    ("\u0085", "control character"), ("n" * 300, "300 bytes, the most is 255"),
    ("é" * 150, "300 bytes, the most is 255"), ("", "is empty; name it"),
    (b"\xff\xfe", "not UTF-8 at byte 0"),
])
def test_name_of_an_input(refused, code_file, name, words):
    name = name if isinstance(name, bytes) else name.encode()
    refused(126, words, "--file", os.fsencode(code_file) + b":" + name, "-c", "1")


def as_nobody(command, **options):
    """Runs brig as a user that is nobody, where this test runs as root."""
    def drop():
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    return subprocess.run([host.BRIG, *map(str, command)], capture_output=True, preexec_fn=drop,
                          env={"PATH": os.environ["PATH"]}, timeout=host.WATCHDOG_S, **options)


def reachable(path):
    """Whether nobody can execute it: a build below a private folder cannot be tested so."""
    return as_nobody(["-h"]).returncode == 0 if os.access(path, os.X_OK) else False


@pytest.fixture
def nobody():
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    try:
        if not reachable(host.BRIG):
            pytest.skip("the build is in a folder that nobody can enter")
    except PermissionError:
        pytest.skip("the build is in a folder that nobody can enter")
    return as_nobody


@pytest.mark.parametrize("flags", [["--file"], ["--stdin"], []])
def test_unreadable_path(nobody, flags):
    path = pathlib.Path("/dev/shm/brigtest-unreadable")
    path.write_text("secret")
    path.chmod(0o600)
    try:
        code = ["-c", "1"] if flags else []
        done = nobody(["run", *flags, path, *code])
    finally:
        path.unlink()
    assert done.returncode == 2, done
    assert done.stderr.count(b"\n") == 1 and b"Permission denied" in done.stderr
    assert b"secret" not in done.stdout + done.stderr


# --out

def test_out_is_a_file(refused, code_file):
    refused(125, ["code.py", "Not a directory"], "--out", code_file, "-c", "1")
    refused(125, "Not a directory", "--out", code_file / "below", "-c", "1")


def test_out_is_empty(refused):
    refused(125, "--out needs the path of a folder", "--out", "", "-c", "1")


def test_out_without_permission(nobody, tmp_path):
    done = nobody(["run", "--out", "/usr/brig-out", "-c", "1"])
    assert done.returncode == 125, done
    assert done.stderr.count(b"\n") == 1
    assert b"choose a folder that you may write to" in done.stderr
    assert not os.path.exists("/usr/brig-out")


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_out_on_a_full_disk(brig, small_disk, flags):
    """The partial file goes, what was written whole stays, the job's own output is shown."""
    code = ("print('done'); open('a.txt', 'w').write('small'); "
            "open('b.bin', 'wb').write(b'x' * 200000);")
    done = brig(*flags, "--out", small_disk, "-c", code)
    assert done.returncode == 125
    assert b"done" in done.stdout
    line = done.stderr.decode().splitlines()[-1]
    assert "b.bin" in line and "No space left" in line and "choose another folder" in line
    assert sorted(p.name for p in small_disk.iterdir()) == ["a.txt"]


def test_standard_output_on_a_full_disk(service):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([host.BRIG, "run", "--socket", service.socket, "-c",
                               "print('x' * 100000)"], stdout=full, stderr=subprocess.PIPE,
                              timeout=host.WATCHDOG_S)
    assert done.returncode == 125
    assert done.stderr.decode().count("\n") == 1 and "No space left" in done.stderr.decode()


@pytest.mark.parametrize("words", [["-h"], ["--version"], ["run", "-h"], ["serve", "-h"],
                                   ["service", "-h"], ["mcp", "-h"], ["tools", "-h"], ["tools"],
                                   ["audit", "-h"], ["session", "-h"], ["token", "-h"],
                                   ["doctor", "-h"], ["image", "-h"], ["image", "list"],
                                   ["calc", "-h"], ["calc", "1 + 1"]], ids=" ".join)
def test_what_is_printed_and_does_not_arrive_is_a_fault(words):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([host.BRIG, *words], stdout=full, stderr=subprocess.PIPE,
                              timeout=host.WATCHDOG_S)
    assert done.returncode == 125, done.stderr
    assert done.stderr.count(b"\n") == 1


# The service that is named

def test_no_service_there(tmp_path):
    done = host.run_brig("run", "--socket", tmp_path / "none.sock", "-c", "1")
    assert done.returncode == 125
    first, *rest = done.stderr.decode().splitlines()
    assert "none.sock" in first and first.startswith("brig: run: ") and not rest, done.stderr


def test_a_running_service_has_its_own_image(service):
    """Neither silently ignored nor the caller's to choose."""
    for flag in ("--image", "--allow-degraded"):
        done = host.run_brig("run", "--socket", service.socket, flag, "memory", "-c", "print(1)")
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.count(b"\n") == 1 and f"or {flag}".encode() in done.stderr


def test_no_such_image(tmp_path):
    done = host.run_brig("run", "--image", "nosuch", "-c", "1")
    assert done.returncode in (2, 125)
    assert "nosuch" in done.stderr.decode() and "brig image" in done.stderr.decode()


@pytest.mark.parametrize("args,words", [
    (["--cells", "0"], "from 1 to"), (["--cells", "many"], "from 1 to"), (["word"], "no words"),
    (["--sockte", "x"], "did you mean --socket"), (["--socket", "/nonexistent/a/b.sock"], "/nonexistent"),
])
def test_service_flags(args, words):
    done = host.run_brig("service", *args)
    assert done.returncode in (2, 125), done
    assert done.stderr.count(b"\n") == 1 and words in done.stderr.decode(), done.stderr


@pytest.mark.parametrize("verb", [["run"], ["service"], ["calc"], ["doctor"], ["image"], []])
def test_help_on_each_verb(verb):
    done = host.run_brig(*verb, "-h")
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout.startswith(b"usage: brig")
    assert len(done.stdout.splitlines()) <= 48 and max(map(len, done.stdout.splitlines())) <= 100


def test_unknown_verb():
    done = host.run_brig("rnu")
    assert done.returncode == 2 and b"did you mean brig run?" in done.stderr
    assert host.run_brig("frobnicate").returncode == 2
    assert host.run_brig().returncode == 2
