"""Makes the zygote warm: imports, set-up and first uses that every child would pay for again.

Called once, before any job. It leaves no thread, no descriptor, no file and no drawn figure.
"""

import builtins
import contextlib
import gc
import importlib
import io
import os
import sys
import warnings

from . import hooks, imports, seeds, setup, streams
from . import job as jobs
from .display import display

_ADVERTISE = "/usr/lib/brig/advertise"  # a name a line
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_BASE = ("ast", "linecache", "random", "traceback", "datetime")


def prepare(level_name, modules):
    """Prepares the zygote of a level with the modules that its recipe preloads."""
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    sys.dont_write_bytecode = True
    imports.install()
    setup.already_loaded()
    hooks.install()
    jobs.advertised = _advertised()
    streams.install_print()
    _install_builtins()
    for name in (*_BASE, *modules):
        importlib.import_module(name)
    if level_name != "bare" or modules:
        _warm_up()
    from . import run

    run.rehearse()
    seeds.find()
    gc.collect()
    gc.freeze()


def _advertised():
    """The distributions that the image's recipe advertises; None where it does not say."""
    try:
        with open(_ADVERTISE, encoding="utf-8") as file:
            return file.read().split()
    except OSError:
        return None


def _install_builtins():
    builtins.display = display
    import _sitebuiltins

    for name in ("exit", "quit"):
        if not hasattr(builtins, name):
            setattr(builtins, name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
    if not hasattr(builtins, "help"):
        builtins.help = _sitebuiltins._Helper()
    from . import system

    system.install()


def _warm_up():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, first_use in _FIRST_USES.items():
            if name in sys.modules:
                first_use()


def _errors():
    from . import errors, job

    try:
        {}["x"]
    except KeyError as fault:
        errors.describe(fault, job.Job({}, lambda *_: None))


def _numpy():
    numpy = sys.modules["numpy"]
    values = numpy.arange(12.0).reshape(3, 4)
    numpy.linalg.solve(values[:, :3] + numpy.eye(3), values[:, 0])
    numpy.percentile(values, [25, 50, 75])
    repr(values)


def _pandas():
    pandas = sys.modules["pandas"]
    text = "when,kind,x,n\n2024-01-02,a,1.5,1\n2024-02-03,b,,2\n2024-03-04,a,2.5,3\n"
    frame = pandas.read_csv(io.StringIO(text), parse_dates=["when"])
    frame.groupby("kind").agg({"x": "mean", "n": "sum"})
    frame.groupby("kind")["n"].sum().sort_values(ascending=False)
    frame.describe().to_string()
    frame.pivot_table(index="kind", values="n", aggfunc="sum")
    frame.merge(frame, on="kind").to_csv(index=False)
    frame.set_index("when")["n"].resample("MS").sum()
    frame["kind"].astype("category").value_counts()
    frame["kind"].str.upper()
    from .values import describe

    describe(frame)
    repr(frame)


def _pyplot():
    from . import alt, chartdata, charts, render

    pyplot = sys.modules["matplotlib.pyplot"]
    with contextlib.redirect_stderr(io.StringIO()):
        figure, axes = pyplot.subplots()
        axes.plot([1, 2], [1, 2], label="a")
        axes.bar(["x", "y"], [1, 2])
        axes.set_title("Aé")
        axes.legend()
        render.figure(figure, "png")
        alt.describe(chartdata.of_figure(figure), alt.title_of(figure))
        pyplot.close(figure)
    charts.reset()
    sys.modules["matplotlib.font_manager"]._get_font.cache_clear()


_FIRST_USES = {
    "traceback": _errors,
    "numpy": _numpy,
    "pandas": _pandas,
    "matplotlib.pyplot": _pyplot,
}
