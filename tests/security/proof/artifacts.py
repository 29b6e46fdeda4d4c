"""F: what the service collects from a cell that is over."""

from .case import Case, Cell, Own, Off
from .forge import FORGE


def files_of(result):
    return {f["name"]: f for f in result.get("files", [])}


def skipped_of(result):
    return {s["name"]: s["why"] for s in result.get("skipped", [])}


def link_out(lab, case, result):
    """The links are named as skipped, and the plain file beside them comes back."""
    names, skipped = files_of(result), skipped_of(result)
    links = [n for n in skipped if n.startswith("link")]
    good = (result["outcome"] == "ok" and set(names) == {"plain.txt", "folder/inner.txt"}
            and len(links) == 4 and lab.canary not in str(result))
    return good, f"{len(links)} skipped ({skipped.get(links[0]) if links else ''}), plain files returned"


def odd_names(lab, case, result):
    files, hidden = list(files_of(result)), list(skipped_of(result))
    names, raw = files + hidden, result["raw"]
    good = result["outcome"] == "ok" and len(files) == 6 and len(hidden) == 1 \
        and raw.count(b"\n") <= 1 and b"\x1b" not in raw and max(map(len, names)) >= 255
    return good, f"{result['outcome']}, {len(names)} names, all of them text"


def count_cap(lab, case, result):
    files, skipped = result.get("files", []), result.get("skipped", [])
    good = result["outcome"] == "ok" and len(files) == 32 and 0 < len(skipped) <= 64
    return good, f"{len(files)} files, {len(skipped)} named as skipped"


def never_outside(lab, case, result):
    """Twelve runs: what is collected is the folder's old or new file, never the image's."""
    seen, outside = set(), []
    for _ in range(12):
        result = lab.cell(case.code, case.args)
        for name, file in files_of(result).items():
            seen.add(name.split("/")[0])
            if name not in ("d/passwd", "l/passwd") or file["bytes"] != 4:
                outside.append((name, file["bytes"]))
    return not outside and bool(seen), f"{len(outside)} from outside; seen {sorted(seen)}"


def no_chart(lab, case, result):
    """The forged charts come without an image of anything but a small regular file."""
    charts = result.get("charts", [])
    data = [c for c in charts if c.get("data_base64") or c.get("url")]
    good = result["outcome"] == "ok" and not data
    return good, f"{result['outcome']}, {len(charts)} charts, {len(data)} with an image"


CHARTS = FORGE + """
{spool}
for _ in range(3):
    send(item(CHART, b'{{"mime": "image/png", "width": 10, "height": 10, "alt": "x"}}'))
send(done(0))
os._exit(0)
"""
TWIN_CHART = Cell(FORGE + """
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
png = (b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
       + chunk(b"IDAT", zlib.compress((b"\\0" + b"\\0" * 6) * 2)) + chunk(b"IEND", b""))
os.makedirs("/tmp/.brig", exist_ok=True)
open("/tmp/.brig/chart-1.png", "wb").write(png)
say("REACHED", "the runtime leaves charts where these attacks do")
""")

SWAP = """
import time
os.mkdir(WORK + "/d")
open(WORK + "/d/passwd", "w").write("mine")
os.symlink("/etc", WORK + "/l")
if os.fork() == 0:
    while True:
        call(316, -100, b"/mnt/data/d", -100, b"/mnt/data/l", 2)
        call(316, -100, b"/mnt/data/d/passwd", -100, b"/mnt/data/l/passwd", 2)
time.sleep(0.02)
"""

