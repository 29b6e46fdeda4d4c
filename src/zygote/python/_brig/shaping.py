"""Arabic, Hebrew and their kin in charts: letters joined, lines in the order that they are read.

matplotlib draws the characters of a line one by one from left to right. What every renderer gets
and every size is taken from is a line in visual order with its letters in their joined forms; what
the figure's objects hold stays as its author wrote it, so the text about a chart does, too. Scripts
that need more than that to be legible are drawn as they are, and a note says so.
"""

import functools
import re
import unicodedata

from .job import note

# Hebrew to Arabic Extended-A, and the presentation forms of both scripts.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
# Devanagari to Sinhala, Tibetan, Myanmar, Khmer: vowels around their consonants, ligatures.
_UNSHAPED = re.compile("[\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")
_FORMULA = re.compile(r"(?<!\\)\$.*?(?<!\\)\$")
_STAND_IN = 0xF0000  # private use, read from left to right: the place of a formula

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
        if math != "TeX" and not line.isascii():
            if _UNSHAPED.search(line):
                note("letters of an Indic or a similar script in a chart stand one by one, unjoined")
            if not _author_orders and _RIGHT_TO_LEFT.search(line):
                line = _visual(line, math)
        return line, math

    text.Text._preprocess_math = _preprocess_math


def _visual(line, math):
    tools = _tools()
    if tools is None:
        return line
    join, order = tools
    formulas = _FORMULA.findall(line) if math else []
    for number, formula in enumerate(formulas):
        line = line.replace(formula, chr(_STAND_IN + number), 1)
    line = order(join(line))
    for number, formula in enumerate(formulas):
        line = line.replace(chr(_STAND_IN + number), formula, 1)
    return line


@functools.cache
def _tools():
    """(what joins letters, what puts a line in order); None in an image without them."""
    try:
        from arabic_reshaper import ArabicReshaper
        from bidi.algorithm import get_display
    except ImportError:
        return None
    # Whole words as one glyph are what few fonts have.
    reshape = ArabicReshaper({"delete_harakat": False, "ARABIC LIGATURE ALLAH": False}).reshape
    drawn = _drawn()

    def join(text):
        return "".join(
            unicodedata.normalize("NFKC", c) if c >= "\ufb50" and ord(c) not in drawn else c
            for c in reshape(text)
        )

    return join, get_display.brig_order


def _drawn():
    """The presentation forms that the fallback fonts have."""
    from matplotlib import font_manager, ft2font

    forms = set(range(_STAND_IN, _STAND_IN + 1000))
    for family in ("DejaVu Sans", "Noto Sans Arabic", "FreeSans"):
        path = font_manager.findfont(font_manager.FontProperties(family=family))
        forms.update(ft2font.FT2Font(path).get_charmap())
    return forms
