"""The job that a sealed child runs before its own: it touches what a small job touches."""

import io
import sys

OPTIONS = {"input_names": [], "chart_format": "png", "table_csv": False, "spool": "", "limits": {}}

_PLAIN = b"def f(x):\n    return x\nprint(f(6) * 7)\n{'a': [1, 2.5, 'x'], 'b': None}\n"
_FRAME = b"import pandas as pd\npd.DataFrame({'k': ['a'], 'x': [1.0]})['x']\nNone\n"


class _Nowhere(io.RawIOBase):
    def readable(self):
        return True

    def writable(self):
        return True

    def readinto(self, _buffer):
        return 0

    def write(self, data):
        return len(data)


def raw(_fd):
    """A stream that leads nowhere."""
    return _Nowhere()


def emit(_kind, _payload):
    """Takes a frame and forgets it."""


def codes():
    """The codes to run: a small job's, and a small frame where pandas is loaded.

    The frame spares a first group-by 1.8 of 8.4 ms and makes a parked cell 0.45 MiB larger. A whole
    group-by would spare 3 ms and cost 1.2 MiB: beyond what a parked cell may hold.
    """
    return [_PLAIN, _FRAME] if "pandas" in sys.modules else [_PLAIN]
