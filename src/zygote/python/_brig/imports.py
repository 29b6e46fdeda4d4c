"""What happens when the job imports something: libraries are set up, notebook shims are found.

Two finders: one in front that lets a few libraries be configured right after (or before) they
load, at whatever time that is, and one at the end that offers the IPython shim where the real
thing is absent.
"""

import re
import sys
from importlib.machinery import ModuleSpec, PathFinder

from . import setup

_SHIMS = frozenset(("IPython", "nest_asyncio", "matplotlib_inline"))


class SetupFinder:
    """Front finder: wraps the loader of the libraries in setup.AFTER and setup.AROUND."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """The library's own spec, its loader followed by our set-up; None for all others."""
        after = setup.AFTER.get(name)
        around = setup.AROUND.get(name)
        if after is None and around is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module):
            if around is None:
                load(module)
            else:
                with around():
                    load(module)
            if after is not None:
                after(module)

        spec.loader.exec_module = exec_module
        return spec


class ShimFinder:
    """Last finder: IPython.display and its kin."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """A spec for a shim module."""
        if name.partition(".")[0] not in _SHIMS:
            return None
        from . import ipython

        if name not in ipython.NAMES:
            return None
        return ModuleSpec(name, cls, is_package=name in ("IPython", "IPython.core"))

    @staticmethod
    def create_module(_spec):
        """The default module."""
        return None

    @staticmethod
    def exec_module(module):
        """Fills it."""
        from . import ipython

        ipython.fill(module)


def install():
    """Puts both finders in place, once."""
    if SetupFinder not in sys.meta_path:
        sys.meta_path.insert(0, SetupFinder)
        sys.meta_path.append(ShimFinder)


def note_hidden(job):
    """Says of a given file that its import finds the library of that name, loaded before it."""
    for name in job.input_names:
        stem = name.removesuffix(".py")
        if stem == name or stem not in sys.modules:
            continue
        if re.search(rf"^\s*(import|from)\s[^#\n]*\b{re.escape(stem)}\b", job.source, re.MULTILINE):
            job.frames.note(f"import {stem} is the library, not {name}: give the file another name")
