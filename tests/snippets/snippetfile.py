"""Reads the snippet files: `# %% name` begins each one, the rest up to the next is its code.

A line `#% with NAME` right below gives it inputs/NAME as NAME. The code keeps its own line numbers:
line 1 is the one below such lines.
"""

import pathlib
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclass
class Snippet:
    topic: str
    name: str
    code: str = ""
    inputs: list = field(default_factory=list)

    @property
    def title(self):
        return f"{self.topic}: {self.name}"


def parse(path):
    """The snippets of one file, in order."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("# %% "):
            found.append(Snippet(path.stem, line[5:].strip()))
        elif not found:
            continue
        elif line.startswith("#% with ") and not found[-1].code:
            found[-1].inputs.append(line[8:].strip())
        else:
            found[-1].code += line
    for snippet in found:
        snippet.code = snippet.code.rstrip("\n") + "\n"
    return found


def load(only=""):
    """Every snippet whose title holds `only`; names are unique within a topic."""
    found = []
    for path in sorted((FOLDER / "topics").glob("*.py")):
        snippets = parse(path)
        names = [snippet.name for snippet in snippets]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"{path.name}: two snippets named {', '.join(sorted(twice))}")
        found += snippets
    return [snippet for snippet in found if only in snippet.title]
