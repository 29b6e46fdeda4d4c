"""Whether what brig answered is what the reference interpreter gave."""

import hashlib
import io
import math
import re
import zipfile
import zlib

ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
SHOWN = 32 << 10  # what brig returns whole of an output or a value's text
# Members and fields in which a format itself keeps the time of writing.
TIMED = ("docProps/core.xml",)
PDF_TIME = re.compile(rb"/(CreationDate|ModDate) \([^)]*\)|<\?xpacket.*?\?>")
WARNING = re.compile(r"\b(\w*Warning): (.*)")
SVG_TIME = re.compile(rb"<dc:date>[^<]*</dc:date>")
SVG_ID = re.compile(rb"\b([a-zA-Z])[0-9a-f]{10}\b")


def without_addresses(text):
    return ADDRESS.sub("0x…", text)


def faults(want, got, files):
    """Every difference, as lines; `files` is name → (wanted bytes, brig's bytes)."""
    found = []
    for name in ("outcome", "exit_code"):
        if want[name] != got.get(name, 0 if name == "exit_code" else None):
            found.append(f"{name}: wanted {want[name]!r}, got {got.get(name)!r}")
    for part in (_output, _warnings, _error, _value, _charts):
        found += part(want, got)
    for i, table in enumerate(want["tables"]):
        mine = got["tables"][i] if i < len(got["tables"]) else None
        found += _table(f"table {i + 1}", table, mine)
    if len(got["tables"]) > len(want["tables"]):
        found.append(f"tables: wanted {len(want['tables'])}, got {len(got['tables'])}")
    return found + _files(want, got, files) + _text(want, got)


def _short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 1500 else text[:1000] + " … " + text[-500:]


def _output(want, got):
    wanted = want["stdout"]
    if len(wanted.encode()) != got["stdout_bytes"] and "0x" not in wanted:
        return [f"stdout: wanted {len(wanted.encode())} bytes, got {got['stdout_bytes']}:\n"
                f"{_short(wanted)}\n--\n{_short(got['stdout'])}"]
    if len(wanted.encode()) > SHOWN:
        if not got["stdout_truncated"] or got["stdout"][:8000] != wanted[:8000]:
            return ["stdout: its head is another"]
        return []
    if without_addresses(wanted) != without_addresses(got["stdout"]):
        return [f"stdout: wanted\n{_short(wanted)}\n-- got\n{_short(got['stdout'])}"]
    return []


def _warnings(want, got):
    """The kinds and texts of warnings; glyphs are the fonts' affair, and a cell has more."""
    if want["outcome"] != "ok":
        return []
    wanted, mine = ({m for m in WARNING.findall(side["stderr"]) if not m[1].startswith("Glyph ")}
                    for side in (want, got))
    found = [] if wanted == mine else [f"warnings: wanted {wanted}, got {mine}"]
    if not want["stderr"] and got["stderr"]:
        found.append(f"stderr: {_short(got['stderr'])}")
    return found


def _error(want, got):
    wanted, mine = want["error"], got["error"]
    if (wanted is None) != (mine is None):
        return [f"error: wanted {wanted}, got {mine}; stderr {got['stderr'][-600:]!r}"]
    if wanted is None:
        return []
    mine = {name: mine.get(name) for name in wanted}
    if mine["message"].endswith("bytes in all]"):
        mine["message"] = wanted["message"]
    return [] if mine == wanted else [f"error: wanted {wanted}, got {mine}"]


def _value(want, got):
    wanted, mine = want["value"], got.get("result")
    if (wanted is None) != (mine is None):
        return [f"value: wanted {_short(wanted)}, got {_short(mine)}"]
    if wanted is None:
        return []
    found = []
    if len(wanted["text"].encode()) <= SHOWN:
        if without_addresses(wanted["text"]) != without_addresses(mine["text"]):
            found.append(f"value: wanted\n{_short(wanted['text'])}\n-- got\n{_short(mine['text'])}")
    elif "text" not in mine.get("cut", {}) and "items)" not in mine["text"][-40:]:
        found.append("value: cut without its true size")
    if "table" in wanted:
        found += _table("value", wanted["table"], mine.get("table"))
    if wanted.get("json") and "json" not in mine.get("cut", {}):
        if not same(wanted["json"]["is"], mine.get("json", "absent")):
            found.append(f"json: wanted {_short(wanted['json']['is'])}, "
                         f"got {_short(mine.get('json'))}")
    return found


