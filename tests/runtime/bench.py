"""What the runtime costs: figures, not tests. tests/runtime/run TREE --bench"""

import os
import struct
import sys
import time

sys.path.insert(0, "/mnt/tests")
sys.path.append("/usr/lib/brig/python")

import main as tests  # noqa: E402

ROUNDS = 60
CODES = {
    "print(6*7)": b"print(6 * 7)",
    "value": b"[1, 2, 3]",
    "error": b"1 / 0",
    "200,000 prints": b"for i in range(200000):\n    print('row', i)",
}
DATA_CODES = {
    "group-by": b"import pandas as pd\ndf = pd.read_csv('t.csv')\ndf.groupby('k')[['x']].sum()",
    "chart": b"import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.title('t')\nplt.show()",
}


def in_child(action):
    """What `action` returns in a forked child: a float."""
    back, out = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(out, struct.pack("<d", action()))
        os._exit(0)
    os.close(out)
    value = struct.unpack("<d", os.read(back, 8))[0]
    os.close(back)
    os.waitpid(pid, 0)
    return value


def quiet():
    """Standard output into nothing, through a pipe's cost-free stand-in."""
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)


def job(code, rehearsed=True):
    """CPU seconds of run_job in a fresh child."""
    from _brig import run

    quiet()
    os.chdir("/mnt/data")
    if rehearsed:
        run.make_ready()
    options = {"limits": {}, "spool": "/tmp/.brig"}
    started = time.process_time_ns()
    run.run_job(code, options, lambda kind, payload: None)
    return (time.process_time_ns() - started) / 1e9


def plain(code):
    """CPU seconds of a bare exec of the same code in a fresh child."""
    quiet()
    os.chdir("/mnt/data")
    exec(compile("0", "x", "exec"), {})
    started = time.process_time_ns()
    try:
        exec(compile(code, "job.py", "exec"), {"__name__": "__main__"})
    except Exception:
        pass
    sys.stdout.flush()
    return (time.process_time_ns() - started) / 1e9


def private_kib():
    """Memory of a child's own after a rehearsal."""
    from _brig import run

    def own():
        with open(f"/mnt/proc/{os.getpid()}/smaps_rollup", encoding="ascii") as file:
            rows = [line.split() for line in file]
        names = ("Private_Dirty:", "Private_Clean:")
        return sum(int(row[1]) for row in rows if row[0] in names)

    before = own()
    run.rehearse()
    return float(own() - before) * 1000 + before


def median(values):
    """The middle value."""
    values = sorted(values)
    return values[len(values) // 2]


def level(name):
    """Prints the figures of one level."""
    started = time.perf_counter()
    import _brig.warm

    _brig.warm.prepare(name, tests.modules(name))
    print(f"{name}: prepare {(time.perf_counter() - started) * 1e3:.0f} ms", flush=True)
    codes = CODES if name == "bare" else {"print(6*7)": CODES["print(6*7)"], **DATA_CODES}
    with open("/mnt/data/t.csv", "w", encoding="ascii") as file:
        file.write("k,x\n" + "".join(f"{i % 7},{i * 0.5}\n" for i in range(1000)))
    for title, code in codes.items():
        rounds = 5 if "prints" in title or title == "chart" else ROUNDS
        ours = median(in_child(lambda: job(code)) for _ in range(rounds))
        cold = median(in_child(lambda: job(code, False)) for _ in range(rounds))
        base = median(in_child(lambda: plain(code)) for _ in range(rounds))
        print(
            f"  {title:16} run_job {ours * 1e6:9.0f} us, unrehearsed {cold * 1e6:9.0f} us,"
            f" plain exec {base * 1e6:9.0f} us",
            flush=True,
        )
    own = in_child(private_kib)
    grown = f"after rehearsal +{own // 1000:.0f} KiB"
    print(f"  child's own memory {own % 1000:.0f} KiB, {grown}", flush=True)


if __name__ == "__main__":
    for name in ("bare", "data"):
        if (pid := os.fork()) == 0:
            level(name)
            os._exit(0)
        os.waitpid(pid, 0)
