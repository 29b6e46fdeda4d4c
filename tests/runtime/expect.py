"""Compares what a call gave with what its case expects: one function for each directive."""

import json


class Result:
    """What came of one call."""

    def __init__(self, answer, out, frames, work, spool):
        self.exit = os_exit(answer["status"])
        self.killed = answer["killed"]
        self.peak_kib = answer["peak_kib"]
        self.stdout, self.stderr = out
        self.frames = frames
        self.files = work
        self.images = spool
        self.value = self.error = self.hint = None
        self.tables, self.charts, self.notes = [], [], []
        for kind, payload in frames:
            self._take(kind, payload)

    def _take(self, kind, payload):
        if kind in ("hint", "note"):
            text = payload.decode("utf-8")
            if kind == "hint":
                self.hint = text
            else:
                self.notes.append(text)
            return
        parsed = json.loads(payload)
        if kind == "value":
            self.value = parsed
        elif kind == "error":
            self.error = parsed
        else:
            getattr(self, kind + "s").append(parsed)


def os_exit(status):
    """The exit code, or minus the signal."""
    return status >> 8 if status & 0x7F == 0 else -(status & 0x7F)


def _text(value):
    return value["text"] if value else None


def _same(name, got, wanted):
    return None if got == wanted else f"{name}: wanted {wanted!r}, got {got!r}"


def _within(name, got, wanted):
    wanted = wanted.rstrip("\n")
    return None if got is not None and wanted in got else f"{name}: no {wanted!r} in {got!r}"


def _without(name, got, unwanted):
    unwanted = unwanted.rstrip("\n")
    return None if got is None or unwanted not in got else f"{name}: {unwanted!r} in {got!r}"


def _block(text):
    return text.rstrip("\n")


def _titles(result, wanted):
    got = [chart.get("title", "") for chart in result.charts]
    return _same("titles", got, json.loads(wanted))


def _type(result, wanted):
    got = result.error["type"] if result.error else None
    return _same("error type", got, wanted.strip())


def _error_part(name, how):
    def check(result, wanted):
        if result.error is None:
            return f"no error, wanted {name} {wanted!r}"
        return how(name, result.error.get(name), wanted)

    return check


def _line(result, wanted):
    got = result.error.get("line") if result.error else None
    return _same("line", got, int(wanted))


def _check(result, wanted):
    for line in wanted.splitlines():
        try:
            held = not line or eval(line, {"r": result, "json": json})
        except Exception as fault:
            held = False
            line += f"  ({type(fault).__name__}: {fault})"
        if not held:
            return f"check failed: {line}\n    {_summary(result)}"
    return None


def _summary(result):
    shown = [(kind, payload[:600]) for kind, payload in result.frames]
    return f"frames {shown}, files {sorted(result.files)}, stdout {result.stdout[:200]!r}"


CHECKS = {
    "stdout": lambda r, w: _same("stdout", r.stdout, w),
    "stdout~": lambda r, w: _within("stdout", r.stdout, w),
    "stderr": lambda r, w: _same("stderr", r.stderr, w),
    "stderr~": lambda r, w: _within("stderr", r.stderr, w),
    "stderr!~": lambda r, w: _without("stderr", r.stderr, w),
    "value": lambda r, w: _same("value", _text(r.value), _block(w)),
    "value~": lambda r, w: _within("value", _text(r.value), w),
    "no value": lambda r, _: _same("value", _text(r.value), None),
    "json": lambda r, w: _same("json", r.value and r.value.get("json"), json.loads(w)),
    "table": lambda r, w: _same("table", r.value and r.value.get("table"), json.loads(w)),
    "shown": lambda r, w: _same("shown table", [t["table"] for t in r.tables], json.loads(w)),
    "charts": lambda r, w: _same("charts", len(r.charts), int(w)),
    "titles": _titles,
    "error": _type,
    "message": _error_part("message", lambda n, g, w: _same(n, g, _block(w))),
    "message~": _error_part("message", _within),
    "message!~": _error_part("message", _without),
    "traceback": _error_part("traceback", lambda n, g, w: _same(n, g, _block(w))),
    "traceback~": _error_part("traceback", _within),
    "traceback!~": _error_part("traceback", _without),
    "line": _line,
    "no line": lambda r, _: _same("line", r.error.get("line"), None),
    "hint": lambda r, w: _same("hint", r.hint, _block(w)),
    "hint~": lambda r, w: _within("hint", r.hint, w),
    "no hint": lambda r, _: _same("hint", r.hint, None),
    "note~": lambda r, w: _within("notes", "\n".join(r.notes), w),
    "no note": lambda r, _: _same("notes", r.notes, []),
    "exit": lambda r, w: _same("exit", r.exit, int(w)),
    "killed": lambda r, _: _same("killed", r.killed, True),
    "check": _check,
}
INPUTS = ("then", "file ", "file64 ", "stdin", "option ", "level", "code64", "repeat", "wall_s")


def faults(case, result):
    """What is not as the case expects. Without a word on errors, there must be none."""
    out = []
    names = {key for key, _ in case.directives}
    for key, value in case.directives:
        if key.startswith(INPUTS):
            continue
        check = CHECKS.get(key)
        out.append(f"unknown directive {key!r}" if check is None else check(result, value))
    if result.error is not None and "error" not in names:
        out.append(f"unexpected error: {result.error['traceback']}")
    if "stderr" not in str(names) and result.stderr:
        out.append(f"unexpected stderr: {result.stderr[:1000]!r}")
    told = {"value", "value~", "no value", "json", "table", "check", "error"}
    if not names & told and result.value:
        out.append(f"unexpected value: {result.value['text'][:200]!r}")
    if "charts" not in names and "titles" not in names and "check" not in names and result.charts:
        out.append(f"{len(result.charts)} unexpected charts")
    if not names & {"exit", "killed"}:
        wanted = 1 if "error" in names else 0
        out.append(_same("exit", result.exit, wanted))
    if result.killed and "killed" not in names:
        out.append("ran into the watchdog")
    return [fault for fault in out if fault]
