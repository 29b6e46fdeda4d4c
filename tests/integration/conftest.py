"""Fixtures: one service for most tests, and what a run may leave out."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import channel
import host


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="fewer jobs, no bake")


@pytest.fixture(scope="session")
def quick(request):
    return request.config.getoption("--quick")


@pytest.fixture(scope="session")
def service():
    """A service that tests share; who kills a part of it takes `own_service`."""
    with host.Service() as running:
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
