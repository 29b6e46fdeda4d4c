"""Whether charts are whole: nothing that is drawn touches the edge of the picture.

The pictures are looked at in a cell, where Pillow is. A chart of brig's has an edge of its own
background around all that it shows.
"""

import json
import pathlib
import tempfile

import host

BATCH = 60
CODE = """
import glob, json
from PIL import Image
cut = []
for path in sorted(glob.glob("*.png")):
    with Image.open(path) as chart:
        chart = chart.convert("RGB")
        w, h = chart.size
        sides = [(0, 0, w, 2), (0, h - 2, w, h), (0, 0, 2, h), (w - 2, 0, w, h)]
        if any(len(chart.crop(side).getcolors(1 << 16) or [0, 1]) > 1 for side in sides):
            cut.append(path)
        elif len(chart.getcolors(1 << 20) or [0, 1]) < 2:
            cut.append(path)
print(json.dumps(cut))
"""


def cut_off(charts, socket):
    """Names of those of the charts (name → bytes) whose edge is drawn on, or that are blank."""
    names, found = sorted(charts), []
    for at in range(0, len(names), BATCH):
        with tempfile.TemporaryDirectory(prefix="brigtest-") as scratch:
            inputs = []
            for name in names[at:at + BATCH]:
                path = pathlib.Path(scratch) / name
                path.write_bytes(charts[name])
                inputs.append(f"--file={path}")
            got, _ = host.run_json("--socket", socket, *inputs, "-c", CODE)
        if got["outcome"] != "ok":
            raise RuntimeError(got["text"])
        found += json.loads(got["stdout"])
    return found
