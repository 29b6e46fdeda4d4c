"""brig image: what a bake puts in, what it leaves out, and how it fails.

A small recipe (Python alone) is baked into a store of the test's own, under a host name and from an
environment that serve as canaries. Root and an apt mirror are needed. The default image is looked
at where it has been baked, as ./check does beforehand.
"""

import json
import os
import pathlib
import platform
import shutil
import signal
import stat
import subprocess
import time

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
BRIG = os.environ.get("BRIG", str(TOP / "build/brig"))
CANARY = "canary5c91e7"
WATCHDOG_S = 600
RECIPE = """\
[image]
suite = trixie
packages = python3.13 tzdata fonts-dejavu-core
fonts = DejaVuSans.ttf
[level bare]
preload = json re
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="bakes EROFS and mounts it: needs root")


def brig(image, *args, check=True, prefix=(), brig_path=BRIG, **options):
    """Runs `brig image ARGS` on the store of `image` (a path), in a canary's environment."""
    env = {"PATH": os.environ["PATH"], "BRIG_IMAGE": str(image), "HOME": f"/tmp/{CANARY}-home",
           "CANARY": CANARY}
    done = subprocess.run([*prefix, brig_path, "image", *args], env=env, capture_output=True,
                          text=True, timeout=WATCHDOG_S, **options)
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def manifest_of(image):
    keys = {}
    for line in (image / "manifest.ini").read_text().splitlines():
        if line.startswith("[level"):
            break
        if "=" in line and not line.startswith((" ", "#")):
            key, _, value = line.partition(" = ")
            keys[key] = value
    return keys


def tree_of(image):
    return image.parent / manifest_of(image)["tree"]


def leftovers(image):
    store = image.parent
    return [p.name for p in [*store.iterdir(), *(store / ".cache").iterdir()]
            if ".new" in p.name or p.name in ("sources", "apt.conf", "facts")]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipe") / "small.ini"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def image(tmp_path_factory, recipe, quick):
    """The small image, baked on a machine called CANARY in a store whose path says so too."""
    if quick:
        pytest.skip("--quick leaves out what bakes an image of its own")
    image = tmp_path_factory.mktemp(f"{CANARY}-store") / "small"
    brig(image, "build", "--recipe", str(recipe), "--format", "erofs", "--without-zygote",
         prefix=("unshare", "--uts", "sh", "-c", f'hostname {CANARY}; exec "$@"', "sh"))
    return image


def rebuild(image, recipe, *more, **options):
    return brig(image, "build", "--recipe", str(recipe), "--without-zygote", *more, **options)


