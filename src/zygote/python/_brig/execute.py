"""Runs the job's two code objects in its __main__, with top-level await where they use it."""

import builtins
import sys
from types import ModuleType

from . import job as jobs
from .source import CO_COROUTINE


def new_main():
    """A fresh __main__, as a script has it."""
    main = ModuleType("__main__")
    main.__builtins__ = builtins
    main.__file__ = jobs.WORK_DIR + "/job.py"
    main.__cached__ = None
    main.__annotations__ = {}
    sys.modules["__main__"] = main
    return main


def run(body, last, namespace):
    """Executes the body; returns the value of the last expression, or None without one."""
    if any(code is not None and code.co_flags & CO_COROUTINE for code in (body, last)):
        return _run_in_loop(body, last, namespace)
    if body is not None:
        exec(body, namespace)
    return None if last is None else eval(last, namespace)


def _run_in_loop(body, last, namespace):
    import asyncio

    async def steps():
        if body is not None:
            await _step(body, namespace)
        return None if last is None else await _step(last, namespace)

    with asyncio.Runner() as runner:
        plain_run = asyncio.run
        asyncio.run = _nested_run(plain_run, runner.get_loop())
        try:
            return runner.run(steps())
        finally:
            asyncio.run = plain_run


async def _step(code, namespace):
    value = eval(code, namespace)
    return await value if code.co_flags & CO_COROUTINE else value


def _nested_run(plain_run, job_loop):
    """asyncio.run that also works where the job itself awaits at its top level."""
    from asyncio import events

    def run_nested(main, **options):
        if events._get_running_loop() is not job_loop:
            return plain_run(main, **options)
        events._set_running_loop(None)
        try:
            return plain_run(main, **options)
        finally:
            events._set_running_loop(job_loop)

    run_nested.__name__ = run_nested.__qualname__ = "run"
    run_nested.__module__ = "asyncio.runners"
    return run_nested
