"""The memory of a session bounds all that it holds, whoever wrote it; its life bounds its calls."""

import errno

import pytest

import channel
from test_session_service import Session

MIB = 1 << 20
SLEEP = "import time\nprint('on', flush=True)\ntime.sleep(600)"


@pytest.fixture
def session(service):
    with Session(service, "import os", memory_bytes=300 * MIB) as made:
        yield made


def holds(session, size, **options):
    """Whether a call can have that many bytes beside what is there; the session stays."""
    result = session(f"x = b'x' * {size}\nprint(len(x)); del x", memory_bytes=300 * MIB, **options)
    return result.outcome == "ok"


def write(session, name, size):
    return session.ask("write", name, data=b"x" * size)


def test_an_upload_is_of_the_session_s_memory(session):
    assert holds(session, 200 * MIB)
    assert write(session, "big", 180 * MIB).code == 0
    assert session.text("print(os.path.getsize('big'))", memory_bytes=300 * MIB) == f"{180 * MIB}\n"
    assert holds(session, 40 * MIB) and not holds(session, 200 * MIB)


def test_what_was_removed_counts_no_more(session):
    for remove in ["os.remove('big')", "os.truncate('big', 0)"]:
        assert write(session, "big", 180 * MIB).code == 0
        session.text(remove, memory_bytes=300 * MIB)
        assert holds(session, 200 * MIB)
    assert write(session, "big", 180 * MIB).code == 0
    assert session.ask("remove", "big").code == 0
    assert holds(session, 200 * MIB)


def test_files_of_its_own_count_once(session):
    session.text("open('own', 'wb').write(b'y' * (80 << 20))", memory_bytes=300 * MIB)
    assert write(session, "given", 20 * MIB).code == 0
    assert holds(session, 130 * MIB) and not holds(session, 220 * MIB)


def test_an_upload_beyond_it_is_refused_before_it_is_written(session):
    session.text("x = b'x' * (150 << 20)", memory_bytes=300 * MIB)
    refused = write(session, "big", 150 * MIB)
    assert refused.code == errno.EDQUOT and "remove files" in refused.text, refused
    assert session.ask("list").entries == {}
    room = session.ask("state", memory_bytes=300 * MIB).room
    assert 50 * MIB < room < 150 * MIB
    assert write(session, "small", room - 2 * MIB).code == 0
    assert write(session, "more", 4 * MIB).code == errno.EDQUOT
    assert session.text("print(len(x) >> 20)", memory_bytes=300 * MIB) == "150\n"


def test_uploads_add_up(session):
    codes = [write(session, f"f{n}", 40 * MIB).code for n in range(8)]
    assert codes[:5] == [0] * 5 and codes[-1] in (errno.EDQUOT, errno.ENOSPC), codes
    assert session.text("print('goes on')", memory_bytes=300 * MIB) == "goes on\n"


def test_a_limit_that_the_client_names_counts(session):
    refused = session.ask("write", "f", data=b"x" * (100 * MIB), memory_bytes=100 * MIB)
    assert refused.code == errno.EDQUOT, refused
    assert session.ask("state", memory_bytes=64 * MIB).room < 64 * MIB


def test_other_folders_hide_nothing(session):
    assert write(session, "big", 100 * MIB).code == 0
    session.text("for n in range(10):\n    open(f'/dev/shm/{n}', 'wb').write(b'y' * (6 << 20))",
                 memory_bytes=300 * MIB)
    assert not holds(session, 150 * MIB)


def test_stdin_counts(session):
    assert session("import os", stdin=b"x" * (16 * MIB), memory_bytes=300 * MIB).outcome == "ok"
    used = session("y = b'y' * (150 << 20)", memory_bytes=300 * MIB)
    assert used.usage["memory_peak_bytes"] > 166 * MIB


def test_a_call_that_is_refused_has_used_nothing(session):
    session.text("for i in range(10 ** 7): pass", memory_bytes=300 * MIB)
    assert write(session, "big", 150 * MIB).code == 0
    refused = session("print('here')", memory_bytes=64 * MIB)
    assert (refused.outcome, refused.text, refused.session.state) == ("memory", "", "alive")
    assert refused.usage["cpu_ms"] < 100 and refused.usage["wall_ms"] < 100
    assert session.text("print('here')", memory_bytes=300 * MIB) == "here\n"


def test_a_change_of_its_life_holds_for_the_call_that_runs(service):
    with Session(service, life_ms=3600000) as session:
        with session.start(SLEEP, stream=True, wall_ms=300000) as call:
            call.wait_output("on\n")
            channel.ask(service.socket, "extend", session.id, life_ms=500)
            result = call.result()
        assert (result.outcome, result.session.state) == ("timeout_wall", "lost")
        assert "time was up" in result.session.lost_why and result.limits["wall_ms"] < 300000
    with Session(service, life_ms=1500) as session:
        with session.start("import time\nprint('on', flush=True)\ntime.sleep(2)\nprint('end')",
                           stream=True, wall_ms=20000) as call:
            call.wait_output("on\n")
            session.ask("extend", life_ms=3600000)
            result = call.result()
        assert (result.outcome, result.text, result.limits["wall_ms"]) == ("ok", "on\nend\n", 20000)