def in_image(image, code, *mounts):
    """Runs Python code in a mounted image; its stdout."""
    script = ('mount -t erofs -o loop,ro "$1" /mnt && mount -t tmpfs tmpfs /mnt/tmp && '
              'exec chroot /mnt /usr/bin/python3.13 -I -c "$2"')
    done = subprocess.run(["unshare", "--mount", "--net", "sh", "-c", script, "sh",
                           str(image / "root.erofs"), code], capture_output=True, text=True,
                          timeout=WATCHDOG_S, env={"LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, done.stderr
    return done.stdout


# What goes in, what stays out


def test_the_image_runs_its_python(image):
    assert in_image(image, "import json, zoneinfo; print(zoneinfo.ZoneInfo('Europe/Zurich'))"
                    ) == "Europe/Zurich\n"


def test_manifest(image):
    keys = manifest_of(image)
    assert keys["name"] == "small" and keys["suite"] == "trixie" and keys["format"] == "erofs"
    assert keys["python"].startswith("3.13")
    assert int(keys["bytes"]) == (image / "root.erofs").stat().st_size
    header = (TOP / "src/wire/cell.h").read_text()
    assert f"#define CELL_PROTOCOL_VERSION {keys['protocol']}\n" in header
    text = (image / "manifest.ini").read_text()
    assert "\n[level bare]\npreload = json re\n" in text
    # inih keeps 200 bytes of a line and would drop the rest in silence.
    assert max(map(len, text.splitlines())) < 190


def files_of(tree):
    for folder, folders, names in os.walk(tree):
        for name in folders + names:
            yield pathlib.Path(folder, name)


def test_nothing_runs_but_python_and_the_loader(image):
    tree = tree_of(image)
    runs = {str(p.relative_to(tree)) for p in files_of(tree)
            if not p.is_symlink() and p.is_file() and p.stat().st_mode & 0o111}
    arch = platform.machine()
    assert runs == {"usr/bin/python3.13", f"usr/lib/{arch}-linux-gnu/ld-linux-{arch}.so.2".replace(
        "ld-linux-x86_64", "ld-linux-x86-64")}


def test_no_shell_no_installer_no_privilege(image):
    tree = tree_of(image)
    forbidden = {"sh", "bash", "dash", "busybox", "apt", "apt-get", "dpkg", "gcc", "cc", "ld", "as",
                 "make", "perl", "pip", "pip3", "ensurepip", "setuptools", "venv", "su", "mount",
                 "man", "doc", "info", "locale-archive", "machine-id", "status", "sources.list"}
    found = [str(p) for p in files_of(tree) if p.name in forbidden]
    assert not found
    for path in files_of(tree):
        mode = path.lstat().st_mode
        assert not mode & (stat.S_ISUID | stat.S_ISGID), path
        assert stat.S_ISLNK(mode) or path == tree / "tmp" or not mode & 0o022, path
        assert stat.S_ISLNK(mode) or stat.S_ISDIR(mode) or stat.S_ISREG(mode), path


def test_links_stay_inside_and_lead_somewhere(image):
    tree = tree_of(image)
    for path in files_of(tree):
        if path.is_symlink():
            assert not os.readlink(path).startswith("/"), path
            assert path.resolve().is_relative_to(tree) and path.exists(), path


def test_fixtures_of_a_cell(image):
    tree = tree_of(image)
    assert os.readlink(tree / "home/user") == "../mnt/data"
    for name in ("mnt/data", "tmp", "dev"):
        assert (tree / name).is_dir() and not any((tree / name).iterdir())
    passwd = (tree / "etc/passwd").read_text().splitlines()
    assert [line.split(":")[:3:2] for line in passwd] == [
        ["root", "0"], ["user", "1000"], ["nobody", "65534"]]
    assert (tree / "etc/localtime").resolve().name == "UTC"
    assert (tree / "usr/lib/brig/levels/bare").read_text() == "json\nre\n"
    assert not {"proc", "sys", "run", "boot", "srv", "root", "var", "opt", "media"} & {
        p.name for p in tree.iterdir()}


def test_every_module_has_unchecked_byte_code(image):
    sources = list((tree_of(image) / "usr/lib/python3.13").rglob("*.py"))
    assert len(sources) > 200
    for source in sources:
        code = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
        assert code.read_bytes()[4:8] == b"\x01\0\0\0", code  # PEP 552: hash, not checked


def test_no_trace_of_the_machine_that_baked(image):
    mirrors = subprocess.run([TOP / "image/apt-sources", "trixie"], check=True,
                             capture_output=True, text=True).stdout
    hosts = {word.split("/")[2] for word in mirrors.split() if "://" in word}
    assert hosts
    needles = [CANARY, str(TOP), *hosts]
    grep = ["grep", "-rlaF", *(arg for needle in needles for arg in ("-e", needle))]
    found = subprocess.run([*grep, tree_of(image)], capture_output=True, text=True)
    assert found.returncode == 1, found.stdout
    # The control: the same search does find the word where it is.
    (image.parent / "planted").write_text(CANARY)
    planted = subprocess.run([*grep, image.parent / "planted"], capture_output=True)
    (image.parent / "planted").unlink()
    assert planted.returncode == 0


# Baking again


def test_nothing_changed(image, recipe):
    before = (image / "manifest.ini").stat()
    assert "nothing changed" in rebuild(image, recipe, "--format", "erofs").stdout
    assert (image / "manifest.ini").stat().st_ino == before.st_ino


def test_two_bakes_give_the_same_bytes(image, recipe, tmp_path):
    other = tmp_path / "other-store" / "small"
    rebuild(other, recipe, "--format", "erofs")
    assert manifest_of(other)["sha256"] == manifest_of(image)["sha256"]
    folder = image.parent / "folder"
    brig(folder, "build", "--recipe", str(recipe), "--format", "dir", "--without-zygote")
    again = other.parent / "folder"
    brig(again, "build", "--recipe", str(recipe), "--format", "dir", "--without-zygote")
    assert manifest_of(again)["sha256"] == manifest_of(folder)["sha256"]
    assert "matches" in brig(folder, "verify").stdout


def test_an_ordinary_user_bakes_the_same_tree(image, recipe, tmp_path):
    """A user made up for a private mount namespace: the host's accounts stay as they are."""
    folder = image.parent / "folder"
    if not folder.exists():
        brig(folder, "build", "--recipe", str(recipe), "--format", "dir", "--without-zygote")
    home = pathlib.Path("/var/tmp") / f"{CANARY}-{os.getpid()}"
    home.mkdir()
    os.chown(home, 4242, 4242)
    for name, line in (("passwd", f"baker:x:4242:4242::{home}:/bin/sh"), ("group", "baker:x:4242:"),
                       ("subuid", "baker:200000:65536"), ("subgid", "baker:200000:65536")):
        old = pathlib.Path("/etc", name)
        (tmp_path / name).write_text((old.read_text() if old.exists() else "") + line + "\n")
        old.touch()
    recipe_copy = home / "small.ini"
    shutil.copy(recipe, recipe_copy)
    # The project may lie in a folder that this user cannot enter: it is shown at /mnt.
    script = ('for f in passwd group subuid subgid; do mount --bind "$1/$f" /etc/$f; done; '
              'mount --bind "$2" /mnt; cd /; exec setpriv --reuid 4242 --regid 4242 '
              '--clear-groups env -i HOME="$3" PATH=/usr/bin:/bin:/usr/sbin "/mnt/$4" image build '
              '--recipe "$3/small.ini" --without-zygote')
    program = pathlib.Path(BRIG).resolve().relative_to(TOP)
    try:
        done = subprocess.run(["unshare", "--mount", "sh", "-euc", script, "sh", tmp_path, TOP,
                               home, program], capture_output=True, text=True, timeout=WATCHDOG_S)
        assert done.returncode == 0, done.stdout + done.stderr
        baked = home / ".local/share/brig/images/default"
        assert manifest_of(baked)["format"] == "dir"
        assert manifest_of(baked)["sha256"] == manifest_of(folder)["sha256"]
        assert {p.lstat().st_uid for p in files_of(home)} - {0} == {4242}
    finally:
        shutil.rmtree(home)


# Verifying


def damaged(image, change):
    """Applies `change` to a copy of the image, and the answer of verify."""
    copy = image.parent / "damaged"
    shutil.copytree(image, copy, symlinks=True)
    try:
        change(copy)
        return brig(copy, "verify", check=False)
    finally:
        shutil.rmtree(copy)


def flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 1]))


