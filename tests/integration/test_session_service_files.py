"""The files of a session, from outside: by path beneath its work folder, with the job's rights."""

import errno
import os
import stat

import pytest

import channel
import host
from test_session_service import Session


@pytest.fixture
def session(service):
    with Session(service) as made:
        yield made


def code_of(session, verb, path, **options):
    answer = session.ask(verb, path, **options)
    assert answer.status.state == "alive", answer
    assert bool(answer.code) == bool(answer.text)
    return errno.errorcode.get(answer.code, answer.code)


def names(session, path="", depth=1):
    answer = session.ask("list", path, depth=depth)
    assert answer.code == 0 and not answer.more, answer
    return list(answer.entries)


def test_written_and_read_between_calls(session):
    assert code_of(session, "write", "in/a b.csv", data=b"x,y\n1,2\n") == 0
    assert session.text("print(open('in/a b.csv').read()); open('out', 'wb').write(b'\\0\\xff')") == \
        "x,y\n1,2\n\n"
    assert session.ask("read", "out").data == b"\0\xff"
    assert code_of(session, "write", "out", data=b"") == 0
    assert session.ask("read", "out").data == b""
    assert session.text("print(open('out', 'rb').read())") == "b''\n"


def test_a_written_file_is_the_jobs_own(session):
    session.ask("write", "d/f", data=b"mine")
    assert session.text("import os\ns = os.stat('d/f')\nprint(s.st_uid == os.getuid(), "
                        "oct(s.st_mode), os.stat('d').st_uid == os.getuid(), oct(os.stat('d')."
                        "st_mode))\nopen('d/f', 'a').write('!'); os.rename('d/f', 'd/g'); "
                        "os.chmod('d', 0o700)") == "True 0o100644 True 0o40755\n"
    assert session.ask("read", "d/g").data == b"mine!"


def test_a_file_of_a_hundred_megabytes(session):
    data = os.urandom(1 << 20) * 100
    assert code_of(session, "write", "big", data=data) == 0
    assert channel.run(session.service.socket, "print('meanwhile')").text == "meanwhile\n"
    assert session.text("import hashlib\nprint(hashlib.sha256(open('big', 'rb').read()).hexdigest())"
                        ) == __import__("hashlib").sha256(data).hexdigest() + "\n"
    assert session.ask("read", "big").data == data


def test_a_full_folder_is_full(service):
    with Session(service, work_bytes=8 << 20) as session:
        assert code_of(session, "write", "a", data=b"x" * (6 << 20)) == 0
        assert code_of(session, "write", "b", data=b"x" * (6 << 20)) == "ENOSPC"
        assert names(session) == ["a"]  # nothing half written
        # What is there is kept where its successor does not fit.
        assert code_of(session, "write", "a", data=b"y" * (7 << 20)) == "ENOSPC"
        assert session.ask("read", "a").data == b"x" * (6 << 20)
        assert code_of(session, "remove", "a") == 0
        assert code_of(session, "write", "b", data=b"x" * (6 << 20)) == 0


def test_too_many_files(service):
    with Session(service, work_inodes=20) as session:
        codes = [code_of(session, "write", f"f{n}", data=b"") for n in range(25)]
        assert codes[:15] == [0] * 15 and codes[-1] == "ENOSPC"


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "a//b", ".", "a/.", "a/",
                                  "n" * 256, "/".join("x" * 600)])
def test_paths_that_are_none(session, path):
    for verb in ("read", "write", "list", "stat", "remove", "mkdir"):
        answer = session.ask(verb, path, **({"data": b"x"} if verb == "write" else {}))
        assert answer.code in (errno.EINVAL, errno.EBADMSG), (verb, answer)
    assert session.ask("move", "a", target=path).code in (errno.EINVAL, errno.EBADMSG)
    assert names(session) == []


def test_links_are_not_followed(session):
    session.text("import os\nos.symlink('/etc', 'out'); os.symlink('/etc/passwd', 'file')\n"
                 "os.mkdir('d'); os.symlink('..', 'd/up'); open('plain', 'w').write('p')\n"
                 "os.symlink('plain', 'near'); os.symlink('/proc/self/root', 'root')")
    for path in ("out/passwd", "file", "d/up/plain", "near", "root/etc/passwd"):
        assert code_of(session, "read", path) == "ELOOP", path
    for verb, path, options in (("write", "out/x", {"data": b"x"}), ("list", "out", {}),
                                ("mkdir", "out/x", {}), ("move", "plain", {"target": "out/x"}),
                                ("stat", "out/passwd", {}), ("remove", "out/passwd", {})):
        assert code_of(session, verb, path, **options) in ("ELOOP", "ENOTDIR"), verb
    assert stat.S_ISLNK(session.ask("stat", "out").entries["out"][2])
    # Replacing or removing takes the link itself.
    assert code_of(session, "write", "near", data=b"new") == 0
    assert session.ask("read", "plain").data == b"p" and session.ask("read", "near").data == b"new"
    assert code_of(session, "remove", "out") == 0 and "out" not in names(session)


