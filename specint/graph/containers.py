"""What comes out of tuples, lists and dicts, and what Python's own functions make of them: from values to values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from specint.graph.value import (
    NOTHING,
    ClassValue,
    ConstantValue,
    ElementsOf,
    Instance,
    ModelObject,
    SequenceValue,
    TableValue,
    Unknown,
    Value,
    Values,
    changed,
    flat,
)


def union(sets: Iterable[Values]) -> Values:
    """All values of all sets."""
    found: set[Value] = set()
    for one in sets:
        found |= one
    return frozenset(found)


def elements(values: Values) -> Values:
    """What going through containers gives: any element, of a dict any key."""
    return union([_elements(value) for value in values])


def _elements(value: Value) -> Values:
    match value:
        case SequenceValue(items=items):
            return union(items)
        case TableValue(entries=entries):
            return union([key for key, _ in entries])
        case ElementsOf(elements=held):
            return held
        case ModelObject(role=role, path=(*before, last)) if last[-1] not in ")]…":
            return frozenset({ModelObject(role, (*before, f"{last}[]"))})
        case Unknown():
            return frozenset({value})
        case _:
            return NOTHING


def rounds(values: Values) -> tuple[Values, ...] | None:
    """What each round of a loop over containers gives, one after the other; None where that isn't written out."""
    if not values or not all(isinstance(value, (SequenceValue, TableValue)) for value in values):
        return None
    found: list[Values] = []
    for value in values:
        found += value.items if isinstance(value, SequenceValue) else _keys(value)
    return tuple(dict.fromkeys(found))


def _keys(value: Value) -> list[Values]:
    return [key for key, _ in value.entries] if isinstance(value, TableValue) else []


def item(values: Values, index: Values) -> Values:
    """What stands in containers at an index or under a key; anything in them where neither is a constant, or where no
    table has the key: what else was put into it isn't always known."""
    tables = [value for value in values if isinstance(value, TableValue)]
    lacking = {one for one in tables if not _has(one, index)} if len(tables) > 1 else set()
    return union([_item(value, index) for value in (values - lacking if len(lacking) < len(tables) else values)])


def _has(table: TableValue, index: Values) -> bool:
    """Whether something can stand under a key."""
    if not index or not all(isinstance(one, ConstantValue) for one in index):
        return True
    return any(_can_be(key, index) for key, _ in table.entries)


def _item(value: Value, index: Values) -> Values:
    constants = [one.value for one in index if isinstance(one, ConstantValue)]
    is_known = bool(constants) and len(constants) == len(index)
    match value:
        case SequenceValue(items=items) if is_known and all(type(one) is int for one in constants):
            return union([items[one] for one in constants if isinstance(one, int) and -len(items) <= one < len(items)])
        case SequenceValue(items=items):
            return union(items)
        case TableValue(entries=entries):
            held = [found for key, found in entries if not is_known or _can_be(key, index)]
            return union(held or [found for _, found in entries])
        case _:
            return _elements(value)


def _can_be(key: Values, index: Values) -> bool:
    return not key.isdisjoint(index) or not all(isinstance(one, ConstantValue) for one in key)


def sliced(values: Values) -> Values:
    """What a slice of containers is: a container of the same elements."""
    unknown = frozenset(value for value in values if isinstance(value, Unknown))
    held = elements(values - unknown)
    return unknown | ({ElementsOf(flat(held))} if held else NOTHING)


# -- functions ---------------------------------------------------------------------------------------------------------


def _same(args: list[Values], _: dict[str, Values]) -> Values:
    """`list`, `tuple`, ...: the elements in their order, of a dict its keys."""
    kept: set[Value] = set()
    for value in args[0] if args else ():
        kept.add(SequenceValue(tuple(_keys(value))) if isinstance(value, TableValue) else value)
    return frozenset(kept)


def _shuffled(args: list[Values], _: dict[str, Values]) -> Values:
    return sliced(args[0]) if args else NOTHING


def _kept(args: list[Values], _: dict[str, Values]) -> Values:
    """`filter(test, elements)`."""
    return sliced(args[1]) if len(args) > 1 else NOTHING


def _numbered(args: list[Values], _: dict[str, Values]) -> Values:
    each = rounds(args[0]) if args else None
    if each is None:
        return frozenset({ElementsOf(frozenset({SequenceValue((NOTHING, elements(args[0]) if args else NOTHING))}))})
    pairs = (SequenceValue((frozenset({ConstantValue(number)}), flat(one))) for number, one in enumerate(each))
    return frozenset({SequenceValue(tuple(frozenset({pair}) for pair in pairs))})