def test_verify_holds_the_file_to_its_hash(image):
    assert damaged(image, lambda copy: None).returncode == 0
    done = damaged(image, lambda copy: flip(copy / "root.erofs", 1_000_000))
    assert done.returncode == 125 and "does not match" in done.stderr
    done = damaged(image, lambda copy: (copy / "root.erofs").unlink())
    assert done.returncode == 125 and "--force" in done.stderr


def relink(path):
    path.unlink()
    path.symlink_to("/etc")


@pytest.mark.parametrize("change", [
    lambda root: (root / "etc/hosts").write_text("10.0.0.1 localhost\n"),
    lambda root: (root / "etc/hosts").chmod(0o666),
    lambda root: (root / "etc/added").touch(),
    lambda root: (root / "etc/hosts").unlink(),
    lambda root: (root / "etc/hosts").rename(root / "etc/hostz"),
    lambda root: relink(root / "home/user"),
    lambda root: (root / "mnt/data").chmod(0o777),
    lambda root: os.mkfifo(root / "tmp/pipe"),
], ids=["content", "mode", "added", "removed", "renamed", "link", "folder-mode", "pipe"])
def test_verify_holds_the_folder_to_its_hash(image, recipe, change):
    folder = image.parent / "folder"
    if not folder.exists():
        brig(folder, "build", "--recipe", str(recipe), "--format", "dir", "--without-zygote")
    done = damaged(folder, lambda copy: change(copy / "root"))
    assert done.returncode == 125 and done.stderr.count("\n") == 1


