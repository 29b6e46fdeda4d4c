"""The field cases: fifty situations that people met with model-written code, as data.

Each line of field-cases.jsonl is one case: its steps with what must hold for each. `calc` steps go
through `brig calc --json`, `python` steps through `brig run --json` over a service of the test's
own. `harness` names what a caller does beside the code; steps that are calls of one client are run
twice, each in a cell of its own and then all in one session (`calls`).
"""

import base64
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))

import channel
import host


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


def check_calc(step):
    done = host.run_brig("calc", "--json", "--", step["expr"])
    answer, expect = json.loads(done.stdout), step["expect"]
    error = answer.get("error", {})
    for key, got in (("status", done.returncode), ("value", answer.get("value")),
                     ("text", answer.get("text")), ("error", error.get("type")),
                     ("message", error.get("message"))):
        if key in expect:
            need(got == expect[key], f"{key}: {got!r}, not {expect[key]!r}: {answer}")
    need("error" not in expect or "value" not in answer, f"a value beside an error: {answer}")
    need(expect.get("hint_has", "") in error.get("hint", ""), f"hint: {answer}")


def plain(cell):
    """A table's cell without its tag."""
    return cell["value"] if isinstance(cell, dict) and "$type" in cell else cell


def check_table(table, expect):
    need([c["name"] for c in table["columns"]] == expect["columns"], f"columns: {table}")
    for key in ("row_count", "truncated", "rows"):
        need(key not in expect or table[key] == expect[key], f"{key}: {table}")
    if "index" in expect:
        need(table["index"]["names"] == expect["index_names"], f"index: {table}")
        need(table["index"]["values"] == expect["index"], f"index: {table}")
    for place, value in expect.get("cells", {}).items():
        row, column = map(int, place.split(","))
        got = table["rows"][row][column]
        need(got == value and type(got) is type(value), f"cell {place}: {got!r}")
    for place, words in expect.get("cell_has", {}).items():
        row, column = map(int, place.split(","))
        need(words in str(plain(table["rows"][row][column])), f"cell {place}: {table}")


def check_charts(result, expect):
    charts = result["charts"]
    if "charts" in expect:
        need(len(charts) == expect["charts"], f"{len(charts)} charts")
    if "chart_titles" in expect:
        need([c.get("title") for c in charts] == expect["chart_titles"], f"titles: "
             f"{[c.get('title') for c in charts]}")
    for chart in charts:
        data = base64.b64decode(chart["data_base64"])
        need(data.startswith(b"\x89PNG") and len(data) > 4000, "a blank or broken chart")
    if "chart_series" in expect:
        found = [series for axes in charts[0]["data"]["axes"] for series in axes["series"]]
        need(len(found) == expect["chart_series"], f"series: {charts[0]['data']}")


def check_error(result, expect):
    error = result["error"] or {}
    traceback = error.get("traceback", "")
    for key, name in (("error_type", "type"), ("message", "message"), ("error_line", "line")):
        need(key not in expect or error.get(name) == expect[key], f"{key}: {error}")
    need(expect.get("message_has", "") in error.get("message", ""), f"message: {error}")
    for words in expect.get("traceback_has", []):
        need(words in traceback, f"traceback without {words!r}: {traceback}")
    for words in expect.get("traceback_not", []):
        need(words not in traceback, f"traceback with {words!r}: {traceback}")
    need(len(traceback.splitlines()) <= expect.get("traceback_max_lines", 10 ** 6), traceback)


def check_stdout(result, expect):
    text = result["stdout"]
    need("stdout" not in expect or text == expect["stdout"], f"stdout: {text!r}")
    need("stderr" not in expect or result["stderr"] == expect["stderr"],
         f"stderr: {result['stderr']!r}")
    need(text.startswith(expect.get("stdout_starts", "")), f"stdout: {text[:200]!r}")
    need(text.endswith(expect.get("stdout_ends", "")), f"stdout: {text[-200:]!r}")
    for words in expect.get("stdout_has", []):
        need(words in text, f"stdout without {words!r}")
    for words in expect.get("stdout_not", []):
        need(words not in text, f"stdout with {words!r}")
    need("not_stdout_starts" not in expect or not text.startswith(expect["not_stdout_starts"]), text)
    need("truncated" not in expect or result["stdout_truncated"] == expect["truncated"], "truncated")
    need("stdout_bytes" not in expect or result["stdout_bytes"] == expect["stdout_bytes"],
         f"stdout_bytes {result['stdout_bytes']}")


def check_value(result, expect):
    value = result.get("result")
    if expect.get("no_value"):
        need(value is None, f"a value: {value}")
    if "value" in expect:
        need(value and value["text"] == expect["value"], f"value: {value}")
    if "value_json" in expect:
        need(value["json"] == expect["value_json"], f"json: {value['json']}")
    for words in expect.get("value_has", []):
        need(words in value["text"], f"value without {words!r}: {value['text']}")
    if "table" in expect:
        check_table(value["table"], expect["table"])
    if "tables" in expect:
        need(len(result["tables"]) == expect["tables"], f"tables: {result['tables']}")
    if "stdout_or_tables_has" in expect:
        need(expect["stdout_or_tables_has"] in result["text"], result["text"])


