"""The alt text of a chart: what a person who cannot see it needs to know, in a line or two."""

_KINDS = {
    "line": "line chart",
    "scatter": "scatter plot",
    "bar": "bar chart",
    "histogram": "histogram",
    "pie": "pie chart",
    "box": "box plot",
    "violin": "violin plot",
    "heatmap": "heat map",
    "image": "image",
    "area": "area chart",
    "contour": "contour plot",
    "surface": "surface plot",
    "stem": "stem plot",
    "errorbar": "chart with error bars",
    "hexbin": "hexagonal density plot",
    "quiver": "vector field",
    "mixed": "chart",
    "empty": "chart",
}


def title_of(figure):
    """The figure's title: its own, or that of its only titled axes."""
    own = getattr(figure, "_suptitle", None)
    if own is not None and own.get_text():
        return own.get_text()
    from .chartdata import title_of as axes_title

    titles = [axes_title(ax) for ax in figure.axes]
    titles = [title for title in titles if title]
    return titles[0] if len(titles) == 1 else ""


def describe(data, title):
    """Alt text from the figure's data and title."""
    if data is None:
        return f"chart: {title}" if title else "chart"
    axes = data["axes"]
    text = _kinds(axes)
    if title:
        text += f": {title}"
    parts = [_axes(ax, title) for ax in axes[:4]]
    parts = [part for part in parts if part]
    if parts:
        text += ". " + "; ".join(parts)
    return text


def _kinds(axes):
    """What kinds of charts there are: "bar chart", "bar chart with line chart", "4 × histogram"."""
    kinds = []
    for ax in axes:
        kinds += [series["type"] for series in ax["series"]]
    names = list(dict.fromkeys(_KINDS.get(kind, "chart") for kind in kinds)) or ["chart"]
    if len(names) == 1 and len(axes) > 1:
        return f"{len(axes)} × {names[0]}"
    return " with ".join(names[:3])


def _axes(ax, title):
    parts = []
    if ax.get("title") and ax["title"] != title:
        parts.append(ax["title"])
    for key, name in (("x_label", "x"), ("y_label", "y"), ("z_label", "z")):
        if ax.get(key):
            parts.append(f"{name}: {ax[key]}")
    labels = list(dict.fromkeys(s["label"] for s in ax["series"] if s.get("label")))
    if labels:
        shown = ", ".join(labels[:8])
        parts.append(f"series: {shown}" + (", …" if len(labels) > 8 else ""))
    for series in ax["series"]:
        if series["type"] == "pie":
            names = [label for label in series["labels"][:8] if label]
            shares = [v for v in series["values"][:8] if isinstance(v, (int, float))]
            shown = names or [format(share, ".4g") for share in shares]
            parts.append("parts: " + ", ".join(shown))
    return ", ".join(parts)
