"""Cancelling: a signal to brig run, a frame, a closed channel, a killed client."""

import json
import os
import signal
import subprocess

import pytest

import channel
import host

LONG = "print('up', flush=True)\nimport time\ntime.sleep(600)"
STUBBORN = ("import os, signal\nfor n in range(1, 32):\n    if n not in (9, 19):\n"
            "        signal.signal(n, signal.SIG_IGN)\nfor _ in range(3): os.fork()\n"
            "print('up', flush=True)\nimport time\nwhile True: time.sleep(1)")


def start(*args):
    return subprocess.Popen([host.BRIG, "run", *args], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=host.QUIET_ENV)


def wait_up(run):
    assert run.stdout.readline() == b"up\n", run.stderr.read()


@pytest.mark.parametrize("code", [LONG, STUBBORN])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_brig_run(service, number, code):
    run = start("--socket", service.socket, "-c", code)
    wait_up(run)
    run.send_signal(number)
    out, err = run.communicate(timeout=host.WATCHDOG_S)
    assert run.returncode == 130, err
    assert b"outcome: cancelled" in err and b"call again" in err
    service.settled()
    assert channel.run(service.socket, "print('free')").text == "free\n"


def test_signal_to_brig_run_as_json(service):
    service.settled()
    run = start("--socket", service.socket, "--json", "-c", LONG)
    host.wait_until(lambda: len(service.children("brig-init")) > service.park, "no job runs")
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=host.WATCHDOG_S)
    result = json.loads(out)
    assert (result["outcome"], run.returncode) == ("cancelled", 130)
    assert result["hint"] and result["error"] is None
    service.settled()


def test_two_signals_end_brig_run_at_once(service):
    run = start("--socket", service.socket, "-c", STUBBORN)
    wait_up(run)
    for _ in range(3):
        run.send_signal(signal.SIGINT)
    run.communicate(timeout=host.WATCHDOG_S)
    assert run.returncode in (130, -signal.SIGINT)
    service.settled()


def test_cancel_frame(service):
    with channel.Call(service.socket, STUBBORN, stream=True) as call:
        call.wait_output("up\n")
        call.cancel()
        result = call.result()
    assert result.outcome == "cancelled" and result.text.startswith("up\n")
    service.settled()


def test_cancel_keeps_what_the_job_left(service):
    with channel.Call(service.socket, "open('half.txt', 'w').write('half')\n" + LONG,
                      stream=True) as call:
        call.wait_output("up\n")
        call.cancel()
        result = call.result()
    assert result.artifacts == {"half.txt": b"half"}


def test_cancel_before_the_job_runs(service):
    """At any moment of a cell's making."""
    for _ in range(30):
        with channel.Call(service.socket, LONG) as call:
            call.cancel()
            assert call.result().outcome == "cancelled"
    service.settled()


def test_cancel_while_it_waits_in_line(own_service):
    running = [channel.Call(own_service.socket, LONG, stream=True) for _ in range(4)]
    for call in running:
        call.wait_output("up\n")
    with channel.Call(own_service.socket, "print(1)") as waiting:
        waiting.cancel()
        assert waiting.result().outcome == "cancelled"
    with channel.Call(own_service.socket, "print(2)") as waiting:
        running.pop().close()
        assert waiting.result().text == "2\n"
    for call in running:
        call.close()
    own_service.settled()


def test_cancel_twice_and_late(service):
    with channel.Call(service.socket, "print(1)") as call:
        assert call.result().outcome == "ok"
        try:
            call.cancel()
            call.cancel()
        except BrokenPipeError:
            pass
    assert channel.run(service.socket, "print(2)").text == "2\n"


@pytest.mark.parametrize("code", [LONG, STUBBORN])
def test_closed_channel(service, code):
    with channel.Call(service.socket, code, stream=True) as call:
        call.wait_output("up\n")
    service.settled()
    assert channel.run(service.socket, "print('free')").text == "free\n"


def test_killed_client_of_a_running_service(service):
    run = start("--socket", service.socket, "-c", STUBBORN)
    wait_up(run)
    run.kill()
    run.communicate()
    service.settled()
    assert channel.run(service.socket, "print('free')").text == "free\n"


def test_killed_brig_run_with_its_private_service():
    """Nothing survives it: no process at once, no cgroup after the next start."""
    first = host.Snapshot()
    run = start("-c", STUBBORN)
    wait_up(run)
    # The job says that it is up while the last of its processes are still being born.
    host.wait_until(lambda: len(host.descendants(run.pid)) >= 10,
                    "service, maker, zygote, init, eight of the job's")
    below = set(host.descendants(run.pid))
    run.kill()
    run.communicate()
    host.wait_until(lambda: not below & set(host.processes()), "processes of a dead brig run")
    assert host.run_brig("run", "-c", "print(1)").stdout == b"1\n"
    host.wait_until(lambda: not host.orphaned_cgroups(), f"cgroups: {host.orphaned_cgroups()}")
    first.must_be_the_same()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_brig_run_with_its_private_service(number):
    first = host.Snapshot()
    run = start("-c", STUBBORN)
    wait_up(run)
    below = set(host.descendants(run.pid))
    run.send_signal(number)
    _, err = run.communicate(timeout=host.WATCHDOG_S)
    assert run.returncode == 130, err
    assert not below & set(host.processes())
    first.must_be_the_same()


def test_ctrl_c_reaches_brig_run_alone():
    """A terminal's Ctrl-C goes to the whole foreground group; the answer still comes in order."""
    run = subprocess.Popen([host.BRIG, "run", "-c", LONG], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=host.QUIET_ENV, start_new_session=True)
    wait_up(run)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=host.WATCHDOG_S)
    assert run.returncode == 130 and b"outcome: cancelled" in err, err


def test_reader_that_goes_away(service):
    """brig run | head: no noise, no endless job."""
    done = subprocess.run(f"{host.BRIG} run --socket {service.socket} -c "
                          "'while True: print(\"x\" * 100)' | head -n 1", shell=True,
                          capture_output=True, timeout=host.WATCHDOG_S)
    assert done.stdout == b"x" * 100 + b"\n"
    service.settled()
