"""The namespaces of a session: each context is a `__main__` of its own, all of them in one process.

Modules, the working folder, open figures and patched things are shared; names are not.
"""

import sys

from . import execute

_MOST = 16  # SESSION_CONTEXTS_MAX of src/wire/session.h

_mains = {}
_shown = {}  # by context: the value that `_` was last given


def enter(name):
    """The module of a context, which is `__main__` from now on; made where it is new."""
    main = _mains.get(name)
    if main is None:
        if len(_mains) >= _MOST:
            raise ValueError(f"a session has at most {_MOST} contexts: use one of those it has")
        main = _mains[name] = execute.new_main()
    sys.modules["__main__"] = main
    return main


def remember(name, main, value):
    """`_` becomes the value of the last expression, unless the code has a `_` of its own."""
    names = main.__dict__
    if value is not None and ("_" not in names or names["_"] is _shown.get(name)):
        names["_"] = _shown[name] = value
