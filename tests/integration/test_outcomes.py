"""Each outcome word: its exit status, its hint, the fields of its JSON object, what it keeps."""

import json
import os
import re
import signal
import subprocess

import pytest

import channel
import host

ALWAYS = {"job_id", "outcome", "text", "stdout", "stderr", "stdout_bytes", "stderr_bytes",
          "stdout_truncated", "stderr_truncated", "tables", "charts", "files", "skipped", "error",
          "usage", "limits"}
SOMETIMES = {"hint", "result", "exit_code", "signal", "syscall", "receipt", "session"}
USAGE = {"wall_ms", "cpu_ms", "memory_peak_bytes", "processes_peak"}
LIMITS = {"wall_ms": 30000, "cpu_ms": 20000, "memory_bytes": 512 << 20, "output_bytes": 32 << 20,
          "work_bytes": 256 << 20, "work_inodes": 16384, "processes": 64, "cpus": 1}
SPIN = "while True: pass"

# outcome → (code, flags, exit status, words of the hint, further fields that must be there)
OUTCOMES = {
    "ok": ("print('kept')", [], 0, None, {"exit_code": 0}),
    "error": ("print('kept')\n1/0", [], 1, "", {"exit_code": 1}),
    "exit": ("print('kept')\nimport sys; sys.exit(7)", [], 7, "exit code 7", {"exit_code": 7}),
    "signal": ("print('kept', flush=True)\nimport os; os.kill(os.getpid(), 11)", [], 139,
               "SIGSEGV", {"signal": 11}),
    "timeout_wall": ("print('kept')\nimport time; time.sleep(60)", ["--wall", "300ms"], 124,
                     "300 ms", {}),
    "timeout_cpu": (f"print('kept')\n{SPIN}", ["--cpu", "200ms"], 124, "200 ms of CPU", {}),
    "memory": ("print('kept', flush=True)\nx = b'x' * (1 << 30)", ["--memory", "100M"], 137,
               "100 MiB", {}),
    "output": ("print('kept')\nwhile True: print('x' * 4000)", ["--output", "1M"], 137, "1 MiB",
               {}),
    "denied": ("print('kept', flush=True)\nimport ctypes\n"
               "ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)", [], 159, "ptrace",
               {"syscall": "ptrace"}),
}


def check_shape(result):
    """What every result object has, whatever its outcome."""
    keys = set(result)
    assert ALWAYS <= keys, f"missing: {sorted(ALWAYS - keys)}"
    assert keys <= ALWAYS | SOMETIMES, f"unknown: {sorted(keys - ALWAYS - SOMETIMES)}"
    assert isinstance(result["text"], str) and result["text"].strip()
    assert re.fullmatch(r"[A-Za-z0-9-]{16,40}", result["job_id"])
    for name in ("tables", "charts", "files", "skipped"):
        assert isinstance(result[name], list), name
    for name in ("stdout_truncated", "stderr_truncated"):
        assert isinstance(result[name], bool), name
    assert set(result["usage"]) == USAGE
    assert set(result["limits"]) == set(LIMITS)
    assert all(isinstance(value, int) and value >= 0 for value in result["usage"].values())
    assert ("hint" in result) == (result["outcome"] != "ok")
    assert (result["error"] is not None) == (result["outcome"] == "error")
    if "hint" in result:
        assert result["hint"] and "\n" not in result["hint"]
        assert result["outcome"] in result["text"] and result["hint"] in result["text"]


@pytest.mark.parametrize("word", sorted(OUTCOMES))
def test_outcome(run_json, word):
    code, flags, status, hint, fields = OUTCOMES[word]
    result, exit_status = run_json(*flags, "-c", code)
    check_shape(result)
    assert (result["outcome"], exit_status) == (word, status), result
    assert result["stdout"].startswith("kept\n")
    assert "kept" in result["text"]
    assert {name: result.get(name) for name in fields} == fields
    if hint is not None:
        assert hint in result["hint"]
    for name in {"signal", "syscall"} - set(fields):
        assert name not in result
    if word not in ("ok", "error", "exit"):
        assert "exit_code" not in result


