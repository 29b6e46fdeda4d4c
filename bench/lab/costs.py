"""What one job costs beside its time: CPU by process, memory, and how both grow."""
import contextlib
import os
import subprocess
import time

from . import halves, measure, works


def calc_in_process():
    """Nanoseconds each for the expressions of bench/calc, the exact value included."""
    subprocess.run(["make", "--no-print-directory", "-s", "build/bench/calc/calc"], check=True)
    lines = measure.printed(["build/bench/calc/calc", "bench/calc/expressions.txt", "20000",
                             "whole"]).splitlines()
    each = [float(line.split("\t")[0]) for line in lines]
    return {"expressions": len(each), "mean_ns": sum(each) / len(each), "max_ns": max(each),
            "median_ns": sorted(each)[len(each) // 2]}


@contextlib.contextmanager
def pinned(running, cpu):
    """All of brig's processes that are there now on one CPU."""
    before = {}
    for process in running.processes():
        with contextlib.suppress(OSError):
            before[process.pid] = os.sched_getaffinity(process.pid)
            os.sched_setaffinity(process.pid, {cpu})
    try:
        yield
    finally:
        for pid, cpus in before.items():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(pid, cpus)


def idle(serve):
    """Dispatcher, service and their helpers, asked for nothing, less zygotes and cells."""
    found = {"processes": {}, "pss": 0, "rss": 0, "uss": 0}
    for process in serve.of_kind("serve"):
        held = halves.memory(process.pid)
        words = halves.read(f"/proc/{process.pid}/cmdline").replace("\0", " ").split()
        name = process.name
        if "--calc-worker" in words:
            name = "calc worker"
        elif name == "brig":
            name = "parent" if process.pid == serve.process.pid else "dispatcher"
        found["processes"][name] = held
        for key in ("pss", "rss", "uss"):
            found[key] += held[key]
    found["zygotes_pss"] = sum(halves.memory(p.pid)["pss"] for p in serve.of_kind("zygote"))
    before = halves.cpu_seconds(serve)
    time.sleep(3)
    after = halves.cpu_seconds(serve)
    found["cpu_share"] = sum(after.get(k, 0) - v for k, v in before.items()) / 3
    return found


def faults(pid):
    """Minor page faults so far: of the process, and of what it has reaped."""
    text = halves.read(f"/proc/{pid}/stat")
    words = text[text.rindex(")") + 2:].split()
    return int(words[7]), int(words[8])


def cpu_per_job(bench, service, socket):
    """Milliseconds of CPU by process for each job, parking and taking down included."""
    found = {}
    pid = service.service_pid()
    for name, code in (("bare", works.PRINT), ("data", works.PRINT_DATA),
                       ("group", works.GROUP)):
        work = works.named("group")[0]
        inputs = bench.inputs(work) if name == "group" else []
        count = bench.count(2000, 16)
        service.wait_parked(4)
        before, faults_before = halves.cpu_seconds(service), faults(pid)
        own_before = os.times()
        figures = measure.attempt(f"CPU by process, {name}", lambda: measure.cell(
            socket, count, 2, code, 0, inputs))
        own_after = os.times()
        time.sleep(1)
        after, faults_after = halves.cpu_seconds(service), faults(pid)
        if "failed" in figures:
            found[name] = figures
            continue
        jobs = figures["jobs"]
        found[name] = {key: (value - before.get(key, 0)) * 1000 / jobs
                       for key, value in after.items()}
        found[name]["client"] = (own_after.children_user + own_after.children_system
                                 - own_before.children_user
                                 - own_before.children_system) * 1000 / jobs
        found[name]["faults_service"] = (faults_after[0] - faults_before[0]) / jobs
        found[name]["faults_cells"] = (faults_after[1] - faults_before[1]) / jobs
        found[name]["jobs_per_second"] = figures["jobs_per_second"]
    return found


def sized_input(folder, kib):
    path = os.path.join(folder, f"input-{kib}k")
    if not os.path.exists(path):
        with open(path, "wb") as out:
            out.write(os.urandom(1024) * kib)
    return path


def grow_inputs(bench, socket):
    rows = {}
    count = bench.count(300)
    code = 'import os\nprint(sum(os.stat(n).st_size for n in os.listdir(".")))'
    for kib in (0, 4, 64, 1024, 16384, 131072):
        inputs = [f"{sized_input(bench_folder(), kib)}:a"] if kib else []
        rows[f"1 of {kib} KiB" if kib else "none"] = measure.attempt(
            f"inputs: {kib} KiB", lambda: measure.cell(
                socket, max(3, count // (1 + kib // 4096)), 1, code, 20000, inputs))
    for number in (8, 64):
        inputs = [f"{sized_input(bench_folder(), 4)}:a{i}" for i in range(number)]
        rows[f"{number} of 4 KiB"] = measure.attempt(
            f"inputs: {number}", lambda: measure.cell(socket, count, 1, code, 20000, inputs))
    return rows


def bench_folder():
    return os.path.abspath("build/bench/work")


def grow_output(bench, socket):
    rows = {}
    for kib in (0, 1, 64, 1024, 16384):
        rows[f"{kib} KiB"] = measure.attempt(f"output: {kib} KiB", lambda: measure.cell(
            socket, max(3, bench.count(300) // (1 + kib // 1024)), 1,
            f'print("x" * {kib * 1024 - 1})' if kib else "pass", 20000))
    return rows


def grow_cells(bench):
    """A service with more and more cells parked: what each takes, and what a job then takes."""
    rows = {}
    for park in (2, 8, 32, 64):
        with bench.service("--cells", "128", "--park", str(park)) as service:
            socket = service.ready["socket"]
            service.wait_parked(min(park, 4))
            floor, parked_floor = halves.available_bytes(), len(service.of_kind("runner"))
            # Each miss raises the target by one.
            with contextlib.suppress(measure.Failed):
                measure.cell(socket, park, park, works.PRINT_DATA)
            cells = service.wait_parked(park)
            held = halves.parked_memory(service) or {}
            more = cells - parked_floor
            held["available_each"] = ((floor - halves.available_bytes()) / more
                                      if more > 16 else None)
            held["parked"] = cells
            held["job"] = measure.attempt(f"{park} cells parked", lambda: measure.cell(
                socket, bench.count(300), 1, works.PRINT_DATA, 20000))
            rows[str(park)] = held
    return rows


def growth(bench):
    found = {}
    with bench.service() as service:
        service.wait_parked(4)
        socket = service.ready["socket"]
        found["inputs"] = grow_inputs(bench, socket)
        found["output"] = grow_output(bench, socket)
        found["clients"] = {
            str(clients): measure.attempt(f"{clients} clients", lambda: measure.cell(
                socket, max(clients * 4, bench.count(1000)), clients, works.PRINT))
            for clients in (1, 2, 4, 8, 16, 32, 64)}
    found["cells"] = grow_cells(bench)
    return found


def age(bench):
    """One service, job after job: its memory, its descriptors and its time at ten ages."""
    rows = []
    with bench.service() as service:
        service.wait_parked(4)
        socket = service.ready["socket"]
        with contextlib.suppress(measure.Failed):
            measure.cell(socket, 32, 8, works.PRINT)
        done, each = 32, max(2, bench.jobs // 10)
        for part in range(11):
            service.wait_parked(4, 15)
            rows.append({"jobs": done, **halves.standing(service)})
            if part < 10:
                rows[-1]["next"] = measure.attempt(f"age: {done} jobs", lambda: measure.cell(
                    socket, each, 2, works.PRINT))
                done += each
    return rows