def test_nothing_is_followed_into_a_mount(session):
    """A large input is a mount in the work folder: no path of a client's leads into it."""
    given = b"g" * 100000
    assert session.text("print(len(open('large').read()))", inputs={"large": given}) == "100000\n"
    assert code_of(session, "read", "large") == "EXDEV"
    assert code_of(session, "write", "large", data=b"x") == "EACCES"
    assert code_of(session, "remove", "large") == "EACCES"
    assert session.text("print(len(open('large').read()))") == "100000\n"


def test_only_regular_files_are_read(session):
    session.text("import os\nos.mkdir('d')")
    assert code_of(session, "read", "d") == "EISDIR"
    assert code_of(session, "read", "none") == "ENOENT"
    session.text("import socket\na, b = socket.socketpair()\nopen('closed', 'w').write('x')\n"
                 "os.chmod('closed', 0); os.mkdir('shut'); open('shut/f', 'w'); os.chmod('shut', 0)")
    assert code_of(session, "read", "closed") == "EACCES"  # the job's rights, not the service's
    assert code_of(session, "list", "shut") == "EACCES"
    assert code_of(session, "write", "shut/g", data=b"x") == "EACCES"
    assert names(session, depth=3) == ["closed", "d", "shut"]


def test_what_is_read_is_read_only(session):
    session.ask("write", "f", data=b"x")
    with channel.Call(session.service.socket) as call:
        call.ask("read", session.id, path="f")
        call.next_frame()
        fd = call.fds[0]
        with pytest.raises(OSError):
            os.write(fd, b"y")
        with pytest.raises(OSError):
            os.ftruncate(fd, 0)


def test_given_files_are_not_touched(session):
    session.text("1", inputs={"small": b"s", "large": b"l" * 100000})
    for name in ("small", "large"):
        assert code_of(session, "remove", name) == "EACCES"
        assert code_of(session, "write", name, data=b"x") == "EACCES"
        assert code_of(session, "move", name, target="x") == "EACCES"
    assert session.ask("read", "small").data == b"s"
    assert names(session) == ["large", "small"]


def test_list_and_stat(session):
    assert names(session) == []
    for path in ("b", "a/x", "a/y/z", ".hidden"):
        session.ask("write", path, data=b"123")
    assert names(session) == [".hidden", "a", "b"]
    assert names(session, depth=2) == [".hidden", "a", "a/x", "a/y", "b"]
    assert names(session, "a", depth=16) == ["x", "y", "y/z"]
    size, _, mode = session.ask("stat", "a/x").entries["a/x"]
    assert size == 3 and stat.S_ISREG(mode)
    assert stat.S_ISDIR(session.ask("stat", "").entries[""][2])
    assert code_of(session, "stat", "none") == "ENOENT"
    assert code_of(session, "stat", "b/none") == "ENOTDIR"
    assert code_of(session, "list", "b") == "ENOTDIR"
    session.ask("write", "/".join("d" * 17), data=b"1")
    assert session.ask("list", "", depth=16).more
    assert not session.ask("list", "d", depth=16).more and not session.ask("list", "", depth=15).more
    session.text("for n in range(1500): open(f'n{n}', 'w').close()")
    answer = session.ask("list", "")
    assert answer.more and len(answer.entries) == 1024


def test_a_listing_of_long_names_fits_its_frame(session):
    session.text("import os\nos.makedirs('d' * 200 + '/' + 'e' * 200 + '/' + 'f' * 200)\n"
                 "os.chdir('d' * 200 + '/' + 'e' * 200 + '/' + 'f' * 200)\n"
                 "for n in range(1000): open('g' * 200 + str(n), 'w').close()")
    answer = session.ask("list", "", depth=16)
    assert answer.code == 0 and answer.more and len(answer.entries) > 300