@pytest.mark.parametrize("word", sorted(OUTCOMES))
def test_outcome_as_text(brig, word):
    """Without --json: output on stdout, the outcome and its hint on stderr, the same status."""
    code, flags, status, hint, _ = OUTCOMES[word]
    done = brig(*flags, "-c", code)
    assert done.returncode == status
    assert done.stdout.startswith(b"kept\n")
    shown = done.stderr.decode()
    if word == "ok":
        assert shown == ""
    else:
        assert f"outcome: {word}" in shown and (hint or "") in shown


def test_outcome_error_fields(run_json):
    result, status = run_json("-c", "def f():\n    return [][3]\nf()")
    assert status == 1 and result["outcome"] == "error"
    error = result["error"]
    assert (error["type"], error["message"]) == ("IndexError", "list index out of range")
    assert error["line"] == 2
    assert error["traceback"].startswith("Traceback (most recent call last):")
    assert 'File "job.py", line 3' in error["traceback"]


def test_outcome_syntax_error(run_json):
    result, status = run_json("-c", "x = 1\ny = = 2")
    assert (result["outcome"], status, result["error"]["type"]) == ("error", 1, "SyntaxError")
    assert result["error"]["line"] == 2


@pytest.mark.parametrize("code", ["raise SystemExit", "import sys; sys.exit(0)", "exit()", "",
                                  "# nothing"])
def test_outcome_ok_without_words(run_json, code):
    result, status = run_json("-c", code)
    check_shape(result)
    assert (result["outcome"], status, result["stdout"]) == ("ok", 0, "")
    assert "result" not in result


def test_outcome_exit_with_text(run_json):
    result, status = run_json("-c", "import sys; sys.exit('no data')")
    assert (result["outcome"], status, result["exit_code"]) == ("exit", 1, 1)
    assert result["stderr"] == "no data\n"


@pytest.mark.parametrize("code,number", [
    ("import os; os.abort()", signal.SIGABRT),
    ("import ctypes; ctypes.memset(0, 1, 4)", signal.SIGSEGV),
    ("import os; os.kill(os.getpid(), 9)", signal.SIGKILL),
    ("import os; os.kill(os.getpid(), 31)", signal.SIGSYS),
    ("import os; os.kill(os.getpid(), 24)", signal.SIGXCPU),
])
def test_outcome_signal_names_its_number(run_json, code, number):
    """A SIGSYS, SIGKILL or SIGXCPU that the job raises itself is a signal, not brig's verdict."""
    result, status = run_json("-c", f"print('before', flush=True)\n{code}")
    assert (result["outcome"], result["signal"]) == ("signal", number)
    assert status == 128 + number
    assert result["stdout"] == "before\n"
    assert signal.Signals(number).name in result["hint"]


def test_outcome_os_exit(run_json):
    result, status = run_json("-c", "import os\nprint('out', flush=True)\nos._exit(9)")
    assert (result["outcome"], status, result["exit_code"]) == ("exit", 9, 9)
    assert result["stdout"] == "out\n"


def test_outcome_exit_status_124_is_the_programs_own(run_json):
    """The program's own codes may look like brig's; the outcome tells them apart."""
    result, status = run_json("-c", "import sys; sys.exit(124)")
    assert (result["outcome"], status) == ("exit", 124)


def test_limits_are_shown_as_applied(run_json):
    result, _ = run_json("-c", "1")
    assert result["limits"] == LIMITS
    result, _ = run_json("--wall", "10m", "--cpu", "90m", "--memory", "1024G", "--output", "1G",
                         "-c", "1")
    assert result["limits"]["wall_ms"] == result["limits"]["cpu_ms"] == 300000
    assert result["limits"]["memory_bytes"] == 8 << 30
    assert result["limits"]["output_bytes"] == 32 << 20


