"""What the conditions around a line say about the members of a model object.

Conditions become clauses that all hold; a clause is a choice of literals, one of which holds. A literal says that a
model has or lacks a member, that a member is true or false, that a model is of some type, or nothing (`Open`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby, product

import msgspec

from specint.contract.code import Occurrence, tail
from specint.contract.conditions import Side
from specint.contract.kept import Kept, Making, are_objects
from specint.contract.model import Site
from specint.contract.reach import Reach
from specint.contract.touches import Touch
from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import FunctionNode
from specint.graph.value import Values


class Has(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A model of these roles has (or lacks) a member; `place` is where that is asked."""

    roles: frozenset[str]
    member: str
    positive: bool
    place: Site | None = None


class Holds(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A member's value is true or false: the member is read to decide."""

    roles: frozenset[str]
    member: str
    positive: bool


class IsA(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A model is (or is not) of a type."""

    roles: frozenset[str]
    positive: bool


class Open(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A condition on anything else, in the function that asks it.

    Attributes:
        about_model: a model object occurs in it.
        of_none: it asks whether the expression is None, not whether it is true.
    """

    expr: Expr
    positive: bool
    function: FunctionNode
    about_model: bool = False
    of_none: bool = False


class Takes(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """A member of a model has (or lacks) a parameter: somebody looked at its signature."""

    roles: frozenset[str]
    member: str
    parameter: str
    positive: bool


Literal = Has | Holds | IsA | Takes | Open
Clause = tuple[Literal, ...]
Handed = Callable[[Open], bool | None]
"""What one caller's arguments say about a condition on a parameter."""

_KEPT_HOPS = 4
_WRAPPERS_DEPTH = 4
_COMBINATIONS = 64


class Presence:
    """Reads conditions, for the touches of one tree."""

    def __init__(self, reach: Reach, touches: list[Touch]) -> None:
        self.reach = reach
        # by value, not by identity: a test is written once in the source and kept with every guard that it makes
        self._touches: dict[tuple[int, Expr], Touch] = {(id(touch.function), touch.expr): touch for touch in touches}
        self._clauses: dict[tuple[int, int], tuple[Clause, ...]] = {}
        self._hops = 0
        self._there: dict[tuple[Expr, int, str], bool] = {}
        self.code = reach.receivers.code
        self.kept = Kept(
            reach.receivers,
            [
                touch
                for touch in touches
                if touch.kind in ("probe", "get")
                or (touch.kind == "read" and self.code.looks_at_signature(touch.function))
            ],
        )

    def around(self, touch: Touch | Occurrence) -> tuple[Clause, ...]:
        """All clauses on the way to a touch, within its function."""
        local = tuple(c for test, positive in touch.local for c in self.clauses(test, positive, touch.function))
        return local + self.on_the_way(touch.function, touch.step.guard)

    def on_the_way(self, function: FunctionNode, guard: int) -> tuple[Clause, ...]:
        """All clauses of a guard and those around it."""
        key = (id(function), guard)
        if (known := self._clauses.get(key)) is not None:
            return known
        found = tuple(
            clause
            for one in function.facts.body.guards_of(guard)
            # where a check raised, what follows is no less required
            if one.test is not None and one.kind != "loop" and one.left_by != "raise"
            for clause in self.clauses(one.test, one.positive, function)
        )
        if not self._hops:  # on the way through kept values it may have ended early
            self._clauses[key] = found
        return found

    def asks_model(self, guard: facts.Guard, function: FunctionNode) -> bool:
        """Whether a guard's condition is about a model object."""
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
                    part[0] if len(part) == 1 else (self._mixed(value, positive, part, function),)
                    for value, part in zip(values, parts, strict=True)
                ]
                return (tuple(literal for choice in choices for literal in choice),)
            case facts.Call(func=facts.Name(id="callable" | "bool"), args=(one,)):
                return self.clauses(one, positive, function)
            case facts.Walrus(value=value):
                return self.clauses(value, positive, function)
            case facts.Compare(operands=(left, facts.Constant(value=None)), ops=("is" | "==" | "is not" | "!=" as op,)):
                kept = self._of_kept(left, (op in ("is not", "!=")) is positive, function, of_none=True)
            case _ if (takes := self._looked_up(expr, positive, function)) is not None:
                return ((takes,),)
            case _:
                kept = self._of_kept(expr, positive, function, of_none=False)
        return kept or ((self.atom(expr, positive, function),),)

    def _looked_up(self, expr: Expr, positive: bool, function: FunctionNode) -> Takes | None:
        """What a look at a signature says: `"x" in inspect.signature(model.forward).parameters`."""
        match expr:
            case facts.Compare(operands=(facts.Constant(value=str(name)), among), ops=("in" | "not in" as op,)):
                touch = self._signature(among, function, _WRAPPERS_DEPTH)
                return Takes(touch.roles, touch.asked, name, (op == "in") is positive) if touch is not None else None
            case facts.Call(args=(*_, facts.Constant(value=str(name)))) if isinstance(expr, facts.Call):
                for callee in self.reach.receivers.callees(expr, function):
                    touch = self._signature(expr, function, 0) if self.code.looks_at_signature(callee) else None
                    if touch is not None:
                        return Takes(touch.roles, touch.asked, name, positive)
                return None
            case _:
                return None

    def _signature(self, expr: Expr, function: FunctionNode, hops: int) -> Touch | None:
        """The member of a model whose signature an expression is made of."""
        for part in facts.walk(expr):
            match part:
                case facts.Call(args=args):
                    read = (self._touches.get((id(function), arg)) for arg in args)
                    touch = next((one for one in read if one is not None and one.kind == "read"), None)
                    if touch is not None:
                        return touch
                case facts.Name() | facts.Attribute() if hops and tail(part) in self.kept.names:
                    makings = self.kept.makings(part, function) or []
                    if len(makings) == 1 and makings[0].value is not None:
                        touch = self._signature(makings[0].value, makings[0].function, hops - 1)
                        if touch is not None:
                            return touch
                case _:
                    pass
        return None

    def _of_kept(
        self, expr: Expr, positive: bool, function: FunctionNode, *, of_none: bool
    ) -> tuple[Clause, ...] | None:
        """What the value of a name, attribute or call tells about a model, by how it came to be: `self.has` is true
        where the one line that can make it true ran. None where that tells nothing about a model."""
        known = (id(function), expr) in self._touches
        if self._hops >= _KEPT_HOPS or known or tail(expr) not in self.kept.names:
            return None
        makings = self.kept.makings(expr, function)
        making = [one for one in makings or () if not one.is_empty(of_none=of_none)]
        if makings is None or len(making) != 1:
            return None
        self._hops += 1
        try:
            return self._made(making[0], positive, only=len(makings) == 1, of_none=of_none)
        finally:
            self._hops -= 1

    def _made(self, one: Making, positive: bool, *, only: bool, of_none: bool) -> tuple[Clause, ...] | None:
        """What a value's truth says, `only`: no other line gives it, so it is false by itself alone."""
        tests = (clause for test, holds in one.tests for clause in self.clauses(test, holds, one.function))
        under = (*tests, *self.on_the_way(one.function, one.guard))
        value: tuple[Clause, ...] = ()
        if one.value is not None and not isinstance(one.value, facts.Constant):
            tested = facts.Compare((one.value, facts.Constant(None)), ("is not",)) if of_none else one.value
            value = self.clauses(tested, positive, one.function)
        if all(isinstance(literal, Open) for clause in under + value for literal in clause):
            return None
        if positive:
            return under + value
        if only and not one.tests:
            return value
        if any(len(clause) > 1 for clause in under) or len(value) > 1:
            return None
        denied = tuple(
            msgspec.structs.replace(literal, positive=not literal.positive) for clause in under for literal in clause
        )
        return (denied + (value[0] if value else ()),)

    def _mixed(self, expr: Expr, positive: bool, clauses: tuple[Clause, ...], function: FunctionNode) -> Literal:
        """A conjunction within a disjunction: kept whole, by what in it is about a model."""
        about = any(not isinstance(literal, Open) or literal.about_model for c in clauses for literal in c)
        return Open(expr, positive, function, about)

    def atom(self, expr: Expr, positive: bool, function: FunctionNode, depth: int = 0) -> Literal:
        """What one condition that is neither `and`, `or` nor `not` says."""
        touch = self._touches.get((id(function), expr))
        if touch is not None:
            if touch.kind in ("probe", "get") and (positive or not _is_flag(expr)):
                return Has(touch.roles, touch.asked, positive, site_of(function, touch.line))
            return Holds(touch.roles, touch.asked, positive)
        match expr:
            case facts.Compare(operands=(left, facts.Constant(value=None)), ops=("is" | "==",)):
                return self._none(left, positive, function, depth)
            case facts.Compare(operands=(left, facts.Constant(value=None)), ops=("is not" | "!=",)):
                return self._none(left, not positive, function, depth)
            case facts.Call(func=facts.Name(id="callable" | "bool"), args=(one,)):
                return self.atom(one, positive, function, depth)
            case facts.Call(func=facts.Name(id="isinstance"), args=(one, _)):
                parts = self.reach.receivers.parts(one, function, facts.END)
                roles = frozenset(role for found in parts.values() for role in found)
                return IsA(roles, positive) if roles else Open(expr, positive, function)
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
        return Open(expr, positive, function, self._about_model(expr, function))

    def _none(self, left: Expr, is_none: bool, function: FunctionNode, depth: int) -> Literal:
        inner = self.atom(left, not is_none, function, depth)
        if isinstance(inner, Has):
            return inner
        return Open(left, not is_none, function, self._about_model(left, function), of_none=True)

    def _about_model(self, expr: Expr, function: FunctionNode) -> bool:
        return any((id(function), part) in self._touches for part in facts.walk(expr))

    def inner_of(self, touch: Touch) -> Touch | None:
        """The touch of the member that is touched in place of the model itself where the model has it."""
        return self._inner_of(touch.receiver, touch.function, _WRAPPERS_DEPTH)

    def _inner_of(self, receiver: Expr, function: FunctionNode, hops: int) -> Touch | None:
        if (found := self._touches.get((id(function), receiver))) is not None:
            return found if found.kind == "get" else None
        makings = self.kept.makings(receiver, function) or []
        for one in makings if hops else ():
            value = one.value.values[0] if isinstance(one.value, facts.Boolean) and one.value.op == "or" else one.value
            found = self._touches.get((id(one.function), value)) if value is not None else None
            if found is not None and (len(makings) > 1 or found.kind == "get" or value is not one.value):
                return found
            if found is None and isinstance(value, (facts.Name, facts.Attribute)):
                inner = self._inner_of(value, one.function, hops - 1)
                if inner is not None:
                    return inner
        return None

    # -- on one side -----------------------------------------------------------------------------------------------

    def settle(self, clauses: Iterable[Clause], side: Side, handed: Handed | None = None) -> list[Clause]:
        """The clauses that are left to decide once the algorithm is given, and what a caller hands over."""
        left: list[Clause] = []
        for clause in clauses:
            rest: list[Literal] = []
            for literal in clause:
                truth = self._truth(literal, side, handed)
                if truth is True:
                    break
                if truth is None:
                    rest.append(literal)
            else:
                if rest:
                    left.append(tuple(rest))
        return left

    def _truth(self, literal: Literal, side: Side, handed: Handed | None) -> bool | None:
        if not isinstance(literal, Open):
            return None
        truth = self.reach.conditions.truth(literal.expr, literal.function, facts.END, side)
        if truth is None and handed is not None:
            truth = handed(literal)
        if truth is None and self._is_there(literal, side):
            truth = True
        return None if truth is None else truth is literal.positive

    def _is_there(self, literal: Open, side: Side) -> bool:
        """Whether what a condition asks for is an object wherever the algorithm's workers bind it, never None."""
        expr, function = literal.expr, literal.function
        if not isinstance(expr, (facts.Name, facts.Attribute)):
            return False
        key = (expr, id(function), side.algorithm)
        if key not in self._there:
            self._there[key] = self._find_there(expr, function, side.algorithm)
        return self._there[key]

    def _find_there(self, expr: facts.Name | facts.Attribute, function: FunctionNode, algorithm: str) -> bool:
        if found := self.of_heirs(expr, function, algorithm):
            return all(map(are_objects, found))
        makings = self.kept.makings(expr, function)
        return bool(makings) and all(self.kept.is_object(one) for one in makings or ())

    def of_heirs(self, expr: Expr, function: FunctionNode, algorithm: str) -> list[Values]:
        """What an attribute of a method's own object can be, for each of the algorithm's workers that inherits it."""
        if not isinstance(expr, facts.Attribute) or function.owner is None or not self.kept.is_own(expr, function):
            return []
        workers, receivers = self.reach.workers.serving(algorithm), self.reach.receivers
        heirs = [one for one in workers if receivers.hierarchy.is_subclass(one, function.owner)]
        evaluator = receivers.evaluator
        return [evaluator.attribute(evaluator.instance(one), expr.name) for one in heirs]

    def decides(self, literal: Literal) -> bool:
        """Whether an open condition hangs on the algorithm, not on a setting."""
        return isinstance(literal, Open) and self.reach.conditions.decides(literal.expr, literal.function)

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
            members = tuple(
                has
                for _, same in groupby(combination, key=lambda one: one.place if isinstance(one, Has) else None)
                for has in reversed(tuple(same))  # the clauses of one line, as they stand there
                if isinstance(has, Has) and _absent(has, roles)
            )
            if members and members not in found:
                found.append(members)
        return found


def site_of(function: FunctionNode, line: int) -> Site:
    """A line of a function, as data."""
    return Site(function.module.path, line, function.facts.qualname)


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