def test_mkdir_and_move(session):
    assert code_of(session, "mkdir", "a/b/c") == 0
    assert code_of(session, "mkdir", "a/b") == "EEXIST"
    session.ask("write", "f", data=b"f")
    assert code_of(session, "mkdir", "f/x") == "ENOTDIR"
    assert code_of(session, "move", "f", target="new/g") == 0
    session.ask("write", "h", data=b"h")
    assert code_of(session, "move", "h", target="new/g") == 0
    assert session.ask("read", "new/g").data == b"h"
    assert code_of(session, "move", "none", target="x") == "ENOENT"
    assert code_of(session, "move", "new", target="new/inside") == "EINVAL"
    assert code_of(session, "move", "new/g", target="a") == "EISDIR"
    assert code_of(session, "move", "a", target="z") == 0
    assert names(session, depth=4) == ["new", "new/g", "z", "z/b", "z/b/c"]


def test_remove_takes_all_of_a_folder(session):
    session.text("import os\nfor i in range(60):\n    os.makedirs(f't/{i}/x')\n"
                 "    for j in range(40): open(f't/{i}/x/{j}', 'w').close()\n"
                 "at = os.getcwd()\nos.mkdir('deep'); os.chdir('deep')\n"
                 "for i in range(300):\n    os.mkdir('n'); os.chdir('n'); open('f', 'w').close()\n"
                 "os.chdir(at)")
    assert code_of(session, "remove", "t") == 0
    assert code_of(session, "remove", "deep") == 0
    assert names(session) == []
    assert code_of(session, "remove", "t") == "ENOENT"


BUSY = "import time\nopen('made', 'w').write('early')\nprint('on', flush=True)\n"


def test_who_looks_does_not_wait_for_a_call(session):
    with session.start(BUSY + "time.sleep(600)", stream=True, wall_ms=300000) as call:
        call.wait_output("on\n")
        assert session.ask("read", "made").data == b"early"
        assert list(session.ask("list").entries) == ["made"]
        assert session.ask("stat", "made").entries["made"][0] == 5
        assert session.ask("read", "none").code == errno.ENOENT
        assert session.ask("state").status.state == "alive"
        call.cancel()
        assert call.result().session.state == "interrupted"


def test_what_changes_waits_for_a_short_call_alone(session):
    with session.start(BUSY + "time.sleep(0.3)\nprint(open('made').read())", stream=True) as call:
        call.wait_output("on\n")
        assert session.ask("write", "made", data=b"later").code == 0
        assert call.result().text == "on\nearly\n"
    with session.start(BUSY + "time.sleep(600)", stream=True, wall_ms=300000) as call:
        call.wait_output("on\n")
        for verb, more in [("write", {"data": b"x"}), ("remove", {}), ("mkdir", {}),
                           ("move", {"target": "b"})]:
            refused = session.ask(verb, "made", **more)
            assert refused.code == errno.EAGAIN and "between calls" in refused.text, refused
        call.cancel()
        assert call.result().session.state == "interrupted"
    assert session.ask("read", "made").data == b"early"


def test_a_running_job_moves_its_files_under_the_reader(session):
    """It gets a file of the session's, or none; never one through a link."""
    session.text("import os\nos.makedirs('d'); open('d/f', 'w').write('own')\n"
                 "os.symlink('/etc', 'l')")
    swaps = ("import os, time\nprint('on', flush=True)\nwhile True:\n"
             "    os.rename('d', 'e'); os.rename('l', 'd')\n"
             "    os.rename('d', 'l'); os.rename('e', 'd')\n")
    with session.start(swaps, stream=True, wall_ms=300000, cpu_ms=300000) as call:
        call.wait_output("on\n")
        for name in ["d/f", "d/passwd", "d/hostname"] * 200:
            got = session.ask("read", name)
            assert got.data == b"own" if got.code == 0 else got.code in (
                errno.ENOENT, errno.ELOOP, errno.ENOTDIR), got
        call.cancel()
        assert call.result().outcome == "cancelled"


def test_a_client_that_goes_away_while_it_writes(session):
    for _ in range(5):
        with channel.Call(session.service.socket) as call:
            call.ask("write", session.id, path="big", data=b"x" * (50 << 20))
    session.text("1")
    assert session.text("import os\nprint([n for n in os.listdir() if n.startswith('.brig')])") == \
        "[]\n"


def test_the_service_keeps_its_own_rights(session):
    """Dumpable and root in its namespace as before, whatever it did as a job."""
    proc = f"/proc/{session.service.service_pid()}/environ"
    before, owner = host.status_of(session.service.service_pid()), os.stat(proc).st_uid
    session.ask("write", "a/b", data=b"x")
    session.ask("remove", "a")
    session.ask("list", "..")
    after = host.status_of(session.service.service_pid())
    for name in ("Uid", "Gid", "CapEff", "CapPrm", "Groups"):
        assert before[name] == after[name], name
    assert os.stat(proc).st_uid == owner  # of a process that is not dumpable: the host's root