def test_usage_is_what_was_used(run_json):
    code = ("import os, time\ntime.sleep(0.3)\nend = time.process_time() + 0.2\n"
            "while time.process_time() < end: pass\nx = bytearray(64 << 20)\n"
            "pids = [os.fork() for _ in range(2)]\n"
            "if 0 in pids: time.sleep(0.2); os._exit(0)\n"
            "for p in pids: os.waitpid(p, 0)")
    result, _ = run_json("-c", code)
    usage = result["usage"]
    assert result["outcome"] == "ok", result
    assert usage["wall_ms"] >= 500 and 180 <= usage["cpu_ms"] <= usage["wall_ms"]
    assert usage["memory_peak_bytes"] >= 64 << 20
    assert usage["processes_peak"] == 4  # two forks, the second of them in both


def test_value_and_table(run_json):
    result, _ = run_json("-c", 'import pandas as pd\npd.DataFrame({"a": [1, 2, 3]}).sum()')
    assert result["outcome"] == "ok"
    assert result["result"]["text"].splitlines()[0].split() == ["a", "6"]
    table = result["result"]["table"]
    assert table["rows"] == [[6]] and table["row_count"] == 1 and table["truncated"] is False
    assert table["index"]["values"] == [["a"]]


def test_receipt_lists_every_layer(run_json):
    result, _ = run_json("--receipt", "-c", "1")
    layers = result["receipt"]["layers"]
    assert list(layers) == channel.LAYERS
    off = {name: layer for name, layer in layers.items() if layer["state"] != "on"}
    # Only this one is "where offered".
    assert set(off) <= {"speculation"}, off
    assert all(layer["state"] == "not offered" for layer in off.values())
    assert "sha256:" in result["receipt"]["image"]
    result, _ = run_json("-c", "1")
    assert "receipt" not in result


def test_receipt_shows_the_limits_of_this_very_job(run_json):
    result, _ = run_json("--receipt", "--memory", "256M", "-c", "1")
    assert str(256 << 20) in result["receipt"]["layers"]["memory"]["detail"]


def test_streams_are_kept_before_a_kill(run_json):
    """Both streams, without a flush, up to the last line before the limit."""
    code = ("import sys, time\nfor i in range(5):\n    print('out', i)\n"
            "    print('err', i, file=sys.stderr)\ntime.sleep(60)")
    result, status = run_json("--wall", "400ms", "-c", code)
    assert (result["outcome"], status) == ("timeout_wall", 124)
    assert result["stdout"] == "".join(f"out {i}\n" for i in range(5))
    assert result["stderr"] == "".join(f"err {i}\n" for i in range(5))


def test_output_is_streamed_while_the_job_runs(service):
    with channel.Call(service.socket, "import time\nprint('first')\ntime.sleep(600)",
                      stream=True) as call:
        call.wait_output("first\n")
        call.cancel()
        result = call.result()
    assert result.outcome == "cancelled" and result.text == "first\n"


def test_output_two_gib_does_not_move_the_service(own_service):
    """A job that tries to print 2 GiB ends `output`; the service's memory stays below the caps."""
    pid = own_service.service_pid()
    channel.run(own_service.socket, "1")
    before = host.rss_kib(pid)
    code = ("import os\nx = b'x' * (1 << 20)\nfor i in range(2048):\n"
            "    while x[os.write(1, x):] and False: pass")
    for stream in (False, True):
        result = channel.run(own_service.socket, code, stream=stream)
        assert result.outcome == "output", result
        assert 32 << 20 < result.out.bytes <= (32 << 20) + (1 << 20)
        assert len(result.out.head) == 24 << 10 and len(result.out.tail) == 8 << 10
    # Caps of one job: head and tail of two streams, one stream's buffer (8 MiB), a result frame.
    assert host.rss_kib(pid) - before <= 20 << 10, "KiB more than before"


@pytest.mark.slow
def test_output_streams_to_a_reader_that_stops(own_service):
    """A client that does not read holds back its own job and no memory but the stream's cap."""
    pid = own_service.service_pid()
    channel.run(own_service.socket, "1")
    before = host.rss_kib(pid)
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    with channel.Call(own_service.socket, code, stream=True, wall_ms=3000) as call:
        assert channel.run(own_service.socket, "print(1)").outcome == "ok"
        host.wait_until(lambda: not own_service.cells(), "the job's end at its limit")
        assert host.rss_kib(pid) - before <= 20 << 10
        result = call.result()
    assert result.outcome in ("timeout_wall", "output")


