"""Case files: code and what must come of it.

    === title of the case
    code, up to the first directive
    --- key            the lines below are the value
    --- key: value     on one line

Keys: `file NAME` (text), `file64 NAME`, `stdin`, `option NAME` (JSON), `level` (bare or data),
`then` (a further call of the same session), `next` (a further call with the same zygote, its
expectations following), and what expect.py reads.
"""


class Case:
    """One call: its code, its inputs, its expectations in order."""

    def __init__(self, title, where):
        self.title = title
        self.where = where
        self.code = ""
        self.directives = []

    def inputs(self, key):
        """Values of directives `key NAME`, by name."""
        return {k[len(key) + 1 :]: v for k, v in self.directives if k.startswith(key + " ")}

    def get(self, key, default=None):
        """The value of one directive."""
        return next((v for k, v in self.directives if k == key), default)


def parse(path):
    """The cases of a file; several calls of one case stand in its list."""
    groups = []
    block = None
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("=== "):
            groups.append([Case(line[4:], f"{path.rpartition('/')[2]}:{number}")])
            block = []
            groups[-1][-1].directives.append(("code", block))
        elif line.startswith("--- next"):
            first = groups[-1][0]
            groups[-1].append(Case(first.title + " (next)", f"{path.rpartition('/')[2]}:{number}"))
            block = []
            groups[-1][-1].directives.append(("code", block))
        elif line.startswith("--- "):
            key, colon, value = line[4:].partition(": ")
            block = None if colon else []
            groups[-1][-1].directives.append((key, value if colon else block))
        elif block is not None:
            block.append(line)
    for group in groups:
        for case in group:
            _close(case)
    return groups


def _close(case):
    closed = []
    for key, value in case.directives:
        if isinstance(value, list):
            while value and not value[-1]:
                value.pop()
            value = "".join(line + "\n" for line in value)
        closed.append((key, value))
    case.code = closed[0][1]
    case.directives = closed[1:]
