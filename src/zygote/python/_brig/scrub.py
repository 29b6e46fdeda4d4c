"""Keeps the image's own paths out of what the runtime says about an error.

A path under the image becomes the module or file it stands for. What the job's own code spells
out stays, since the model knows it already.
"""

import re

_PATH = re.compile(
    r"(?<![\w.:/])/(?:usr|lib|lib32|lib64|bin|sbin|etc|opt|var|srv|root|run|proc|sys|boot|home"
    r"|tmp/\.brig)(?:/[^\s'\"<>(){}\[\],;:|\0]+)+"
)
_KEPT = ("/mnt/data/", "/home/user/")
_ROOT = re.compile(
    r"^/usr/(?:local/)?lib/(?:python3(?:\.\d+)?/(?:dist-packages|site-packages)"
    r"|python3\.\d+/lib-dynload|python3\.\d+|brig/python)/"
)
_SUFFIX = re.compile(r"(?:/__init__)?(?:\.cpython-[\w-]+)?\.(?:py|pyc|so|pyx|pyi)$")


def module_of(path):
    """The module name that a file of the image stands for, else its last part."""
    found = _ROOT.match(path)
    if found is None:
        return path.rstrip("/").rpartition("/")[2]
    return _SUFFIX.sub("", path[found.end() :]).replace("/", ".")


def is_image_path(path):
    """Whether a file name lies in the image rather than among the job's own files."""
    return path.startswith("/") and not path.startswith((*_KEPT, "/tmp/", "/dev/shm/"))


def scrub(text, known=""):
    """`text` without image paths, but for those that `known`, the job's own code, spells out."""
    if "/" not in text:
        return text

    def replace(match):
        path = match.group()
        if path.startswith(_KEPT) or path in known:
            return path
        return module_of(path)

    text = re.sub(r" \(((?:from )?)(/[^()\s]+)\)", lambda m: _parenthesis(m, known), text)
    return _PATH.sub(replace, text)


def _parenthesis(match, known):
    path = match.group(2)
    if not is_image_path(path) or path in known:
        return match.group()
    return ""