def test_list(image):
    found = {entry["name"]: entry for entry in json.loads(brig(image, "list", "--json").stdout)}
    assert found["small"]["path"] == str(image) and found["small"]["levels"] == ["bare"]
    root = pathlib.Path(found["small"]["build_root"])
    done = subprocess.run(["chroot", root, "python3.13", "-I", "-c", "print(6*7)"], check=True,
                          capture_output=True, text=True)
    assert done.stdout == "42\n"
    assert "small" in brig(image, "list").stdout
    broken = image.parent / "broken"
    broken.mkdir()
    (broken / "manifest.ini").write_bytes(b"[image]\nformat = " + b"x" * 5000 + b"\0\xff\n")
    done = brig(image, "list", check=False)
    shutil.rmtree(broken)
    assert done.returncode == 125 and "small" in done.stdout and "broken" in done.stderr


# Failing


@pytest.mark.parametrize("args", [
    [], ["bake"], ["build", "extra"], ["build", "--wat"], ["build", "--name"],
    ["build", "--name", "../up"], ["build", "--name", "a/b"], ["build", "--name", "a\nb"],
    ["build", "--name", ""], ["build", "--name", "n" * 65], ["build", "--format", "zip"],
    ["build", "--recipe", "/nonexistent"], ["build", "--recipe", "/etc"],
    ["list", "--yaml"], ["verify", "--all"], ["verify", "a", "b"], ["verify", "../up"],
], ids=repr)
def test_usage(tmp_path, args):
    done = brig(tmp_path / "store/small", *args, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("brig: image: ") and done.stderr.strip().count("\n") <= 1


@pytest.mark.parametrize("line, place", [
    ("colour = red", ":7: unknown key"), ("[cell]", ":7: unknown section"),
    ("[level Bare]", ":7: unknown section"), ("[level bare]", ":7: level bare appears twice"),
    ("preload = os", ":7: key \"preload\" appears twice"), ("preload", ":7: expected KEY"),
    ("[level x]\npreload = $(id)", ":8: \"$(id)\" is no module name"),
    ("[image]\npackages = a'b", ":8:"), ("[level x]\npreload = os;'", ":8:"),
    ("  os.path; reboot", ":7: "),
])
def test_recipe_faults_name_the_line(tmp_path, line, place):
    recipe = tmp_path / "r.ini"
    recipe.write_text(RECIPE + line + "\n")
    done = rebuild(tmp_path / "store/small", recipe, check=False)
    assert done.returncode == 2 and place in done.stderr, done.stderr


@pytest.mark.parametrize("change, word", [
    (("fonts-dejavu-core", "fonts-dejavu-core no-such-package"), "recipe names a package"),
    (("preload = json", "preload = no_such_module"), "no_such_module"),
    (("DejaVuSans.ttf", "NoSuchFont.ttf"), "NoSuchFont.ttf"),
])
def test_a_failed_bake_changes_nothing(image, tmp_path, change, word):
    before = (image / "manifest.ini").read_text()
    recipe = tmp_path / "r.ini"
    recipe.write_text(RECIPE.replace(*change))
    done = rebuild(image, recipe, check=False)
    assert done.returncode == 125 and word in done.stderr, done.stderr
    assert (image / "manifest.ini").read_text() == before
    assert "matches" in brig(image, "verify").stdout
    assert not leftovers(image)


def test_one_bake_at_a_time(image, recipe):
    done = rebuild(image, recipe, "--force", check=False,
                   prefix=("flock", str(image.parent / ".cache/lock")))
    assert done.returncode == 125 and "another brig image build" in done.stderr


def start_forced(image, recipe):
    """A bake from scratch, seen to be under way."""
    env = {"PATH": os.environ["PATH"], "BRIG_IMAGE": str(image), "HOME": "/root"}
    process = subprocess.Popen([BRIG, "image", "build", "--recipe", str(recipe), "--force",
                                "--without-zygote"], env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + WATCHDOG_S
    while not any(p.name.endswith(".new") for p in (image.parent / ".cache").iterdir()):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    return process


def mounts():
    return pathlib.Path("/proc/self/mountinfo").read_text().count("\n")


def test_interrupted(image, recipe):
    before, mounted = (image / "manifest.ini").read_text(), mounts()
    process = start_forced(image, recipe)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=WATCHDOG_S)
    assert process.returncode == 130 and "interrupted" in errors
    assert (image / "manifest.ini").read_text() == before and not leftovers(image)
    assert mounts() == mounted
    assert "matches" in brig(image, "verify").stdout


def test_killed_outright(image, recipe):
    before = (image / "manifest.ini").read_text()
    process = start_forced(image, recipe)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=WATCHDOG_S)
    assert (image / "manifest.ini").read_text() == before
    assert "matches" in brig(image, "verify").stdout
    # The next bake finds the lock free and sweeps up first.
    sha256 = manifest_of(image)["sha256"]
    rebuild(image, recipe, "--format", "erofs", "--force")
    assert not leftovers(image) and manifest_of(image)["sha256"] == sha256


