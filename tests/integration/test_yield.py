"""Who leaves the CPU to others: a role's jobs beyond its share, cells in the making, what dies."""

import contextlib
import os
import pathlib

import channel
import host

SLEEP = "import time\nprint('on', flush=True)\ntime.sleep(600)"
# What gets on, and so stays as it is: 2 ms of work in 12.
STEADY = ("import time\nprint('on', flush=True)\n"
          "while True:\n    end = time.process_time() + 0.002\n"
          "    while time.process_time() < end: pass\n    time.sleep(0.01)")
ENDLESS = "print('on', flush=True)\nwhile True: pass"
LONG = {"wall_ms": 300000, "cpu_ms": 300000}


@contextlib.contextmanager
def on_cpus(count):
    """As if the machine had no more of them, for what is started within."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_of_them)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def yields(folder):
    """None where the group has gone, or where its hierarchy does not share out CPU time."""
    with contextlib.suppress(FileNotFoundError, OSError):
        for file, means_yes in (("cpu.idle", "1"), ("cpu.weight", "1"), ("cpu.shares", "2")):
            if (folder / file).exists():
                return (folder / file).read_text().strip() == means_yes
    return None


def groups(service):
    """Name → whether it yields, of all groups of this service."""
    found = {}
    for path in map(pathlib.Path, host.cgroups()):
        if service.owns(str(path)) and (told := yields(path)) is not None:
            found[path.name] = told
    return found


def yielding(service):
    return sorted(name for name, told in groups(service).items()
                  if name.startswith("cell-") and told)


def must_yield(service, count, what):
    """Beside those in the making, which yield until they are parked."""
    host.wait_until(lambda: len(yielding(service)) == count,
                    lambda: f"{what}: {count} should yield: {groups(service)}")


def test_a_roles_jobs_beyond_half_of_the_cpus_yield():
    with contextlib.ExitStack() as stack:
        with on_cpus(2):
            service = stack.enter_context(host.Service(cells=12, park=2))
        service.settled()

        def steady(role):
            call = stack.enter_context(
                channel.Call(service.socket, STEADY, role=role, stream=True, **LONG))
            call.wait_output("on\n")
            return call

        told = groups(service)
        assert (told["service"], told["making"]) == (False, True), told
        must_yield(service, 0, "none is at work")
        flood = [steady("flood") for _ in range(5)]
        must_yield(service, 4, "five jobs on two CPUs")
        quiet = [steady("quiet")]
        must_yield(service, 4, "and one of another role")
        for call in (*quiet, *flood):
            call.cancel()
            assert call.result().outcome == "cancelled"
        must_yield(service, 0, "none is at work any more")
        steady("flood")
        steady("flood")
        must_yield(service, 1, "the first of a role competes again")


def test_a_job_that_slept_yields_again():
    """It hardly got on, and so competed for a while; nobody is let off for good by sleeping."""
    with contextlib.ExitStack() as stack:
        with on_cpus(1):
            service = stack.enter_context(host.Service(cells=12, park=0))
        for code in (STEADY, SLEEP.replace("600", "1") + "\n" + STEADY):
            call = stack.enter_context(
                channel.Call(service.socket, code, role="busy", stream=True, **LONG))
            call.wait_output("on\n")
        must_yield(service, 0, "the second sleeps, and competes")
        call.wait_output("on\non\n")
        must_yield(service, 1, "it works again")


def test_what_yields_gets_on_beside_a_job_that_never_rests():
    """On one CPU an endless loop leaves an idle group next to nothing: so does the cell's making,
    where none is parked. Neither stays so."""
    with contextlib.ExitStack() as stack:
        with on_cpus(1):
            service = stack.enter_context(host.Service(cells=12, park=0))

        def begin(code, role):
            call = stack.enter_context(
                channel.Call(service.socket, code, role=role, stream=True, **LONG))
            call.wait_output("on\n")

        begin(SLEEP, "busy")
        begin(ENDLESS, "other")
        done = channel.run(service.socket, "print(sum(range(20_000_000)))", role="busy")
        assert (done.outcome, done.text) == ("ok", f"{sum(range(20_000_000))}\n"), done
