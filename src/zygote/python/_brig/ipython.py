"""A small IPython.display for code with notebook habits. Real modules win over these."""

from .display import display, plain_html


class _Shown:
    """An object that carries data in one form."""

    def __init__(self, data=None, *_args, filename=None, **_options):
        if data is None and filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
        self.data = data

    def _text(self):
        if isinstance(self.data, bytes):
            return self.data.decode("utf-8", "replace")
        return str(self.data)

    def __repr__(self):
        return self._text()


class HTML(_Shown):
    """HTML; its text without tags where only text can be shown."""

    def _repr_html_(self):
        return self._text()

    def __repr__(self):
        return plain_html(self._text())


class Markdown(_Shown):
    """Markdown."""

    def _repr_markdown_(self):
        return self._text()


class Latex(_Shown):
    """LaTeX with its delimiters."""

    def _repr_latex_(self):
        return self._text()


class Math(Latex):
    """A formula without delimiters."""

    def _text(self):
        return "$\\displaystyle " + super()._text().strip("$") + "$"


class Pretty(_Shown):
    """Plain text."""


class Code(_Shown):
    """Source text."""


class JSON(_Shown):
    """Data to be shown as JSON."""

    def _repr_json_(self):
        return self.data

    def __repr__(self):
        import json

        return self.data if isinstance(self.data, str) else json.dumps(self.data, default=str)


class SVG(_Shown):
    """An SVG image."""

    def _repr_svg_(self):
        return self._text()

    def __repr__(self):
        return "<SVG image>"


class Image(_Shown):
    """A PNG or JPEG image from bytes or a file."""

    def __init__(self, data=None, *args, filename=None, **options):
        if isinstance(data, str):
            data, filename = None, data
        super().__init__(data, *args, filename=filename, **options)

    def _is_png(self):
        return bytes(self.data or b"")[:4] == b"\x89PNG"

    def _repr_png_(self):
        return self.data if self._is_png() else None

    def _repr_jpeg_(self):
        return None if self._is_png() else self.data

    def __repr__(self):
        return "<image>"


def clear_output(*_args, **_options):
    """Nothing: what was printed stays."""


def set_matplotlib_formats(*_args, **_options):
    """Nothing: the caller of the job chooses the format."""


def display_html(*objects, **options):
    """display() for strings that are HTML."""
    display(*(HTML(o) if isinstance(o, str) else o for o in objects), **options)


def display_markdown(*objects, **options):
    """display() for strings that are Markdown."""
    display(*(Markdown(o) if isinstance(o, str) else o for o in objects), **options)


def get_ipython():
    """None, as outside IPython."""


_DISPLAY = (display, HTML, Markdown, Latex, Math, Pretty, Code, JSON, SVG, Image, clear_output)
_MORE = (set_matplotlib_formats, display_html, display_markdown)


def fill(module):
    """Gives a shim module its names."""
    name = module.__name__
    if name == "nest_asyncio":
        module.apply = lambda *_args, **_options: None
    elif name == "IPython":
        module.__path__ = []
        module.get_ipython = get_ipython
        module.display = display
    elif name == "IPython.core":
        module.__path__ = []
    elif name in ("IPython.display", "IPython.core.display", "IPython.core.display_functions"):
        for thing in (*_DISPLAY, *_MORE):
            setattr(module, thing.__name__, thing)
    elif name == "IPython.core.pylabtools":
        module.figsize = set_matplotlib_formats
    elif name == "matplotlib_inline":
        module.__path__ = []
    elif name == "matplotlib_inline.backend_inline":
        module.set_matplotlib_formats = set_matplotlib_formats


NAMES = frozenset(
    (
        "nest_asyncio",
        "IPython",
        "IPython.core",
        "IPython.display",
        "IPython.core.display",
        "IPython.core.display_functions",
        "IPython.core.pylabtools",
        "matplotlib_inline",
        "matplotlib_inline.backend_inline",
    )
)
