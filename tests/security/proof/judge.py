"""From a case to its line: the attack in the cell, then its control."""

import dataclasses
import os
import re

from .case import Cell, Native, Off, Own
from .lab import TOP

SAID = re.compile(r"^(HELD|REACHED) ?(.*)$", re.MULTILINE)


@dataclasses.dataclass
class Line:
    case: object
    state: str  # held, failed, no control, gap, skipped
    detail: str
    control: str = ""

    def text(self):
        tail = f"; {self.control}" if self.control else ""
        return f"{self.case.id:<5} {self.case.title} … {self.state} ({self.detail}){tail}"


def said(output):
    """(word, why) of the first verdict line, or ("", the output's end)."""
    match = SAID.search(output)
    return (match[1], match[2].strip()) if match else ("", output.strip()[-200:])


def attack(lab, case, service):
    """(held, detail) of the attack in the cell."""
    result = lab.cell(case.code, case.args, case.files, service)
    if case.check:
        return case.check(lab, case, result)
    return judge_result(case, result)


def judge_result(case, result):
    outcome = result["outcome"]
    if case.outcome != "ok":
        shown = outcome + (f" {result['syscall']}" if result.get("syscall") else "")
        word, why = said(result["stdout"])
        if word == "REACHED":
            return False, f"{shown}; reached: {why}"
        if case.syscall and result.get("syscall") != case.syscall:
            return False, shown
        return outcome == case.outcome, shown
    word, why = said(result["stdout"])
    if word == "HELD" and re.search(case.expect, why) and outcome == "ok":
        return True, why or "held"
    end = result.get("stderr", "").strip().splitlines()[-1:] or [""]
    fault = (result.get("error") or {}).get("message", "") if result.get("error") else ""
    return False, f"{outcome}: {word} {why} {end[0]} {fault}".strip()


def mutant_is_built():
    return os.path.exists(os.path.join(TOP, "build/mutant/tests/holder"))


def control(lab, case):
    """(succeeded, text): None where this host or build cannot give one."""
    kinds = case.control if isinstance(case.control, (list, tuple)) else [case.control]
    told = []
    for kind in kinds:
        good, text = one_control(lab, case, kind)
        told.append(text)
        if good:
            return True, text
    return False, "; ".join(told)


def one_control(lab, case, kind):
    if isinstance(kind, Own):
        return True, "control " + kind.why
    if isinstance(kind, Native):
        word, why = said(lab.native(kind.code or case.code, kind.room))
        return word == "REACHED", f"control on the host {'reached it' if word == 'REACHED' else word or 'said'}" + (
            f" ({why[:80]})" if why else "")
    if isinstance(kind, Cell):
        word, why = said(lab.cell(kind.code, kind.args, kind.files)["stdout"])
        return word == "REACHED", f"control twin {word.lower() or 'said'} ({why[:80]})"
    if isinstance(kind, Off):
        if not mutant_is_built():
            return False, "the mutant build is not there (make security builds it)"
        try:
            service = lab.service("mutant", kind.layers)
        except RuntimeError as fault:
            return False, str(fault)
        word, why = said(lab.cell(kind.code or case.code, case.args, case.files, service)["stdout"])
        return word == "REACHED", f"control without {kind.layers} {word.lower() or 'said'} ({why[:60]})"
    return False, "no control"


def run_case(lab, case, service=None, with_control=True):
    if case.landlock > lab.landlock_abi():
        return Line(case, "skipped", f"Landlock can do this from ABI {case.landlock}, and this "
                    f"kernel has ABI {lab.landlock_abi()}")
    if service is None and case.without:
        if not mutant_is_built():
            return Line(case, "skipped", "the mutant build is not there (make security builds it)")
        try:
            service = lab.service("mutant", "" if case.without == "nothing" else case.without)
        except RuntimeError as fault:
            return Line(case, "skipped", str(fault))
    try:
        lab.current = service
        good, detail = attack(lab, case, service)
    except RuntimeError as fault:
        return Line(case, "failed", str(fault))
    finally:
        lab.current = None
    if not good and set(case.layers.split()) <= lab.gaps:
        return Line(case, "gap", f"{detail}: this host has no {case.layers}, and that was allowed")
    if not good:
        return Line(case, "failed", detail)
    if not with_control:
        return Line(case, "held", detail)
    succeeded, text = control(lab, case)
    return Line(case, "held" if succeeded else "no control", detail, text)
