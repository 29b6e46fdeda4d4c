"""What the job reports, one control frame at a time, under the caps of a whole job.

`emit(kind, payload)` is the zygote's. A frame that does not fit is refused here and the caller
says so in a note; errors, hints and notes have room of their own. A process that the job forked
never reports: frames are the job's main process's alone.
"""

import json
import sys
from _thread import RLock
from os import getpid

from . import late, limits
from .text import byte_len, one_line

_SMALL = ("error", "hint", "note")
_BROKEN = (
    "brig: the code has closed the pipe through which its result is reported: values, tables, "
    "charts and errors are lost; close only what the code itself has opened"
)
_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


_encode_short = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode


def json_size(value):
    """Bytes of plain values as a reader gets them: in UTF-8."""
    return byte_len(_encode_short(value))


def encode(value):
    """ASCII JSON of plain values; a NaN that slipped through is a fault, not a token."""
    return _encode(value).encode("ascii")


class Frames:
    """The control channel of one job."""

    def __init__(self, emit):
        self._emit = emit
        self._pid = getpid()
        self._lock = RLock()  # a signal handler of the code may report in the midst of a report
        self._bytes = 0
        self._small_bytes = 0
        self._count = 0
        self._said = set()
        self._hinted = False
        self._forewarned = False
        self.broken = False

    def mine(self):
        """Whether this process is the one that may report."""
        return getpid() == self._pid and not late.is_late()

    def send(self, kind, payload):
        """Sends a frame if it fits; says whether it went."""
        if not self.mine() or self.broken or len(payload) > limits.FRAME_BYTES:
            return False
        with self._lock:
            if not self._reserve(kind, len(payload)):
                return False
            try:
                self._emit(kind, payload)
            except OSError:
                self.broken = True
        if self.broken:
            _tell_broken()
        return not self.broken

    def _reserve(self, kind, size):
        if self._count >= limits.FRAMES_COUNT:
            return False
        if kind in _SMALL:
            if self._small_bytes + size > limits.FRAMES_RESERVE_BYTES:
                return False
            self._small_bytes += size
        else:
            if self._bytes + size > limits.FRAMES_BYTES - limits.FRAMES_RESERVE_BYTES:
                return False
            self._bytes += size
        self._count += 1
        return True

    def send_json(self, kind, value):
        """As `send`, of a plain value."""
        return self.send(kind, encode(value))

    def note(self, text):
        """One line for the model that is no error; the same line once, and at most twenty."""
        text = one_line(text, limits.NOTE_BYTES)
        if text in self._said or len(self._said) >= limits.NOTES_COUNT:
            return
        self._said.add(text)
        self.send("note", text.encode("utf-8"))

    def forewarn(self, word):
        """Tells of what may end the job in a way that it cannot report itself. Once."""
        if not self._forewarned:
            self._forewarned = self.send("hint", word.encode("ascii"))

    def hint(self, text):
        """The one hint for the job's error; the first one stands."""
        if self._hinted or not text:
            return
        self._hinted = self.send("hint", one_line(text, limits.NOTE_BYTES).encode("utf-8"))


def _tell_broken():
    """The report cannot be made, so that what is known of it goes where output goes."""
    try:
        sys.stderr.write(_BROKEN + "\n")
    except Exception:
        pass
