"""Every limit at its edge and one beyond it. Outcome and order are asserted, never a time."""

import base64
import json
import os
import re
import struct
import threading

import pytest

import channel
import host

KIB, MIB = 1 << 10, 1 << 20
# Fills the work folder: how much went in, and how it ended.
FILL = """
import errno, os
fd = os.open('big', os.O_WRONLY | os.O_CREAT)
done = 0
try:
    while True:
        done += os.write(fd, b'x' * 65536)
except OSError as fault:
    print(done, errno.errorcode[fault.errno])
os.close(fd)
os.unlink('big')
"""
FILES = """
import errno, os
made = 0
try:
    while True:
        os.close(os.open(f'.n{made}', os.O_WRONLY | os.O_CREAT))
        made += 1
except OSError as fault:
    print(made, errno.errorcode[fault.errno])
"""
FORKS = """
import errno, os, signal
pids = []
try:
    while True:
        pid = os.fork()
        if pid == 0:
            signal.pause()
        pids.append(pid)
except OSError as fault:
    print(len(pids), errno.errorcode[fault.errno])
for pid in pids:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
"""
THREADS = """
import threading
gate, made = threading.Event(), []
try:
    while True:
        thread = threading.Thread(target=gate.wait)
        thread.start()
        made.append(thread)
except RuntimeError as fault:
    print(len(made), 'cannot start' if "can't start new thread" in str(fault) else fault)
gate.set()
for thread in made:
    thread.join()
"""


# Time

def test_wall_within(run):
    result = run("import time; time.sleep(0.2); print('done')", wall_ms=5000)
    assert result.outcome == "ok" and result.text == "done\n"


def test_wall_beyond(run):
    result = run("print('a', flush=True)\nimport time\ntime.sleep(60)", wall_ms=300)
    assert (result.outcome, result.limit_hit) == ("timeout_wall", 300)
    assert result.usage["wall_ms"] >= 300 and result.text == "a\n"


def test_wall_counts_what_comes_after_the_last_line(run):
    """Exit handlers, destructors and threads are the job's own time."""
    for code in ("import atexit, time\natexit.register(time.sleep, 60)",
                 "import time\nclass A:\n    def __del__(self, sleep=time.sleep): sleep(60)\na = A()",
                 "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()"):
        assert run(code, wall_ms=300).outcome == "timeout_wall", code


def test_wall_holds_against_c_code(run):
    """A regular expression that never lets go of the interpreter's lock."""
    result = run("import re\nre.match('(a+)+$', 'a' * 60 + 'b')", wall_ms=400)
    assert result.outcome == "timeout_wall"


def test_cpu_within(run):
    result = run("import time\nstart = time.process_time()\n"
                 "while time.process_time() - start < 0.2: pass\nprint('done')", cpu_ms=5000)
    assert result.outcome == "ok" and result.usage["cpu_ms"] >= 150


def test_cpu_beyond(run):
    result = run("while True: pass", cpu_ms=250)
    assert (result.outcome, result.limit_hit) == ("timeout_cpu", 250)
    assert result.usage["cpu_ms"] >= 250


def test_cpu_is_the_sum_of_all_processes(run):
    """Four processes that burn; none of them alone reaches the limit, nor its own RLIMIT_CPU."""
    code = """
import os, time
for _ in range(2):
    os.fork()
end = time.thread_time() + 0.6
while time.thread_time() < end:
    pass
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
"""
    result = run(code, cpu_ms=1000, wall_ms=30000)
    assert result.outcome == "timeout_cpu" and result.usage["cpu_ms"] >= 1000
    assert run(code, cpu_ms=4000, wall_ms=30000).outcome == "ok"


def test_the_count_of_the_group_ends_a_job_before_ticks_do(own_service):
    """RLIMIT_CPU goes by ticks, which can run ahead of the time really had: it stands far behind."""
    with channel.Call(own_service.socket, "print('up', flush=True)\nimport time; time.sleep(600)",
                      stream=True, cpu_ms=20000) as call:
        call.wait_output("up\n")
        runner, = own_service.runners()
        with open(f"/proc/{runner}/limits", encoding="ascii") as file:
            line = next(line for line in file if line.startswith("Max cpu time"))
        assert int(line.split()[3]) >= 40
        call.cancel()
        assert call.result().outcome == "cancelled"



