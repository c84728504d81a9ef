"""Where a value comes from that was kept under a name: what `self.has` holds was said when it was bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specint.contract.code import tail
from specint.contract.receivers import Receivers
from specint.contract.touches import Touch
from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.model import Expr
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.value import FunctionValue, Instance, ModelObject, Values


@dataclass(frozen=True)
class Making:
    """One line that can give a name its value: the value, the guard of the line, and tests within it."""

    value: Expr | None
    function: FunctionNode
    guard: int = -1
    tests: tuple[tuple[Expr, bool], ...] = ()

    def is_empty(self, *, of_none: bool) -> bool:
        """Whether the value is certainly false (or None)."""
        match self.value:
            case None:
                return True
            case facts.Constant(value=value):
                return value is None if of_none else not value
            case _:
                return False


class Kept:
    """Finds how kept answers about models came to be.

    Attributes:
        names: those under which such an answer can be met, generous, by names alone; nothing else is looked into.
    """

    def __init__(self, receivers: Receivers, asked: Iterable[Touch]) -> None:
        self.receivers = receivers
        self.evaluator = receivers.evaluator
        expressions = {(id(touch.function), touch.expr) for touch in asked}
        functions = {id(touch.function): touch.function for touch in asked}
        self.names = receivers.code.flow_names(
            name for function in functions.values() for name in _answers(function, expressions)
        )

    def makings(self, expr: Expr, function: FunctionNode) -> list[Making] | None:
        """Every line that gives an expression its value; None where there may be others."""
        found = self._makings(expr, function)
        return None if found is None else [one for making in found for one in _arms(making)]

    def is_object(self, making: Making) -> bool:
        """Whether a line gives an object of the tree's own or a model, and nothing else."""
        if making.value is None or isinstance(making.value, facts.Constant):
            return False
        return are_objects(self.evaluator.evaluate(making.value, self.receivers.frame(making.function)))

    def _makings(self, expr: Expr, function: FunctionNode) -> list[Making] | None:
        match expr:
            case facts.Name(id=name):
                return self._local(name, function)
            case facts.Attribute(name=name):
                nodes = self._nodes(expr, function)
                found = [self.attribute(node, name) for node in nodes]
                return [one for makings in found for one in makings or ()] if nodes and None not in found else None
            case facts.Call(func=func):
                callees = self.evaluator.evaluate(func, self.receivers.frame(function))
                functions = [value.node for value in callees if isinstance(value, FunctionValue)]
                return _returned(functions[0]) if len(functions) == len(callees) == 1 else None
            case _:
                return None

    def _local(self, name: str, function: FunctionNode) -> list[Making] | None:
        steps = function.binds.get(name)
        if name in function.lent:
            return None
        if steps is not None:
            return [_of_bind(step, function) for step in steps] if all(_is_plain(step) for step in steps) else None
        if any(param.name == name for param in function.facts.params):
            return self._argument(name, function)
        return self._local(name, function.outer) if function.outer is not None else None

    def _argument(self, name: str, function: FunctionNode) -> list[Making] | None:
        param = next(p for p in function.facts.params if p.name == name)
        if param.kind in ("*", "**"):
            return None
        found: list[Making] = []
        for caller in self.receivers.callers(function):
            bound = self.receivers.arguments(caller, function)
            value = bound.get(name, param.default)
            if value is None:
                return None
            if name in bound:
                found.append(Making(value, caller.function))
            else:
                found.append(Making(value, function))
        return found

    @staticmethod
    def is_own(expr: facts.Attribute, function: FunctionNode) -> bool:
        """Whether an attribute is read from a method's own object."""
        return function.own is not None and expr.base == facts.Name(function.own)

    def _nodes(self, expr: facts.Attribute, function: FunctionNode) -> list[ClassNode]:
        if function.owner is not None and self.is_own(expr, function):
            return [function.owner]
        base = expr.base
        values = self.evaluator.evaluate(base, self.receivers.frame(function))
        nodes = [value.node for value in values if isinstance(value, Instance)]
        return nodes if len(nodes) == len(values) else []

    def attribute(self, node: ClassNode, name: str) -> list[Making] | None:
        """Every line that gives an attribute of a class's objects its value; None where there may be others."""
        member = self.receivers.hierarchy.lookup(node, name)
        if member is not None and member.kind == "property" and member.function is not None:
            return _returned(member.function)
        bound = list(self.evaluator.self_binds(node, name))
        if self.evaluator.outside_binds is not None:
            outside = self.evaluator.outside_binds(node, name)
            bound += [(frame.function, step) for frame, step in outside if frame.function is not None]
        if not all(_is_plain(step) for _, step in bound):
            return None
        found = [_of_bind(step, method) for method, step in bound if step.how != "declare"]
        if member is not None and member.kind == "attribute" and member.value is not None:
            if not isinstance(member.value, facts.Constant):
                return None
            found += [Making(member.value, method) for method, _ in bound[:1]]
        return found


def are_objects(values: Values) -> bool:
    """Whether a value is an object of the tree's own or a model whatever way it came, never None."""
    return bool(values) and all(
        isinstance(value, Instance) or (isinstance(value, ModelObject) and not value.path) for value in values
    )


def _answers(function: FunctionNode, asked: set[tuple[int, Expr]]) -> Iterator[str]:
    """The names to which a function gives what it learned about a model: by the value, or by where it does so."""
    scope = function.facts.body

    def tells(expr: Expr | None) -> bool:
        return expr is not None and any((id(function), part) in asked for part in facts.walk(expr))

    knowing = {number for number, guard in enumerate(scope.guards) if tells(guard.test)}
    for step in scope.steps:
        if not isinstance(step, (facts.Bind, facts.Return)):
            continue
        if tells(step.value) or not knowing.isdisjoint(guards_around(scope, step.guard)):
            if isinstance(step, facts.Return):
                yield f"{function.name}()"
                yield function.name
            elif (name := tail(step.target)) is not None:
                yield name


def _is_plain(step: facts.Step) -> bool:
    if not isinstance(step, facts.Bind):
        return False
    return step.how in ("=", "declare") and isinstance(step.target, (facts.Name, facts.Attribute))


def _of_bind(step: facts.Step, function: FunctionNode) -> Making:
    assert isinstance(step, facts.Bind)
    return Making(step.value, function, step.guard)


def _returned(function: FunctionNode) -> list[Making] | None:
    if function.facts.is_generator:
        return None
    steps = (step for step in function.facts.body.steps if isinstance(step, facts.Return))
    return [Making(step.value, function, step.guard) for step in steps]


def _arms(making: Making) -> Iterator[Making]:
    """A choice is two lines in one."""
    match making.value:
        case facts.Choice(test=test, then=then, otherwise=otherwise):
            for arm, holds in ((then, True), (otherwise, False)):
                tests = (*making.tests, (test, holds))
                yield from _arms(Making(arm, making.function, making.guard, tests))
        case _:
            yield making
