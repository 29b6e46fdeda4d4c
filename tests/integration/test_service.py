"""The service itself: who may speak to it, and what happens when a part of it dies or stops."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import threading
import time

import pytest

import channel
import host


def parts(service, name):
    found = [pid for pid in service.children(name)]
    assert found, host.descendants(service.pid)
    return found


def outcome_of(call):
    """The answer's outcome, or "closed" where the service hung up."""
    try:
        return call.result().outcome
    except (AssertionError, ConnectionError):
        return "closed"


def test_ready_line_and_socket(own_service):
    import json
    ready = json.loads(own_service.log().splitlines()[0])
    assert ready["event"] == "ready" and ready["socket"] == own_service.socket
    mode = os.stat(own_service.socket).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600


def test_service_of_another_uid_is_refused(own_service):
    """The socket's own mode is not the only thing: the peer's uid is asked of the kernel."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    os.chmod(own_service.socket, 0o666)
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            stranger = socket.socket(socket.AF_UNIX)
            stranger.settimeout(60)
            stranger.connect(own_service.socket)
            fields, _ = channel.job_fields("print('stranger')")
            try:
                stranger.sendall(channel.frame(channel.JOB, fields))
                answer = stranger.recv(100)
            except ConnectionError:
                answer = b""
            os._exit(0 if answer == b"" else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert channel.run(own_service.socket, "print('own')").text == "own\n"  # the control


def test_second_service_on_one_socket(own_service):
    done = host.run_brig("service", "--socket", own_service.socket)
    assert done.returncode != 0 and done.stderr.count(b"\n") == 1
    assert own_service.socket.encode() in done.stderr
    assert channel.run(own_service.socket, "print(1)").text == "1\n"


def test_socket_of_a_dead_service_is_taken_over(tmp_path):
    path = tmp_path / "s.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    service = subprocess.Popen([host.BRIG, "service", "--socket", path, "--cells", "1"],
                               stderr=subprocess.PIPE, env=host.QUIET_ENV)
    try:
        assert b"ready" in service.stderr.readline()
        assert channel.run(path, "print(1)").text == "1\n"
    finally:
        service.terminate()
        service.communicate(timeout=host.WATCHDOG_S)
    assert service.returncode == 0 and not path.exists()


def test_socket_path_that_is_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("precious")
    done = host.run_brig("service", "--socket", path)
    assert done.returncode != 0 and path.read_text() == "precious"
    assert done.stderr.count(b"\n") == 1 and str(path).encode() in done.stderr


def test_many_services_side_by_side():
    services = [host.Service(cells=1) for _ in range(3)]
    try:
        for number, service in enumerate(services):
            assert channel.run(service.socket, f"print({number})").text == f"{number}\n"
    finally:
        for service in services:
            service.stop()


def test_killed_zygote(own_service):
    """The next job finds a new one; a job that runs already does not need it."""
    with channel.Call(own_service.socket, "print('up', flush=True)\nimport time\ntime.sleep(1)\n"
                      "print('done')", stream=True) as call:
        call.wait_output("up\n")
        for _ in range(3):
            zygotes = [p for p in parts(own_service, "brig-zygote") if is_zygote(p, own_service)]
            for pid in zygotes:
                os.kill(pid, signal.SIGKILL)
            assert channel.run(own_service.socket, "print(1)").outcome in ("ok", "internal")
            assert channel.run(own_service.socket, "print(2)").text == "2\n"
        assert call.result().text == "up\ndone\n"
    own_service.settled()


def is_zygote(pid, service):
    """A zygote is in the service's own pid namespace, a runner in its cell's too."""
    return len(host.status_of(pid).get("NSpid", "").split()) == len(
        host.status_of(service.service_pid())["NSpid"].split())


def test_zygotes_killed_under_load(own_service):
    """At any moment of forking: no slot is lost, no process stays, every call is answered."""
    stop, outcomes = threading.Event(), []

    def work():
        while not stop.is_set():
            outcomes.append(channel.run(own_service.socket, "print(1)").outcome)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    host.wait_until(lambda: "ok" in outcomes, "the load")
    for _ in range(10):
        for pid in own_service.children("brig-zygote"):
            if is_zygote(pid, own_service):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.15)
    stop.set()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"ok", "internal", "signal"} and "ok" in outcomes, set(outcomes)
    host.wait_until(lambda: channel.run(own_service.socket, "print(2)").text == "2\n", "service")
    own_service.settled()
    calls = [channel.Call(own_service.socket, "print(3)") for _ in range(8)]
    assert [call.result().text for call in calls] == ["3\n"] * 8
    for call in calls:
        call.close()
    own_service.settled()
    names = sorted(host.descendants(own_service.pid).values())
    assert [name for name in names if name != "brig-zygote"] == ["brig-maker", "brig-service"]


def test_killed_maker(own_service):
    """Without it no cell can be made: the service ends with all, its parent starts it again."""
    old = own_service.service_pid()
    with channel.Call(own_service.socket, "print('up', flush=True)\nimport time; time.sleep(60)",
                      stream=True) as call:
        call.wait_output("up\n")
        os.kill(parts(own_service, "brig-maker")[0], signal.SIGKILL)
        assert outcome_of(call) in ("internal", "closed")
    served_again(own_service, old)


def test_killed_service(own_service):
    old = own_service.service_pid()
    below = set(own_service.children())
    with channel.Call(own_service.socket, "print('up', flush=True)\nimport time; time.sleep(60)",
                      stream=True) as call:
        call.wait_output("up\n")
        run = subprocess.Popen([host.BRIG, "run", "--json", "--socket", own_service.socket, "-c",
                                "import time; time.sleep(60)"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=host.QUIET_ENV)
        host.wait_until(lambda: len(own_service.children("brig-init")) == 2, "two cells")
        os.kill(old, signal.SIGKILL)
        assert outcome_of(call) == "closed"
    out, err = run.communicate(timeout=host.WATCHDOG_S)
    assert run.returncode == 125 and b'"outcome":"internal"' in out.replace(b'": "', b'":"'), err
    served_again(own_service, old)
    assert not below & set(host.processes()), "processes of the dead service"


def served_again(service, old):
    def served():
        try:
            return channel.run(service.socket, "print('again')").text == "again\n"
        except (AssertionError, OSError):
            return False
    host.wait_until(served, "a new service")
    assert service.service_pid() != old
    host.wait_until(lambda: not host.orphaned_cgroups(), "cgroups of the dead service")


@pytest.mark.slow
def test_stopped_zygote(own_service):
    """A job that needs it fails as internal after the time that a cell may take to be made; the
    zygote is replaced and the next job is served."""
    channel.run(own_service.socket, "1")
    own_service.settled()
    zygote, = [p for p in parts(own_service, "brig-zygote") if is_zygote(p, own_service)]
    os.kill(zygote, signal.SIGSTOP)
    with channel.Call(own_service.socket, "print(1)") as call:
        assert outcome_of(call) == "internal"
    assert channel.run(own_service.socket, "print(2)").text == "2\n"
    own_service.settled()


@pytest.mark.slow
def test_stopped_maker(own_service):
    old = own_service.service_pid()
    os.kill(parts(own_service, "brig-maker")[0], signal.SIGSTOP)
    with channel.Call(own_service.socket, "print(1)") as call:
        assert outcome_of(call) in ("internal", "closed")
    served_again(own_service, old)


def test_stopped_init(own_service):
    """A cell whose init stands still is still ended at its limit, and taken down."""
    with channel.Call(own_service.socket, "print('up', flush=True)\nimport time; time.sleep(60)",
                      stream=True, wall_ms=1000) as call:
        call.wait_output("up\n")
        for pid in parts(own_service, "brig-init"):
            os.kill(pid, signal.SIGSTOP)
        assert outcome_of(call) in ("timeout_wall", "internal")
    own_service.settled()
    assert channel.run(own_service.socket, "print(2)").text == "2\n"


def test_killed_runner_and_init(own_service):
    """What dies from outside is told apart: the runner's end is a signal, init's brig's fault."""
    code = "print('up', flush=True)\nimport time; time.sleep(60)"
    with channel.Call(own_service.socket, code, stream=True) as call:
        call.wait_output("up\n")
        runner, = [p for p in parts(own_service, "brig-zygote") if not is_zygote(p, own_service)]
        os.kill(runner, signal.SIGKILL)
        result = call.result()
        assert (result.outcome, result.signal) == ("signal", 9)
    own_service.settled()
    with channel.Call(own_service.socket, code, stream=True) as call:
        call.wait_output("up\n")
        os.kill(parts(own_service, "brig-init")[0], signal.SIGKILL)
        result = call.result()
        assert result.outcome == "internal" and "init" in result.fault and result.text == "up\n"
    own_service.settled()


