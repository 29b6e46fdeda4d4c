"""The manual's examples are run: every fenced block of README.md, SECURITY.md and docs/*.md whose
info string ends in "run".

    ```sh run          a script: each of its commands must succeed
    ```sh serve run    the same beside a `brig serve`, which stands for the one at localhost:7777; each
                       JSON object that is printed must tell of success
    ```console run     commands after "$ ", each with exactly what it prints on stdout
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

import host
from dispatcher import Dispatcher

CONFIG = "[audit]\ndb = {folder}/log/audit.db\n[role local]\ntools = calculate, run_sandboxed\n" \
    "sessions = yes\naudit = yes\n"

FENCE = re.compile(r"^```(\w+(?: serve)?) run\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks():
    for path in [host.TOP / "README.md", host.TOP / "SECURITY.md",
                 *sorted((host.TOP / "docs").glob("*.md"))]:
        if not path.exists():
            continue
        text = path.read_text()
        for found in FENCE.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield pytest.param(found.group(1), found.group(2),
                               id=f"{path.relative_to(host.TOP)}:{line}")


def objects(printed):
    """The JSON objects that stand one behind the other."""
    found, at = [], 0
    while rest := printed[at:].lstrip():
        at = len(printed) - len(rest)
        answer, length = json.JSONDecoder().raw_decode(rest)
        found.append(answer)
        at += length
    assert found, "nothing was printed"
    return found


@pytest.fixture
def shell(tmp_path):
    """Runs a script in a folder that looks like the built tree, with brig on PATH."""
    (tmp_path / "build").symlink_to(pathlib.Path(host.BRIG).parent)
    for name in ("examples", "docs", "README.md"):
        (tmp_path / name).symlink_to(host.TOP / name)
    env = {**host.QUIET_ENV, "PATH": f"{pathlib.Path(host.BRIG).parent}:{os.environ['PATH']}"}

    def run(script):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=600)
    return run


@pytest.mark.parametrize("kind,script", blocks())
def test_block(shell, kind, script):
    assert kind in ("sh", "sh serve", "console"), f"a block of kind {kind} cannot be run"
    if kind == "sh serve":
        with Dispatcher(config=CONFIG) as brig:
            done = shell(script.replace("localhost:7777", f"localhost:{brig.port}")
                         .replace("/run/brig/http.sock", brig.socket))
        assert done.returncode == 0, done.stdout + done.stderr
        for answer in objects(done.stdout):
            assert "status" not in answer and answer.get("outcome", "ok") == "ok", answer
        return
    if kind == "sh":
        done = shell(script)
        assert done.returncode == 0, done.stdout + done.stderr
        return
    commands = re.split(r"^\$ ", script, flags=re.MULTILINE)
    assert commands[0] == "", "a console block starts with a command"
    for command in commands[1:]:
        line, _, printed = command.partition("\n")
        done = shell(line)
        assert done.stdout == printed, (line, done.stderr)


def test_the_readme_has_examples():
    """So that a marker that is written otherwise does not hide them all."""
    assert sum("README" in param.id for param in blocks()) >= 1
    assert sum("cli.md" in param.id for param in blocks()) >= 2


def test_what_is_asked_of_a_server_is_run():
    """A block with curl that nothing runs tells of a brig that may not be there."""
    for path in [host.TOP / "README.md", *(host.TOP / "docs").glob("*.md")]:
        for info, block in re.findall(r"^```(.*)\n((?:(?!```).*\n)*)```$", path.read_text(), re.M):
            assert "curl " not in block or info.endswith(" run"), f"{path.name}: {block}"


def test_every_flag_is_in_the_manual():
    """docs/cli.md names each flag that brig run and brig service take, and no other."""
    manual = (host.TOP / "docs/cli.md").read_text()
    for verb in ("run", "service"):
        shown = host.run_brig(verb, "-h").stdout.decode()
        for flag in set(re.findall(r"(--[a-z-]+)", shown)):
            assert flag in manual or flag == "--help", f"{flag} of brig {verb}"


def test_links_lead_somewhere():
    for path in [host.TOP / "README.md", host.TOP / "SECURITY.md", *(host.TOP / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_requirements_name_tests_that_exist():
    done = subprocess.run([host.TOP / "scripts/check-requirements"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