def same(a, b):
    """Equal as JSON; integers and floats apart, numbers exact."""
    if isinstance(a, dict) and a.get("$any"):
        return True
    if isinstance(b, dict) and b.get("$type") == "cut":
        return isinstance(a, str) and a.startswith(b["value"])
    if isinstance(a, float) and isinstance(b, (int, float)) and not isinstance(b, bool):
        return a == b or math.isnan(a) and math.isnan(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def _table(what, wanted, mine):
    if mine is None:
        return [f"{what}: no table"]
    found = []
    for name, part in wanted.items():
        other = mine.get(name)
        if name == "index" and other:
            other = {key: other.get(key) for key in part}
        if not same(part, other):
            found.append(f"{what}: {name}: wanted {_short(part)}, got {_short(other)}")
    if "index" in mine and "index" not in wanted:
        found.append(f"{what}: an index that was not wanted")
    return found


def _charts(want, got):
    found = []
    if len(want["charts"]) != len(got["charts"]):
        return [f"charts: wanted {len(want['charts'])}, got {len(got['charts'])}: "
                f"{[chart.get('alt') for chart in got['charts']]}"]
    for i, (wanted, mine) in enumerate(zip(want["charts"], got["charts"])):
        where = f"chart {i + 1}"
        if mine["mime"] not in ("image/png", "image/jpeg") or not mine["alt"]:
            found.append(f"{where}: {mine['mime']}, alt {mine['alt']!r}")
        if "picture" in wanted:
            if wanted["picture"] != [mine["width"], mine["height"]]:
                found.append(f"{where}: wanted {wanted['picture']}, got {mine['width']}")
            continue
        if wanted["title"] != mine.get("title", ""):
            found.append(f"{where}: wanted title {wanted['title']!r}, got {mine.get('title')!r}")
        if mine["width"] < 200 or mine["height"] < 150:
            found.append(f"{where}: {mine['width']} × {mine['height']} is no size to read")
        found += _plotted(where, wanted, mine)
    return found


def _plotted(where, wanted, mine):
    data = mine.get("data") or {"axes": []}
    series = [one for ax in data["axes"] for one in ax["series"]]
    found = []
    said = {text for ax in data["axes"] for text in (ax.get("x_label"), ax.get("y_label")) if text}
    if len(data["axes"]) <= 12 and not said >= set(wanted["labels"]):
        found.append(f"{where}: axis labels: wanted {wanted['labels']}, got {sorted(said)}")
    titles = {ax.get("title") for ax in data["axes"]}
    if not titles >= set(wanted["titles"]):
        found.append(f"{where}: titles: wanted {wanted['titles']}, got {titles}")
    kinds = {one["type"] for one in series}
    lacking = [k for k in wanted["kinds"] if k not in kinds and not _stands_in(k, kinds)]
    if lacking:
        found.append(f"{where}: kinds: wanted {wanted['kinds']}, got {sorted(kinds)}")
    if len(series) <= 24:
        for kind in ("lines", "bars"):
            for values in wanted[kind]:
                if values and not any(_holds(one, values) for one in series):
                    found.append(f"{where}: no series of {kind} {_short(values[:20])}")
    return found


def _stands_in(kind, kinds):
    """What is drawn by one call and read as another: dots by plot(), an image by imshow()."""
    return {"line": {"scatter", "box", "violin", "errorbar", "stem", "area"}, "heatmap": {"image"},
            "errorbar": {"line", "scatter"}, "histogram": {"bar", "area", "line"},
            "area": {"violin"}}.get(kind, set()) & kinds


def _holds(series, values):
    """Whether a series has these numbers, perhaps sampled with its true count."""
    mine = [_number(value) for value in series.get("y", ())]
    if series.get("count", len(mine)) != len(values):
        return False
    if len(mine) < len(values):
        return mine[:1] == values[:1] and mine[-1:] == values[-1:]
    return mine == values or None in mine or "moment" in mine


def _number(value):
    if isinstance(value, dict):
        return None if value.get("$type") == "float" else "moment"
    if isinstance(value, str):
        return "moment"
    return None if value is None else float(f"{float(value):.9g}")


def _files(want, got, files):
    names = {file["name"] for file in got["files"]}
    if set(want["files"]) != names:
        return [f"files: wanted {sorted(want['files'])}, got {sorted(names)}, "
                f"skipped {got['skipped']}"]
    found = []
    for file in got["files"]:
        wanted, mine = files[file["name"]]
        if hashlib.sha256(mine).hexdigest() != file["sha256"] or len(mine) != file["bytes"]:
            found.append(f"{file['name']}: size or sha256 is not that of its bytes")
        if wanted != mine and timeless(wanted) != timeless(mine):
            found.append(f"{file['name']}: {len(mine)} bytes are not the wanted {len(wanted)}")
    return found


def timeless(data):
    """A file's content without the time that its format keeps."""
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(name, timeless(archive.read(name))) for name in archive.namelist()
                    if name not in TIMED]
    if data[:2] == b"\x1f\x8b":
        return zlib.decompress(data, 31)
    if data[:5] == b"%PDF-":
        return PDF_TIME.sub(b"", data)
    if b"<svg" in data[:600]:
        return SVG_ID.sub(rb"\1", SVG_TIME.sub(b"", data))
    return data


def _text(want, got):
    """The one rendering for a model: never empty, and it has the output and the value."""
    text = got["text"]
    if not text.strip():
        return ["text: empty"]
    found = []
    wanted = want["stdout"].rstrip("\n")
    if len(wanted) <= 8000 and without_addresses(wanted) not in without_addresses(text):
        found.append(f"text: lacks the output: {_short(text)}")
    value = want["value"]
    if value and len(value["text"]) <= 8000:
        if without_addresses(value["text"].rstrip("\n")) not in without_addresses(text):
            found.append(f"text: lacks the value: {_short(text)}")
    for chart in got["charts"]:
        if chart["alt"] not in text:
            found.append(f"text: lacks the chart's alt {chart['alt']!r}")
    return found
