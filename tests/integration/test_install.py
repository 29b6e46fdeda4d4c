"""`make install` into a fresh prefix: what it puts there runs, bakes, and is what systemd takes."""

import pathlib
import shutil
import subprocess
import tempfile

import pytest

import host


@pytest.fixture(scope="module")
def prefix():
    with tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp") as name:
        pathlib.Path(name).chmod(0o755)
        install(f"PREFIX={name}/opt")
        yield pathlib.Path(name) / "opt"


def install(*words):
    subprocess.run(["make", "-s", "-C", host.TOP, "install", *words], check=True,
                   stdin=subprocess.DEVNULL, timeout=600)


def call(prefix, *words, **options):
    return subprocess.run([prefix / "bin/brig", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600, **options)


def test_it_runs_from_there(prefix):
    assert call(prefix, "--version").stdout == subprocess.run(
        [host.BRIG, "--version"], capture_output=True, text=True).stdout
    done = call(prefix, "run", "-c", "6 * 7")
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr


def test_nothing_points_outside(prefix):
    """No link, no path of the tree that it was built in."""
    for path in prefix.rglob("*"):
        assert not path.is_symlink(), path
        if path.is_file():
            assert str(host.TOP).encode() not in path.read_bytes(), path


@pytest.mark.slow
def test_it_bakes_an_image(prefix):
    name = "brigtest-installed"
    done = call(prefix, "image", "build", "--name", name)
    assert done.returncode == 0, done.stderr[-2000:]
    try:
        verified = call(prefix, "image", "verify", name)
        assert verified.returncode == 0, verified.stderr
        run = call(prefix, "run", "--image", name, "-c", "import pandas; 6 * 7")
        assert (run.returncode, run.stdout) == (0, "42\n"), run.stderr
    finally:
        listed = call(prefix, "image", "list").stdout
        for line in listed.splitlines():
            if name in line:
                shutil.rmtree(pathlib.Path("/var/lib/brig/images") / name)


def test_the_unit_is_systemds(prefix):
    unit = prefix / "lib/systemd/system/brig.service"
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout + done.stderr == "", done


def test_the_example_configuration_is_right(prefix):
    done = call(prefix, "serve", "--check-config", prefix / "share/doc/brig/brig.ini.example")
    assert done.returncode == 0, done.stdout


def test_destdir_goes_before_the_prefix():
    with tempfile.TemporaryDirectory(prefix="brigtest-", dir="/var/tmp") as name:
        install("PREFIX=/usr", f"DESTDIR={name}")
        assert sorted(p.name for p in pathlib.Path(name).iterdir()) == ["usr"]
        unit = (pathlib.Path(name) / "usr/lib/systemd/system/brig.service").read_text()
        assert "ExecStart=/usr/bin/brig serve --config /etc/brig/brig.ini" in unit
        assert name not in unit and "@" not in unit.replace("@PREFIX@", "@")
