"""What a test says where some of the names in it have known values; all else in it stays open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from specint.facts import model as facts
from specint.facts.model import Expr

Known = Mapping[str, object]
"""Values by the last name that they are read under: `cfg.pp_size` and `pp_size` are one."""

_UNKNOWN: Final = object()
_TEXT_METHODS: dict[str, Callable[[str], str]] = {"upper": str.upper, "lower": str.lower, "strip": str.strip}


def truth_where(known: Known, test: Expr) -> bool | None:
    """The truth of a test where some names have known values, None where it is open."""
    value = _value(test, known)
    return None if value is _UNKNOWN else bool(value)


def _value(expr: Expr, known: Known) -> object:
    match expr:
        case facts.Constant(value=value):
            return value
        case facts.Attribute(name=name) | facts.Name(id=name):
            return known.get(name, _UNKNOWN)
        case facts.Call(func=facts.Name(id="getattr"), args=(_, facts.Constant(value=str(name)), *_)):
            return known.get(name, _UNKNOWN)
        case facts.Call(func=facts.Name(id="bool" | "int"), args=(one,)):
            return _value(one, known)
        case facts.Call(func=facts.Attribute(base=base, name=name), args=()) if name in _TEXT_METHODS:
            text = _value(base, known)
            return _TEXT_METHODS[name](text) if isinstance(text, str) else _UNKNOWN
        case facts.Not(operand=operand):
            inner = _value(operand, known)
            return inner if inner is _UNKNOWN else not inner
        case facts.Boolean(op=op, values=values):
            return _boolean(op == "or", [_value(one, known) for one in values])
        case facts.Compare(operands=(left, right), ops=(op,)):
            return _compared(left, op, right, known)
        case _:
            return _UNKNOWN


def _boolean(decisive: bool, values: list[object]) -> object:
    if any(one is not _UNKNOWN and bool(one) is decisive for one in values):
        return decisive
    return _UNKNOWN if _UNKNOWN in values else not decisive


def _compared(left: Expr, op: str, right: Expr, known: Known) -> object:
    if isinstance(right, facts.Display):
        if isinstance(left, facts.Display) and op in ("==", "!="):
            return _same_rows(left, right, op == "==", known)
        if op in ("in", "not in"):
            one, among = _value(left, known), [_value(item, known) for item in right.items]
            if one is _UNKNOWN or (one not in among and _UNKNOWN in among):
                return _UNKNOWN
            return (one in among) is (op == "in")
    one, other = _value(left, known), _value(right, known)
    if one is _UNKNOWN or other is _UNKNOWN:
        return _UNKNOWN
    if op in ("==", "is", "!=", "is not"):
        return (one == other and isinstance(one, bool) is isinstance(other, bool)) is (op in ("==", "is"))
    if isinstance(one, int) and isinstance(other, int):
        return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}.get(op, _UNKNOWN)
    return _UNKNOWN


def _same_rows(left: facts.Display, right: facts.Display, positive: bool, known: Known) -> object:
    if len(left.items) != len(right.items):
        return not positive
    pairs = [(_value(a, known), _value(b, known)) for a, b in zip(left.items, right.items, strict=True)]
    if any(_UNKNOWN not in pair and pair[0] != pair[1] for pair in pairs):
        return not positive
    return _UNKNOWN if any(_UNKNOWN in pair for pair in pairs) else positive
