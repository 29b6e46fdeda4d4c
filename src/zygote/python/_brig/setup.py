"""How single libraries are set up when they are imported, in the zygote or by the job.

Each function gets the module that has just loaded. Nothing here imports a library by itself.
"""

import contextlib
import errno
import functools
import os
import sys


@contextlib.contextmanager
def _one_process():
    """joblib asks this variable when it loads: its worker programs cannot be started here."""
    before = os.environ.get("JOBLIB_MULTIPROCESSING")
    os.environ["JOBLIB_MULTIPROCESSING"] = "0"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("JOBLIB_MULTIPROCESSING", None)
        else:
            os.environ["JOBLIB_MULTIPROCESSING"] = before


BACKEND = "module://_brig.backend"


def matplotlib(module):
    """Our backend, whatever another is asked for."""
    module.rcParams._set("backend", BACKEND)
    module.rcParamsDefault._set("backend", BACKEND)
    module.rcParams["axes.unicode_minus"] = True

    def use(backend, *, force=True):
        """Accepted and ignored: there is one backend, and it needs no screen."""

    use.__module__ = "matplotlib"
    module.use = use


def pyplot(module):
    """The same for pyplot's own ways, and a pause that shows nothing."""
    import time

    switch = module.switch_backend

    def switch_backend(newbackend):
        """Accepted and ignored: there is one backend, and it needs no screen."""
        if module._backend_mod is None:
            switch(BACKEND)

    def pause(interval):
        """Waits; there is no window to refresh."""
        time.sleep(interval)

    switch_backend.__module__ = pause.__module__ = "matplotlib.pyplot"
    module.switch_backend = switch_backend
    module.pause = pause


def font_manager(module):
    """Fallback fonts."""
    from . import fonts

    fonts.install(module, sys.modules["matplotlib"].rcParamsDefault)


def matplotlib_text(module):
    """Scripts that are written from right to left."""
    from . import shaping

    shaping.install(module)


def bidi_algorithm(module):
    """Whether the job puts such texts in order itself."""
    from . import shaping

    shaping.install_bidi(module)


def pylab_helpers(module):
    """Which figure is the current one."""
    from . import charts

    charts.install_current(module.Gcf)


def axes(module):
    """Remembers the statistics behind boxes, violins, histograms and pies."""
    from . import plotcalls

    plotcalls.install(module.Axes)


def seaborn_categorical(module):
    """The same for the violins of seaborn."""
    from . import plotcalls

    plotcalls.install_seaborn(module._CategoricalPlotter)


def backend_bases(module):
    """Guards every savefig, also of figures made without pyplot."""
    from . import charts, sizes

    for kind in ("png", "jpg", "jpeg", "tif", "tiff", "webp", "raw", "rgba"):
        module._default_backends[kind] = "_brig.backend"
    base = module.FigureCanvasBase
    save = base.print_figure

    @functools.wraps(save)
    def print_figure(self, filename, dpi=None, *args, **options):
        shown = charts.last_shown
        if shown is not None and shown is not self.figure and charts.is_empty(self.figure):
            self = shown.canvas  # savefig() after show(): what was shown is meant
        sizes.tame(self.figure)
        dpi = sizes.saved_dpi(self.figure, dpi, filename, options.get("format"))
        return save(self, filename, dpi, *args, **options)

    base.print_figure = print_figure


def pandas(module):
    """Tables as text: wide characters line up, twenty columns stay on their lines."""
    for name, value in (
        ("display.unicode.east_asian_width", True),
        ("display.width", 160),
        ("display.max_columns", 20),
        ("display.max_rows", 50),
        ("display.min_rows", 20),
        ("display.max_colwidth", 100),
    ):
        module.set_option(name, value)


def pillow(module):
    """image.show() shows the image: there is no viewer to start."""

    def show(self, title=None, **_options):
        """Shows the image among the charts."""
        from .display import display

        display(self)

    module.Image.show = show


def threading(module):
    """A thread's exception in our words."""
    from . import hooks

    hooks.install_thread_hook(module)


def multiprocessing_util(module):
    """What starts programs fails at once and says so, instead of never answering."""

    def spawnv_passfds(path, _args, _passfds):
        raise PermissionError(errno.EPERM, "programs cannot be started here; use fork")

    module.spawnv_passfds = spawnv_passfds


def resource_tracker(module):
    """The tracker is a program; without it shared memory works and goes with the job."""
    module.ResourceTracker._send = lambda self, *_message: None
    module.ResourceTracker.ensure_running = lambda self: None
    module.ensure_running = lambda: None


def subprocess(module):
    """One refusal for every way of starting a program: PermissionError, from fork and exec."""
    module._USE_POSIX_SPAWN = False


def managers(module):
    """A manager is a server on a socket: says so at once, and what to use."""

    def start(_self, *_args, **_options):
        raise OSError(
            errno.EAFNOSUPPORT,
            "Manager() needs sockets, which are not here: use Queue, Value, Array or Pool.map",
        )

    module.BaseManager.start = start


def traceback(module):
    """Tracebacks that libraries or the job print name the image's frames by module."""
    from . import hooks

    hooks.install_traceback(module)


AFTER = {
    "matplotlib": matplotlib,
    "matplotlib.pyplot": pyplot,
    "matplotlib.font_manager": font_manager,
    "matplotlib.text": matplotlib_text,
    "bidi.algorithm": bidi_algorithm,
    "matplotlib._pylab_helpers": pylab_helpers,
    "matplotlib.axes._axes": axes,
    "matplotlib.backend_bases": backend_bases,
    "seaborn.categorical": seaborn_categorical,
    "pandas": pandas,
    "PIL.Image": pillow,
    "threading": threading,
    "multiprocessing.util": multiprocessing_util,
    "multiprocessing.resource_tracker": resource_tracker,
    "multiprocessing.managers": managers,
    "subprocess": subprocess,
    "traceback": traceback,
}
AROUND = {"joblib": _one_process}


def already_loaded():
    """Sets up what was imported before the finder was in place."""
    for name, function in AFTER.items():
        if name in sys.modules:
            function(sys.modules[name])
