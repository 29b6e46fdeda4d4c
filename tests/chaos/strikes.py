"""Blows by signals: at random, and one process stopped for good."""

import os
import signal
import threading
import time

import channel
import host
from load import Load

KINDS = ("zygote", "maker", "init", "runner", "runner", "service", "dispatcher")
STOPPED_FOR_S = (0.01, 0.1, 0.5, 1.5)
# A cell that is not made by then never will be, nor one whose inputs are not placed; a zygote that
# starts has three times as long.
BOUND_S = 20


def send(pid, number):
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def resume_later(pid, after_s):
    timer = threading.Timer(after_s, send, (pid, signal.SIGCONT))
    timer.daemon = True
    timer.start()
    return timer


def signals(pick, seconds):
    """SIGKILL, or SIGSTOP and a while later SIGCONT, to a process of any kind at any moment."""
    blows, timers = {}, []
    with Load(pick.random()) as load:
        load.progress()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            kind = pick.choice(KINDS)
            stop = pick.random() < 0.5
            found = load.victims(kind)
            if not found:
                time.sleep(0.01)
                continue
            pid = pick.choice(found)
            after_s = pick.choice(STOPPED_FOR_S)
            if stop and send(pid, signal.SIGSTOP):
                timers.append(resume_later(pid, after_s))
            elif not stop:
                send(pid, signal.SIGKILL)
            name = f"{'STOP' if stop else 'KILL'} {kind}"
            blows[name] = blows.get(name, 0) + 1
            # Sometimes the next one follows at once, sometimes after all has recovered.
            if pick.random() < 0.5:
                load.progress(count=1)
            else:
                time.sleep(pick.random() * 0.2)
        for timer in timers:
            timer.join()
        load.progress()
        told = load.told()
    return f"{sum(blows.values())} blows {blows}; {told}"


def stopped_for_good(pick, kind):
    """One process is stopped and never resumed: by BOUND_S it is replaced, and jobs go on."""
    with Load(pick.random(), statuses={503}) as load:
        load.progress()
        pid = pick.choice(host.wait_until(lambda: load.victims(kind), f"a {kind}"))
        assert send(pid, signal.SIGSTOP)
        host.wait_until(lambda: dead(pid), f"the stopped {kind} is given up",
                        watchdog_s=6 * BOUND_S)
        load.progress()
        return load.told()


def dead(pid):
    return host.status_of(pid).get("State", "Z")[0] in "ZX"


def zygote_stopped(pick, _):
    return stopped_for_good(pick, "zygote")


def maker_stopped(pick, _):
    return stopped_for_good(pick, "maker")


def init_stopped(pick, _):
    """Stopped inits of parked cells: a job without inputs does not need them, one with inputs fails
    within the bound, and the cells go."""
    told = []
    with host.Service(cells=2, park=2) as service:
        channel.run(service.socket, "1", level="bare")
        service.settled()
        for inputs, want in (({}, "ok"), ({"in.txt": b"given"}, "internal")):
            inits = service.children("brig-init")
            for pid in inits:
                send(pid, signal.SIGSTOP)
            result = channel.run(service.socket, "print(6 * 7)", inputs=inputs)
            assert result.outcome == want, result
            told.append(f"{want} {result.fault}".strip())
            for pid in inits:
                send(pid, signal.SIGKILL)
            host.wait_until(lambda inits=inits: all(dead(pid) for pid in inits), "those cells are gone")
            service.settled()
        assert channel.run(service.socket, "print(6 * 7)", inputs={"in.txt": b"x"}).text == "42\n"
        service.settled()
    return "; ".join(told)


def service_stopped(pick, _):
    """A service that stands still for a while: nobody loses an answer. One that is stopped while its
    parent ends is no reason for the parent to stay."""
    with Load(pick.random()) as load:
        load.progress()
        send(load.service(), signal.SIGSTOP)
        time.sleep(2)
        send(load.service(), signal.SIGCONT)
        load.progress()
        told = load.told()
    with host.Service(cells=2) as service:
        send(service.service_pid(), signal.SIGSTOP)
        below = host.descendants(service.pid)
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(4 * BOUND_S)
        for pid in below:
            host.wait_until(lambda pid=pid: not host.status_of(pid), f"{below[pid]} is gone")
    return told
