"""What an expression can be, as data: the values of the abstract evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from specint.graph.project import ClassNode, FunctionNode

_NESTING = 3
"""Containers of containers are told apart to this depth."""


class ClassValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A class of the tree itself, not an object of it."""

    node: ClassNode


class Instance(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """An object of a class of the tree. `role`: whose side of speculative decoding it stands on, "" where that means
    nothing (see `specint.contract`)."""

    node: ClassNode
    role: str = ""


class ModelObject(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """The model that a runner keeps, which a contract is about, or a part of it.

    `path`: the steps from the model to the part: `lm_head`, `layers[]` for an element.
    """

    role: str
    path: tuple[str, ...] = ()


class FunctionValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A function, bound to `receiver` where it was reached through an object or class."""

    node: FunctionNode
    receiver: Value | None = None


class PartialValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A callable with arguments that it was given ahead of the call (`functools.partial`)."""

    callee: FunctionValue | ClassValue | PartialValue
    args: tuple[frozenset[Value], ...]
    keywords: tuple[tuple[str, frozenset[Value]], ...]


class ModuleValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A module of the tree."""

    name: str


class ConstantValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A literal."""

    value: str | int | float | bool | None


class SequenceValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A tuple or list of known length."""

    items: tuple[frozenset[Value], ...]


class TableValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A dict that is written out: what each key can be, with what stands under it."""

    entries: tuple[tuple[frozenset[Value], frozenset[Value]], ...]


class ElementsOf(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A container of any length whose elements are these."""

    elements: frozenset[Value]


class ExternalValue(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """Something from outside the tree: a class or function by name, or the result of calling it."""

    name: str
    called: bool = False


class Unknown(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """What can't be followed, and why. `is_object`: something says that it is an object, only not of which class."""

    reason: str
    is_object: bool = True


Value = (
    ClassValue
    | Instance
    | ModelObject
    | FunctionValue
    | PartialValue
    | ModuleValue
    | ConstantValue
    | SequenceValue
    | TableValue
    | ElementsOf
    | ExternalValue
    | Unknown
)
Values = frozenset[Value]
NOTHING: Values = frozenset()
EITHER: Values = frozenset({ConstantValue(True), ConstantValue(False)})
UNSETTLED = Unknown("it depends on itself, and what it is did not come to rest")


_CONTAINERS = (ElementsOf, SequenceValue, TableValue)


def flat(values: Values) -> Values:
    """Values as they go into a container: one that is nested deeply already is replaced by what it holds, and there is
    one container of any length at most.

    A list that a loop puts into itself would otherwise nest without end.
    """
    if not any(isinstance(value, _CONTAINERS) for value in values):
        return values
    found: set[Value] = set()
    for value in values:
        if _nesting(value) >= _NESTING:
            found.update(_leaves(value))
        else:
            found.add(value)
    return together(frozenset(found))


def together(values: Values) -> Values:
    """The same, with all containers of any length as one: so what grows by an element has grown, and isn't another."""
    held = [value for value in values if isinstance(value, ElementsOf)]
    if len(held) < 2:
        return values
    elements = flat(frozenset(one for value in held for one in value.elements))
    return (values - set(held)) | {ElementsOf(elements)}


def _inside(value: Value) -> Iterator[Value]:
    match value:
        case ElementsOf(elements=elements):
            yield from elements
        case SequenceValue(items=items):
            for item in items:
                yield from item
        case TableValue(entries=entries):
            for key, item in entries:
                yield from key
                yield from item
        case _:
            pass


def changed(value: Value, change: Callable[[Value], Value]) -> Value:
    """A value with everything in it changed, through containers."""

    def each(values: Values) -> Values:
        return frozenset(changed(one, change) for one in values)

    match value:
        case ElementsOf(elements=elements):
            return ElementsOf(each(elements))
        case SequenceValue(items=items):
            return SequenceValue(tuple(map(each, items)))
        case TableValue(entries=entries):
            return TableValue(tuple((key, each(item)) for key, item in entries))
        case _:
            return change(value)


def _nesting(value: Value) -> int:
    if not isinstance(value, _CONTAINERS):
        return 0
    return 1 + max((_nesting(one) for one in _inside(value)), default=0)


def _leaves(value: Value) -> Iterator[Value]:
    if not isinstance(value, _CONTAINERS):
        yield value
    for one in _inside(value):
        yield from _leaves(one)


def is_telling(value: Value) -> bool:
    """Whether a value leads anywhere: to a class, an object of the tree, or a container of such."""
    match value:
        case Instance() | ClassValue() | ModelObject() | FunctionValue() | PartialValue():
            return True
        case ElementsOf() | SequenceValue() | TableValue():
            return any(map(is_telling, _inside(value)))
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