def test_too_little_space(recipe, tmp_path):
    store = tmp_path / "tiny"
    store.mkdir()
    done = rebuild(store / "small", recipe, check=False, prefix=(
        "unshare", "--mount", "sh", "-c",
        f'mount -t tmpfs -o size=64m tmpfs "{store}" && exec "$@"', "sh"))
    assert done.returncode == 125 and "free some space" in done.stderr


def test_no_mirror(recipe, tmp_path):
    sources = tmp_path / "sources.list"
    sources.write_text("deb [trusted=yes] http://127.0.0.1:9/debian trixie main\n")
    done = rebuild(tmp_path / "store/small", recipe, check=False,
                   prefix=("env", f"BRIG_APT_SOURCES={sources}"))
    assert done.returncode == 125 and "apt mirror" in done.stderr, done.stderr
    assert not (tmp_path / "store/small").exists()


@pytest.mark.parametrize("program", ["mmdebstrap", "mkfs.erofs"])
def test_a_missing_program_names_its_package(recipe, tmp_path, program):
    programs = tmp_path / "programs"
    programs.mkdir()
    for folder in ("/usr/sbin", "/usr/bin"):
        for path in pathlib.Path(folder).iterdir():
            if path.name != program and not (programs / path.name).exists():
                (programs / path.name).symlink_to(path)
    done = rebuild(tmp_path / "store/small", recipe, "--format", "erofs", check=False,
                   prefix=("env", f"PATH={programs}"))
    assert done.returncode == 125 and "apt-get install" in done.stderr


