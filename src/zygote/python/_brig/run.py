"""One job from its bytes to its exit code: compile, run, show, report, end as a script ends.

`make_ready` is called in a sealed child before its job is known, `run_job` then once (in a session:
once for each call). What the job leaves behind in this process goes with it; a child that the job
forked never comes back from here.
"""

import sys
from _signal import SIG_BLOCK, SIG_SETMASK, SIGALRM, SIGPROF, SIGVTALRM, pthread_sigmask
from os import _exit as leave
from os import getpid, urandom

from . import charts, contexts, display, ending, errors, execute, hints, hooks, imports, rehearsal
from . import seeds, source, streams
from . import job as jobs

_LEAST = {"message": "", "traceback": ""}
_BROKEN = (
    b'{"type":"RuntimeError","message":"the code has broken the interpreter that runs it",'
    b'"traceback":""}'
)

_TIMERS = {SIGALRM, SIGVTALRM, SIGPROF}

_calls = 0
_main = None  # made ahead for a job that is no session's


def run_job(code, options, emit):
    """Runs `code` (bytes) and reports through `emit(kind, payload)`; returns the exit code.

    Never raises: a job that has taken Python's own functions away broke itself, not brig.
    """
    mine = getpid()
    try:
        if _calls:  # what earlier calls of the session made of the process stays
            streams.mute_others()
        elif _main is None:
            make_ready(awaited=True)
        return _run(bytes(code), options, emit, True)
    except BaseException:
        if getpid() != mine:
            leave(1)
        try:
            emit("error", _BROKEN)
        except BaseException:
            return 1
        return 1


def make_ready(awaited=False):
    """All that a job needs and that needs no job: its time is not the job's. The rehearsal is for
    a child that will rest before its job; where the job is `awaited` it would only be delayed."""
    global _main
    if not awaited:
        rehearse()
    streams.open_streams()
    seeds.reseed(urandom(16))
    ending.forget_zygote()
    sys.argv = ["job.py"]
    if jobs.WORK_DIR not in sys.path:
        sys.path.insert(0, jobs.WORK_DIR)
        sys.path_importer_cache.pop(jobs.WORK_DIR, None)
    _main = execute.new_main()


def rehearse():
    """A job that does nothing, through the whole path, leaving no trace: touches its pages."""
    keep = {n: getattr(sys, n) for n in ("stdin", "stdout", "stderr", "argv", "path")}
    keep |= {n: getattr(sys, n) for n in ("__stdin__", "__stdout__", "__stderr__")}
    main = sys.modules.get("__main__")
    streams.open_streams(rehearsal.raw)
    try:
        for code in rehearsal.codes():
            _run(code, rehearsal.OPTIONS, rehearsal.emit, False)
            ending.drop_globals(sys.modules["__main__"])
        charts.reset()
    finally:
        for name, value in keep.items():
            setattr(sys, name, value)
        if main is not None:
            sys.modules["__main__"] = main
        else:
            sys.modules.pop("__main__", None)
        source.forget("job.py", jobs.WORK_DIR + "/job.py")


def _run(code, options, emit, real):
    job = jobs.Job(options, emit)
    jobs.current = job
    error = value = main = None
    exit_code = 0
    try:
        main = _prepare(job, real)
        job.source = source.decode(code)
        lines = source.remember(
            job.source, job.filename, main.__dict__.get("__file__", job.filename)
        )
        body, last, line = source.compile_job(job.source, lines, job.filename)
        imports.note_hidden(job)
        value = execute.run(body, last, main.__dict__)
        if job.frames.mine():
            job.showing_line = line
            display.send_value(value)
            if job.session:
                contexts.remember(job.context, main, value)
    except SystemExit as stop:
        exit_code = ending.exit_code(stop)
    except BaseException as fault:
        error = fault
        exit_code = 1
    # A timer that the code has left running must not raise in the midst of the report. Blocking
    # lets a handler that is due run at once.
    try:
        mask = pthread_sigmask(SIG_BLOCK, _TIMERS)
    except BaseException:
        mask = pthread_sigmask(SIG_BLOCK, ()) - _TIMERS
    value = None
    if sys.gettrace() is not None:  # to set None where there is none costs all the same
        sys.settrace(None)
    if sys.getprofile() is not None:
        sys.setprofile(None)
    if not job.frames.mine():
        ending.leave_forked(error, exit_code)
    if error is not None:
        _report(error, job)
        error = None
    if real:
        ending.finish(job, main)
    jobs.current = None
    if job.session or not real:
        pthread_sigmask(SIG_SETMASK, mask)
    return exit_code


def _prepare(job, real):
    global _calls
    if real:
        _calls += 1
    job.filename = "job.py" if _calls <= 1 else f"job-{_calls}.py"
    if not job.session:
        return _main if real else execute.new_main()
    job.clear_spool()
    charts.begin_call()
    main = contexts.enter(job.context)
    streams.take_stdin(job.spool, job.stdin)
    return main


def _report(error, job):
    """The error frame and its hint, or as little as can still be said."""
    try:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 1_000))
        _fill_syntax_line(error, job)
        described = errors.describe(error, job)
        _own_hook(error)
        if not job.frames.send_json("error", described) and job.frames.broken:
            sys.stderr.write(described["traceback"] + "\n")
        job.frames.hint(hints.hint_for(error, job))
    except BaseException:
        # No memory, or the job has taken Python's own functions away.
        job.frames.send_json("error", {**_LEAST, "type": type(error).__name__})
    error.__traceback__ = None


def _fill_syntax_line(error, job):
    if isinstance(error, SyntaxError) and error.filename == job.filename and not error.text:
        lines = source.lines_of(job.source)
        if error.lineno and error.lineno <= len(lines):
            error.text = lines[error.lineno - 1]
    if isinstance(error, SyntaxError) and error.filename is None and error.lineno:
        error.filename = job.filename


def _own_hook(error):
    """Calls a sys.excepthook that the job put in place."""
    if sys.excepthook in (hooks.exception_hook, sys.__excepthook__):
        return
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException:
        return

