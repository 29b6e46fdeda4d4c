"""Sessions of the interpreter service: what stays between calls, what ends them, what is left."""

import json
import os
import signal
import threading
import time
import uuid

import pytest

import channel
import host


def new_id():
    return "s" + uuid.uuid4().hex


class Session:
    """One session of a service; calls as functions."""

    def __init__(self, service, code="", **options):
        self.service, self.id = service, new_id()
        self.first = channel.run(service.socket, code, session=self.id, **options)
        end = time.monotonic() + host.WATCHDOG_S
        while self.first.fault_code == 11 and time.monotonic() < end:  # places of those just ended
            time.sleep(0.02)
            self.first = channel.run(service.socket, code, session=self.id, **options)
        assert self.first.session.state == "alive", self.first

    def __call__(self, code, **options):
        return channel.run(self.service.socket, code, use=self.id, **options)

    def start(self, code, **options):
        return channel.Call(self.service.socket, code, use=self.id, **options)

    def ask(self, verb, path="", **options):
        return channel.ask(self.service.socket, verb, self.id, path=path, **options)

    def text(self, code, **options):
        result = self(code, **options)
        assert result.outcome == "ok", result
        return result.text

    def is_lost(self, why):
        gone = self("print('here')")
        return (gone.outcome == "internal" and gone.fault_code == 3
                and gone.fault.startswith("session: ") and why in gone.fault
                and why in gone.session.lost_why and gone.session.state == "lost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ask("close")


@pytest.fixture
def session(service):
    with Session(service) as made:
        yield made


def error_of(result):
    return json.loads(result.of_kind("error")[0])


# What stays.

def test_variables_imports_files_and_folder_stay(session):
    session.text("import math\nx = 40\ndef f(y):\n    return x + y\nopen('a', 'w').write('kept')")
    session.text("import os\nos.mkdir('sub')\nos.chdir('sub')")
    assert session.text("print(f(2), math.pi > 3, open('../a').read(), os.getcwd())") == \
        "42 True kept /mnt/data/sub\n"


def test_last_value_is_underscore(session):
    session("21 * 2")
    assert session.text("print(_)") == "42\n"
    result = session("y = 1")
    assert result.of_kind("value") == [] and session.text("print(_)") == "42\n"
    session.text("_ = 'mine'")
    session("5")
    assert session.text("print(_)") == "mine\n"


def test_what_was_patched_stays(session):
    session.text("import json, sys\njson.dumps = lambda x: 'patched'\nsys.argv = ['a', 'b']\n"
                 "import random\nrandom.seed(1)")
    assert session.text("print(json.dumps(1), sys.argv, random.randint(1, 1000))") == \
        "patched ['a', 'b'] 138\n"


def test_a_class_of_an_earlier_call_can_be_pickled(session):
    session.text("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int")
    assert session.text("import pickle\nprint(pickle.loads(pickle.dumps(P(3))))") == "P(x=3)\n"


def test_figures_stay_and_are_shown_again_only_when_they_changed(session):
    first = session("import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])")
    assert len(first.of_kind("chart")) == 1
    assert session("print(plt.get_fignums())").of_kind("chart") == []
    changed = session("ax.plot([2, 1]);")
    charts = [json.loads(c) for c in changed.of_kind("chart")]
    assert [len(c["data"]["axes"][0]["series"]) for c in charts] == [2]
    # Each call counts its images anew, and each image is this call's.
    images = [image for kind, _, image in changed.items if kind == "chart"]
    assert images[0].startswith(b"\x89PNG") and images[0] != first.items[0][2]
    assert len(session("fig").of_kind("chart")) == 1
    assert len(session("fig.show()").of_kind("chart")) == 1
    assert session("1").of_kind("chart") == []


def test_a_new_plot_does_not_draw_into_an_old_figure(session):
    assert len(session("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])")
               .of_kind("chart")) == 1
    second = session("plt.plot([3, 2, 1])\nprint(len(plt.gca().lines))")
    assert second.text == "1\n" and len(second.of_kind("chart")) == 1
    shown = session("plt.figure(1)\nplt.title('late')\nplt.show()")
    assert [json.loads(c).get("title") for c in shown.of_kind("chart")] == ["late"]


def test_images_of_each_kind_come_with_their_call(session):
    """PNG, SVG and JPEG, counted anew in each call, an older one of the same number replaced."""
    session.text("import io\nfrom PIL import Image\nclass Photo:\n    def _repr_jpeg_(self):\n"
                 "        file = io.BytesIO()\n        Image.new('RGB', (8, 8)).save(file, 'JPEG')\n"
                 "        return file.getvalue()\nimport matplotlib.pyplot as plt")
    for code, start, options in (
            ("display(Photo())", b"\xff\xd8\xff", {}),
            ("display(Image.new('RGB', (8, 8)))", b"\x89PNG", {}),
            ("plt.plot([1, 2]); plt.show()", b"<?xml", {"chart_format": "svg"}),
            ("plt.plot([1, 2]); plt.show()", b"\x89PNG", {})):
        images = [image for kind, _, image in session(code, **options).items if kind == "chart"]
        assert len(images) == 1 and images[0] and images[0].startswith(start), (code, images)


def test_savefig_in_the_next_call_saves_what_was_shown(session):
    session("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])")
    saved = session("plt.savefig('p.png')\nfrom PIL import Image\nprint(len(set(Image.open('p.png')"
                    ".convert('L').getdata())) > 3)")
    assert saved.text == "True\n" and list(saved.artifacts) == ["p.png"]


def test_two_sessions_are_apart(service):
    with Session(service, "x = 'one'") as one, Session(service, "x = 'two'") as two:
        open_file = "open('/tmp/t', 'w').write(x); open('f', 'w').write(x)"
        one.text(open_file), two.text(open_file)
        ask = "print(x, open('/tmp/t').read(), open('f').read(), len(__import__('os').listdir()))"
        assert one.text(ask) == "one one one 1\n" and two.text(ask) == "two two two 1\n"


def test_contexts_have_names_of_their_own(session):
    session.text("x = 1\nimport os", context="a")
    assert error_of(session("x", context="b"))["type"] == "NameError"
    assert error_of(session("x"))["type"] == "NameError"
    session.text("x = 2", context="b")
    assert session.text("print(x, __name__)", context="a") == "1 __main__\n"
    session.text("open('shared', 'w').write('s')", context="a")
    assert session.text("print(open('shared').read())", context="b") == "s\n"
    for number in range(13):
        session.text("1", context=f"more{number}")
    assert "at most 16 contexts" in error_of(session("1", context="one-too-many"))["message"]
    assert session.text("print(x)", context="b") == "2\n"


def test_only_new_and_changed_files_are_artifacts(session):
    one = session("open('a', 'w').write('1'); open('b', 'w').write('2'); import os; "
                  "os.symlink('a', 'l')")
    assert list(one.artifacts) == ["a", "b"] and [n for n, _ in one.skipped] == ["l"]
    two = session("open('b', 'w').write('3'); open('c', 'w').write('4')")
    assert two.artifacts == {"b": b"3", "c": b"4"} and two.skipped == []
    assert session("open('a').read()").artifacts == {}
    assert session("os.rename('a', 'z')").artifacts == {"z": b"1"}


def test_hidden_files_are_told_of_once(session):
    def skipped(code):
        return [name for name, _ in session(code).skipped]
    make = "import os; os.mkdir('.d'); open('.d/a', 'w'); open('.e', 'w').close()"
    assert sorted(skipped(make)) == [".d/", ".e"]
    assert skipped("open('.d/b', 'w').close()") == []
    assert skipped("open('.e', 'w').write('more')") == [".e"]


def test_inputs_of_later_calls(session):
    assert session.text("print(open('d.csv').read())", inputs={"d.csv": b"v1"}) == "v1\n"
    assert session.text("print(open('d.csv').read())", inputs={"d.csv": b"v2"}) == "v2\n"
    large = {"d.csv": b"v" * 300000}
    assert session.text("print(len(open('d.csv').read()))", inputs=large) == "300000\n"
    large["d.csv"] += b"w"
    assert session.text("print(len(open('d.csv').read()))", inputs=large) == "300001\n"
    assert session.text("print(open('d.csv').read())", inputs={"d.csv": b"small"}) == "small\n"
    for harm in ("open('d.csv', 'w')", "os.unlink('d.csv')", "os.rename('d.csv', 'e')"):
        harmed = session("import os\n" + harm)
        assert harmed.outcome == "error", harm
        assert harmed.of_kind("hint")[0].startswith(b"the given files are read-only"), harm
    assert session.text("print(open('d.csv').read())") == "small\n"
    assert session("1").artifacts == {}


def test_an_input_takes_the_place_of_the_sessions_own_file(session):
    session.text("import os\nopen('own', 'w').write('x'); os.symlink('/etc/hostname', 'link'); "
                 "os.mkdir('folder')")
    given = {"own": b"given", "link": b"given too"}
    assert session.text("print(open('own').read(), open('link').read(), os.path.islink('link'))",
                        inputs=given) == "given given too False\n"
    refused = session("print(1)", inputs={"folder": b"x"})
    assert refused.outcome == "error" and refused.session.state == "alive"
    assert error_of(refused)["type"] == "IsADirectoryError"
    assert refused.of_kind("hint")[0].startswith(b"none of the code has run")
    assert session.text("print(2)") == "2\n"


def test_stdin_of_each_call(session):
    read = "import sys\nprint(repr(sys.stdin.read()))"
    assert session.text(read, stdin=b"one") == "'one'\n"
    assert session.text(read) == "''\n"
    assert session.text("print(input(), input())", stdin=b"a\nb\n") == "a b\n"
    assert session.text("import sys\nprint(len(sys.stdin.read()))", stdin=b"x" * (3 << 20)) == \
        f"{3 << 20}\n"
    assert error_of(session("input()"))["type"] == "EOFError"
    assert session.text("import os\nprint(os.listdir('/tmp/.brig'))") == "[]\n"


def test_stdin_with_the_spool_in_the_way(session):
    session.text("import os, shutil\nshutil.rmtree('/tmp/.brig', ignore_errors=True)\n"
                 "os.symlink('/mnt/data', '/tmp/.brig')")
    refused = session("print(1)", stdin=b"x")
    assert refused.outcome == "error" and error_of(refused)["type"] in ("OSError",
                                                                        "NotADirectoryError")
    assert "stdin" in error_of(refused)["message"]
    assert session.text("os.unlink('/tmp/.brig'); print(2)") == "2\n"
    assert session.text("print(input())", stdin=b"x") == "x\n"


def test_a_session_may_begin_without_code(service):
    with Session(service, inputs={"i": b"data"}) as session:
        assert session.first.outcome == "ok" and session.first.text == ""
        assert session.text("import pandas as pd\nprint(open('i').read())") == "data\n"


def test_errors_name_the_call_they_are_from(session):
    session.text("def f(y):\n    return 1 / y")
    error = error_of(session("print(1)\n\nf(0)"))
    assert error["line"] == 3 and error["type"] == "ZeroDivisionError"
    assert 'File "job-2.py", line 3' in error["traceback"]
    assert 'File "job.py", line 2' in error["traceback"] and "1 / y" in error["traceback"]


def test_figures_of_usage_are_of_the_call(session):
    burn = session("import time\nend = time.process_time() + 0.3\n"
                   "while time.process_time() < end: pass\nx = bytearray(100 << 20); del x")
    light = session("1")
    assert burn.usage["cpu_ms"] >= 290 and light.usage["cpu_ms"] < 200
    assert burn.usage["memory_peak_bytes"] >= 100 << 20


def test_cpu_limit_holds_for_each_call_alone(session):
    for _ in range(4):
        # Longer than the limit: what is left of it is looked at while the call goes on.
        result = session("import time\nend = time.process_time() + 0.6\n"
                         "while time.process_time() < end: pass\ntime.sleep(0.7)\nprint('well')",
                         cpu_ms=1000)
        assert result.outcome == "ok" and result.text == "well\n"
        assert 550 <= result.usage["cpu_ms"] < 1000
    assert session("while True: pass", cpu_ms=300).outcome == "timeout_cpu"
    assert session.text("print('alive')") == "alive\n"


# What ends a call, and what ends the session.

def test_exit_and_error_keep_it(session):
    session.text("x = 1")
    result = session("import sys\nprint('a')\nsys.exit(3)")
    assert (result.outcome, result.exit_code, result.session.state) == ("exit", 3, "alive")
    assert session("1 / 0").session.state == "alive"
    assert session("def f(").session.state == "alive"
    assert session("raise KeyboardInterrupt").session.state == "alive"
    assert session.text("print(x)") == "1\n"


def test_time_out_interrupts_and_the_state_survives(session):
    result = session("import time\nx = 7\ntry:\n    time.sleep(600)\nfinally:\n    y = 8",
                     wall_ms=200)
    assert (result.outcome, result.limit_hit) == ("timeout_wall", 200)
    assert result.session.state == "interrupted" and result.session.lost_why == ""
    assert error_of(result)["type"] == "KeyboardInterrupt" and error_of(result)["line"] == 4
    assert session.text("print(x, y)") == "7 8\n"


def test_code_may_end_well_after_the_interrupt(session):
    result = session("import time\ntry:\n    time.sleep(600)\nexcept KeyboardInterrupt:\n"
                     "    print('stopped'); z = 9", wall_ms=200)
    assert (result.outcome, result.text) == ("timeout_wall", "stopped\n")
    assert result.session.state == "interrupted" and session.text("print(z)") == "9\n"


def test_code_that_swallows_the_interrupt_is_lost(service):
    for code in ("import time\nwhile True:\n    try:\n        time.sleep(600)\n"
                 "    except KeyboardInterrupt:\n        print('no')",
                 "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                 "time.sleep(600)"):
        session = Session(service)
        result = session(code, wall_ms=200)
        assert (result.outcome, result.session.state) == ("timeout_wall", "lost")
        assert "KeyboardInterrupt" in result.session.lost_why
        assert session.is_lost("KeyboardInterrupt")


def test_cpu_and_output_interrupt(session):
    result = session("x = 1\nwhile True: pass", cpu_ms=200)
    assert (result.outcome, result.session.state) == ("timeout_cpu", "interrupted")
    result = session("while True: print('y' * 1000)", output_bytes=50000)
    assert (result.outcome, result.session.state) == ("output", "interrupted")
    assert result.out.bytes > 50000
    result = session("print('y' * 60000)", output_bytes=50000)
    assert result.outcome == "output" and result.session.state in ("alive", "interrupted")
    assert session.text("print(x)") == "1\n"


def test_a_late_interrupt_does_not_reach_the_next_call(session):
    """At the very moment of the end, again and again: never an innocent victim."""
    for number in range(40):
        result = session(f"import time\ntime.sleep({0.05 + number % 10 * 0.0003})", wall_ms=50)
        assert result.session.state in ("alive", "interrupted"), result
        assert session(f"print({number})").text == f"{number}\n"


def test_interrupt_in_asyncio(session):
    result = session("import asyncio\nawait asyncio.sleep(600)", wall_ms=3000)
    assert (result.outcome, result.session.state) == ("timeout_wall", "interrupted")
    assert session.text("await asyncio.sleep(0)\nprint('on')") == "on\n"


@pytest.mark.parametrize("code, outcome, why", [
    ("x = b'x' * (1 << 30)", "memory", "memory"),
    ("import os; os._exit(4)", "exit", "ended the process"),
    ("import os; os.kill(os.getpid(), 11)", "signal", "signal"),
    ("import ctypes; ctypes.memset(0, 1, 4)", "signal", "signal"),
    ("import ctypes; ctypes.CDLL(None).syscall(101, 0)", "denied", "forbidden system call"),
    ("import os; os.close(4)", "exit", "ended the process"),
])
def test_what_loses_a_session(service, code, outcome, why):
    session = Session(service, "print('begun')")
    result = session("print('printed', flush=True)\n" + code)
    assert (result.outcome, result.text) == (outcome, "printed\n"), result
    assert result.session.state == "lost" and why in result.session.lost_why
    assert session.is_lost(why)


def test_cancel_interrupts(session):
    with session.start("import time\nx = 3\nprint('on', flush=True)\ntime.sleep(600)",
                       stream=True) as call:
        call.wait_output("on\n")
        call.cancel()
        result = call.result()
    assert (result.outcome, result.session.state) == ("cancelled", "interrupted")
    assert session.text("print(x)") == "3\n"


def test_a_client_that_goes_away_cancels_the_call_and_not_the_session(session):
    with session.start("import time\nx = 4\nprint('on', flush=True)\ntime.sleep(600)",
                       stream=True) as call:
        call.wait_output("on\n")
    assert session.text("print(x)") == "4\n"


def test_a_call_that_waits_can_be_cancelled(session):
    with session.start("import time\nprint('on', flush=True)\ntime.sleep(600)", stream=True) as one:
        one.wait_output("on\n")
        with session.start("print('never')") as two, session.start("print('third')") as three:
            two.cancel()
            assert two.result().outcome == "cancelled"
            one.cancel()
            assert one.result().session.state == "interrupted"
            assert three.result().text == "third\n"


def test_calls_are_served_in_order(session):
    calls = [session.start(f"print({n})") for n in range(20)]
    try:
        assert [call.result().text for call in calls] == [f"{n}\n" for n in range(20)]
    finally:
        for call in calls:
            call.close()
    session.text("order = []")
    calls = [session.start(f"order.append({n})") for n in range(20)]
    results = [call.result().session.state for call in calls]
    for call in calls:
        call.close()
    assert results == ["alive"] * 20
    assert session.text("print(order == list(range(20)))") == "True\n"


def test_closing_does_not_wait(service):
    session = Session(service)
    with session.start("import time\nprint('on', flush=True)\ntime.sleep(600)", stream=True) as one, \
            session.start("print('never')") as two:
        one.wait_output("on\n")
        assert session.ask("state").status.state == "alive"
        assert session.ask("close").status.state == "lost"
        result = one.result()
        assert (result.outcome, result.session.state) == ("cancelled", "lost")
        waiting = two.result()
        assert (waiting.outcome, waiting.fault_code) == ("internal", 3)
        assert waiting.session.lost_why == "it was closed"
    assert session.is_lost("it was closed")
    assert session.ask("close").code == 3


def test_idle_and_life_end_it(service):
    session = Session(service, "x = 1", idle_ms=300)
    assert 0 < session.first.session.idle_left_ms <= 300
    host.wait_until(lambda: session.ask("state").code == 3, "an idle session stays")
    assert session.is_lost("idle")
    session = Session(service, "x = 1", life_ms=4000)
    # In use all the time, and yet its life ends, and with it the call that runs.
    result = session("import time\nprint('begun', flush=True)\ntime.sleep(600)", wall_ms=300000)
    assert (result.outcome, result.text, result.session.state) == ("timeout_wall", "begun\n", "lost")
    assert result.limits["wall_ms"] <= 4000 and result.limit_hit == result.limits["wall_ms"]
    assert session.is_lost("time was up")


def test_extending(service):
    with Session(service, "x = 1", idle_ms=60000, life_ms=60000) as session:
        status = session.ask("extend", idle_ms=120000, life_ms=240000).status
        assert 110000 < status.idle_left_ms <= 120000 and 230000 < status.life_left_ms <= 240000
        status = session.ask("extend", life_ms=90000).status
        assert 110000 < status.idle_left_ms and status.life_left_ms <= 90000
        session.ask("extend", idle_ms=1)
        host.wait_until(lambda: session.ask("state").code == 3, "an idle session stays")


def test_ids(service):
    with Session(service) as session:
        again = channel.run(service.socket, "1", session=session.id)
        assert again.outcome == "internal" and again.fault_code == 17
        assert session.text("print(1)") == "1\n"
    for verb in channel.VERBS:
        options = {"data": b""} if verb == "write" else {"target": "t"} if verb == "move" else {}
        answer = channel.ask(service.socket, verb, "unknown", path="p", **options)
        assert (answer.code, answer.stage, answer.status.state) == (3, "session", "lost"), verb
    unknown = channel.run(service.socket, "1", use="unknown")
    assert unknown.outcome == "internal" and unknown.fault_code == 3


def test_sessions_leave_slots_to_lone_jobs():
    """Three quarters of the slots, and no more; lone jobs find the others."""
    with host.Service(cells=4, park=0) as service:
        sessions = [Session(service) for _ in range(3)]
        fourth = channel.run(service.socket, "1", session=new_id())
        assert fourth.outcome == "internal" and fourth.fault_code == 11
        assert channel.run(service.socket, "print('lone')").text == "lone\n"
        sessions[0].ask("close")
        host.wait_until(lambda: channel.run(service.socket, "1", session=new_id()).outcome == "ok",
                        "a closed session's place")


def test_a_role_s_share_counts_its_sessions():
    with host.Service(cells=8, park=0) as service:
        channel.run(service.socket, "1", role="quiet")
        held = [Session(service, role="greedy") for _ in range(5)]
        # One less than its share: its own lone jobs have a slot, too.
        refused = channel.run(service.socket, "1", session=new_id(), role="greedy")
        assert refused.outcome == "internal" and refused.fault_code == 11
        with channel.Call(service.socket, "print('on', flush=True)\nimport time\ntime.sleep(600)",
                          role="greedy", stream=True) as lone:
            lone.wait_output("on\n")
            with channel.Call(service.socket, "print('greedy')", role="greedy") as waits:
                assert channel.run(service.socket, "print('quiet')",
                                   role="quiet").text == "quiet\n"
                held[0].ask("close")
                assert waits.result().text == "greedy\n"


# What runs, and when.

def test_nothing_runs_between_calls(session):
    """No process of it either: a thread alone would stand still for want of Python's own lock."""
    session.text("""
import os, threading, time
def tick(name):
    count = 0
    while True:
        count += 1
        with open(name + '.new', 'w') as file:
            file.write(str(count))
        os.rename(name + '.new', name)
        time.sleep(0.005)
threading.Thread(target=tick, args=('thread',), daemon=True).start()
if os.fork() == 0:
    tick('process')
time.sleep(0.2)
""")

    def counts():
        return [int(session.ask("read", name).data) for name in ("thread", "process")]
    before = counts()
    time.sleep(0.5)
    assert counts() == before and min(before) > 1
    session.text("time.sleep(0.2)")
    assert all(now > then for now, then in zip(counts(), before))


def test_a_thread_that_prints_late_is_not_heard(session):
    assert session.text("import threading, time\ndef late():\n    time.sleep(0.3)\n"
                        "    print('LATE')\n    display('LATE')\n"
                        "threading.Thread(target=late, daemon=True).start()\nprint('main done')") \
        == "main done\n"
    result = session("time.sleep(0.6)\nprint('second call')")
    assert result.text == "second call\n" and b"LATE" not in result.err.kept
    assert any(b"not shown" in note for note in result.of_kind("note"))
    own = session("t = threading.Thread(target=print, args=('own',)); t.start(); t.join()")
    assert own.text == "own\n"


def test_pools_go_on_in_later_calls(session):
    session.text("from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
                 "import multiprocessing as mp\nprocs = mp.Pool(2)")
    assert session.text("print(pool.submit(pow, 2, 3).result(), procs.map(abs, [-1, -2]))") == \
        "8 [1, 2]\n"


def frame_code(kind, call, extra=b""):
    """Python that writes a control frame on the cell's own pipe."""
    fields = channel.number(15, call) + extra
    return f"import os\nos.write(4, {channel.frame(kind, fields)!r})\n"


def test_forged_done_spoils_its_own_session_alone(service):
    with Session(service, "x = 1") as other:
        session = Session(service)
        forged = session(frame_code(20, 1, channel.number(5, 0)) +
                         "import time\ntime.sleep(1)\nprint('late')")
        assert forged.outcome == "ok" and forged.session.state == "alive"
        after = session("print('mine')", wall_ms=5000)
        assert after.session.state in ("alive", "lost"), after
        if after.session.state == "alive":
            assert session.text("print('again')") == "again\n"
        session.ask("close")
        # Of another call, or of none: passed over.
        with Session(service) as third:
            assert third.text(frame_code(20, 9, channel.number(5, 7)) + "print('end')") == "end\n"
            assert third.text(frame_code(19, 1, channel.number(3, 6) + channel.blob(4, b"old")) +
                              "print('end')") == "end\n"
        assert other.text("print(x)") == "1\n"


def test_nonsense_on_the_control_pipe_loses_the_session(service):
    session = Session(service)
    result = session("import os\nprint('here', flush=True)\nos.write(4, b'\\xff' * 100)\n"
                     "import time; time.sleep(600)")
    assert (result.outcome, result.text, result.session.state) == ("exit", "here\n", "lost")
    assert session.is_lost("spoiled")


def test_lone_jobs_run_beside_a_large_session(session):
    session.text("import numpy as np\nx = np.ones(300 << 17)\nprint(x.nbytes)")
    for number in range(5):
        assert channel.run(session.service.socket, f"print({number})").text == f"{number}\n"
    assert session.text("print(int(x.sum()) == x.size)") == "True\n"


def test_a_session_outlives_its_zygote():
    with host.Service(cells=4, park=0, args=["--zygote-jobs", "2"]) as service:
        with Session(service, "x = 1") as session:
            for _ in range(6):
                assert channel.run(service.socket, "print(2)").text == "2\n"
            for pid in service.children("brig-zygote"):
                depth = len(host.status_of(pid).get("NSpid", "").split())
                if depth == len(host.status_of(service.service_pid())["NSpid"].split()):
                    os.kill(pid, signal.SIGKILL)
            assert session.text("print(x)") == "1\n"


def test_a_killed_init_loses_the_session():
    with host.Service(cells=2, park=0) as service:
        session = Session(service, "x = 1")
        os.kill(service.children("brig-init")[0], signal.SIGKILL)
        host.wait_until(lambda: session.ask("state").code == 3, "a session without a cell")
        assert channel.run(service.socket, "print(1)").text == "1\n"


def test_a_session_with_a_lower_limit_keeps_what_it_holds(session):
    """A call that may have less than is there ends as the kernel says, and nothing is killed."""
    session.text("x = b'x' * (200 << 20)")
    result = session("print(len(x) >> 20)", memory_bytes=64 << 20, wall_ms=2000)
    assert (result.outcome, result.text, result.session.state) == ("memory", "", "alive")
    assert result.limits["memory_bytes"] == 64 << 20 and result.limits["wall_ms"] == 2000
    assert session.text("print(len(x) >> 20); del x") == "200\n"
    less = session("x = b'x' * (200 << 20)", memory_bytes=96 << 20)
    assert less.outcome in ("memory", "error") and less.limits["memory_bytes"] == 96 << 20


def test_a_session_s_memory_may_grow(session):
    more = session("y = b'y' * (500 << 20); print('held')", memory_bytes=1 << 30)
    assert more.text == "held\n" and more.limits["memory_bytes"] == 1 << 30


def test_work_folder_of_a_small_session_can_grow(service):
    with Session(service, work_bytes=4 << 20, memory_bytes=128 << 20) as session:
        fill = "open('f', 'wb').write(b'x' * (8 << 20)); print('fits')"
        small = session(fill, work_bytes=1 << 20, memory_bytes=64 << 20)
        assert error_of(small)["type"] == "OSError"
        assert small.limits["work_bytes"] == 4 << 20
        assert session.text(fill) == "fits\n"


def test_stop_and_continue_signals_of_its_own(session):
    """A call that stops itself is a call that overruns."""
    result = session("import os, signal\nx = 5\nos.kill(os.getpid(), signal.SIGSTOP)", wall_ms=200)
    assert result.outcome == "timeout_wall" and result.session.state in ("interrupted", "lost")


def test_inputs_have_bounds_over_all_calls(session):
    for number in range(17):
        result = session("print('ok')", inputs={f"f{number}-{n}": b"" for n in range(64)})
        if result.outcome != "ok":
            break
    assert number == 16 and error_of(result)["type"] == "ValueError", (number, result)
    assert result.session.state == "alive" and session.text("print(1)") == "1\n"


# What is left.

def settle(service):
    service.settled()
    time.sleep(0.3)
    service.settled()


def test_nothing_is_left_of_sessions(service, quick):
    ids = []
    for number in range(5):  # a role's most, where there are others
        ids.append(Session(service, "x = 1"))
    lone = [channel.Call(service.socket, "import time\nprint('on', flush=True)\ntime.sleep(600)",
                         stream=True, role=f"lone{number}") for number in range(3)]
    for call in lone:  # so that each slot has its network namespace
        call.wait_output("on\n")
        call.close()
    for session in ids:
        session.ask("close")
    settle(service)
    first, pid = host.Snapshot(service.pid), service.service_pid()
    fds, rss = host.fd_targets(pid), host.rss_kib(pid)
    faults = []

    def work(number):
        try:
            for turn in range(5 if quick else 50):
                session = Session(service, "open('a', 'w').write('x' * 5000)")
                session.text("print(open('a').read()[:1])", inputs={"i": b"y" * 100000},
                             stdin=b"z")
                assert session.ask("write", "d/w", data=b"w").code == 0
                if turn % 5 == 1:
                    session("import os; os._exit(1)")
                elif turn % 5 == 2:
                    session.start("import time; time.sleep(600)").close()
                session.ask("close") if turn % 5 else session.ask("extend", idle_ms=1)
        except BaseException as fault:
            faults.append(fault)

    # Five sessions fit; of these threads' some may still be on their way out.
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    host.wait_until(lambda: len(service.cells()) <= service.park, "idle sessions stay")
    settle(service)
    first.must_be_the_same()
    assert service.service_pid() == pid
    host.wait_until(lambda: host.fd_targets(pid) == fds,
                    lambda: [sorted(set(host.fd_targets(pid)) ^ set(fds)), len(fds)])
    assert host.rss_kib(pid) - rss <= 4096
    assert os.listdir(f"/proc/{pid}/root/inputs") == []
