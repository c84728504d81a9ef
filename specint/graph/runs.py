"""What `effects` answers with: the functions that run when a member is called, on what, their reads and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from specint.facts import model as facts
from specint.graph.project import ClassNode, FunctionNode

Path = tuple[str, ...]
"""The attributes that lead from one object to another."""


@dataclass(frozen=True)
class Held:
    """An object on the way from the one that is asked: its class, and the attributes that lead to it."""

    node: ClassNode
    path: Path = ()

    def leads_to(self, path: Path) -> bool:
        """Whether the object at a path is this one, or within it."""
        return path[: len(self.path)] == self.path


@dataclass(frozen=True, eq=False)
class Run:
    """One function that runs.

    Attributes:
        receiver: the object whose method it is, None for a function of a module.
        objects: what its parameters hold, as far as that is an object of the tree.
        carrying: the parameters in which what the caller handed to the first member arrives.
        locals: what its local names were found to hold.
    """

    function: FunctionNode
    receiver: Held | None
    objects: Mapping[str, tuple[Held, ...]] = field(default_factory=dict)
    carrying: frozenset[str] = frozenset()
    locals: dict[str, tuple[Held, ...]] = field(default_factory=dict)

    @property
    def own(self) -> str | None:
        """What the function calls its object (`self`)."""
        return self.function.receiver if self.receiver is not None else None

    def key(self) -> tuple[object, ...]:
        """What tells two runs of one function apart."""
        objects = tuple((name, held) for name, held in sorted(self.objects.items()) if held)
        return (id(self.function), self.receiver, objects, self.carrying)


@dataclass(frozen=True)
class Place:
    """A line of a function."""

    function: FunctionNode
    line: int

    @property
    def file(self) -> str:
        """The file that the function stands in."""
        return self.function.module.path


@dataclass(frozen=True)
class Write:
    """An attribute of some object gets a value.

    Attributes:
        target: as written, `self.model.layers`.
        holders: the objects it can be written on; empty where that isn't known.
        carries: the value, or which object is written, depends on what the caller handed over.
        value: None where the attribute's own content is changed (`append`).
    """

    attribute: str
    target: str
    holders: tuple[Held, ...]
    place: Place
    carries: bool
    value: facts.Expr | None

    @property
    def is_flag(self) -> bool:
        """Whether the value is written out: True, a number, None."""
        return isinstance(self.value, facts.Constant)


@dataclass(frozen=True)
class Read:
    """An attribute of `self` is read in a method. `guard` is the step's guard, for who asks under what."""

    attribute: str
    place: Place
    run: Run
    guard: int
    soft: bool
