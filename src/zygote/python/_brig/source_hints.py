"""Hints on the text of the code: notebook habits, other languages, slips of the paste."""

import re
import sys

from . import module_hints
from .source import lines_of

_MAGIC = re.compile(r"^\s*(?:[\w, ]+=\s*)?([!%])")
_INSTALL = re.compile(r"^\s*[!%]?\s*(?:python\d?\s+-m\s+)?(pip3?|conda|apt(?:-get)?)\s+install\b")
_SHELL = re.compile(r"^\s*(ls|cd|cat|mkdir|rm|echo|python3?|wget|curl|git|bash|sh)\s+[\w./-]")
_CONSTANTS = {"null": "None", "true": "True", "false": "False", "undefined": "None"}
_USUAL = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
    "sp": "import sympy as sp",
    "sm": "import statsmodels.api as sm",
    "nx": "import networkx as nx",
    "stats": "from scipy import stats",
    "datetime": "from datetime import datetime",
    "timedelta": "from datetime import timedelta",
    "Counter": "from collections import Counter",
    "defaultdict": "from collections import defaultdict",
    "Path": "from pathlib import Path",
    "Decimal": "from decimal import Decimal",
    "StringIO": "from io import StringIO",
    "BytesIO": "from io import BytesIO",
    "dataclass": "from dataclasses import dataclass",
}


def syntax(error, job):
    """A line for a SyntaxError of the job's own text."""
    if not isinstance(error, SyntaxError) or error.filename != job.filename:
        return None
    lines = lines_of(job.source)
    at = (error.lineno or 1) - 1
    line = lines[at].rstrip("\n") if 0 <= at < len(lines) else ""
    if _INSTALL.match(line):
        return "this is Python, not a shell, and nothing can be installed: remove that line."
    magic = _MAGIC.match(line)
    if magic:
        return _magic(magic.group(1), line)
    if line.lstrip().startswith("```"):
        return "send the code alone, without the Markdown fence (```)."
    if _SHELL.match(line):
        return "this is Python, not a shell: programs cannot be started."
    if line.rstrip().endswith("?") or line.lstrip().startswith("?"):
        return "this is no notebook: use help(name) or print(name.__doc__)."
    if any(mark in line for mark in "“”‘’"):
        return "the line has typographic quotes: write plain ' or \"."
    if line.lstrip().startswith(("print ", 'print"')):
        return "this is Python 3: print is a function, print(…)."
    if "await" in line and "outside" in str(error.msg):
        return "write async def around that function, or await at the top level."
    if isinstance(error, TabError):
        return "the indentation mixes tabs and spaces: use four spaces."
    return None


def _magic(mark, line):
    if "matplotlib" in line:
        return "this is no notebook: remove the %matplotlib line; figures are shown anyway."
    if mark == "!":
        return "this is no notebook: there is no shell, so remove the lines that begin with !."
    return "this is no notebook: remove the lines that begin with % or %%."


def name(error, job):
    """A line for a NameError that has a usual cause."""
    if not isinstance(error, NameError) or not isinstance(error.name, str):
        return None
    if error.name in _CONSTANTS:
        return f"that is JSON: in Python write {_CONSTANTS[error.name]}, or use json.loads."
    if error.name == "get_ipython":
        return "this is no notebook: remove get_ipython(); display() and figures work without it."
    if error.name in sys.stdlib_module_names and error.name not in _USUAL:
        return None  # Python itself says that it was not imported
    line = _USUAL.get(error.name, f"import {error.name}")
    if module_hints.offered(line.split()[1].partition(".")[0], job):
        return f"{error.name} was never imported: {line}."
    return None