def test_cpu_sleep_costs_none(run):
    result = run("import time; time.sleep(0.5)", cpu_ms=300)
    assert result.outcome == "ok"


# Memory

def test_memory_within(run):
    result = run("x = b'x' * (70 << 20); print(len(x))", memory_bytes=128 * MIB)
    assert result.outcome == "ok" and result.usage["memory_peak_bytes"] >= 70 * MIB


def test_memory_beyond(run):
    result = run("print('a', flush=True)\nx = b'x' * (140 << 20)", memory_bytes=128 * MIB)
    assert (result.outcome, result.limit_hit) == ("memory", 128 * MIB)
    assert result.text == "a\n"


@pytest.mark.parametrize("code", [
    "x = []\nwhile True: x.append(b'x' * 1000000)",
    "import os\nfor _ in range(3): os.fork()\nx = b'x' * (40 << 20)\nimport time; time.sleep(20)",
    "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(0, 1 << 30, 4096): m[i] = 1",
    "open('f', 'wb').write(b'x' * (90 << 20))\nx = b'x' * (60 << 20)",
    "open('/dev/shm/f', 'wb').write(b'x' * (90 << 20))\nx = b'x' * (60 << 20)",
])
def test_memory_counts_processes_maps_and_files(run, code):
    assert run(code, memory_bytes=128 * MIB).outcome == "memory"


def test_memory_beyond_in_a_child_is_the_jobs_verdict(run):
    code = ("import os\npid = os.fork()\nif pid == 0: x = b'x' * (200 << 20)\n"
            "os.waitpid(pid, 0)\nprint('parent goes on')")
    assert run(code, memory_bytes=128 * MIB).outcome == "memory"


def test_memory_leaves_a_neighbour_alone(service):
    with channel.Call(service.socket, "x = b'y' * (60 << 20)\nimport time\ntime.sleep(1)\n"
                      "print(len(x))", memory_bytes=128 * MIB) as neighbour:
        assert channel.run(service.socket, "x = b'x' * (1 << 30)",
                           memory_bytes=64 * MIB).outcome == "memory"
        result = neighbour.result()
    assert result.outcome == "ok" and result.text == f"{60 << 20}\n"


@pytest.mark.parametrize("module", ["numpy", "pandas", "matplotlib.pyplot"])
def test_memory_smallest_limit_still_imports(run, module):
    result = run(f"import {module} as m\nprint(m.__name__)", memory_bytes=64 * MIB)
    assert result.outcome == "ok" and result.text == f"{module}\n", result.err


def test_memory_below_the_smallest_limit(brig, service):
    done = brig("--memory", str(64 * MIB - 1), "-c", "1")
    assert done.returncode == 2 and b"at least 64M" in done.stderr
    assert channel.run(service.socket, "1", memory_bytes=64 * MIB - 1).outcome == "internal"


# The work folder

@pytest.mark.parametrize("limit", [1 * MIB, 256 * MIB])
def test_work_bytes(run, limit):
    result = run(FILL, work_bytes=limit)
    assert result.outcome == "ok", result
    assert result.text == f"{limit} ENOSPC\n"


def test_work_bytes_are_free_again_after_unlink(run):
    result = run(FILL + FILL, work_bytes=2 * MIB)
    assert result.text == f"{2 * MIB} ENOSPC\n" * 2


def test_work_bytes_do_not_count_inputs(run):
    """What brig places for the job does not eat the job's own room."""
    result = run(FILL, work_bytes=1 * MIB, inputs={"a": b"x" * 20000, "b": b"y" * (3 * MIB)})
    assert result.text == f"{MIB} ENOSPC\n"


@pytest.mark.parametrize("limit", [100, 16384])
def test_work_inodes(run, limit):
    result = run(FILES, work_inodes=limit)
    made, why = result.text.split()
    assert result.outcome == "ok" and why == "ENOSPC" and int(made) == limit


