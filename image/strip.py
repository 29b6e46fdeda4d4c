"""Copy out of a build root what an image holds, and nothing else.

Runs inside the build root, on its own Python, as root of a private namespace. An allowlist of
paths is followed to whatever those paths need: the targets of symbolic links and the libraries
that ELF files name. Then come the few files that a cell expects and no package brings.

Environment: TREE (empty folder to fill), SCRIPTS (folder of edits.py); of the recipe FONTS, DROP
(both separated by blanks) and FONT_FALLBACK.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys

TREE = os.environ["TREE"]
FONTS = os.environ["FONTS"].split()
DROP = set(os.environ["DROP"].split())
MULTIARCH = sys.implementation._multiarch
STDLIB = f"/usr/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
DIST = "/usr/lib/python3/dist-packages"
LIBS = f"/usr/lib/{MULTIARCH}"
PYTHON = f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
LIBPYTHON = f"{LIBS}/libpython{sys.version_info[0]}.{sys.version_info[1]}.so.1.0"

# Of the standard library: what needs a window, a compiler, a network installer or a terminal of its
# own, and Debian's hooks into /etc. python3.13 itself finds its home by os.py.
STDLIB_DROP = {
    "EXTERNALLY-MANAGED", "LICENSE.txt", "_distutils_system_mod.py", "ensurepip", "idlelib",
    "lib2to3", "sitecustomize.py", "test", "tkinter", "turtle.py", "turtledemo", "venv",
    f"config-{sys.version_info[0]}.{sys.version_info[1]}-{MULTIARCH}",
}
# Dropped at any depth below dist-packages: tests, what a compiler would read, installers' records.
ANY_DROP = {"__pycache__", "tests", "test", "web_backend", "RECORD", "INSTALLER", "REQUESTED",
            "direct_url.json"}
SUFFIX_DROP = (".pyi", ".pyx", ".pxd", ".pxi", ".c", ".h", ".hpp", ".cpp", ".a", ".f", ".f90",
               ".pyc", ".md", ".build", ".in", ".pth")
# Extension modules that need the X11, Tk or Berkeley DB libraries.
EXTENSION_DROP = ("_tkagg", "_imagingtk", "_dbm", "_gdbm", "_tkinter")
PATH_DROP = {f"{DIST}/numpy/_core/include", f"{DIST}/lxml/includes", f"{DIST}/pylab.py",
             f"{DIST}/isympy.py", f"{DIST}/matplotlib/mpl-data/sample_data",
             "/usr/share/matplotlib/mpl-data/sample_data",
             "/usr/share/matplotlib/mpl-data/kpsewhich.lua",
             "/usr/share/zoneinfo/right", "/usr/share/zoneinfo/posix",
             "/usr/share/zoneinfo/localtime", "/usr/share/zoneinfo/posixrules"}
# numpy.testing, which `from numpy import *` loads, takes this one class from the tests.
PATH_KEEP = (f"{DIST}/numpy/_core/tests/__init__.py", f"{DIST}/numpy/_core/tests/_natype.py")


def fail(text):
    sys.exit(f"strip: {text}")


def kept(path, name, in_dist):
    """Whether a file or folder that the walk meets belongs into the image."""
    if path in PATH_DROP or name == "__pycache__":
        return False
    if not in_dist:
        return True
    return not (name in ANY_DROP or name.endswith(SUFFIX_DROP))


def walk(top, drop=frozenset(), in_dist=False):
    """Every file and link below `top`, less what is dropped; `drop` holds names directly below."""
    for folder, folders, files in os.walk(top):
        first = drop if folder == top else ()
        folders[:] = sorted(n for n in folders
                            if n not in first and kept(f"{folder}/{n}", n, in_dist)
                            and not os.path.islink(f"{folder}/{n}"))
        names = files + [n for n in os.listdir(folder)
                         if os.path.islink(f"{folder}/{n}") and n not in files]
        for name in sorted(names):
            path = f"{folder}/{name}"
            if name in first or not kept(path, name, in_dist):
                continue
            if any(name.startswith(p) for p in EXTENSION_DROP):
                continue
            yield path


def dist_drop():
    """DROP as file names: the module itself and its metadata folder."""
    names = set()
    for name in os.listdir(DIST):
        stem = re.split(r"[-.]", name)[0].lower().replace("-", "_")
        if name in DROP or stem in {d.lower() for d in DROP}:
            names.add(name)
    return names


def fonts():
    found = {pattern: [] for pattern in FONTS}
    for path in walk("/usr/share/fonts"):
        for pattern in FONTS:
            if fnmatch.fnmatchcase(os.path.basename(path), pattern):
                found[pattern].append(path)
    for pattern, paths in found.items():
        if not paths:
            fail(f"no font file matches {pattern}: correct `fonts` in the recipe")
        yield from paths


def seeds():
    """The allowlist."""
    yield PYTHON
    yield from walk(STDLIB, STDLIB_DROP)
    if os.path.isdir(DIST):
        yield from walk(DIST, dist_drop(), in_dist=True)
        yield from filter(os.path.exists, PATH_KEEP)
    yield LIBPYTHON
    yield from walk(f"{LIBS}/gconv")
    yield f"{LIBS}/libgcc_s.so.1"  # glibc opens it by name when a thread is cancelled
    yield from walk("/usr/lib/locale/C.utf8")
    yield from fonts()
    for top in ("/usr/share/zoneinfo", "/usr/share/matplotlib/mpl-data"):
        if os.path.isdir(top):
            yield from walk(top)
    if os.path.exists("/etc/mime.types"):
        yield "/etc/mime.types"


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def needed(paths):
    """(path, library name) of every DT_NEEDED entry, and (path, None) for every interpreter."""
    for start in range(0, len(paths), 500):
        batch = paths[start:start + 500]
        # With one file readelf prints no "File:" line.
        out = subprocess.run(["readelf", "-dW", *batch, "/usr/bin/readelf"], check=True,
                             capture_output=True, text=True).stdout
        path = None
        for line in out.splitlines():
            if line.startswith("File: "):
                path = line[6:]
            elif "(NEEDED)" in line and path in set(batch):
                yield path, line.split("[")[1].rstrip("]")


def find_library(name, user):
    """The file that the loader would take for DT_NEEDED `name` of `user`."""
    for folder in (LIBS, os.path.dirname(user)):
        if os.path.exists(f"{folder}/{name}"):
            return f"{folder}/{name}"
    fail(f"{user} needs {name}, which no package brought: add its package to the recipe")


def closure(start):
    """`start`, the targets of its links and the libraries of its ELF files, to the end."""
    done, queue, elves = {}, list(start), []
    while queue or elves:
        while queue:
            path = queue.pop()
            # Folders in a path may be links themselves (/lib): name files by their real folder.
            path = f"{os.path.realpath(os.path.dirname(path))}/{os.path.basename(path)}"
            if path in done:
                continue
            if os.path.islink(path):
                target = os.path.join(os.path.dirname(path), os.readlink(path))
                if not os.path.exists(path):
                    fail(f"{path} is a link to nothing")
                done[path] = "link"
                queue.append(os.path.normpath(target))
            elif os.path.isfile(path):
                done[path] = "file"
                if is_elf(path):
                    elves.append(path)
        batch, elves = elves, []
        for user, name in needed(batch) if batch else ():
            queue.append(find_library(name, user))
    return done


def copy(paths):
    for path, kind in sorted(paths.items()):
        to = TREE + path
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if kind == "link":
            target = os.path.join(os.path.dirname(path), os.readlink(path))
            os.symlink(os.path.relpath(os.path.normpath(target), os.path.dirname(path)), to)
        else:
            shutil.copyfile(path, to)


def write(path, text):
    os.makedirs(os.path.dirname(TREE + path), exist_ok=True)
    with open(TREE + path, "w", encoding="utf-8") as f:
        f.write(text)


def fixtures():
    """What a cell expects beside the packages' files."""
    for folder in ("dev", "etc", "home", "mnt/data", "tmp", "usr/libexec",
                   "usr/lib/brig/levels", "usr/lib/brig/matplotlib", "usr/lib/brig/python"):
        os.makedirs(f"{TREE}/{folder}", exist_ok=True)
    for name in ("lib", "lib64"):
        os.makedirs(f"{TREE}/usr/{name}", exist_ok=True)
        os.symlink(f"usr/{name}", f"{TREE}/{name}")
    loader = os.path.basename(interpreter())
    os.symlink(f"../lib/{MULTIARCH}/{loader}", f"{TREE}/usr/lib64/{loader}")
    os.symlink("../mnt/data", f"{TREE}/home/user")
    os.symlink("../usr/share/zoneinfo/Etc/UTC", f"{TREE}/etc/localtime")
    write("/etc/passwd", "root:x:0:0:root:/:/\nuser:x:1000:1000:user:/home/user:/\n"
                         "nobody:x:65534:65534:nobody:/:/\n")
    write("/etc/group", "root:x:0:\nuser:x:1000:\nnobody:x:65534:\n")
    write("/etc/hostname", "cell\n")
    write("/etc/hosts", "127.0.0.1 localhost cell\n::1 localhost\n")
    write("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
    write("/etc/timezone", "Etc/UTC\n")


def interpreter():
    out = subprocess.run(["readelf", "-lW", PYTHON], check=True, capture_output=True, text=True)
    return re.search(r"program interpreter: ([^]]+)\]", out.stdout).group(1)


def set_modes():
    """Nothing runs but Python, the loader and (added later) the zygote; nothing is writable."""
    runs = {TREE + PYTHON, os.path.realpath(f"{TREE}{LIBS}/{os.path.basename(interpreter())}")}
    for folder, folders, files in os.walk(TREE):
        os.chmod(folder, 0o755)
        for name in files:
            path = f"{folder}/{name}"
            if not os.path.islink(path):
                os.chmod(path, 0o755 if path in runs else 0o644)
    os.chmod(f"{TREE}/tmp", 0o1777)


def main():
    sys.path.insert(0, os.environ["SCRIPTS"])
    import edits

    copy(closure(seeds()))
    fixtures()
    edits.apply(TREE, os.environ["FONT_FALLBACK"])
    set_modes()
    # The caches of the loader and of iconv, for this tree; ldconfig's second cache holds inodes.
    subprocess.run(["/usr/sbin/iconvconfig", "--prefix", TREE], check=True)
    subprocess.run(["/usr/sbin/ldconfig", "-r", TREE], check=True)
    shutil.rmtree(f"{TREE}/var", ignore_errors=True)


main()
