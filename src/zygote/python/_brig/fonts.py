"""Fonts of charts: every text finds glyphs, and no absent family makes noise.

Whatever families a figure asks for, those that are there come first and the fallbacks follow, so
that Chinese, Japanese, Korean and other scripts do not turn into boxes also where the code names a
font that is not in the image ("SimHei", "Arial").
"""

import logging

_ALWAYS = (
    "DejaVu Sans",
    "Noto Sans Arabic",
    "Noto Sans Thai",
    "Noto Sans CJK JP",
    "FreeSans",
    "Symbola",
)

_LIKE = {
    "times new roman": "DejaVu Serif",
    "times": "DejaVu Serif",
    "georgia": "DejaVu Serif",
    "cambria": "DejaVu Serif",
    "palatino": "DejaVu Serif",
    "courier new": "DejaVu Sans Mono",
    "courier": "DejaVu Sans Mono",
    "consolas": "DejaVu Sans Mono",
    "monaco": "DejaVu Sans Mono",
    "menlo": "DejaVu Sans Mono",
}


def _quiet(record):
    return not str(record.msg).startswith("findfont:")


def install(font_manager, defaults):
    """Wraps the manager's search; to be called once matplotlib.font_manager is there."""
    manager = font_manager.fontManager
    known = {entry.name.lower(): entry.name for entry in manager.ttflist}
    baked = [name for name in defaults.get("font.family", ()) if name.lower() in known]
    fallback = list(dict.fromkeys([_ALWAYS[0], *baked, *_ALWAYS]))
    fallback = [name for name in fallback if name.lower() in known]
    search = manager._find_fonts_by_props
    generic = font_manager.font_family_aliases
    logging.getLogger("matplotlib.font_manager").addFilter(_quiet)

    def find(prop, fontext="ttf", directory=None, **options):
        prop = font_manager.FontProperties._from_any(prop)
        if fontext != "ttf" or directory is not None:
            return search(prop, fontext, directory, **options)
        families = []
        for family in prop.get_family():
            low = family.lower()
            if low in generic:
                members = manager._expand_aliases(low)
                found = [known[m.lower()] for m in members if m.lower() in known]
                families += found[:1]
            else:
                families.append(known.get(low) or _LIKE.get(low))
        wanted = [name for name in families if name and name.lower() in known]
        wanted += [name for name in fallback if name not in wanted]
        prop = prop.copy()
        prop.set_family(wanted or list(prop.get_family()))
        return search(prop, fontext, directory, **options)

    manager._find_fonts_by_props = find
    font_manager._find_fonts_by_props = find