@contextlib.contextmanager
def no_descriptor_left(pid):
    """The process can open nothing more. Only root of its own user namespace may say so."""
    with open(f"/proc/{pid}/limits", encoding="ascii") as file:
        usual = next(line.split()[3] for line in file if line.startswith("Max open files"))

    def limit(count):
        subprocess.run(["nsenter", "-t", str(pid), "-U", "-S", "0", "-G", "0", "prlimit",
                        "--pid", str(pid), f"--nofile={count}:"], check=True)
    limit(5)
    try:
        yield
    finally:
        limit(usual)


@pytest.mark.parametrize("code", [
    "while True:\n    pass",  # its CPU time cannot be asked for
    "x = bytearray(200 << 20)",  # nor whether memory ran out
    "import time; time.sleep(0.5)"])  # nor what it used
def test_figures_that_cannot_be_read_are_not_guessed(own_service, code):
    """Without a descriptor for the cgroup's files no limit can be kept and no verdict be right."""
    code = "import time; print('up', flush=True); time.sleep(0.5)\n" + code
    with channel.Call(own_service.socket, code, stream=True, cpu_ms=1000,
                      memory_bytes=64 << 20) as call:
        call.wait_output("up\n")
        with no_descriptor_left(own_service.service_pid()):
            result = call.result()
    assert result.outcome == "internal" and "reading the figures" in result.fault
    assert result.usage["wall_ms"] < 20000
    own_service.settled()
    assert channel.run(own_service.socket, "print(2)").text == "2\n"