def _zipped(args: list[Values], _: dict[str, Values]) -> Values:
    each = [rounds(one) for one in args]
    if all(one is not None for one in each):
        rows = zip(*(one for one in each if one is not None), strict=False)
        return frozenset({SequenceValue(tuple(frozenset({SequenceValue(tuple(map(flat, row)))}) for row in rows))})
    return frozenset({ElementsOf(frozenset({SequenceValue(tuple(flat(elements(one)) for one in args))}))})


def _first(args: list[Values], _: dict[str, Values]) -> Values:
    return union([elements(args[0]), *args[1:]]) if args else NOTHING


def _class(args: list[Values], _: dict[str, Values]) -> Values:
    return frozenset(ClassValue(v.node) for v in args[0] if isinstance(v, Instance)) if len(args) == 1 else NOTHING


def _table(args: list[Values], keywords: dict[str, Values]) -> Values:
    """`dict(a=…)`, `dict(table, …)`."""
    of: list[tuple[Values | None, Values]] = [(None, args[0])] if args else []
    return frozenset({table([*of, *((frozenset({ConstantValue(key)}), found) for key, found in keywords.items())])})


def table(parts: Iterable[tuple[Values | None, Values]]) -> Value:
    """A dict of these keys and values; a key is None for a whole dict, or for rows of keys and values, that goes in."""
    entries: list[tuple[Values, Values]] = []
    loose: set[Value] = set()
    whole = True
    for key, found in parts:
        if key is not None:
            entries.append((key, flat(found)))
            continue
        whole = whole and bool(found)  # of what isn't followed anything may come
        for value in found:
            rows = value.entries if isinstance(value, TableValue) else _rows(value)
            if rows is None:
                loose |= _elements(value)
            else:
                entries += rows
    if loose or not whole:
        return ElementsOf(flat(union([frozenset(loose), *(found for _, found in entries)])))
    return TableValue(tuple(entries))


def _rows(value: Value) -> list[tuple[Values, Values]] | None:
    if not isinstance(value, SequenceValue):
        return None
    rows = [row.items for each in value.items for row in each if isinstance(row, SequenceValue)]
    return [(row[0], row[1]) for row in rows] if all(len(row) == 2 for row in rows) else None


BUILTINS: dict[str, Callable[[list[Values], dict[str, Values]], Values]] = {
    "list": _same,
    "tuple": _same,
    "iter": _same,
    "reversed": _shuffled,
    "sorted": _shuffled,
    "set": _shuffled,
    "frozenset": _shuffled,
    "filter": _kept,
    "enumerate": _numbered,
    "zip": _zipped,
    "next": _first,
    "type": _class,
    "dict": _table,
}
"""What the functions give back that Python itself has, by what they are handed."""


# -- methods of containers ---------------------------------------------------------------------------------------------


def method(name: str, of: Values, args: list[Values]) -> Values | None:
    """What a method of containers gives back; None where it is no method of any."""
    held = frozenset(one for one in of if isinstance(one, (ElementsOf, SequenceValue, TableValue)))
    found = METHODS.get(name) if held else None
    return found(held, args) if found is not None else None


def _got(of: Values, args: list[Values]) -> Values:
    if not args:
        return elements(of)
    # where a key isn't, nothing is got
    having = frozenset(one for one in of if not isinstance(one, TableValue) or _has(one, args[0]))
    return union([item(having, args[0]), *args[1:]])


def _pairs(of: Values, _: list[Values]) -> Values:
    tables = [value for value in of if isinstance(value, TableValue)]
    rows = [SequenceValue((key, flat(found))) for table in tables for key, found in table.entries]
    rest = elements(of - set(tables))
    known = frozenset({SequenceValue(tuple(frozenset({row}) for row in rows))}) if tables else NOTHING
    return known | (frozenset({ElementsOf(frozenset({SequenceValue((NOTHING, rest))}))}) if rest else NOTHING)


def _values(of: Values, _: list[Values]) -> Values:
    tables = [value for value in of if isinstance(value, TableValue)]
    return (of - set(tables)) | {SequenceValue(tuple(found for _, found in table.entries)) for table in tables}


def _key_row(of: Values, _: list[Values]) -> Values:
    return frozenset(SequenceValue(tuple(_keys(value))) for value in of if isinstance(value, TableValue))


METHODS: dict[str, Callable[[Values, list[Values]], Values]] = {
    "get": _got,
    "pop": _got,
    "setdefault": _got,
    "items": _pairs,
    "values": _values,
    "keys": _key_row,
    "copy": lambda of, _: of,
}


_PART = Unknown("which part of a model it is, its container doesn't tell", is_object=False)


def put_one_by_one(values: Values) -> Values:
    """Values as they are put into a container one by one: which parts of models are in it is lost."""
    return frozenset(
        changed(value, lambda one: _PART if isinstance(one, ModelObject) and one.path else one) for value in values
    )
