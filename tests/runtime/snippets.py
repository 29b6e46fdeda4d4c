"""Snippets as models write them: each must give what an ordinary Python gives."""

import os

import casefile
import frames
import harness
import plain
import suite

FOLDER = "/mnt/tests/snippets"
_DRAWN = ("matplotlib", "<seaborn", "Axes", "Text(")


def load():
    """[(place and title, code)] of every snippet file."""
    found = []
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".txt"):
            for group in casefile.parse(f"{FOLDER}/{name}"):
                found.append((f"{group[0].where}: {group[0].title}", group[0]))
    return found


def faults(case, zygote):
    """How the runtime's answer differs from the ordinary Python's."""
    with open(f"{FOLDER}/sales.csv", encoding="utf-8") as file:
        case.directives.append(("file sales.csv", file.read()))
    suite.clear(harness.WORK)
    suite.put_input("sales.csv", case.inputs("file")["sales.csv"].encode("utf-8"))
    try:
        out, value, charts = plain.expected(case.code, harness.WORK, harness.OUT)
    except RuntimeError as fault:
        return [str(fault)]
    result, found = suite.call(case, zygote)
    return frames.check(found, case.code) + _differences(result, out, value, charts)


def _differences(result, out, value, charts):
    got = result.value["text"] if result.value else ""
    if any(word in value for word in _DRAWN) and not got:
        value = ""
    found = []
    if result.error:
        found.append(result.error["traceback"])
    if result.stdout != out:
        found.append(f"stdout: wanted {out[:400]!r}, got {result.stdout[:400]!r}")
    if got != value:
        found.append(f"value: wanted {value[:400]!r}, got {got[:400]!r}")
    if len(result.charts) != charts:
        found.append(f"charts: wanted {charts}, got {len(result.charts)}")
    if result.exit:
        found.append(f"exit {result.exit}")
    return found
