"""What functions of Python's standard library give back, by their dotted names: from values to values."""

from __future__ import annotations

from collections.abc import Callable

from specint.graph.containers import BUILTINS, elements, table, union
from specint.graph.value import NOTHING, ConstantValue, ElementsOf, Values, flat

Result = Callable[[list[Values], dict[str, Values]], Values]


def _the_same(args: list[Values], _: dict[str, Values]) -> Values:
    return args[0] if args else NOTHING


def _chained(args: list[Values], _: dict[str, Values]) -> Values:
    held = union([elements(one) for one in args])
    return frozenset({ElementsOf(flat(held))}) if held else NOTHING


def _namespace(_: list[Values], keywords: dict[str, Values]) -> Values:
    """An object of the attributes that it is given: what a dict is for its keys."""
    return frozenset({table((frozenset({ConstantValue(name)}), held) for name, held in keywords.items())})


RESULTS: dict[str, Result] = {
    "types.SimpleNamespace": _namespace,
    "contextlib.nullcontext": _the_same,
    "contextlib.closing": _the_same,
    "weakref.proxy": _the_same,
    "copy.copy": _the_same,
    "copy.deepcopy": _the_same,
    "copy.replace": _the_same,
    "dataclasses.replace": _the_same,
    "collections.deque": BUILTINS["list"],
    "collections.OrderedDict": BUILTINS["dict"],
    "itertools.chain": _chained,
    "itertools.cycle": _chained,
    "itertools.zip_longest": BUILTINS["zip"],
}
