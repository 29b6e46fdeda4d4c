"""Small repairs before a figure is drawn as a chart, where its author left them to chance.

Panels that were placed by default and overlap get room; names and dates under an axis that run
into each other are slanted; axes in space, whose labels reach over their edges, do not cover their
neighbours'. A figure whose author chose a layout or a rotation is left alone.
"""

import math
import warnings

_ANGLES = (30, 45, 60, 90)
_MOST = 60  # labels: beyond, slanting is no help


def improve(figure):
    """Applies the repairs; a figure that resists stays as it is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            slanted = [_slant(ax) for ax in figure.axes if ax.get_visible()]
            _give_room(figure, any(slanted))
            _uncover(figure)
    except Exception:
        return


def _give_room(figure, slanted):
    panels = [ax for ax in figure.axes if not hasattr(ax, "_colorbar")]
    places = {ax.get_subplotspec() for ax in panels} - {None}
    if len(places) < 2 or figure.get_layout_engine() is not None or figure.subfigs:
        return
    if not _default_places(figure) and not slanted:
        return
    figure.tight_layout()


def _default_places(figure):
    from matplotlib import rcParams

    pars = figure.subplotpars
    names = ("left", "right", "bottom", "top", "wspace", "hspace")
    return all(abs(getattr(pars, n) - rcParams[f"figure.subplot.{n}"]) < 1e-9 for n in names)


def _uncover(figure):
    for ax in figure.axes:
        if hasattr(ax, "zaxis") and ax.get_facecolor() == figure.get_facecolor():
            ax.patch.set_visible(False)


def _slant(ax):
    """Slants the labels of an x axis that overlap; says whether it did."""
    if ax.name != "rectilinear" or not _holds_words(ax.xaxis):
        return False
    renderer = ax.figure.canvas.get_renderer()
    labels = [t.label1 for t in ax.xaxis._update_ticks() if t.label1.get_visible()]
    labels = [label for label in labels if label.get_text()]
    if not 1 < len(labels) <= _MOST or any(label.get_rotation() for label in labels):
        return False
    boxes = sorted(
        (label.get_window_extent(renderer) for label in labels), key=lambda box: box.x0
    )
    if all(a.x1 + 2 <= b.x0 for a, b in zip(boxes, boxes[1:])):
        return False
    angle = _angle(boxes)
    for label in labels:
        label.set(rotation=angle, ha="right", rotation_mode="anchor")
        if angle == 90:
            label.set(va="center")
    return True


def _angle(boxes):
    """The flattest angle at which labels of these boxes pass each other."""
    middles = [(box.x0 + box.x1) / 2 for box in boxes]
    gap = min(b - a for a, b in zip(middles, middles[1:]))
    height = max(box.height for box in boxes)
    for angle in _ANGLES:
        if gap * math.sin(math.radians(angle)) >= 1.2 * height:
            return angle
    return _ANGLES[-1]


def _holds_words(axis):
    """Whether an axis carries names or dates, whose labels are long."""
    kind = type(axis.get_major_formatter()).__name__
    return "Date" in kind or kind in ("FixedFormatter", "StrCategoryFormatter", "FuncFormatter")