def test_work_file_size(run):
    """RLIMIT_FSIZE is no smaller than the folder: the error is ENOSPC, never a signal."""
    result = run("import os\nfd = os.open('s', os.O_WRONLY | os.O_CREAT)\n"
                 "try: os.truncate(fd, 1 << 50)\nexcept OSError as fault: print(fault.errno)")
    assert result.outcome == "ok" and result.text == "27\n"  # EFBIG


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_other_folders_are_bounded_too(run, folder):
    result = run(f"import os\nos.chdir('{folder}')" + FILL)
    done, why = result.text.split()
    assert why == "ENOSPC" and 200 * MIB < int(done) <= 256 * MIB


@pytest.mark.parametrize("folder", ["/mnt/data", "/tmp", "/dev/shm"])
def test_the_hint_names_the_folder_that_is_full(run, folder):
    """write() names no file in its error."""
    result = run(f"f = open('{folder}/x', 'wb')\nwhile True: f.write(bytes(1 << 20))",
                 work_bytes=1 * MIB, memory_bytes=1024 * MIB)
    assert result.of_kind("hint")[0].startswith(f"{folder} is full".encode()), result


# Processes

@pytest.mark.parametrize("limit", [1, 5, 64])
def test_processes(run, limit):
    result = run(FORKS, processes=limit)
    assert result.outcome == "ok" and result.text == f"{limit - 1} EAGAIN\n"
    assert result.usage["processes_peak"] == limit


@pytest.mark.parametrize("limit", [1, 5, 64])
def test_threads_count_as_processes(run, limit):
    result = run(THREADS, processes=limit)
    assert result.outcome == "ok" and result.text == f"{limit - 1} cannot start\n"


def test_processes_of_a_neighbour_are_its_own(service):
    with channel.Call(service.socket, FORKS + "import time; time.sleep(1)", processes=64) as first:
        result = channel.run(service.socket, FORKS, processes=64)
        assert result.text == "63 EAGAIN\n"
        assert first.result().text == "63 EAGAIN\n"


def test_descriptors(run):
    code = ("import errno, os\nmade = 0\ntry:\n    while True: os.dup(0); made += 1\n"
            "except OSError as fault: print(made, errno.errorcode[fault.errno])")
    made, why = run(code).text.split()
    assert why == "EMFILE" and 200 < int(made) < 256


# CPUs

@pytest.mark.parametrize("level", ["bare", "data"])
def test_cpus_agree(run, level):
    code = ("import os\nprint(os.cpu_count(), os.process_cpu_count(), len(os.sched_getaffinity(0)))"
            "\nprint(*(os.environ.get(n) for n in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', "
            "'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS', 'NUMEXPR_MAX_THREADS')))")
    result = run(code, level=level)
    counts, variables = result.text.splitlines()
    assert counts == "1 1 1"
    assert set(variables.split()) <= {"1", "None"} and variables.split()[:2] == ["1", "1"]


@pytest.mark.parametrize("processes", [1, 2, 64])
def test_cpus_and_process_limit_suit_numpy(run, processes):
    """numpy works at any process limit: it starts no more threads than it may."""
    code = ("import numpy as np\na = np.ones((400, 400))\nprint((a @ a).sum() == 400 ** 3)\n"
            "print(np.linalg.svd(a[:50, :50], compute_uv=False).shape)")
    result = run(code, processes=processes)
    assert result.outcome == "ok" and result.text == "True\n(50,)\n", result.err


# Output

def shown(data):
    """The text that a stream of these bytes has in a result: 24 KiB, a mark, 8 KiB."""
    if len(data) <= 32 * KIB:
        return data.decode()
    left_out = f"{len(data) - 32 * KIB:,}".replace(",", MARK_SEPARATOR)
    return f"{data[:24 * KIB].decode()}\n… [{left_out} bytes left out] …\n{data[-8 * KIB:].decode()}"


MARK_SEPARATOR = ","


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("size", [32 * KIB - 1, 32 * KIB, 32 * KIB + 1, 100000])
def test_text_of_a_stream(run_json, stream, size):
    data = "".join(chr(97 + i % 26) for i in range(size))
    code = (f"import sys\nsys.{stream}.write(''.join(chr(97 + i % 26) for i in range({size})));")
    result, status = run_json("-c", code)
    assert status == 0
    assert result[f"{stream}_bytes"] == size
    assert result[f"{stream}_truncated"] is (size > 32 * KIB)
    assert result[stream] == shown(data.encode())


