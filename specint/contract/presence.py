"""What the conditions around a line say about the members of a model object.

Conditions become clauses that all hold; a clause is a choice of literals, one of which holds. A literal says that a
model has or lacks a member, that a member is true or false, that a model is of some type, or nothing (`Open`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from specint.contract.conditions import Side
from specint.contract.reach import Reach
from specint.contract.touches import Touch
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import FunctionNode


@dataclass(frozen=True)
class Has:
    """A model of these roles has (or lacks) a member; `line` is where that is asked."""

    roles: frozenset[str]
    member: str
    positive: bool
    line: int = 0


@dataclass(frozen=True)
class Holds:
    """A member's value is true or false: the member is read to decide."""

    roles: frozenset[str]
    member: str
    positive: bool


@dataclass(frozen=True)
class IsA:
    """A model is (or is not) of a type."""

    roles: frozenset[str]
    positive: bool


@dataclass(frozen=True, eq=False)
class Open:
    """A condition on anything else. `about_model`: a model object occurs in it."""

    expr: Expr
    positive: bool
    about_model: bool = False


Literal = Has | Holds | IsA | Open
Clause = tuple[Literal, ...]

_WRAPPERS_DEPTH = 4
_COMBINATIONS = 64


class Presence:
    """Reads conditions, for the touches of one tree."""

    def __init__(self, reach: Reach, touches: list[Touch]) -> None:
        self.reach = reach
        # by value, not by identity: a test is written once in the source and kept with every guard that it makes
        self._touches: dict[tuple[int, Expr], Touch] = {(id(touch.function), touch.expr): touch for touch in touches}
        self._clauses: dict[tuple[int, int], tuple[Clause, ...]] = {}

    def around(self, touch: Touch) -> tuple[Clause, ...]:
        """All clauses on the way to a touch, within its function."""
        local = tuple(c for test, positive in touch.local for c in self.clauses(test, positive, touch.function))
        return local + self.on_the_way(touch.function, touch.step.guard)

    def on_the_way(self, function: FunctionNode, guard: int) -> tuple[Clause, ...]:
        """All clauses of a guard and those around it."""
        key = (id(function), guard)
        if key not in self._clauses:
            self._clauses[key] = tuple(
                clause
                for one in function.facts.body.guards_of(guard)
                if one.test is not None and one.kind != "loop"
                if one.left_by != "raise" or self.asks_model(one, function)
                for clause in self.clauses(one.test, one.positive, function)
            )
        return self._clauses[key]

    def asks_model(self, guard: facts.Guard, function: FunctionNode) -> bool:
        """Whether a guard's condition is about a model object; where a check on anything else raised, what follows is
        no less required."""
        if guard.test is None:
            return False
        return self._about_model(guard.test, function) or any(
            not isinstance(literal, Open)
            for clause in self.clauses(guard.test, guard.positive, function)
            for literal in clause
        )

    def clauses(self, expr: Expr, positive: bool, function: FunctionNode) -> tuple[Clause, ...]:
        """A condition in conjunctive form."""
        match expr:
            case facts.Not(operand=operand):
                return self.clauses(operand, not positive, function)
            case facts.Boolean(op=op, values=values):
                parts = [self.clauses(value, positive, function) for value in values]
                if (op == "and") is positive:
                    return tuple(clause for part in parts for clause in part)
                choices = [
                    part[0] if len(part) == 1 else (self._mixed(value, positive, part),)
                    for value, part in zip(values, parts, strict=True)
                ]
                return (tuple(literal for choice in choices for literal in choice),)
            case _:
                return ((self.atom(expr, positive, function),),)

    def _mixed(self, expr: Expr, positive: bool, clauses: tuple[Clause, ...]) -> Literal:
        """A conjunction within a disjunction: kept whole, by what in it is about a model."""
        about = any(not isinstance(literal, Open) or literal.about_model for c in clauses for literal in c)
        return Open(expr, positive, about)

    def atom(self, expr: Expr, positive: bool, function: FunctionNode, depth: int = 0) -> Literal:
        """What one condition that is neither `and`, `or` nor `not` says."""
        touch = self._touches.get((id(function), expr))
        if touch is not None:
            if touch.kind in ("probe", "get") and (positive or not _is_flag(expr)):
                return Has(touch.roles, touch.member, positive, touch.line)
            return Holds(touch.roles, touch.member, positive)
        match expr:
            case facts.Compare(operands=(left, facts.Constant(value=None)), ops=("is" | "==",)):
                return self._none(left, positive, function, depth)
            case facts.Compare(operands=(left, facts.Constant(value=None)), ops=("is not" | "!=",)):
                return self._none(left, not positive, function, depth)
            case facts.Call(func=facts.Name(id="callable" | "bool"), args=(one,)):
                return self.atom(one, positive, function, depth)
            case facts.Call(func=facts.Name(id="isinstance"), args=(one, _)):
                roles = self.reach.receivers.models(one, function, facts.Return(None, -1, 10**9))
                return IsA(frozenset(roles), positive) if roles else Open(expr, positive)
            case facts.Name(id=name) if depth < _WRAPPERS_DEPTH:
                values = [
                    step.value
                    for step in function.binds.get(name, ())
                    if isinstance(step, facts.Bind) and step.value is not None and isinstance(step.target, facts.Name)
                ]
                if len(values) == 1 and len(function.binds[name]) == 1:
                    return self.atom(values[0], positive, function, depth + 1)
            case facts.Call(args=(one, *_)) if depth < _WRAPPERS_DEPTH and not isinstance(one, facts.Starred):
                # a wrapper around a soft read (`unwrap(getattr(model, "x", None))`) gives None for None
                inner = self.atom(one, positive, function, depth + 1)
                if isinstance(inner, Has):
                    return inner
            case _:
                pass
        return Open(expr, positive, self._about_model(expr, function))

    def _none(self, left: Expr, is_none: bool, function: FunctionNode, depth: int) -> Literal:
        inner = self.atom(left, not is_none, function, depth)
        return inner if isinstance(inner, Has) else Open(left, not is_none, self._about_model(left, function))

    def _about_model(self, expr: Expr, function: FunctionNode) -> bool:
        return any((id(function), part) in self._touches for part in facts.walk(expr))

    # -- on one side -----------------------------------------------------------------------------------------------

    def settle(self, clauses: tuple[Clause, ...], function: FunctionNode, side: Side) -> list[Clause]:
        """The clauses that are left to decide once the algorithm is given."""
        left: list[Clause] = []
        for clause in clauses:
            rest: list[Literal] = []
            for literal in clause:
                truth = self._truth(literal, function, side)
                if truth is True:
                    break
                if truth is None:
                    rest.append(literal)
            else:
                if rest:
                    left.append(tuple(rest))
        return left

    def _truth(self, literal: Literal, function: FunctionNode, side: Side) -> bool | None:
        if not isinstance(literal, Open):
            return None
        truth = self.reach.conditions.truth(literal.expr, function, facts.Return(None, -1, 10**9), side)
        return None if truth is None else truth is literal.positive

    def decides(self, literal: Literal, function: FunctionNode) -> bool:
        """Whether an open condition hangs on the algorithm, not on a setting."""
        return isinstance(literal, Open) and self.reach.conditions.decides(literal.expr, function)

    @staticmethod
    def lacks(clauses: list[Clause], roles: frozenset[str]) -> list[tuple[Has, ...]]:
        """The smallest sets of members whose absence makes all clauses hold, in the order in which they are asked.

        A clause that can hold for another reason is taken to hold: what is left is what a caller insists on.
        """
        if not any(_absent(literal, roles) for clause in clauses for literal in clause):
            return []
        choices = [[literal for literal in clause if _counts(literal, roles)] or list(clause) for clause in clauses]
        found: list[tuple[Has, ...]] = []
        for count, combination in enumerate(product(*reversed(choices))):
            if count >= _COMBINATIONS:
                break
            members = tuple(one for one in combination if isinstance(one, Has) and _absent(one, roles))
            if members and members not in found:
                found.append(members)
        return found


def _is_flag(expr: Expr) -> bool:
    """Whether a getattr has a truth value as its default: then false doesn't mean that the member is absent."""
    match expr:
        case facts.Call(func=facts.Name(id="getattr"), args=(_, _, facts.Constant(value=bool()))):
            return True
        case _:
            return False


def _absent(literal: Literal, roles: frozenset[str]) -> bool:
    return isinstance(literal, Has) and not literal.positive and bool(literal.roles & roles)


def _counts(literal: Literal, roles: frozenset[str]) -> bool:
    return _absent(literal, roles)
