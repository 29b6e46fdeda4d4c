"""What a case is, and what may serve as its control.

A case is held only if its expectation was seen and its control succeeded: the same attack outside
the cell, or in a cell without the one layer that stops it, or (for limits) a twin that is let by.
"""

import dataclasses
import typing


@dataclasses.dataclass
class Native:
    """The attack on the host itself, by its own Python as root.

    `room` is "ns" (fresh mount, pid, IPC and UTS namespaces, so that it can do no harm) or "bare".
    """

    code: str | None = None
    room: str = "ns"


@dataclasses.dataclass
class Cell:
    """A twin of the attack in a cell: what the wall lets by, or what shows that it is the wall."""

    code: str
    args: tuple = ()
    files: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Off:
    """The attack in a cell of the mutant build, with these layers left out."""

    layers: str
    code: str | None = None


@dataclasses.dataclass
class Own:
    """A control that the case's own check has done: its detail says how."""

    why: str


@dataclasses.dataclass
class Case:
    id: str
    title: str
    layers: str  # that stop it, the first one reached first
    code: str
    control: typing.Any
    expect: str = "."  # of what follows HELD
    outcome: str = "ok"
    syscall: str = ""  # where the outcome is `denied`
    args: tuple = ()
    files: dict = dataclasses.field(default_factory=dict)
    check: typing.Callable | None = None  # (lab, case, result) -> (bool, detail)
    without: str = ""  # second walls: layers left out for this case
    slow: bool = False
    landlock: int = 0  # the ABI from which this kernel's Landlock can do it