def check_result(result, status, expect):
    need(result["outcome"] == expect["outcome"], f"outcome {result['outcome']}: {result['text']}")
    need(status == expect["status"], f"exit status {status}")
    need("signal" not in expect or result["signal"] == expect["signal"], "signal")
    need(expect.get("hint_has", "") in result.get("hint", ""), f"hint: {result.get('hint')}")
    need(not expect.get("hint_any") or result.get("hint"), "no hint")
    for words in expect.get("text_has", []):
        need(words in result["text"], f"text without {words!r}: {result['text']}")
    check_stdout(result, expect)
    check_error(result, expect)
    check_value(result, expect)
    check_charts(result, expect)


def arguments(step, folder, service):
    """The command line of one step; its files lie in `folder` under harmless names."""
    args = ["--socket", service.socket, *step.get("args", [])]
    for number, (name, content) in enumerate(step.get("files", {}).items()):
        path = pathlib.Path(folder, f"input{number}")
        data = base64.b64decode(content["b64"]) if isinstance(content, dict) else content.encode()
        path.write_bytes(data)
        args += ["--file", f"{path}:{name}"]
    if step.get("code_file"):
        path = pathlib.Path(folder, "code.py")
        path.write_text(step["code"])
        return [*args, path]
    return [*args, "-c", step["code"]]


def run_step(step, service):
    with tempfile.TemporaryDirectory(prefix="brigtest-") as folder:
        result, status = host.run_json(*arguments(step, folder, service))
    check_result(result, status, step["expect"])
    return result


def begin_session(service):
    result, _ = host.run_json("--socket", service.socket, "--session", "new", "-c", "")
    return result["session"]["id"]


def end_session(session, service):
    channel.ask(service.socket, "close", session)


def in_session(step, session):
    return {**step, "args": [*step.get("args", []), "--session", session]}


def next_session(result, session, service):
    """The session to go on with: where it was lost, that is told again, and another one begins."""
    if not result["session"].get("lost"):
        return session
    need("session lost" in result["text"], result["text"])
    again, status = host.run_json("--socket", service.socket, "--session", session, "-c", "1")
    need(status != 0 and again["outcome"] != "ok", f"a lost session went on: {again}")
    return begin_session(service)


def run_in_session(case, service):
    session = begin_session(service)
    for step in case["steps"]:
        result = run_step(in_session(step, session), service)
        session = next_session(result, session, service)
    end_session(session, service)


def listener(case, service):
    """A listener on the host's loopback, which must see nothing."""
    seen = []
    try:
        server = socket.create_server(("127.0.0.1", 18999))
    except OSError as fault:
        raise Failure(f"port 18999 of the loopback is taken: {fault}") from fault
    with server:
        threading.Thread(target=lambda: seen.append(accept(server)), daemon=True).start()
        run_step(case["steps"][0], service)
        server.shutdown(socket.SHUT_RDWR)
    need(not [connection for connection in seen if connection], "the listener saw a connection")


def accept(server):
    try:
        return server.accept()
    except OSError:
        return None


def eight_at_once(case, service):
    eight(case["steps"][0], None, service)
    session = begin_session(service)
    eight(case["steps"][0], session, service)
    end_session(session, service)


def eight(step, session, service):
    """In cells of their own, or all in one session: then one after another."""
    faults = []

    def one(number):
        try:
            mine = {**step, "code": step["code"].replace("{i}", str(number))}
            mine["expect"] = {**step["expect"],
                              "stdout": "".join(f"worker-{number} {k}\n" for k in range(50))}
            run_step(in_session(mine, session) if session else mine, service)
        except Exception as fault:
            faults.append(fault)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    need(not faults, f"{faults}")


def cancel(case, service):
    cancel_one(case, None, service)
    cancel_one(case, begin_session(service), service)
    service.settled()


def cancel_one(case, session, service):
    step, following = case["steps"]
    flags = ["--session", session] if session else []
    run = subprocess.Popen(
        [host.BRIG, "run", "--socket", service.socket, *flags, "-c", step["code"]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    need(run.stdout.readline() == b"0\n" and run.stdout.readline() == b"1\n", "it does not run")
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=host.WATCHDOG_S)
    need(run.returncode == step["expect"]["status"], f"status {run.returncode}")
    need(b"outcome: " + step["expect"]["outcome"].encode() in err, f"{err}")
    if session and b"session lost" in err:
        session = begin_session(service)
    run_step(in_session(following, session) if session else following, service)
    if session:
        end_session(session, service)


HARNESSES = {"listener": listener, "eight_at_once": eight_at_once, "cancel": cancel}


def run_case(case, service):
    if "harness" in case:
        HARNESSES[case["harness"]](case, service)
        return
    for step in case["steps"]:
        if case["kind"] == "calc":
            check_calc(step)
        else:
            run_step(step, service)
    if "calls" in case:
        run_in_session(case, service)


def main(wanted):
    cases = [json.loads(line) for line in (HERE / "field-cases.jsonl").read_text().splitlines()]
    passed = failed = 0
    with host.Service(cells=12, park=4) as service:
        for case in cases:
            if wanted and str(case["id"]) not in wanted:
                continue
            try:
                run_case(case, service)
                passed += 1
            except (Failure, AssertionError, KeyError, subprocess.SubprocessError) as fault:
                failed += 1
                print(f"case {case['id']}, {case['title']}: {type(fault).__name__}: {fault}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    os.environ.setdefault("BRIG", host.BRIG)
    sys.exit(main(sys.argv[1:]))
