"""What a job needs to forge frames on its control pipe (wire/cell.h); put in front of attacks."""

FORGE = """
import struct
RELEASE, JOB, SEALED, FAILED, PARKED, ITEM, DONE = 1, 2, 16, 17, 18, 19, 20
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
CALL = field(15, struct.pack("<Q", 1))
def item(kind, payload):
    return frame(ITEM, CALL, field(3, struct.pack("<Q", kind)), field(4, payload))
def done(code):
    return frame(DONE, CALL, field(5, struct.pack("<Q", code)))
"""
