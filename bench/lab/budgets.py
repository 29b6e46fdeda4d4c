"""The budgets of the design, each beside what was measured."""


def figure(found, *path):
    """The number at that path, or None where it was not measured."""
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found if isinstance(found, (int, float)) else None


def milliseconds(found, *path):
    value = figure(found, *path)
    return None if value is None else value / 1000


def row(what, budget, unit, measured, met, peer=None, ratio=None, note=""):
    return {"what": what, "budget": budget, "unit": unit, "measured": measured,
            "met": None if measured is None else bool(met(measured)),
            "peer": peer, "ratio": ratio, "note": note}


def at_most(limit):
    return lambda value: value <= limit


def at_least(limit):
    return lambda value: value >= limit


def ratio_of(peer, own):
    return peer / own if peer and own else None


def latency(found):
    alone = found["alone"]
    p50 = milliseconds(alone, "print-data", "brig-http", "p50_us")
    p99 = milliseconds(alone, "print-data", "brig-http", "p99_us")
    pythons = [milliseconds(alone, "print", name, "p50_us") for name in ("python", "host-python")]
    python = min((p for p in pythons if p), default=None)
    times = ratio_of(python, p50)
    group = milliseconds(alone, "group", "brig-http", "p50_us")
    bwrap = milliseconds(alone, "group", "bwrap", "p50_us")
    return [
        row("`print(6*7)`, HTTP keep-alive, data cell: p50", "≤ 1", "ms", p50, at_most(1),
            "the faster `python3 -I -c`", times),
        row("… p99", "≤ 5", "ms", p99, at_most(5)),
        row("… `python3 -I -c` takes so many times as long", "≥ 12", "×", times, at_least(12)),
        row("1,000-row CSV, group-by, table back, HTTP: p50", "≤ 12", "ms", group, at_most(12),
            "`bwrap` + Python + pandas", ratio_of(bwrap, group)),
        row("… `bwrap` + Python takes so many times as long", "≥ 30", "×",
            ratio_of(bwrap, group), at_least(30)),
    ]


def throughput(found):
    many, burst = found["many"], found["burst"]
    rows = []
    for work, title, least in (("print", "without imports", 400), ("group", "pandas", 100)):
        own = figure(many, f"{work} 8", "brig-http", "jobs_per_second")
        peer = figure(many, f"{work} 8", "bwrap", "jobs_per_second")
        rows.append(row(f"8 clients, HTTP, {title}", f"≥ {least}", "jobs/s", own, at_least(least),
                        "8 × `bwrap` + Python", ratio_of(own, peer)))
    for work, title, most in (("print", "plain", 0.5), ("group", "pandas", 1.5)):
        own = figure(burst, work, "brig-http", "elapsed_us")
        own = own and own / 1e6
        peer = figure(burst, work, "bwrap", "elapsed_us")
        rows.append(row(f"burst of 100, HTTP, {title}, none refused", f"≤ {most}", "s", own,
                        at_most(most), "100 × `bwrap` + Python",
                        ratio_of(peer and peer / 1e6, own)))
    return rows


def rest(found):
    own = figure(found, "parked", "own")
    own = own and own / 2**20
    alone = milliseconds(found["alone"], "print", "brig-run-alone", "p50_us")
    bwrap = milliseconds(found["alone"], "print", "bwrap", "p50_us")
    calc = figure(found, "calculate", "in_process", "mean_ns")
    calc = calc and calc / 1000
    rate = figure(found, "calculate", "http_one_core", "jobs_per_second")
    idle = figure(found, "idle", "pss")
    idle = idle and idle / 2**20
    left = milliseconds(found, "leaving", "p99_us")
    flooded = found.get("flooded", {})
    alone99, print99 = (milliseconds(flooded, name, "p99_us") for name in ("alone", "print"))
    late = [case["p99_us"] / 1000 for case in found.get("overrun", {}).values()
            if isinstance(case, dict)]
    return [
        row("an answer after its job's limit: p99, of the slowest kind", "≤ 250", "ms",
            max(late) if late else None, at_most(250)),
        row("one role's `print(6*7)` while another floods with it: p99, as a multiple of alone",
            "≤ 2", "×", ratio_of(print99, alone99), at_most(2)),
        row("a client hangs up: its cell is gone, p99", "≤ 100", "ms", left, at_most(100)),
        row("a parked data cell's own memory", "≤ 2", "MiB", own, at_most(2), None, None,
            "private pages of runner and init"),
        row("`brig run -c 'print(6*7)'` with no daemon: p50", "≤ 80", "ms", alone, at_most(80),
            "`bwrap` + Python", ratio_of(bwrap, alone)),
        row("`calculate` in process, mean", "≤ 1", "µs", calc, at_most(1)),
        row("`calculate`, HTTP keep-alive, brig on one core", "≥ 20000", "a second", rate,
            at_least(20000)),
        row("dispatcher and service, idle, without zygotes", "≤ 12", "MiB", idle, at_most(12),
            None, None, "proportional share (PSS) of all their processes"),
    ]


def judge(found):
    return latency(found) + throughput(found) + rest(found)
