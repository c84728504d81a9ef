"""Conditions: the opposite of one, and several as one, as a reader would write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from specint.facts.model import Boolean, Compare, Constant, Expr, Name, Not, spell

_OPPOSITES = {"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}


def opposite(test: Expr) -> Expr:
    """What holds where a test doesn't: `a != b`, not `not (a == b)`."""
    match test:
        case Not(operand=operand):
            return operand
        case Boolean(op=op, values=values):
            return Boolean("and" if op == "or" else "or", tuple(map(opposite, values)))
        case Compare(operands=operands, ops=(op,)) if op in _OPPOSITES:
            return Compare(operands, (_OPPOSITES[op],))
        case _:
            return Not(test)


def truth(test: Expr, values: Mapping[str, Constant]) -> bool | None:
    """Whether a test holds where names have these values; None where that doesn't decide it."""
    match test:
        case Not(operand=operand):
            found = truth(operand, values)
            return None if found is None else not found
        case Boolean(op=op, values=parts):
            answers = [truth(part, values) for part in parts]
            if (op == "or") in answers:
                return op == "or"
            return None if None in answers else op == "and"
        case Compare(operands=(left, right), ops=(op,)) if op in _OPPOSITES and op not in ("in", "not in"):
            one, other = _value(left, values), _value(right, values)
            if one is None or other is None:
                return None
            same = one.value == other.value and type(one.value) is type(other.value)
            return same is (op in ("is", "=="))
        case _:
            known = _value(test, values)
            return None if known is None else bool(known.value)


def _value(expr: Expr, values: Mapping[str, Constant]) -> Constant | None:
    if isinstance(expr, Constant):
        return expr
    return values.get(expr.id) if isinstance(expr, Name) else None


def all_of(tests: Iterable[Expr]) -> Expr | None:
    """One test for all, without what another of them says already: beside `a == 1` there is no need for `a != 2`."""
    parts = {spell(part): part for test in tests for part in _parts(test)}
    equal = {found for part in parts.values() if (found := _against_constant(part, "==")) is not None}
    kept = [part for part in parts.values() if not _implied(part, equal)]
    return Boolean("and", tuple(kept)) if len(kept) > 1 else next(iter(kept), None)


def _parts(test: Expr) -> tuple[Expr, ...]:
    return test.values if isinstance(test, Boolean) and test.op == "and" else (test,)


def _implied(test: Expr, equal: set[tuple[str, Any]]) -> bool:
    unequal = _against_constant(test, "!=")
    return unequal is not None and any(of == unequal[0] and value != unequal[1] for of, value in equal)


def _against_constant(test: Expr, op: str) -> tuple[str, Any] | None:
    match test:
        case Compare(operands=(of, Constant(value=value)), ops=(found,)) if found == op:
            return spell(of), value
        case _:
            return None
