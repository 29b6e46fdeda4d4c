"""The few changes to packaged files that a read-only root without programs calls for.

Each names the exact text it replaces; a package that no longer has it stops the bake, so that no
edit is lost in silence.
"""

import os

DIST = "/usr/lib/python3/dist-packages"
CACHE = "/usr/lib/brig/matplotlib"


def replace(tree, path, *pairs):
    with open(tree + path, encoding="utf-8") as f:
        text = f.read()
    for old, new in pairs:
        if text.count(old) != 1:
            raise SystemExit(f"edits: {path} has changed: expected once: {old.strip()!r}")
        text = text.replace(old, new)
    with open(tree + path, "w", encoding="utf-8") as f:
        f.write(text)


def matplotlib(tree, families):
    # Its settings and font list are baked into one folder. matplotlib wants that folder writable
    # and would otherwise make one in /tmp, then search all fonts anew in every job.
    replace(tree, f"{DIST}/matplotlib/__init__.py",
            ("    configdir = os.environ.get('MPLCONFIGDIR')\n",
             f"    configdir = os.environ.get('MPLCONFIGDIR', '{CACHE}')\n"),
            ("        if os.access(str(configdir), os.W_OK) and configdir.is_dir():\n",
             "        if configdir.is_dir() and (os.access(str(configdir), os.W_OK)\n"
             f"                                   or str(configdir) == '{CACHE}'):\n"))
    # A glyph that the chosen font lacks is drawn from the recipe's font_fallback.
    with open(f"{tree}{CACHE}/matplotlibrc", "w", encoding="utf-8") as f:
        f.write("backend: agg\n")
        f.write("font.family: " + ", ".join(["sans-serif", *families]) + "\n")


def apply(tree, fallback):
    families = tuple(name.strip() for name in fallback.split(",") if name.strip())
    if os.path.isdir(f"{tree}{DIST}/matplotlib"):
        matplotlib(tree, families)
