"""All cases of the case files and the checks of the zygotes themselves."""

import base64
import json
import os
import shutil
import stat

import casefile
import expect
import frames
import harness
import snippets

SPOOL = "/tmp/.brig"


def run(zygotes, only):
    """(passed, failed, skipped) over everything whose title or place holds `only`."""
    passed = failed = 0
    os.makedirs(harness.OUT, exist_ok=True)
    for level, zygote in zygotes.items():
        faults = _zygote_faults(zygote.state)
        failed += bool(faults)
        passed += not faults
        _print(f"zygote {level}", faults)
    for name in sorted(os.listdir("/mnt/tests/cases")):
        if not name.endswith(".cases"):
            continue
        for group in casefile.parse(f"/mnt/tests/cases/{name}"):
            if only and only not in group[0].title and only not in group[0].where:
                continue
            faults = [fault for case in group for fault in _run_case(case, zygotes)]
            failed += bool(faults)
            passed += not faults
            _print(f"{group[0].where}: {group[0].title}", faults)
    for title, case in snippets.load():
        if only and only not in title:
            continue
        faults = snippets.faults(case, zygotes["data"])
        failed += bool(faults)
        passed += not faults
        _print(title, faults)
    return passed, failed, 0


def _print(title, faults):
    if faults:
        print(f"FAIL {title}", flush=True)
        for fault in faults:
            print(f"     {fault}")


def _zygote_faults(state):
    before, after = state["before"], state["after"]
    return [f"{k}: {before[k]} before, {after[k]} after" for k in before if before[k] != after[k]]


def _run_case(case, zygotes):
    level = case.get("level", "data").strip()
    faults = []
    for _ in range(int(case.get("repeat", "1"))):
        try:
            result, found = call(case, zygotes[level])
        except Exception as fault:
            return [f"harness: {type(fault).__name__}: {fault}"]
        faults = frames.check(found, case.code, bool(case.get("then")))
        faults += expect.faults(case, result)
        if faults:
            break
    return faults


def call(case, zygote):
    """One call of a case in a fresh work folder: (Result, frames)."""
    options = {
        "input_names": [],
        "chart_format": "png",
        "table_csv": False,
        "spool": SPOOL,
        "limits": {"memory_bytes": 512 << 20, "wall_ms": 30000, "cpu_ms": 20000, "processes": 64},
        "session": False,
    }
    clear(harness.WORK)
    clear("/tmp")
    for name, text in case.inputs("file").items():
        put_input(name, text.encode("utf-8"))
        options["input_names"].append(name)
    for name, text in case.inputs("file64").items():
        put_input(name, base64.b64decode(text))
        options["input_names"].append(name)
    for name, text in case.inputs("option").items():
        options[name] = json.loads(text)
    for name in ("stdout", "stderr", "frames"):
        open(f"{harness.OUT}/{name}", "wb").close()
        os.chmod(f"{harness.OUT}/{name}", 0o666)
    with open(f"{harness.OUT}/stdin", "w", encoding="utf-8") as file:
        file.write(case.get("stdin", ""))
    code = case.code.encode("utf-8", "surrogatepass")
    if case.get("code64"):
        code = base64.b64decode(case.get("code64"))
    then = [text.encode("utf-8") for key, text in case.directives if key == "then"]
    answer = zygote.run([code, *then], options, float(case.get("wall_s", "60")))
    return _result(answer)


def _result(answer):
    raw = {}
    for name in ("stdout", "stderr", "frames"):
        with open(f"{harness.OUT}/{name}", "rb") as file:
            raw[name] = file.read()
    found = frames.read(raw["frames"])
    out = [raw[n].decode("utf-8", "backslashreplace") for n in ("stdout", "stderr")]
    result = expect.Result(answer, out, found, _files(harness.WORK), _files(SPOOL))
    return result, found


def _files(folder):
    out = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as file:
                    out[os.path.relpath(path, folder)] = file.read()
    return out


def clear(folder):
    """Empties a folder."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


def put_input(name, data):
    """A read-only file in the work folder, as inputs are."""
    path = os.path.join(harness.WORK, name)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o444)