def test_callers_files_leave_descriptors_for_limits(tmp_path, monkeypatch):
    """Callers whose files take all that the service may have open are refused; a limit holds."""
    script = tmp_path / "brig"
    script.write_text(f"#!/bin/sh\nexec prlimit --nofile=300:300 '{host.BRIG}' \"$@\"\n")
    script.chmod(0o755)
    monkeypatch.setattr(host, "BRIG", str(script))
    inputs = [(f"{n}.txt", b"x") for n in range(60)]
    with host.Service(cells=4) as service, contextlib.ExitStack() as stack:
        burner = stack.enter_context(channel.Call(
            service.socket, "print('up', flush=True)\nwhile True:\n    pass", stream=True,
            cpu_ms=2000))
        burner.wait_output("up\n")
        flood = [stack.enter_context(channel.Call(
            service.socket, "import time; time.sleep(3)", inputs=inputs)) for _ in range(8)]
        fds = f"/proc/{service.service_pid()}/fd"
        host.wait_until(lambda: len(os.listdir(fds)) > 200, "the callers' files")
        most = len(os.listdir(fds))
        outcome = outcome_of(burner)
        results = [call.result() for call in flood]
    assert outcome == "timeout_cpu" and most < 300
    refused = [r for r in results if r.outcome == "internal"]
    assert refused and all("ulimit" in r.fault for r in refused), [r.fault for r in refused]
    assert {r.outcome for r in results} == {"ok", "internal"}


