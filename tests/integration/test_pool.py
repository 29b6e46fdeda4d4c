"""Parked cells, worn zygotes, roles with zygotes of their own, and slots shared out fairly."""

import hashlib
import pathlib

import channel
import host
from dispatcher import Dispatcher


def zygotes(service, level=None):
    """pid → level of the service's zygotes."""
    found = {}
    for pid in service.children("brig-zygote"):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except FileNotFoundError:
            continue
        # A runner is a fork of a zygote and carries its name; its parent is the service too, but it
        # lies in a cell's pid namespace.
        depth = len(host.status_of(pid).get("NSpid", "").split())
        if len(words) > 1 and depth == own_depth(service):
            found[pid] = words[1].decode()
    return {p: name for p, name in found.items() if level in (None, name)}


def own_depth(service):
    return len(host.status_of(service.service_pid())["NSpid"].split())


def test_parked_cells_are_used_once_and_refilled():
    with host.Service(cells=8, park=3) as service:
        host.wait_until(lambda: len(service.cells()) >= 3, "no cell is parked")
        seen = set()
        for number in range(12):
            result = channel.run(service.socket, f"import os\nopen('left', 'w')\nprint({number})")
            assert result.outcome == "ok"
            assert result.text == f"{number}\n"
            listing = channel.run(service.socket, "import os; print(os.listdir('.'))")
            assert listing.text == "[]\n", "a cell served two jobs"
            seen |= service.cells()
        assert len(seen) > 3, f"cells are not replaced: {seen}"


def test_a_job_waits_in_no_level_that_is_wrong():
    """A parked cell of a barer level is never given to code that a warmer one was chosen for."""
    with host.Service(cells=8, park=2) as service:
        result = channel.run(service.socket, "import pandas as pd\nprint(pd.Series([1, 2]).sum())",
                             receipt=True)
        assert result.outcome == "ok" and result.text == "3\n"


def test_worn_zygotes_are_replaced():
    with host.Service(cells=4, park=0, args=["--zygote-jobs", "5"]) as service:
        pids = set()
        for _ in range(24):
            assert channel.run(service.socket, "print(6 * 7)", level="bare").outcome == "ok"
            pids |= set(zygotes(service, "bare"))
        assert len(pids) >= 3, f"24 jobs at 5 a zygote came from {pids}"
        host.wait_until(lambda: len(zygotes(service, "bare")) == 1, "an old zygote stays")
        seeds = set()

        def another_seed():
            # The old one goes on until the new one is warm, which takes a slow machine long.
            seeds.add(channel.run(service.socket, "print(hash('x'))", level="bare").text)
            return len(seeds) >= 2

        host.wait_until(another_seed, "the hash secret outlives the zygote")


def test_isolated_roles_have_zygotes_of_their_own():
    with host.Service(cells=6, park=0) as service:
        shared = channel.run(service.socket, "print(hash('x'))", level="bare")
        own = {}
        for role in ("red", "blue", "red", "blue"):
            result = channel.run(service.socket, "print(hash('x'))", level="bare", role=role,
                                 isolate=True)
            assert result.outcome == "ok"
            own.setdefault(role, set()).add(result.text)
        # One hash secret a zygote: equal within a role, and unlike anybody else's.
        assert all(len(secrets) == 1 for secrets in own.values())
        assert len({shared.text} | own["red"] | own["blue"]) == 3
        assert len(zygotes(service, "bare")) == 3


def test_isolate_of_a_role_reaches_its_jobs_and_sessions():
    roles = "".join(
        f"[role {name}]\ntools = run_sandboxed\nsessions = yes\nisolate = {isolate}\n"
        f"[token {name}]\nrole = {name}\nsha256 = {hashlib.sha256(name.encode()).hexdigest()}\n"
        for name, isolate in (("red", "yes"), ("blue", "yes"), ("green", "no"), ("grey", "no")))
    seeds = {}
    with Dispatcher(extra=roles) as brig:
        for name in ("red", "blue", "green", "grey"):
            for session in ({}, {"session": "new"}):
                result = brig.run("import pandas\nhash('x')", token=name, **session).json
                seeds.setdefault(name, set()).add(result["result"]["text"])
    assert all(len(of_role) == 1 for of_role in seeds.values()), seeds
    assert seeds["green"] == seeds["grey"] and len(set.union(*seeds.values())) == 3, seeds


def test_a_flooding_role_leaves_slots_to_others():
    """With every slot asked for by one role, a job of another still starts: by order, not by time."""
    with host.Service(cells=4, park=0) as service:
        channel.run(service.socket, "1", role="quiet")
        flood = [channel.Call(service.socket,
                              "import time\nprint('on', flush=True)\ntime.sleep(600)",
                              role="flood", stream=True) for _ in range(8)]
        try:
            # Three of four slots are all that the flood may have.
            for call in flood[:3]:
                call.wait_output("on\n")
            result = channel.run(service.socket, "print('here')", role="quiet")
            assert result.outcome == "ok" and result.text == "here\n"
        finally:
            for call in flood:
                call.close()
        host.wait_until(lambda: not service.children("brig-init"), "the flood's cells stay")


def parked(service, level):
    """Runners that wait for their job: in read(2), which is system call 0."""
    found = set()
    for pid in service.children("brig-zygote"):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            call = pathlib.Path(f"/proc/{pid}/syscall").read_text().split()[0]
        except (FileNotFoundError, ProcessLookupError):
            continue
        inside = len(host.status_of(pid).get("NSpid", "").split()) > own_depth(service)
        if inside and call == "0" and level.encode() in words:
            found.add(pid)
    return found


def test_a_flooding_role_leaves_parked_cells_to_others():
    """A role with jobs under way makes a cell of its own rather than take one of the last two free
    ones: the second is there for a quiet role's next job while the first is made good."""
    with host.Service(cells=12, park=2) as service:
        sleeper = "import time\nprint('on', flush=True)\ntime.sleep(600)"
        channel.run(service.socket, "1", role="quiet", level="bare")
        flood = []
        try:
            for _ in range(6):
                before = host.wait_until(lambda: parked(service, "bare"), "no cell is parked")
                flood.append(channel.Call(service.socket, sleeper, role="flood", level="bare",
                                          stream=True))
                flood[-1].wait_output("on\n")
                if len(flood) > 2:
                    assert before & parked(service, "bare"), "the last parked cell was taken"
            spare = host.wait_until(
                lambda: len(p := parked(service, "bare")) == 2 and p, "two spare cells")
            for _ in range(2):
                assert channel.run(service.socket, "1", role="quiet", level="bare").outcome == "ok"
            host.wait_until(lambda: not spare <= set(service.children()),
                            "the quiet role's were others")
        finally:
            for call in flood:
                call.close()


def test_memory_that_a_cell_gives_back_and_takes_again_is_its_own(run):
    """Large imports and deep calls free and take arenas and stacks of frames in turns."""
    result = run("import scipy.stats, sklearn.linear_model, lxml.html, openpyxl\n"
                 "def deep(n): return 0 if n == 0 else 1 + deep(n - 1)\n"
                 "for _ in range(20):\n"
                 "    kept = [[str(i)] for i in range(60_000)]\n"
                 "    deep(900)\n"
                 "    del kept\n"
                 "print(deep(900))", wall_ms=300000, cpu_ms=300000)
    assert (result.outcome, result.text) == ("ok", "900\n"), result
