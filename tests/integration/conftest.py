"""Fixtures: one service for most tests, and what a run may leave out.

As root the tests have mounts of their own and a /tmp of their own, so that what they compare before
and after is theirs alone.
"""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import channel
import host


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="fewer jobs, no bake")
    parser.addoption("--storm", metavar="CALLS", help="how many calls test_http_death makes (1500)")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left out by --quick")
    if os.geteuid() != 0 or config.option.collectonly:
        return
    try:
        host.take_own_mounts()
    except OSError as fault:
        raise pytest.UsageError(f"mounts of its own: {fault}") from fault


@pytest.fixture(scope="session")
def quick(request):
    return request.config.getoption("--quick")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--quick"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]


def pytest_generate_tests(metafunc):
    """Whatever needs the shared service is tested without and with parked cells."""
    if "service" in metafunc.fixturenames:
        parked = [4] if metafunc.config.getoption("--quick") else [0, 4]
        metafunc.parametrize("service", parked, indirect=True, scope="session",
                             ids=lambda cells: f"parked{cells}")


@pytest.fixture(scope="session")
def service(request):
    """A service that tests share, without and with parked cells; who kills a part of it takes
    `own_service`."""
    with host.Service(park=request.param) as running:
        yield running


@pytest.fixture
def own_service():
    with host.Service(cells=4) as running:
        yield running


@pytest.fixture
def run(service):
    """Runs code over the channel: run(code, inputs={…}, wall_ms=…) → channel.Result."""
    return lambda code, **options: channel.run(service.socket, code, **options)


@pytest.fixture
def run_json(service):
    """brig run --json over the shared service: (object, exit status)."""
    return lambda *args, **options: host.run_json("--socket", service.socket, *args, **options)


@pytest.fixture
def brig(service):
    """brig run over the shared service: the finished process."""
    return lambda *args, **options: host.run_brig("run", "--socket", service.socket, *args,
                                                  **options)
