"""The names that a legend gives to what has none of its own, by colour.

seaborn draws its groups without labels and fills the legend with swatches; `legend(["a", "b"])`
names what is drawn and leaves it unlabelled.
"""

from .limits import LABEL_BYTES
from .text import cut


class LegendNames:
    """The legends that stand on some axes or their figure."""

    def __init__(self, ax):
        self._names = {}
        legends = [ax.get_legend(), *ax.get_figure(root=True).legends]
        legends = [legend for legend in legends if legend is not None and legend.get_visible()]
        taken = _labels_drawn(ax) if legends else ()
        for legend in legends:
            for handle, text in zip(legend.legend_handles, legend.get_texts()):
                color = _color((handle,))
                if color is not None and handle.get_visible() and text.get_text():
                    self._names.setdefault(color, set()).add(text.get_text())
        for names in self._names.values():
            names.difference_update(taken)

    def of(self, artists):
        """{label} of artists of one colour that one entry of a legend has, or {}."""
        names = self._names.get(_color(artists), ()) if self._names else ()
        return {"label": cut(name, LABEL_BYTES) for name in names} if len(names) == 1 else {}

    def groups(self, collection, count):
        """[({label}, numbers of the points)] of points in colours that the legend names, each;
        [] where they have one colour or one without a name."""
        faces = collection.get_facecolor()
        if not self._names or len(faces) != count or count < 2:
            return []
        members = {}
        for i, face in enumerate(faces[:, :3].round(3).tolist()):
            members.setdefault(tuple(face), []).append(i)
        if len(members) < 2 or any(len(self._names.get(color, ())) != 1 for color in members):
            return []
        order = [color for color in self._names if color in members]
        return [({"label": cut(*self._names[c], LABEL_BYTES)}, members[c]) for c in order]


def _labels_drawn(ax):
    """The labels of what is drawn and has one: no name for anything else."""
    labels = set()
    for axes in ax.figure.axes:
        labels.update(c.get_label() for c in axes.containers)
        labels.update(line.get_label() for line in axes.lines if len(line.get_xdata()))
        labels.update(c.get_label() for c in axes.collections if len(c.get_offsets()))
        labels.update(p.get_label() for p in axes.patches if p.get_path().vertices.size and _big(p))
    return labels


def _big(patch):
    size = patch.get_extents()
    return size.width > 0 or size.height > 0


def _color(artists):
    """The one colour of artists, without its transparency; None where there are several."""
    colors = {_own_color(artist) for artist in artists}
    return colors.pop() if len(colors) == 1 else None


def _own_color(artist):
    from matplotlib.colors import to_rgba_array

    if hasattr(artist, "get_facecolor"):
        found = to_rgba_array(artist.get_facecolor())
        if not found.size or not found[:, 3].any():
            found = to_rgba_array(artist.get_edgecolor())
    elif hasattr(artist, "get_color"):
        found = to_rgba_array(artist.get_color())
    else:
        return None
    found = found[:, :3].round(3)
    if not len(found) or (found != found[0]).any():
        return None
    return tuple(found[0].tolist())
