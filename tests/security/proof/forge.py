"""What a job needs to forge frames on its control pipe; put in front of attacks.

Numbers are those of wire/cell.h, read from it: a forged frame with yesterday's would prove nothing."""

import os
import re

from .lab import TOP

with open(os.path.join(TOP, "src/wire/cell.h"), encoding="utf-8") as _file:
    _NUMBERS = {name: int(number) for name, number in
                re.findall(r"\bCELL_((?:TAG_)?[A-Z_]+) = (\d+)", _file.read())}


def _numbers(*names):
    return "".join(f"{name} = {_NUMBERS[name]}\n" for name in names)


FORGE = "import struct\n" + _numbers(
    "RELEASE", "JOB", "SEALED", "FAILED", "PARKED", "ITEM", "DONE",
    "TAG_LISTENER", "TAG_ERR", "TAG_KIND", "TAG_PAYLOAD", "TAG_EXIT", "TAG_CALL") + """
VALUE, TABLE, CHART, ERROR, HINT, NOTE = 1, 2, 3, 4, 5, 6
def field(tag, data):
    return struct.pack("<HHI", tag, 0, len(data)) + data
def frame(kind, *fields):
    body = b"".join(fields)
    return struct.pack("<IHH", len(body), kind, 0) + body
def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(4, view):]
CALL = field(TAG_CALL, struct.pack("<Q", 1))
def item(kind, payload):
    return frame(ITEM, CALL, field(TAG_KIND, struct.pack("<Q", kind)), field(TAG_PAYLOAD, payload))
def done(code):
    return frame(DONE, CALL, field(TAG_EXIT, struct.pack("<Q", code)))
"""
