"""The hint for a missing module: the baked library that does the job, or why nothing does."""

import importlib.util
import os
import re
import sys

from . import advice
from .text import safe_str

_NO_INSTALL = "nothing can be installed here"
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow", "bs4": "beautifulsoup4"}


def missing_module(error, job):
    """A line for ModuleNotFoundError and for installers called by hand."""
    name = _missing_name(error)
    if name is None:
        return None
    root = name.partition(".")[0]
    if root in ("pip", "conda", "ensurepip", "setuptools"):
        return f"{_NO_INSTALL}: use the libraries that are there."
    if root in ("google", "IPython", "ipywidgets"):
        return _notebook(name, job)
    if root != name and _present(root):
        return f"{root} is here, but this version of it has no module {name}."
    if root in advice.NETWORK:
        return f"{root} is not installed, and there is no network: attach the data as a file."
    if root in advice.DOCUMENTS:
        return f"{root} is not installed and {_NO_INSTALL}: attach the text or a CSV instead."
    if root in advice.INSTEAD:
        libraries, purpose = advice.INSTEAD[root]
        for library in libraries:
            if offered(library, job):
                return f"{root} is not installed and {_NO_INSTALL}: use {library} {purpose}."
    if root in sys.stdlib_module_names:
        return f"the module {root} is not part of this Python: do without it."
    near = _own_module(root)
    if near:
        return near
    meant = _meant(root, job)
    if meant:
        return f"there is no module {root}: {meant} is here."
    return f"{root} is not installed and {_NO_INSTALL}: write it with the libraries that are there."


def _missing_name(error):
    """The module that is missing, also where a library says so in its own words."""
    if isinstance(error, ModuleNotFoundError):
        return error.name if isinstance(error.name, str) else None
    if not isinstance(error, ImportError):
        return None
    text = safe_str(error)
    found = re.search(r"optional dependency '?([\w.]+)|tried using: '(\w+)'", text)
    return found and (found.group(1) or found.group(2)).rstrip(".")


def _present(root):
    if root in sys.modules:
        return True
    try:
        return importlib.util.find_spec(root) is not None
    except (ImportError, ValueError):
        return False


def _notebook(name, job):
    if name.startswith("google") and "google.colab" in job.source:
        return "this is no Colab: the given files are in the working folder, /mnt/data."
    if name.startswith("google"):
        return f"{name} is not installed, and there is no network: attach the data as a file."
    return "this is no notebook: use display(), print or end on the value."


def offered(library, job):
    """Whether a hint may name a library: it is there, and the operator does not keep it back."""
    if library in sys.stdlib_module_names:
        return True
    names = (library, _DISTRIBUTIONS.get(library, library))
    if job.advertise is not None and not any(name in job.advertise for name in names):
        return False
    return _present(library)


def _meant(root, job):
    """The library that a name was mistyped for, the nearest that a hint may name."""
    import difflib
    import pkgutil

    names = {m.name for m in pkgutil.iter_modules() if not m.name.startswith("_")}
    names |= {name for name in sys.stdlib_module_names if not name.startswith("_")}
    near = difflib.get_close_matches(root, names, 3, 0.8)
    return next((name for name in near if offered(name, job)), None)


def _own_module(root):
    if not re.fullmatch(r"\w{1,64}", root):
        return None
    for folder, _, names in os.walk("."):
        if f"{root}.py" in names and folder != ".":
            where = os.path.relpath(folder)
            return f"{root}.py is in {where!r}: add that folder with sys.path.insert(0, {where!r})."
        if folder.count("/") > 3:
            break
    return None
