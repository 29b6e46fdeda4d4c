"""Wrong answers made from a right one: each must be told from what was wanted."""

import copy


def wrong_answers(want, got, files):
    """(what is wrong, answer, files) for everything that is wanted of this answer."""
    changes = dict(_CHANGES)
    value = want["value"] or {}
    if "table" in value:
        changes |= _TABLE_CHANGES
    if value.get("json") and "json" not in got["result"].get("cut", {}):
        changes["the value's JSON"] = _json
    for what, change in changes.items():
        answer, content = copy.deepcopy(got), dict(files)
        try:
            changed = change(answer, content)
        except (AttributeError, IndexError, KeyError, TypeError):
            continue  # this answer has no such part
        if changed is not False:
            yield what, answer, content


def _other(value):
    if isinstance(value, bool) or value is None:
        return "other"
    return value + 1 if isinstance(value, (int, float)) else "other"


def _stdout(got, _files):
    if got["stdout_truncated"]:
        return False
    got["stdout"] += "x"
    got["stdout_bytes"] += 1
    return True


def _title(got, _files):
    got["charts"][-1]["title"] = got["charts"][-1]["title"] + "?"


def _cell(got, _files):
    row = got["result"]["table"]["rows"][-1]
    row[-1] = _other(row[-1])


def _json(got, _files):
    got["result"]["json"] = [got["result"]["json"]]


def _plotted(got, _files):
    """The first number of every line and bar: those with a name for it are left."""
    series = [one for one in got["charts"][0]["data"]["axes"][0]["series"]
              if one["type"] in ("line", "bar") and not isinstance(one["y"][0], (str, dict))]
    for one in series:
        one["y"] = [n + 1 if isinstance(n, (int, float)) else n for n in one["y"]]
    return bool(series) and all(None not in one["y"] for one in series)


def _file_bytes(got, files):
    name = got["files"][-1]["name"]
    files[name] = (files[name][0], files[name][1] + b"x")


_CHANGES = {
    "outcome": lambda got, _: got.update(outcome="memory"),
    "exit code": lambda got, _: got.update(exit_code=got["exit_code"] + 1),
    "stdout": _stdout,
    "text": lambda got, _: got.update(text=""),
    "no value": lambda got, _: got.pop("result") and None,
    "a displayed table": lambda got, _: got["tables"].pop() and None,
    "a table more": lambda got, _: got["tables"].append({}),
    "a chart less": lambda got, _: got["charts"].pop() and None,
    "a chart twice": lambda got, _: got["charts"].append(got["charts"][-1]),
    "a chart's title": _title,
    "a chart's numbers": _plotted,
    "a file less": lambda got, _: got["files"].pop() and None,
    "a file's bytes": _file_bytes,
    "the error's line": lambda got, _: got["error"].update(line=got["error"]["line"] + 1),
    "the error's type": lambda got, _: got["error"].update(type="Odd"),
    "the error's message": lambda got, _: got["error"].update(message="odd"),
}
_TABLE_CHANGES = {
    "rows of the value's table": lambda got, _: got["result"]["table"].update(row_count=-1),
    "a column's type": lambda got, _: got["result"]["table"]["columns"][0].update(dtype="odd"),
    "a cell of the value's table": _cell,
}