CASES = [
    Case("F48", "links out of the work folder", "work root", """
open(WORK + "/plain.txt", "w").write("plain")
os.mkdir(WORK + "/folder")
open(WORK + "/folder/inner.txt", "w").write("inner")
os.symlink("@CANARY@", WORK + "/link1")
os.symlink("/etc/passwd", WORK + "/link2")
os.symlink("/", WORK + "/link3")
os.symlink("../../proc/self/environ", WORK + "/link4")
""", Own("the plain files beside them come back"), check=link_out),
    Case("F49", "FIFO and socket among the results", "seccomp", """
got = [errno_of(os.mkfifo, WORK + "/fifo")]
import socket
a, b = socket.socketpair()
got.append(errno_of(a.bind, WORK + "/socket"))
held(" ".join(got)) if all(got) else reached(str(got))
""", Own("B14b shows that the host makes a FIFO"), expect="EPERM ENOSYS"),
    Case("F50", "forty hard links to one file", "work", """
open(WORK + "/one", "wb").write(b"x" * (4 << 20))
for n in range(40):
    os.link(WORK + "/one", WORK + f"/n{n:02}")
""", Own("the first sixteen of 4 MiB come back"), check=lambda lab, case, result: (
        result["outcome"] == "ok" and len(result["files"]) == 16 and len(result["skipped"]) > 20,
        f"{len(result.get('files', []))} files of 4 MiB, the rest skipped")),
    Case("F51", "names with newline, escape, bad UTF-8, quotes, 255 bytes", "work", """
for n in (b"a\\nb", b"\\x1b[2J\\x07", b"\\xff\\xfe\\xc0\\xaf", b'"}{', b"x" * 255, b"..\\\\..", b"\\xe2\\x80\\xaetxt"):
    open(os.path.join(b"/mnt/data", n), "w").write("x")
""", Own("six come back, the hidden one is named as skipped"), check=odd_names),
    Case("F52", "folders swapped for links while they are collected", "work root", SWAP,
         Own("the folder's own file is seen among the runs"), check=never_outside, slow=True),
    Case("F53", "fifteen thousand files", "work",
         "for n in range(15000):\n    os.close(os.open(WORK + f'/{n}', os.O_CREAT | os.O_WRONLY))",
         Own("32 of them come back"), check=count_cap, slow=True),
    Case("F54a", "the spool is a link to the image", "work root",
         CHARTS.format(spool="os.system\nimport shutil\nshutil.rmtree('/tmp/.brig', True)\n"
                       "os.symlink('/etc', '/tmp/.brig')\n"), TWIN_CHART, check=no_chart),
    Case("F54b", "a chart is a link to a file", "work root",
         CHARTS.format(spool="os.makedirs('/tmp/.brig', exist_ok=True)\n"
                       "for n in (1, 2, 3):\n    os.symlink('/etc/passwd', f'/tmp/.brig/chart-{n}.png')"),
         TWIN_CHART, check=no_chart),
    Case("F54c", "a chart is a folder, a sparse giant, a device", "work root dev",
         CHARTS.format(spool="os.makedirs('/tmp/.brig/chart-1.png')\n"
                       "open('/tmp/.brig/chart-2.png', 'w').truncate(200 << 20)\n"
                       "os.symlink('/dev/zero', '/tmp/.brig/chart-3.png')"),
         TWIN_CHART, check=no_chart),
    Case("F54d", "the spool changes places with a link meanwhile", "work root", FORGE + """
os.makedirs("/tmp/.brig", exist_ok=True)
os.symlink("/etc", "/tmp/x")
os.symlink("/etc/passwd", "/tmp/.brig/chart-1.png")
if os.fork() == 0:
    while True:
        call(316, -100, b"/tmp/.brig", -100, b"/tmp/x", 2)
for _ in range(3):
    send(item(CHART, b'{"mime": "image/png", "width": 10, "height": 10, "alt": "x"}'))
""", TWIN_CHART, check=no_chart),
    Case("F55", "a false PNG: header of 4 billion pixels", "work", FORGE + """
import struct, zlib
os.makedirs("/tmp/.brig", exist_ok=True)
ihdr = b"IHDR" + struct.pack(">IIBBBBB", 0xffffffff, 0xffffffff, 16, 6, 0, 0, 1)
open("/tmp/.brig/chart-1.png", "wb").write(
    b"\\x89PNG\\r\\n\\x1a\\n" + struct.pack(">I", 13) + ihdr + struct.pack(">I", zlib.crc32(ihdr)))
send(item(CHART, b'{"mime": "image/png", "width": 4294967295, "height": -1, "alt": "x"}'))
held("sent")
""", Own("the answer is whole JSON"), check=lambda lab, case, result: (
        result["outcome"] == "ok" and len(result["raw"]) < 100000,
        f"{result['outcome']}, an answer of {len(result['raw'])} bytes")),
    Case("F57", "whiteouts, the only device nodes that nobody needs a privilege for", "work", """
open(WORK + "/a", "w").write("x")
open(WORK + "/plain", "w").write("x")
print(call(316, -100, b"/mnt/data/a", -100, b"/mnt/data/b", 4))
import stat
if os.path.lexists(WORK + "/a"):
    print(oct(os.lstat(WORK + "/a").st_mode), errno_of(os.open, WORK + "/a", os.O_RDONLY))
""", Own("the plain file beside it comes back"), check=lambda lab, case, result: (
        result["outcome"] == "ok" and set(files_of(result)) <= {"b", "plain", "a"}
        and all(f["bytes"] == 1 for f in result["files"]),
        result["stdout"].replace("\n", " ").strip())),
    Case("F56", "--out: names that would leave the folder", "work", """
for n in ("a", "..b", "c..", "-rf"):
    open(WORK + "/" + n, "w").write("x")
os.makedirs(WORK + "/x/..y")
open(WORK + "/x/..y/z", "w").write("x")
""", Own("the plain names come back"), check=lambda lab, case, result: (
        result["outcome"] == "ok" and all(
            ".." not in f["name"].split("/") and not f["name"].startswith("/")
            for f in result["files"]) and len(result["files"]) >= 3,
        f"{len(result.get('files', []))} files, all below the folder")),
]