def test_text_cut_splits_no_character(run_json):
    for character, shift in (("é", 1), ("日", 1), ("日", 2), ("🙂", 1), ("🙂", 3)):
        code = f"print('x' * {shift} + '{character}' * 20000, end='')"
        result, _ = run_json("-c", code)
        size = shift + len(character.encode()) * 20000
        assert result["stdout_bytes"] == size and result["stdout_truncated"]
        head, count, tail = re.fullmatch(r"(.*)\n… \[([\d,]+) bytes left out\] …\n(.*)",
                                         result["stdout"], re.DOTALL).groups()
        assert set(head[shift:]) == set(tail) == {character}
        kept = len(head.encode()) + len(tail.encode())
        assert kept + int(count.replace(",", "")) == size and kept > 32 * KIB - 8


def test_text_escapes_invalid_bytes(run_json):
    result, _ = run_json("-c", r"import sys; sys.stdout.buffer.write(b'a\xff\xfeb\xc3');")
    assert result["stdout_bytes"] == 5
    assert result["stdout"] == r"a\xff\xfeb\xc3" and not result["stdout_truncated"]


@pytest.mark.parametrize("stream", [1, 2])
@pytest.mark.parametrize("limit", [1000, 32 * MIB])
def test_output_limit(run, stream, limit):
    """Up to the last byte it is no fault; one more is, and it is counted though not kept."""
    code = ("import os\nleft = {}\nwhile left:\n"
            "    left -= os.write({}, b'x' * min(left, 1 << 16))")
    result = run(code.format(limit, stream), output_bytes=limit)
    output = result.out if stream == 1 else result.err
    assert (result.outcome, output.bytes) == ("ok", limit)
    result = run(code.format(limit + 1, stream), output_bytes=limit)
    output = result.out if stream == 1 else result.err
    assert (result.outcome, result.limit_hit, output.bytes) == ("output", limit, limit + 1)
    assert len(output.kept) <= min(limit, 32 * KIB)


def test_output_limits_are_each_streams_own(run):
    code = "import os\nfor fd in (1, 2):\n    for _ in range(10): os.write(fd, b'x' * 100)"
    assert run(code, output_bytes=1000).outcome == "ok"


def test_output_of_children_counts(run):
    code = ("import os\nif os.fork() == 0:\n    while True: os.write(1, b'x' * 65536)\n"
            "import time; time.sleep(60)")
    assert run(code, output_bytes=MIB).outcome == "output"


def test_output_one_byte_writes(run):
    result = run("import os\nfor _ in range(20000): os.write(1, b'x')")
    assert (result.outcome, result.out.bytes) == ("ok", 20000)


def test_output_stderr_flood_while_stdout_waits(run):
    code = ("import os, threading\ndef flood(fd):\n"
            "    for _ in range(200): os.write(fd, b'x' * 65536)\n"
            "threads = [threading.Thread(target=flood, args=(fd,)) for fd in (1, 2)]\n"
            "for t in threads: t.start()\nfor t in threads: t.join()")
    result = run(code)
    assert (result.outcome, result.out.bytes, result.err.bytes) == ("ok", 200 << 16, 200 << 16)


# Code, stdin, inputs

def test_code_size(brig, run, tmp_path):
    path = tmp_path / "code.py"
    line = b"print('end')\n"
    path.write_bytes(b"#" * (MIB - len(line) - 1) + b"\n" + line)
    done = brig(path)
    assert (done.returncode, done.stdout) == (0, b"end\n"), done.stderr
    path.write_bytes(b"#" * (MIB - len(line)) + b"\n" + line)
    done = brig(path)
    assert done.returncode == 126 and b"1024 KiB" in done.stderr
    assert done.stderr.count(b"\n") == 1 and done.stdout == b""


def test_code_size_is_checked_by_the_service_too(run, service):
    assert run(b"#" * MIB).outcome == "ok"
    result = run(b"#" * (MIB + 1))
    assert result.outcome == "internal" and "1024 KiB" in result.fault
    assert run("print(1)").text == "1\n"


