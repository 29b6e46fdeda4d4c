"""What a caller is told to use is what its role has, in every text that a model sees."""

import hashlib
import json

import pytest

import host
from dispatcher import BILLING, RESEARCH, Dispatcher

EXPRESSIONS = ["sqrt(2)", "7 // 2", "~1", "1 & 2", "1j", "x", "[1]", "{1}", "+1", "1 < 2", "True",
               "'a'", "∞", "5!", "factorial(5)", "2 ** 5000.0", "(-8) ** 0.5", "1 if 2 else 3",
               "1 and 2", "(" * 300 + "1" + ")" * 300, "1+" * 2500 + "1", "10 ** 400 * 1.0", "mean(1)"]


@pytest.fixture(scope="module")
def brig():
    extra = "[role coder]\ntools = run_sandboxed\n[token coder]\nrole = coder\n"
    extra += f"sha256 = {hashlib.sha256(b'token-coder').hexdigest()}\n"
    with Dispatcher(extra=extra) as running:
        yield running


def words_of(brig, token):
    """All that is said without a call: instructions of both eras, tools, by both doors."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "test", "version": "1"}}
    return [brig.mcp("initialize", hello, token).json["result"]["instructions"],
            brig.mcp("server/discover", {}, token, modern=True).json["result"]["instructions"],
            json.dumps(brig.mcp("tools/list", {}, token).json),
            json.dumps(brig.request("GET", "/v1/tools", token=token).json)]


def test_a_role_that_only_calculates_is_sent_nowhere_else(brig):
    for words in words_of(brig, BILLING):
        assert "calculate" in words and "run_sandboxed" not in words and "Python:" not in words


def test_a_role_that_only_runs_code(brig):
    for words in words_of(brig, "token-coder"):
        assert "run_sandboxed" in words and "calculate" not in words


def test_a_role_with_both(brig):
    for words in words_of(brig, RESEARCH):
        assert "run_sandboxed" in words and "calculate" in words


def test_hints_are_the_role_s(brig):
    """The same advice, less the tool that the caller does not have."""
    shorter = 0
    for expr in EXPRESSIONS:
        full = brig.calculate(expr, RESEARCH).json
        assert "error" in full, (expr, full)
        full = full["error"]
        for error in (brig.calculate(expr, BILLING).json["error"],
                      brig.mcp("tools/call", {"name": "calculate", "arguments": {"expr": expr}},
                               BILLING).json["result"]["structuredContent"]["error"]):
            assert "run_sandboxed" not in json.dumps(error), error
            hint, rest = error.get("hint", ""), {k: v for k, v in error.items() if k != "hint"}
            assert rest == {k: v for k, v in full.items() if k != "hint"}
            assert full.get("hint", "").startswith(hint) and not hint.endswith((",", ";", " ", " or"))
            shorter += hint != full.get("hint", "")
        if "run_sandboxed" not in full.get("hint", ""):
            assert error == full
    assert shorter > 20


def test_hints_of_every_kind(brig):
    for name in ("forbidden.tsv", "refused.tsv"):
        lines = (host.TOP / "tests/calc" / name).read_text().splitlines()
        for expr in [line.split("\t")[0] for line in lines if line and line[0] != "#"][::7]:
            answer = brig.calculate(expr, BILLING)
            assert "use run_sandboxed" not in answer.json.get("error", {}).get("hint", ""), expr
