"""What a session's code leaves running, and what it writes on its runtime's pipe, is its own doing:
never brig's fault, never a wrong word about how its call ended."""

import struct
import time

import channel
from test_session_service import Session

ITEM, FAILED = 19, 17
NOTE = 6
BIG = bytes(64 << 20)  # as an input it takes a while to place

# A child that goes on when the cell is thawed for the next call: by then its time has come.
LATER = """
import os, time
if os.fork() == 0:
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        time.sleep(0.001)
    {what}
    time.sleep(60)
    os._exit(0)
"""


def forged(kind, *fields):
    return channel.frame(kind, b"".join(fields))


def wait_between_calls():
    time.sleep(1)


def test_a_forged_failure_while_inputs_are_placed(service):
    fault = struct.pack("<i24s228s", 5, b"forged", b"by a job")
    frame = forged(FAILED, channel.blob(2, fault))
    with Session(service) as session:
        assert session(LATER.format(what=f"os.write(4, {frame!r})")).outcome == "ok"
        wait_between_calls()
        result = session("import time\ntime.sleep(30)", inputs={"big": BIG})
        assert result.outcome == "exit" and result.fault == "", result
        assert "spoiled the channel" in result.session.lost_why, result


def test_memory_that_runs_out_while_inputs_are_placed(service):
    with Session(service, memory_bytes=128 << 20) as session:
        left = LATER.format(what="x = b'x' * (600 << 20)")
        assert session(left, memory_bytes=128 << 20).outcome == "ok"
        wait_between_calls()
        result = session("import time\ntime.sleep(30)", inputs={"big": BIG},
                         memory_bytes=128 << 20)
        assert result.outcome == "memory", result
        assert "more memory than its limit" in result.session.lost_why, result


def test_the_largest_frame_arrives(run):
    note = b"n" * 1_048_000
    code = (f"import os\nframe = {forged(ITEM, channel.number(14, 1), channel.number(3, NOTE))!r}\n"
            f"note = b'n' * {len(note)}\n"
            "import struct\n"
            "fields = frame[8:] + struct.pack('<HHI', 4, 0, len(note)) + note\n"
            f"data = memoryview(struct.pack('<IHH', len(fields), {ITEM}, 0) + fields)\n"
            "import time\nos.write(4, data[:40960])\ntime.sleep(0.5)\ndata = data[40960:]\n"
            "while data:\n    data = data[os.write(4, data):]")
    result = run(code, wall_ms=30_000)
    assert result.outcome == "ok", result
    assert result.of_kind("note") == [note]


def test_a_flood_that_its_client_reads_late_stays_whole(service):
    code = ("import os\nwhile True:\n    try:\n        while True:\n"
            "            os.write(1, b'x' * 65536)\n    except KeyboardInterrupt:\n        pass")
    with Session(service) as session, session.start(code, stream=True, wall_ms=1000) as call:
        # Stopped by KeyboardInterrupt it goes on; what it writes then nobody has read yet.
        for _ in range(4):
            wait_between_calls()
        result = call.result()
        assert result.outcome == "timeout_wall", result
        assert set(result.stream[channel.STDOUT]) == {ord("x")}
        assert len(result.stream[channel.STDOUT]) <= result.out.bytes


def test_stdin_has_no_more_than_was_announced(service, run):
    code = "import sys\nprint(sys.stdin.read())"
    with Session(service) as session:
        for options in ({}, {"use": session.id}):
            fields, _ = channel.job_fields(code, **options)
            with channel.Call(service.socket) as call:
                fds = [channel.memfd(b"1234567890")]
                call.send(channel.frame(channel.JOB, fields + channel.number(12, 5), 1), fds)
                result = call.result()
            assert result.outcome == "ok" and result.text == "12345\n", result
