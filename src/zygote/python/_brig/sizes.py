"""Sizes of figures: legible where they are tiny, bounded where they are huge.

matplotlib counts in inches; code that means pixels asks for a bitmap of gigabytes. Such a figure
is given the size that was meant, before anything is drawn.
"""

from math import isfinite, sqrt

from . import limits
from .job import note

_PIXELS_MEANT = 64  # inches on both sides: nobody prints that, so pixels were meant
_PER_INCH = 100
_LONG_SIDE = 16.0
_SHORT_LONG_SIDE = 6.4  # a longest side below this, in inches of a mistaken size, is raised to it
_CHART_AREA = 6_000_000  # pixels of a chart beyond which its dpi is lowered
_MIN_SIDE = 480  # of a chart's longer side: below it text is hard to read
_MAX_DPI = 200
_MAX_EDGE = 8_000
VECTOR = ("svg", "svgz", "pdf", "ps", "eps", "pgf")


def tame(figure):
    """Corrects a figure whose size was meant in pixels, once, with a note."""
    width, height = figure.get_size_inches()
    if min(width, height) < _PIXELS_MEANT or not (isfinite(width) and isfinite(height)):
        return
    scale = max(width, height)
    side = min(max(scale / _PER_INCH, _SHORT_LONG_SIDE), _LONG_SIDE)
    new = (width * side / scale, height * side / scale)
    figure.set_size_inches(*new, forward=False)
    note(
        f"a chart was scaled down: figsize is in inches, so ({width:g}, {height:g}) was drawn as "
        f"({new[0]:.3g}, {new[1]:.3g})"
    )


def chart_dpi(figure):
    """Dots per inch for a chart of this figure."""
    width, height = figure.get_size_inches()
    dpi = getattr(figure, "_original_dpi", figure.dpi)
    if max(width, height) * dpi < _MIN_SIDE:
        dpi = min(_MAX_DPI, _MIN_SIDE / max(width, height))
    dpi = min(dpi, sqrt(_CHART_AREA / (width * height)), _MAX_EDGE / max(width, height))
    return max(1.0, dpi)


def saved_dpi(figure, dpi, filename, kind):
    """The dpi of a savefig, lowered with a note where the bitmap would eat the memory."""
    name = kind or str(getattr(filename, "name", filename)).rpartition(".")[2]
    if name.lower() in VECTOR:
        return dpi
    import matplotlib

    wanted = dpi if dpi is not None else matplotlib.rcParams["savefig.dpi"]
    if wanted == "figure":
        wanted = getattr(figure, "_original_dpi", figure.dpi)
    width, height = figure.get_size_inches()
    pixels = width * height * wanted * wanted
    if pixels <= limits.SAVED_PIXELS:
        return dpi
    lowered = int(wanted * sqrt(limits.SAVED_PIXELS / pixels)) or 1
    note(
        f"a figure was saved at {lowered} instead of {wanted:g} dots per inch: "
        f"{pixels / 1e6:,.0f} megapixels would have been too large"
    )
    return lowered
