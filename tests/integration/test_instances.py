"""Two brigs on one host: each has a number, cgroups and uids of its own, whatever each can see."""

import json
import os
import subprocess

import pytest

import host

AS_IN_A_CONTAINER = """
mount -t tmpfs none /run && mkdir -p /run/brig || exit 99
for i in 1 2 3 4 5 6; do "$0" run -c 'print(6*7)' || exit; done
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="a mount namespace needs root")
def test_who_sees_another_run_folder_takes_another_number():
    """The locks in /run/brig are a mount namespace's own; the groups are the host's."""
    loops = [subprocess.Popen(["unshare", "-m", "bash", "-c", AS_IN_A_CONTAINER, host.BRIG],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
             for _ in range(3)]
    said = [loop.communicate(timeout=300) for loop in loops]
    assert [loop.returncode for loop in loops] == [0, 0, 0], said
    assert [out for out, _ in said] == ["42\n" * 6] * 3
    assert [err for _, err in said] == [""] * 3


def test_ready_line_is_json_whatever_the_path(tmp_path):
    path = tmp_path / 'quoted "socket"\n'
    process = subprocess.Popen([host.BRIG, "service", "--socket", path, "--park", "0"],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=host.QUIET_ENV)
    try:
        ready = json.loads(process.stderr.readline())
    finally:
        process.terminate()
        process.wait(host.WATCHDOG_S)
        process.stderr.close()
    assert ready == {"event": "ready", "socket": str(path)}