def test_stdin_size(brig, run, tmp_path):
    path = tmp_path / "in"
    code = "import sys; data = sys.stdin.buffer.read(); print(len(data), set(data))"
    path.write_bytes(b"\x07" * (16 * MIB))
    done = brig("--stdin", path, "-c", code)
    assert (done.returncode, done.stdout) == (0, f"{16 * MIB} {{7}}\n".encode()), done.stderr
    path.write_bytes(b"\x07" * (16 * MIB + 1))
    done = brig("--stdin", path, "-c", code)
    assert done.returncode == 126 and b"16 MiB" in done.stderr
    assert run("1", stdin=b"x" * (16 * MIB + 1)).outcome == "internal"


def test_stdin_need_not_be_read(run):
    assert run("print('unread')", stdin=b"x" * (4 * MIB)).text == "unread\n"


def test_inputs_count(run, brig, tmp_path):
    result = run("import os; print(len(os.listdir('.')), open('f63').read())",
                 inputs={f"f{i}": str(i).encode() for i in range(64)})
    assert result.text == "64 63\n"
    assert result.artifacts == {}
    result = run("print(1)", inputs={f"f{i}": b"" for i in range(65)})
    assert result.outcome == "internal"
    (tmp_path / "a").write_text("a")
    flags = [word for i in range(65) for word in ("--file", f"{tmp_path}/a:n{i}")]
    done = brig(*flags, "-c", "1")
    assert done.returncode == 126 and b"more than 64 files" in done.stderr


@pytest.mark.slow
def test_inputs_bytes(run, brig, tmp_path):
    code = "import os\nprint(sum(os.path.getsize(n) for n in os.listdir('.')))"
    for name in ("a", "b"):
        with open(tmp_path / name, "wb") as file:
            file.truncate(128 * MIB)
    files = ["--file", tmp_path / "a", "--file", tmp_path / "b"]
    done = brig(*files, "-c", code)
    assert (done.returncode, done.stdout) == (0, f"{256 * MIB}\n".encode()), done.stderr
    (tmp_path / "c").write_text("x")
    done = brig(*files, "--file", tmp_path / "c", "-c", code)
    assert done.returncode == 126 and b"256 MiB" in done.stderr
    with open(tmp_path / "a", "r+b") as file:
        file.truncate(256 * MIB + 1)
    done = brig("--file", tmp_path / "a", "-c", code)
    assert done.returncode == 126 and b"256 MiB" in done.stderr


