"""What Python itself prints on stderr: warnings, exceptions of threads, of destructors.

Each in a line or a short traceback without paths of the image. Put in place in the zygote.
"""

import sys
import warnings

from . import job as jobs
from .errors import format_error
from .scrub import is_image_path, module_of, scrub
from .text import one_line, safe_str

MISSING_GLYPHS = "the fonts lack some of the characters in a chart: boxes stand for them"


def _source():
    return jobs.current.source if jobs.current is not None else ""


def format_warning(message, category, filename, lineno, line=None):
    """One line for a warning: where, which, what."""
    if str(message).startswith("Glyph ") and "missing from" in str(message):
        jobs.note(MISSING_GLYPHS)
        return ""
    where = module_of(filename) if is_image_path(filename) else filename
    where = where.removeprefix("/mnt/data/")
    text = one_line(scrub(safe_str(message), _source()), 600)
    return f"{where}:{lineno}: {category.__name__}: {text}\n"


def _print_error(heading, error):
    if sys.stderr is not None:
        sys.stderr.write(heading + format_error(error, _source()))
        sys.stderr.flush()


def thread_hook(args):
    """threading.excepthook: as Python prints it, with our traceback."""
    if args.exc_type is SystemExit or args.exc_value is None:
        return
    name = args.thread.name if args.thread is not None else "?"
    _print_error(f"Exception in thread {name}:\n", args.exc_value)


def unraisable_hook(args):
    """sys.unraisablehook: a destructor's exception in one line."""
    if args.exc_value is None or sys.stderr is None:
        return
    what = args.err_msg or "Exception ignored in"
    thing = getattr(args.object, "__qualname__", None) or type(args.object).__name__
    text = one_line(scrub(safe_str(args.exc_value), _source()), 600)
    sys.stderr.write(f"{what} {thing}: {type(args.exc_value).__name__}: {text}\n")


def exception_hook(_kind, error, _tb):
    """sys.excepthook: for code that calls it by hand."""
    _print_error("", error)


def install():
    """Puts the hooks in place; threading's when the job has threading."""
    warnings.formatwarning = format_warning
    sys.unraisablehook = unraisable_hook
    sys.excepthook = exception_hook


def install_thread_hook(threading):
    """threading.excepthook, once that module is there."""
    threading.excepthook = thread_hook


def install_traceback(traceback):
    """Frames of the image in any printed traceback: by module, brig's own not at all."""
    plain = traceback.StackSummary.format_frame_summary

    def format_frame_summary(self, frame_summary, **options):
        name = frame_summary.filename
        if name.startswith("<frozen "):
            return None
        if not is_image_path(name):
            return plain(self, frame_summary, **options)
        module = module_of(name)
        if module == "_brig" or module.startswith("_brig."):
            return None
        return f"  in {module} (line {frame_summary.lineno}): {frame_summary.name}\n"

    traceback.StackSummary.format_frame_summary = format_frame_summary
