"""What an expression can be, as data: the values of the abstract evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.graph.project import ClassNode, FunctionNode

_NESTING = 3
"""So deep are containers of containers told apart."""


@dataclass(frozen=True)
class ClassValue:
    """A class of the tree itself, not an object of it."""

    node: ClassNode


@dataclass(frozen=True)
class Instance:
    """An object of a class of the tree. `role`: whose side of speculative decoding it stands on, "" where that means
    nothing (see `specint.contract`)."""

    node: ClassNode
    role: str = ""


@dataclass(frozen=True)
class ModelObject:
    """The model that a runner keeps; what a contract is about."""

    role: str


@dataclass(frozen=True)
class FunctionValue:
    """A function, bound to `receiver` where it was reached through an object or class."""

    node: FunctionNode
    receiver: Value | None = None


@dataclass(frozen=True)
class PartialValue:
    """A callable with arguments that it was given ahead of the call (`functools.partial`)."""

    callee: FunctionValue | ClassValue | PartialValue
    args: tuple[frozenset[Value], ...]
    keywords: tuple[tuple[str, frozenset[Value]], ...]


@dataclass(frozen=True)
class ModuleValue:
    """A module of the tree."""

    name: str


@dataclass(frozen=True)
class ConstantValue:
    """A literal."""

    value: str | int | float | bool | None


@dataclass(frozen=True)
class SequenceValue:
    """A tuple or list of known length."""

    items: tuple[frozenset[Value], ...]


@dataclass(frozen=True)
class ElementsOf:
    """A container of any length whose elements are these."""

    elements: frozenset[Value]


@dataclass(frozen=True)
class ExternalValue:
    """Something from outside the tree: a class or function by name, or the result of calling it."""

    name: str
    called: bool = False


@dataclass(frozen=True)
class Unknown:
    """What can't be followed, and why."""

    reason: str


Value = (
    ClassValue
    | Instance
    | ModelObject
    | FunctionValue
    | PartialValue
    | ModuleValue
    | ConstantValue
    | SequenceValue
    | ElementsOf
    | ExternalValue
    | Unknown
)
Values = frozenset[Value]
NOTHING: Values = frozenset()


def flat(values: Values) -> Values:
    """Values as they go into a container: one that is nested deeply already is replaced by what it holds.

    A list that a loop puts into itself would otherwise nest without end.
    """
    if not any(isinstance(value, (ElementsOf, SequenceValue)) for value in values):
        return values
    found: set[Value] = set()
    for value in values:
        if _nesting(value) >= _NESTING:
            found.update(_leaves(value))
        else:
            found.add(value)
    return frozenset(found)


def _inside(value: Value) -> Iterator[Value]:
    match value:
        case ElementsOf(elements=elements):
            yield from elements
        case SequenceValue(items=items):
            for item in items:
                yield from item
        case _:
            pass


def _nesting(value: Value) -> int:
    if not isinstance(value, (ElementsOf, SequenceValue)):
        return 0
    return 1 + max((_nesting(one) for one in _inside(value)), default=0)


def _leaves(value: Value) -> Iterator[Value]:
    if not isinstance(value, (ElementsOf, SequenceValue)):
        yield value
    for one in _inside(value):
        yield from _leaves(one)


def is_telling(value: Value) -> bool:
    """Whether a value leads anywhere: to a class, an object of the tree, or a container of such."""
    match value:
        case Instance() | ClassValue() | ModelObject() | FunctionValue() | PartialValue():
            return True
        case ElementsOf(elements=elements):
            return any(map(is_telling, elements))
        case SequenceValue(items=items):
            return any(is_telling(one) for item in items for one in item)
        case _:
            return False


def completed(value: Value) -> Value:
    """What calling a value runs: of partials, the callable within."""
    while isinstance(value, PartialValue):
        value = value.callee
    return value


def handed_ahead(value: Value) -> int:
    """How many positional arguments a value was handed before it is called."""
    count = 0
    while isinstance(value, PartialValue):
        count += len(value.args)
        value = value.callee
    return count