def test_a_zygote_that_does_not_compile(image, recipe, tmp_path):
    """A copy of the project with one broken line: the compiler is heard, nothing is published."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("image", "src"):
        shutil.copytree(TOP / name, project / name)
    shutil.copy(TOP / "Makefile", project)
    (project / "build").mkdir()
    shutil.copy(BRIG, project / "build/brig")
    with open(project / "src/zygote/main.c", "a") as f:
        f.write(f"#error {CANARY}\n")
    before = (image / "manifest.ini").read_text()
    done = brig(image, "build", "--recipe", str(recipe), check=False,
                brig_path=str(project / "build/brig"))
    assert done.returncode == 125 and f"#error {CANARY}" in done.stderr, done.stderr
    assert "zygote failed" in done.stderr
    assert (image / "manifest.ini").read_text() == before


# The default image


@pytest.fixture(scope="module")
def default_image():
    image = pathlib.Path("/var/lib/brig/images/default")
    if not (image / "root.erofs").exists():
        pytest.fail("the default image is not baked: run build/brig image build")
    return image


def test_default_image_is_whole(default_image):
    assert "matches" in brig(default_image, "verify").stdout
    tree = tree_of(default_image)
    runs = {p.name for p in files_of(tree)
            if not p.is_symlink() and p.is_file() and p.stat().st_mode & 0o111}
    assert runs == {"python3.13", "brig-zygote", "ld-linux-x86-64.so.2"}
    assert (tree / "usr/lib/brig/python/_brig/__init__.py").exists()


def test_default_image_has_the_libraries(default_image):
    in_image(default_image, """if True:
        import numpy, pandas, matplotlib, scipy.stats, sympy, sklearn.linear_model, openpyxl
        import lxml.etree, PIL.Image, tabulate, zoneinfo, dateutil, seaborn, statsmodels.api
        import networkx, xlsxwriter, bs4, yaml, docx, pypdf, sqlite3, ssl, lzma
        assert numpy.linalg.norm(numpy.linalg.inv(numpy.eye(50) * 2) - numpy.eye(50) / 2) == 0
        assert lxml.etree.fromstring("<?xml version='1.0' encoding='windows-1251'?><a>"
                                     "\\u0416</a>".encode("cp1251")).text == "\\u0416"
        zoneinfo.ZoneInfo("US/Eastern"), zoneinfo.ZoneInfo("Asia/Kolkata")
        pandas.read_html(__import__("io").StringIO("<table><tr><td>1</td></tr></table>"))
    """)


def test_default_image_draws_all_scripts_from_its_baked_list(default_image):
    """Warnings are errors: a glyph drawn as a box warns, as does a font list made anew."""
    out = in_image(default_image, """if True:
        import os, warnings
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Matplotlib currently does not support")
        import matplotlib
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots()
        axes.set_title("\\u65e5\\u672c \\ud55c\\uad6d \\u4e2d\\u6587 \\u0416\\u0443\\u043a "
                       "\\u0639\\u0631\\u0628\\u0649 \\u0939\\u093f \\U0001f600\\U0001f680 \\xe9")
        for ending in ("png", "svg", "pdf"):
            figure.savefig("/tmp/chart." + ending)
        print(matplotlib.get_backend(), sorted(os.listdir("/tmp")))
    """)
    assert out == "agg ['chart.pdf', 'chart.png', 'chart.svg']\n"


def test_default_image_levels_import(default_image):
    for level in ("bare", "data"):
        modules = (tree_of(default_image) / f"usr/lib/brig/levels/{level}").read_text().split()
        in_image(default_image, f"import importlib\nfor m in {modules}: importlib.import_module(m)")


def test_the_example_of_quickstart(default_image, tmp_path):
    def run(*args):
        done = subprocess.run([BRIG, "run", *args], capture_output=True, text=True,
                              timeout=WATCHDOG_S, env={"PATH": os.environ["PATH"]})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(TOP / "examples/make_data.py", "--out", tmp_path)
    rows = (tmp_path / "weather.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1441 and any(",," in row for row in rows)
    out = run(TOP / "examples/analyse.py", "--file", tmp_path / "weather.csv", "--out", tmp_path)
    assert "São Paulo" in out and "warming_c_a_decade" in out
    assert len((tmp_path / "by_place.csv").read_text(encoding="utf-8").splitlines()) == 13
    assert (tmp_path / "climate.png").read_bytes().startswith(b"\x89PNG")
