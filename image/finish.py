"""Bake the caches of an image tree and try its levels.

Runs inside the tree itself, on the Python that will serve there: byte code for every module, then
matplotlib's font list, then every level's modules are imported, so that a recipe which names a
module that is not there fails now. The last lines printed are `python VERSION` and, for each
distribution of ADVERTISE, `advertise NAME VERSION`.

Environment: LEVELS, one line per level: its name, then its modules. ADVERTISE, FONT_FALLBACK.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys

DIST = "/usr/lib/python3/dist-packages"
STDLIB = os.path.dirname(os.__file__)
SHARDS = 4


def compile_all():
    # Unchecked hashes: the loader neither stats the source nor compares times, which an image's
    # file system does not keep. What marshal writes depends on which strings a process has already
    # interned, so the files are dealt to a fixed number of processes in a fixed order: two bakes
    # then give the same bytes, on any number of cores.
    sources = sorted(f"{folder}/{name}" for top in (STDLIB, DIST)
                     for folder, _, names in os.walk(top) for name in names if name.endswith(".py"))
    code = ("import py_compile, sys\n"
            "for path in sys.stdin.read().splitlines():\n"
            "    py_compile.compile(path, doraise=True, quiet=2, invalidation_mode=\n"
            "        py_compile.PycInvalidationMode.UNCHECKED_HASH)\n")
    running = []
    for shard in range(SHARDS):
        process = subprocess.Popen([sys.executable, "-I", "-B", "-W", "ignore", "-c", code],
                                   stdin=subprocess.PIPE, text=True)
        process.stdin.write("\n".join(sources[shard::SHARDS]))
        process.stdin.close()
        running.append(process)
    if any(process.wait() != 0 for process in running):
        sys.exit("finish: byte-compiling failed")


def child(code):
    """Run `code` in a fresh interpreter as a cell would start one; its standard error is ours."""
    done = subprocess.run([sys.executable, "-I", "-B", "-W", "error::UserWarning", "-c", code])
    if done.returncode != 0:
        sys.exit(f"finish: failed in the image: {code}")


def fonts():
    families = [f.strip() for f in os.environ["FONT_FALLBACK"].split(",") if f.strip()]
    find = "import glob, os\n[path] = glob.glob('/usr/lib/brig/matplotlib/fontlist-*.json')\n"
    # The fonts come from a set: sort them, or no two bakes would give the same bytes.
    child("import matplotlib.font_manager as fm\n"
          f"{find}"
          "for entries in (fm.fontManager.ttflist, fm.fontManager.afmlist):\n"
          "    entries.sort(key=lambda e: (e.fname, e.name, e.style, str(e.weight)))\n"
          "fm.json_dump(fm.fontManager, path)")
    # A second interpreter must take the list as it is, and every fallback must be a real family.
    child(f"{find}"
          "before = os.stat(path).st_mtime_ns\n"
          "import matplotlib.font_manager as fm\n"
          "assert os.stat(path).st_mtime_ns == before, 'the font list was written anew'\n"
          f"missing = set({families!r}) - set(fm.get_font_names())\n"
          "assert not missing, 'font_fallback names absent families: %s' % missing")


def levels():
    for line in os.environ["LEVELS"].splitlines():
        name, *modules = line.split()
        child(f"import importlib\nfor name in {modules!r}: importlib.import_module(name)")


def main():
    compile_all()
    if os.path.isdir(f"{DIST}/matplotlib"):
        fonts()
    levels()
    print("python", platform.python_version())
    for name in os.environ["ADVERTISE"].split():
        try:
            print("advertise", name, importlib.metadata.version(name).partition("+")[0])
        except importlib.metadata.PackageNotFoundError:
            sys.exit(f"finish: the image has no distribution {name}: correct `advertise`")


main()