@pytest.mark.parametrize("size", [0, 1, 32 * KIB, 32 * KIB + 1, 5 * MIB])
def test_inputs_are_exact_and_read_only(run, size):
    """Small ones are written by the cell's init, large ones are mounts: the same guarantees."""
    data = bytes(range(256)) * (size // 256 + 1)
    data = data[:size]
    code = ("import errno, hashlib, os\nprint(hashlib.sha256(open('in', 'rb').read()).hexdigest())\n"
            "def attempt(what, *args):\n    try: what(*args)\n"
            "    except OSError as fault: print(errno.errorcode[fault.errno])\n"
            "    else: print('WENT THROUGH')\n"
            "attempt(open, 'in', 'ab')\nattempt(os.unlink, 'in')\nattempt(os.rename, 'in', 'out')\n"
            "attempt(os.chmod, 'in', 0o666)\nattempt(os.truncate, 'in', 0)\n"
            "attempt(os.replace, '/dev/null', 'in')\n"
            "print(hashlib.sha256(open('in', 'rb').read()).hexdigest())")
    result = run(code, inputs={"in": data})
    import hashlib
    digest = hashlib.sha256(data).hexdigest()
    first, *tries, last = result.text.splitlines()
    assert first == last == digest
    assert len(tries) == 6 and set(tries) <= {"EACCES", "EPERM", "EBUSY", "EROFS", "EXDEV"}, tries
    assert result.artifacts == {}


@pytest.mark.parametrize("name", ["a" * 255, "é" * 127, "with space", "-n", "a:b", "Relevé (2).csv",
                                  ".hidden", "日本.csv"])
def test_inputs_names(run, brig, tmp_path, name):
    code = f"import os; print(os.listdir('.') == [{name!r}], open({name!r}).read())"
    assert run(code, inputs={name: b"x"}).text == "True x\n"
    (tmp_path / "src").write_text("x")
    done = brig("--file", f"{tmp_path}/src:{name}", "-c", code)
    assert done.stdout == b"True x\n", done.stderr


@pytest.mark.parametrize("name", ["", "a" * 256, "..", ".", "a/b", "/etc/x", "a\nb", "a\x00b",
                                  "\x7f", b"\xff"])
def test_inputs_names_refused(run, name):
    assert run("print(1)", inputs={name: b"x"}).outcome == "internal"
    assert run("print(2)").text == "2\n"


# Artifacts

def test_artifacts_count(run):
    code = "for i in range({}): open(f'f{{i:03}}', 'w').write(str(i))"
    result = run(code.format(32))
    assert len(result.artifacts) == 32 and result.skipped == []
    assert result.artifacts["f031"] == b"31"
    result = run(code.format(34))
    assert len(result.artifacts) == 32
    assert result.skipped == [("f032", "more than 32 files"), ("f033", "more than 32 files")]


def test_artifacts_bytes(run):
    code = "open('a', 'wb').write(b'x' * (40 << 20)); open('b', 'wb').write(b'y' * {})"
    result = run(code.format(24 << 20))
    assert {n: len(d) for n, d in result.artifacts.items()} == {"a": 40 << 20, "b": 24 << 20}
    result = run(code.format((24 << 20) + 1))
    assert set(result.artifacts) == {"a"}
    assert result.skipped == [("b", "more than 64 MiB in all")]


def test_artifacts_depth(run):
    """Sixteen folders deep is collected, beyond it is named."""
    code = ("import os\npath = '/'.join('d' * {})\nos.makedirs(path)\n"
            "open(path + '/f', 'w').write('deep')")
    result = run(code.format(16))
    assert result.artifacts == {"d/" * 16 + "f": b"deep"}
    result = run(code.format(17))
    assert result.artifacts == {} and result.skipped == [
        ("/".join("d" * 17), "folders nested too deep")]


def test_artifacts_a_thousand_deep(run):
    code = "import os\nfor _ in range(1000): os.mkdir('d'); os.chdir('d')\nopen('f', 'w')"
    result = run(code)
    assert result.outcome == "ok" and len(result.skipped) == 1


def test_artifacts_sparse_file_is_not_read(run):
    result = run("import os\nfd = os.open('s', os.O_WRONLY | os.O_CREAT)\n"
                 "os.ftruncate(fd, 200 << 20)")
    assert result.skipped == [("s", "more than 64 MiB in all")]


def test_artifacts_ten_thousand_files(run):
    result = run("for i in range(10000): open(f'f{i}', 'w')")
    assert result.outcome == "ok" and len(result.skipped) == 64
    by_name = sorted(f"f{i}" for i in range(10000))
    assert list(result.artifacts) == by_name[:32]
    assert [name for name, _ in result.skipped[:-1]] == by_name[32:95]
    name, why = result.skipped[-1]
    assert name == "9905 more" and why.startswith("not listed; 9968 left out in all, ")


def test_artifacts_of_a_folder_come_before_those_of_its_folders(run):
    """However many lie in a folder, and whatever was made first."""
    result = run("import os\nos.mkdir('a')\nfor i in range(40): open(f'a/{i:02}', 'w')\n"
                 "open('z', 'w')")
    assert list(result.artifacts) == ["z", *(f"a/{i:02}" for i in range(31))]
    assert [name for name, _ in result.skipped] == [f"a/{i:02}" for i in range(31, 40)]


HIDDEN = "its name begins with a dot; rename it to have it returned"


def test_artifacts_hidden_files_are_named(run):
    """A folder once, whatever is in it; Python's own caches are nobody's work."""
    result = run("import os\nfor d in ('.d/e', '__pycache__', 'a/__pycache__'): os.makedirs(d)\n"
                 "for f in ('.env', '.d/f', '.d/e/.g', 'a/.b', 'a/c', '__pycache__/x', "
                 "'a/__pycache__/x'): open(f, 'w').write('1')\nos.symlink('a', '.l')")
    assert result.artifacts == {"a/c": b"1"}
    assert result.skipped == [(".d/", HIDDEN), (".env", HIDDEN), (".l", HIDDEN), ("a/.b", HIDDEN)]


def test_artifacts_many_hidden_files(run):
    result = run("for i in range(200): open(f'.{i:03}', 'w')\nopen('a', 'w')")
    assert list(result.artifacts) == ["a"] and len(result.skipped) == 64
    assert result.skipped[-1][0] == "137 more"


def test_artifacts_hidden_inputs_are_inputs(run):
    result = run("open('.new', 'w')", inputs={".given": b"1"})
    assert result.skipped == [(".new", HIDDEN)]


def test_artifacts_the_walk_is_bounded(run):
    result = run("import os\nfor i in range(1100): os.mkdir(f'd{i:04}'); open(f'd{i:04}/f', 'w')")
    assert result.outcome == "ok" and list(result.artifacts)[-1] == "d0031/f"
    assert len(result.skipped) == 64
    name, why = result.skipped[-1]
    assert (name, why[:55]) == ("1005 more", "not listed; 1068 left out in all and more unseen, for fi"[:55])


def test_artifacts_left_out_are_counted_on_a_terminal(brig):
    done = brig("-c", "for i in range(200): open(f'f{i:03}', 'w')", text=True)
    left = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    assert len(left) == 64 and left[0] == "left out: f032: more than 32 files"
    assert left[-1].startswith("left out: 105 more: not listed; 168 left out in all, ")


def test_marks_that_turn_a_line_reach_no_terminal(brig, run_json, tmp_path):
    """Of names always; of output and errors where it is a terminal. In JSON they stand as they are."""
    code = ("import os, sys\nos.symlink('x', 'a\u202egpj.exe'); open('b\u2066c', 'w').close()\n"
            "print('out \u200f\u2028'); raise ValueError('no \u202e\u2069 way')")
    done = brig("--out", tmp_path, "-c", code)
    names = [line for line in done.stderr.decode().splitlines() if "gpj" in line or "c (" in line]
    assert len(names) == 2 and "a\\u202egpj.exe" in names[0] + names[1], done.stderr
    assert "b\\u2066c" in names[0] + names[1] and not re.search("[\u202e\u2066]", "".join(names))
    assert done.stdout.decode() == "out \u200f\u2028\n"
    assert [p.name for p in tmp_path.iterdir()] == ["b\u2066c"]
    result, _ = run_json("-c", code)
    assert result["error"]["message"] == "no \u202e\u2069 way" and "\u200f" in result["text"]
    shown = on_a_terminal(brig, "-c", code)
    assert "out \\u200f\\u2028\r\n" in shown and "ValueError: no \\u202e\\u2069 way" in shown
    assert not re.search("[\u200f\u2028\u202e\u2066\u2069]", shown)
    json_there = on_a_terminal(brig, "--json", "-c", "print('\u202e')")
    assert "\u202e" not in json_there
    assert json.loads(json_there)["stdout"] == "\u202e\n"


def on_a_terminal(brig, *args):
    """What brig writes there, its standard output and error together."""
    ours, theirs = os.openpty()
    pieces = []

    def drain():
        try:
            while piece := os.read(ours, 65536):
                pieces.append(piece)
        except OSError:  # EIO: nobody has it open any more
            pass
    reader = threading.Thread(target=drain)
    reader.start()
    try:
        brig(*args, capture_output=False, stdout=theirs, stderr=theirs)
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    return b"".join(pieces).decode()


def test_artifacts_in_the_result(run_json, brig, tmp_path):
    code = "open('t.csv', 'w').write('a,b\\n1,2\\n'); open('.hidden', 'w'); open('x.bin', 'wb')"
    result, _ = run_json("-c", code)
    assert [(f["name"], f["bytes"]) for f in result["files"]] == [("t.csv", 8), ("x.bin", 0)]
    assert result["files"][0]["mime"] == "text/csv"
    import hashlib
    assert result["files"][0]["sha256"] == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    done = brig("--out", tmp_path / "out" / "new", "-c", code)
    assert done.returncode == 0
    assert sorted(p.name for p in (tmp_path / "out" / "new").iterdir()) == ["t.csv", "x.bin"]


# Charts

def png(width, height, extra=b""):
    """Code that shows a picture whose header claims this size."""
    return ("import struct, zlib\n"
            "def chunk(k, d): return struct.pack('>I', len(d)) + k + d + "
            "struct.pack('>I', zlib.crc32(k + d))\n"
            f"head = struct.pack('>IIBBBBB', {width}, {height}, 1, 0, 0, 0, 0)\n"
            f"row = b'\\0' * ({width} // 8 + 1 + (1 if {width} % 8 else 0))\n"
            f"body = zlib.compress(row * {height}, 1)\n"
            f"data = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', body)"
            f" + {extra!r} + chunk(b'IEND', b'')\n"
            "class P:\n    def _repr_png_(self): return data\n")


def test_charts_count(run_json):
    code = ("import matplotlib.pyplot as plt\nfor k in range({}):\n"
            "    plt.figure(); plt.plot([k]); plt.title(f'n{{k}}')")
    patient = ("--wall", "300s", "--cpu", "300s")
    result, _ = run_json(*patient, "-c", code.format(20))
    assert [c["title"] for c in result["charts"]] == [f"n{k}" for k in range(20)]
    result, _ = run_json(*patient, "-c", code.format(22))
    assert len(result["charts"]) == 20
    assert "20" in json.dumps(result["skipped"]) + result["text"], result["text"][-500:]


def test_charts_megapixels(run_json):
    result, _ = run_json("-c", png(4000, 4000) + "display(P())")
    assert [(c["width"], c["height"]) for c in result["charts"]] == [(4000, 4000)]
    result, _ = run_json("-c", png(4000, 4001) + "display(P())")
    assert result["charts"] == []
    assert "4000 × 4001 pixels" in result["text"], result["text"]


def test_charts_bytes(run_json):
    pad = ("data = data[:-12] + chunk(b'teXt', b'\\0' * ({} - len(data) - 12)) + data[-12:]\n"
           "assert len(data) == {}\n")
    result, _ = run_json("-c", png(8, 8) + pad.format(4 * MIB, 4 * MIB) + "display(P())")
    assert len(base64.b64decode(result["charts"][0]["data_base64"])) == 4 * MIB, result["text"]
    result, _ = run_json("-c", png(8, 8) + pad.format(4 * MIB + 1, 4 * MIB + 1) + "display(P())")
    assert result["charts"] == [] and "4,194,305 bytes" in result["text"]


def test_charts_have_their_own_size(run_json):
    """A header that lies is not believed, nor is what was said of it."""
    result, _ = run_json("-c", "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    chart, = result["charts"]
    data = base64.b64decode(chart["data_base64"])
    assert struct.unpack(">II", data[16:24]) == (chart["width"], chart["height"])
    assert chart["mime"] == "image/png" and chart["alt"]


def test_whole_reply_stays_below_its_cap(brig):
    """Twenty charts of 700 KiB cannot all travel inline: those left out are named."""
    code = (png(8, 8) + "data = data[:-12] + chunk(b'teXt', b'\\0' * 700000) + data[-12:]\n"
            "for _ in range(20): display(P())")
    done = brig("--json", "-c", code)
    assert done.returncode == 0 and len(done.stdout) <= 8 * MIB
    result = json.loads(done.stdout)
    assert 0 < len(result["charts"]) < 20
    assert len(result["charts"]) + len(result["skipped"]) == 20


# Values

@pytest.mark.parametrize("size,cut", [(32 * KIB, False), (32 * KIB + 1, True), (10 * MIB, True)])
def test_value_text(run_json, size, cut):
    result, _ = run_json("-c", f"class A:\n    def __repr__(self): return 'x' * {size}\nA()")
    text = result["result"]["text"]
    assert len(text.encode()) <= 33 * KIB
    assert (text == "x" * size) is not cut
    if cut:
        assert "left out" in text or "…" in text


def test_message_and_traceback(run_json):
    result, _ = run_json("-c", "raise ValueError('m' * 5000)")
    assert len(result["error"]["message"].encode()) <= KIB
    assert len(result["error"]["traceback"].encode()) <= 4 * KIB
    assert "…" in result["error"]["message"]


def test_text_never_exceeds_its_cap(run_json):
    code = ("import sys\nprint('o' * 200000)\nsys.stderr.write('e' * 200000)\n"
            "import pandas as pd\nfor _ in range(25): display(pd.DataFrame({'a': ['x' * 900] * 60}))\n"
            "'v' * 100000")
    result, _ = run_json("-c", code)
    assert len(result["text"].encode()) <= 64 * KIB
    assert len(result["tables"]) <= 20
    assert result["outcome"] == "ok"
