"""Arabic, Hebrew and their kin in charts: letters joined, lines in the order that they are read.

matplotlib draws the characters of a line one by one from left to right. What every renderer gets
and every size is taken from is a line in visual order with its letters in their joined forms; what
the figure's objects hold stays as its author wrote it, so the text about a chart does, too.
"""

import functools
import re

# Hebrew to Arabic Extended-A, and the presentation forms of both scripts.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")

_FORMULA = re.compile(r"((?<!\\)\$.*?(?<!\\)\$)")

_author_orders = False  # the job arranges its texts itself


def install_bidi(module):
    """A job that calls get_display has its texts drawn as they are."""
    order = module.get_display

    @functools.wraps(order)
    def get_display(*args, **options):
        global _author_orders
        _author_orders = True
        return order(*args, **options)

    get_display.brig_order = order
    module.get_display = get_display


def install(text):
    """Wraps matplotlib.text.Text where a line is prepared, for drawing as for measuring it."""
    prepare = text.Text._preprocess_math

    @functools.wraps(prepare)
    def _preprocess_math(self, s):
        line, math = prepare(self, s)
        if math != "TeX" and not _author_orders and _RIGHT_TO_LEFT.search(line):
            line = _visual(line, math)
        return line, math

    text.Text._preprocess_math = _preprocess_math


def _visual(line, math):
    tools = _tools()
    if tools is None:
        return line
    visual, from_right = tools
    if not math:
        return visual(line)
    # Formulas stand as they are, at their places in the line.
    parts = _FORMULA.split(line)
    if from_right(line):
        parts.reverse()
    return "".join(part if part.startswith("$") else visual(part) for part in parts)


@functools.cache
def _tools():
    """(what joins and orders a text, what tells whether a line begins at the right); None in an
    image without them."""
    try:
        from arabic_reshaper import ArabicReshaper
        from bidi.algorithm import get_base_level, get_display
    except ImportError:
        return None
    join = ArabicReshaper({"delete_harakat": False}).reshape
    order = get_display.brig_order
    return lambda text: order(join(text)), lambda line: get_base_level(line) == 1
