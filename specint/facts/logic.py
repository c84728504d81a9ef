"""Conditions: the opposite of one, and several as one, as a reader would write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from specint.facts.model import Boolean, Compare, Constant, Expr, Not, spell

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