def test_output_is_exact_as_a_stream(brig):
    """Without --json nothing is cut below the hard limit."""
    done = brig("--wall", "300s", "--cpu", "300s", "-c",
                "import sys\nfor i in range(300000): print('row', i)\n"
                      "sys.stderr.write('e' * 100000);")
    assert done.returncode == 0
    assert done.stdout == b"".join(b"row %d\n" % i for i in range(300000))
    assert done.stderr == b"e" * 100000


def test_result_is_one_line_of_json(brig):
    done = brig("--json", "-c", "print('a\\nb')\n'c\\nd'")
    assert done.stdout.count(b"\n") == 1 and done.stdout.endswith(b"\n")
    assert done.stderr == b""
    assert json.loads(done.stdout)["stdout"] == "a\nb\n"


def test_outcome_rejected_is_a_result_too(run_json):
    result, status = run_json("-c", "print(1)", "--file", "/etc/hostname:../x")
    check_shape(result)
    assert (result["outcome"], status) == ("rejected", 126)


def test_internal_names_an_id_and_nothing_else(own_service):
    """brig's own fault: the result has an id only; the fault itself goes to the operator."""
    run = subprocess.Popen([host.BRIG, "run", "--json", "--socket", own_service.socket, "-c",
                            "print('up', flush=True)\nimport time; time.sleep(60)"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    host.wait_until(lambda: running_inits(own_service), "no cell runs")
    for pid in running_inits(own_service):
        os.kill(pid, signal.SIGKILL)
    out, err = run.communicate(timeout=host.WATCHDOG_S)
    result = json.loads(out)
    check_shape(result)
    assert (result["outcome"], run.returncode) == ("internal", 125)
    assert re.search(r"with the id [a-z0-9]+", result["hint"])
    assert "ended" not in result["text"] and b"brig: run: fault " in err and b"ended" in err
    assert channel.run(own_service.socket, "print('next')").text == "next\n"


def running_inits(service):
    """The inits of cells, once a runner is there too (it keeps its zygote's name)."""
    zygotes = service.children("brig-zygote")
    return service.children("brig-init") if len(zygotes) > 1 else []


def test_a_closed_stdout_is_a_fault(brig):
    """Not silence, and not some file of brig's that has its number."""
    command = f"exec {host.BRIG} \"$@\" >&-"
    for args in (["run", "-c", "print('x' * 100)"], ["run", "--json", "-c", "1"], ["calc", "1+1"]):
        done = subprocess.run(["bash", "-c", command, "brig", *args], stderr=subprocess.PIPE,
                              text=True, env=host.QUIET_ENV, timeout=host.WATCHDOG_S)
        assert done.returncode == 125, (args, done)
        assert done.stderr.startswith("brig"), done


def test_out_through_a_link_says_so(brig, tmp_path):
    (tmp_path / "d").symlink_to("/")
    done = brig("--out", tmp_path, "-c", "import os; os.mkdir('d'); open('d/f', 'w').write('x')",
                text=True)
    assert done.returncode == 125
    assert "'d/f': a symbolic link stands there, and links are not followed" in done.stderr


def test_a_job_that_closes_the_pipe_of_its_result_is_told(brig):
    done = brig("-c", "import os\nfor fd in range(3, 10):\n    try: os.close(fd)\n"
                "    except OSError: pass\n1/0", text=True)
    assert done.returncode == 1
    assert "closed the pipe through which its result is reported" in done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr


def test_endless_recursion_without_a_limit_is_called_so(run_json):
    result, status = run_json("-c", "import sys\nsys.setrecursionlimit(10**9)\n"
                              "def f(n): return f(n + 1)\nf(0)")
    assert status in (137, 139) and "raised the limit of recursion" in result["hint"], result