def test_a_caller_beyond_the_descriptors_is_told(tmp_path, monkeypatch):
    """Its own connection has one of those that are kept for cells: it gets an answer all the same,
    a request about a session too, and once there is room again the next is served."""
    script = tmp_path / "brig"
    script.write_text(f"#!/bin/sh\nexec prlimit --nofile=300:300 '{host.BRIG}' \"$@\"\n")
    script.chmod(0o755)
    monkeypatch.setattr(host, "BRIG", str(script))
    with host.Service(cells=4) as service:
        service.settled()
        fds = f"/proc/{service.service_pid()}/fd"
        with contextlib.ExitStack() as stack:
            while max(int(number) for number in os.listdir(fds)) < 300 - 48 + 2:
                before = len(os.listdir(fds))
                stack.enter_context(channel.Call(service.socket))  # says nothing yet
                host.wait_until(lambda: len(os.listdir(fds)) > before, "the connection")
            for _ in range(40):
                result = channel.run(service.socket, "print(1)")
                assert result.outcome == "internal" and "ulimit" in result.fault
                with channel.Call(service.socket) as call:
                    assert "ulimit" in call.ask("state", "s" * 22).answer().text
        host.wait_until(lambda: channel.run(service.socket, "print(2)").text == "2\n", "room")


def switches(pid):
    return int(host.status_of(pid)["voluntary_ctxt_switches"])


def test_a_cgroup_that_is_held_from_outside():
    """Its slot comes back when it is let go of; until then the operator is told, and the service
    does not wear itself out by trying."""
    if os.geteuid() != 0:
        pytest.skip("needs root to move a process into a cell's cgroup")
    with host.Service(cells=1) as service, subprocess.Popen(["sleep", "600"]) as guest:
        try:
            with channel.Call(service.socket, "print('up', flush=True)\nimport time; time.sleep(1)",
                              stream=True) as call:
                call.wait_output("up\n")
                name, = service.cells()
                for path in host.cgroups():
                    if path.endswith("/" + name):
                        with open(path + "/cgroup.procs", "w", encoding="ascii") as file:
                            file.write(str(guest.pid))
                assert call.result().outcome == "ok"
            host.wait_until(lambda: '"cell_lingers"' in service.log(), "a word to the operator")
            before = switches(service.service_pid())
            time.sleep(2)
            assert switches(service.service_pid()) - before < 200
            assert service.log().count("cell_lingers") == 1
        finally:
            guest.kill()
        assert channel.run(service.socket, "print(2)").text == "2\n"


def test_who_makes_cells_lets_the_service_go_first(own_service):
    """The maker and the zygotes have a lower priority than the service that answers."""
    assert channel.run(own_service.socket, "1").outcome == "ok"
    makers = own_service.children("brig-maker") + own_service.children("brig-zygote")
    assert len(makers) > 1
    own = os.getpriority(os.PRIO_PROCESS, own_service.service_pid())
    assert {os.getpriority(os.PRIO_PROCESS, pid) for pid in makers} == {max(10, own)}


def test_a_cell_has_a_group_in_no_more_hierarchies_than_it_needs(own_service):
    """Beside v1's controllers the unified hierarchy freezes and counts CPU time by itself."""
    with channel.Call(own_service.socket, "import time\nend = time.process_time() + 0.4\n"
                      "while time.process_time() < end: pass\nprint('up', flush=True)\n"
                      "time.sleep(600)", stream=True) as call:
        call.wait_output("up\n")
        folders = {path for path in host.cgroups() if path.split("/")[-1] in own_service.cells()}
        call.cancel()
        result = call.result()
    assert result.outcome == "cancelled" and 350 <= result.usage["cpu_ms"] < 5000
    spared = {"freezer", "cpuacct"} & {part for path in folders for part in path.split("/")}
    unified = [path for path in folders if os.path.exists(path + "/cgroup.freeze")]
    assert folders and (not spared or not unified), folders


def test_service_process_has_no_privilege_on_the_host(own_service):
    """Its capabilities are those of its own user namespace, its uid is nobody's."""
    status = host.status_of(own_service.service_pid())
    assert "0" not in status["Uid"].split()
    assert status["NSpid"].split()[-1] == "1"
    own = os.readlink("/proc/self/ns/user")
    assert os.readlink(f"/proc/{own_service.service_pid()}/ns/user") != own


def test_no_mount_of_the_service_is_seen_on_the_host(own_service):
    before = host.mounts()
    with host.Service(cells=1) as second:
        channel.run(second.socket, "1")
        assert host.mounts() == before
