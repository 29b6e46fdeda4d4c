"""Pictures that are no charts: Pillow images and objects that show themselves as one.

A picture is (mime, bytes, alt). Sizes are read from the bytes, never believed.
"""

import base64
import io
import re
import struct
import sys

from . import limits

_PNG = b"\x89PNG\r\n\x1a\n"


def size_of(mime, data):
    """Width and height in pixels of picture bytes, or None where they are no such picture."""
    if mime == "image/png":
        if data[:8] == _PNG and data[12:16] == b"IHDR" and len(data) >= 24:
            return struct.unpack(">II", data[16:24])
        return None
    if mime == "image/jpeg":
        return _jpeg_size(data)
    return _svg_size(data)


def _jpeg_size(data):
    at = 2
    if data[:2] != b"\xff\xd8":
        return None
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None


_UNITS = {"": 1.0, "px": 1.0, "pt": 96 / 72, "in": 96.0, "mm": 96 / 25.4, "cm": 96 / 2.54}


def _svg_size(data):
    found = re.search(rb"<svg\b[^>]{0,4096}>", data[:65536])
    if found is None:
        return None
    tag = found.group().decode("utf-8", "replace")
    sides = []
    for name in ("width", "height"):
        side = re.search(rf"\b{name}\s*=\s*[\"']\s*([0-9.]+)\s*([a-z]*)\s*[\"']", tag)
        if side and side.group(2) in _UNITS and side.group(1).count(".") < 2:
            sides.append(max(1, round(float(side.group(1)) * _UNITS[side.group(2)])))
    if len(sides) == 2:
        return tuple(sides)
    box = re.search(r"viewBox\s*=\s*[\"']\s*[-0-9.]+[ ,]+[-0-9.]+[ ,]+([0-9.]+)[ ,]+([0-9.]+)", tag)
    if box and all(g.count(".") < 2 for g in box.groups()):
        return tuple(max(1, round(float(side))) for side in box.groups())
    return (300, 150)  # what a browser takes where nothing is said


def is_pillow(value):
    """Whether `value` is a Pillow image."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(value, getattr(module, "Image", ()))


def pillow_png(image):
    """(mime, bytes, alt, note) of a Pillow image, scaled down beyond the pixel cap."""
    width, height = image.size
    note = None
    alt = f"image, {width} × {height} pixels"
    if width * height > limits.CHART_PIXELS:
        factor = (limits.CHART_PIXELS / (width * height)) ** 0.5
        image = image.resize((max(1, int(width * factor)), max(1, int(height * factor))))
        note = f"an image of {width} × {height} pixels was scaled down to be shown"
    if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        image = image.convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return "image/png", buffer.getvalue(), alt, note


def picture_of(value, rich):
    """(mime, bytes, alt, note) of a value that is or shows itself as a picture, or None."""
    if is_pillow(value):
        return pillow_png(value)
    alt = f"image of a {type(value).__name__}"
    for mime, method in (
        ("image/png", "_repr_png_"),
        ("image/jpeg", "_repr_jpeg_"),
        ("image/svg+xml", "_repr_svg_"),
    ):
        data = rich(value, method)
        if isinstance(data, str) and mime != "image/svg+xml":
            try:
                data = base64.b64decode(data, validate=False)
            except ValueError:
                continue
        elif isinstance(data, str):
            data = data.encode("utf-8", "replace")
        if isinstance(data, (bytes, bytearray, memoryview)) and size_of(mime, bytes(data)):
            return mime, bytes(data), alt, None
    return None
