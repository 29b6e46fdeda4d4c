"""The job in hand: what every other module asks about the run it is part of.

`current` is None in the zygote and between the calls of a session.
"""

import contextlib
import os
from io import open as open_file  # also where the code has put another in place of open()

from .frames import Frames

WORK_DIR = "/mnt/data"

current = None
advertised = None  # the distributions that hints may name; None: any that is there


class Job:
    """One call of run_job."""

    def __init__(self, options, emit):
        self.frames = Frames(emit)
        self.input_names = list(options.get("input_names", ()))
        self.chart_format = options.get("chart_format", "png")
        self.table_csv = bool(options.get("table_csv", False))
        self.spool = options.get("spool", "/tmp/.brig")
        self.limits = dict(options.get("limits", {}))
        self.session = bool(options.get("session", False))
        self.context = options.get("context", "")
        self.stdin = options.get("stdin")  # of a session: 0, or why it is not in the spool
        self.advertise = options.get("advertise", advertised)
        self.tables = 0
        self.csv_tables = 0
        self.charts = 0
        self.source = ""
        self.filename = ""
        self.showing_line = None  # of the last expression, while its value is shown

    def clear_spool(self):
        """Drops the images of a session's earlier call: the service has taken them."""
        try:
            names = os.listdir(self.spool)
        except OSError:
            return
        for name in names:
            if name.startswith("chart-"):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.spool, name))

    def spool_write(self, name, data):
        """Leaves `data` in the spool under a new name; OSError where there is no room."""
        os.makedirs(self.spool, mode=0o700, exist_ok=True)
        path = os.path.join(self.spool, name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        if os.path.lexists(path):  # of a chart that was not told of
            os.unlink(path)
        fd = os.open(path, flags, 0o600)
        try:
            with open_file(fd, "wb") as file:
                file.write(data)
        except BaseException:
            os.unlink(path)
            raise
        return name


def note(text):
    """A note of the job in hand; without one, nothing."""
    if current is not None:
        current.frames.note(text)
