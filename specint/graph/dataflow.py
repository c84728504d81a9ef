"""What a method body reaches for: each attribute chain followed through the composition, and where it breaks.

Nothing is concluded from what can't be followed. A reach that the body itself looks at first (hasattr, a default, a
comparison with None, a handler for AttributeError) does not break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.logic import opposite
from specint.facts.model import Expr
from specint.graph.attributes import UNKNOWN, Arm, Attributes
from specint.graph.opening import is_open
from specint.graph.project import ClassNode, FunctionNode

_CATCHES = frozenset({"", "AttributeError", "Exception", "BaseException"})
_HOPS = 5


@dataclass(frozen=True, eq=False)
class Place:
    """Where an expression stands: in a function that runs for an object of `node`."""

    node: ClassNode
    function: FunctionNode
    step: facts.Step


@dataclass(frozen=True, eq=False)
class Reach:
    """One attribute of one body: `expr` and the tests, inside its statement, under which it is looked up."""

    expr: facts.Attribute
    step: facts.Step
    tests: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Break:
    """A reach that fails.

    Attributes:
        node: whose method it is in `function`, at `line`; `reach` is what it reads there.
        chain: what is reached for, as written; `name` is the part that isn't there.
        arm: what the chain up to there is ("object" of a class without `name`, "none", "unset").
        others: what else it can be; empty where it always breaks.
        through: the calls on the way, as (function, line) of each.
    """

    node: ClassNode
    reach: Reach
    function: FunctionNode
    line: int
    chain: str
    name: str
    arm: Arm
    others: tuple[Arm, ...]
    through: tuple[tuple[FunctionNode, int], ...] = ()

    @property
    def always(self) -> bool:
        """Whether it breaks whatever the configuration."""
        return not self.others


class DataFlow:
    """Follows chains through the objects that a model keeps.

    Args:
        written: attributes that code outside of the models puts on them.
    """

    def __init__(self, attributes: Attributes, written: frozenset[str] = frozenset()) -> None:
        self.attributes = attributes
        self.hierarchy = attributes.hierarchy
        self.written = written
        self._breaks: dict[tuple[str, int], tuple[Break, ...]] = {}
        self._handed: dict[int, frozenset[str]] = {}

    # -- what an expression is -------------------------------------------------------------------------------------

    def arms(self, expr: Expr | None, place: Place, hops: int = _HOPS) -> tuple[Arm, ...]:
        """Everything an expression can be; one arm is `UNKNOWN` where there may be more."""
        if hops < 0:
            return (UNKNOWN,)
        match expr:
            case facts.Name(id=name):
                return self._name(name, place, hops)
            case facts.Attribute(base=base, name=name):
                return self.of(self.arms(base, place, hops), name, hops)
            case facts.Call(func=facts.Attribute() as func):
                found: list[Arm] = []
                for arm in self.arms(func, place, hops):
                    method = arm.member if arm.kind == "member" else None
                    if arm.node is None or method is None or method.kind != "method" or method.function is None:
                        return (UNKNOWN,)
                    found += self._returned(arm, method.function, hops)
                return tuple(found) or (UNKNOWN,)
            case facts.Choice(test=test, then=then, otherwise=otherwise):
                holds, fails = facts.spell(test), facts.spell(opposite(test))
                yes, no = self.arms(then, place, hops), self.arms(otherwise, place, hops)
                return (*(a.under(holds) for a in yes), *(a.under(fails) for a in no))
            case facts.Walrus(value=value):
                return self.arms(value, place, hops)
            case facts.Constant(value=None):
                return (Arm("none", file=place.node.file, line=place.step.line),)
            case _:
                return (UNKNOWN,)

    def _name(self, name: str, place: Place, hops: int) -> tuple[Arm, ...]:
        function = place.function
        steps = function.binds.get(name, ())
        if function.own == name and not steps:
            return (Arm("object", place.node),)
        if any(param.name == name for param in function.facts.params) or len(steps) != 1:
            return (UNKNOWN,)
        (step,) = steps
        if isinstance(step, facts.Bind) and step.how == "=" and step.target == facts.Name(name):
            return self.arms(step.value, replace(place, step=step), hops - 1)
        return (UNKNOWN,)

    def of(self, bases: tuple[Arm, ...], name: str, hops: int = _HOPS) -> tuple[Arm, ...]:
        """An attribute of whatever an expression is; ways on which it breaks lead nowhere."""
        found: list[Arm] = []
        for base in bases:
            if base.kind == "object" and base.node is not None:
                for arm in self.attributes.arms(base.node, name):
                    if arm.kind == "member" and arm.member is not None and arm.member.kind == "property":
                        assert arm.member.function is not None
                        found += (a.under(base.condition) for a in self._returned(arm, arm.member.function, hops))
                    else:
                        found.append(arm.under(base.condition))
            elif base.kind in ("unknown", "member"):
                found.append(UNKNOWN)
        return tuple(found) or (UNKNOWN,)

    def _returned(self, arm: Arm, function: FunctionNode, hops: int) -> tuple[Arm, ...]:
        returns = list(function.facts.returned())
        if arm.node is None or function.facts.is_generator or len(returns) != 1 or returns[0].guard != -1:
            return (UNKNOWN,)
        return self.arms(returns[0].value, Place(arm.node, function, returns[0]), hops - 1)

    # -- where it breaks -------------------------------------------------------------------------------------------

    def breaks(
        self, node: ClassNode, function: FunctionNode, skip: Callable[[ClassNode, FunctionNode], bool] | None = None
    ) -> tuple[Break, ...]:
        """Every reach of a method (and of the methods it calls) that fails for an object of `node`.

        Args:
            skip: methods that a call is not followed into, as they are looked at for themselves.
        """
        key = (node.key, id(function))
        if key not in self._breaks:
            found: list[Break] = []
            self._collect(node, function, (), found, skip or (lambda *_: False), set())
            self._breaks[key] = tuple(found)
        return self._breaks[key]

    def _collect(
        self,
        node: ClassNode,
        function: FunctionNode,
        through: tuple[tuple[FunctionNode, int], ...],
        found: list[Break],
        skip: Callable[[ClassNode, FunctionNode], bool],
        seen: set[tuple[str, int]],
    ) -> None:
        if (node.key, id(function)) in seen or len(through) > _HOPS:
            return
        seen.add((node.key, id(function)))
        for reach in reaches(function):
            if is_caught(function, reach.step.guard):
                continue
            place = Place(node, function, reach.step)
            name = reach.expr.name
            asked = self._asks_caller(reach, function)
            if asked and through:
                continue  # what this caller hands over isn't followed, so nothing says that it comes to this
            for at, step in self._followed(reach, place) if not asked else ():
                called = at.member.function if at.member is not None else None
                if (
                    at.member is not None
                    and at.member.kind == "property"
                    and is_looked_at(reach, function, partial=False)
                ):
                    continue  # what fails in a property, `hasattr` says of the property
                if at.member is not None and self._is_answered(at):
                    continue
                if called is not None and at.node is not None and not skip(at.node, called):
                    self._collect(at.node, called, (*through, (function, step)), found, skip, seen)
            bases = self.arms(reach.expr.base, place)
            broken = [arm for arm in bases if self._is_broken(arm, name, node, function)]
            others = tuple(arm for arm in bases if arm not in broken)
            absent = [arm for arm in broken if arm.kind == "object"]
            if absent and not is_looked_at(reach, function, partial=bool(others)):
                found += (self._break(node, reach, function, arm, others, through) for arm in absent)
            elif broken and others and not is_looked_at(reach, function, partial=True):
                found += (self._break(node, reach, function, arm, others, through) for arm in broken)

    def _is_answered(self, at: Arm) -> bool:
        """Whether Python asks for a property's name elsewhere once reading it has failed: of what was assigned under
        the same name (a module lies beside the property, in `_modules`), or of a `__getattr__`."""
        if at.node is None or at.member is None or at.member.kind != "property":
            return False
        assigned = self.attributes.composition.assignments(at.node)
        return at.member.name in assigned or is_open(self.hierarchy, at.node)

    def _asks_caller(self, reach: Reach, function: FunctionNode) -> bool:
        """Whether a condition on the way to a reach is about what the caller of its function handed over."""
        if id(function) not in self._handed:
            names = {param.name for param in function.parameters}
            for name, steps in function.binds.items():  # in the order of lines: what is made of it is of it
                values = [step.value for step in steps if isinstance(step, facts.Bind) and step.value is not None]
                if any(isinstance(part, facts.Name) and part.id in names for one in values for part in facts.walk(one)):
                    names.add(name)
            self._handed[id(function)] = frozenset(names)
        handed = self._handed[id(function)]
        guards = function.facts.body.guards_of(reach.step.guard)
        tests = [*reach.tests, *(g.test for g in guards if g.test is not None and g.kind != "loop")]
        return any(isinstance(part, facts.Name) and part.id in handed for test in tests for part in facts.walk(test))

    @staticmethod
    def _break(
        node: ClassNode,
        reach: Reach,
        function: FunctionNode,
        arm: Arm,
        others: tuple[Arm, ...],
        through: tuple[tuple[FunctionNode, int], ...],
    ) -> Break:
        chain = facts.spell(reach.expr)
        return Break(node, reach, function, reach.expr.line, chain, reach.expr.name, arm, others, through)

    def _is_broken(self, arm: Arm, name: str, node: ClassNode, function: FunctionNode) -> bool:
        if arm.kind in ("none", "unset"):
            return not hasattr(None, name) or arm.kind == "unset"
        if arm.kind != "object" or arm.node is None or name in self.written:
            return False
        if self.attributes.arms(arm.node, name):
            return False
        modules = {one.module.name: one.module for one in self.hierarchy.order(node).nodes}
        modules[function.module.name] = function.module
        return not any(name in self.attributes.written_in(module) for module in modules.values())

    def _followed(self, reach: Reach, place: Place) -> Iterator[tuple[Arm, int]]:
        """The methods and properties of the tree that a reach runs; a method that is only handed back isn't run."""
        if isinstance(reach.step, facts.Return) and not _is_called(reach.expr, reach.step.value):
            kinds: tuple[str, ...] = ("property",)
        else:
            kinds = ("method", "property")
        match reach.expr.base:
            case facts.Call(func=facts.Name(id="super")) as above:
                member = self.hierarchy.above(place.function, above, place.node, reach.expr.name)
                if member is not None and member.kind in kinds:
                    yield Arm("member", place.node, member), reach.expr.line
            case base:
                for arm in self.arms(base, place):
                    if arm.kind == "object" and arm.node is not None:
                        for one in self.attributes.arms(arm.node, reach.expr.name):
                            if one.member is not None and one.member.kind in kinds:
                                yield one, reach.expr.line


def _is_called(expr: facts.Attribute, within: Expr | None) -> bool:
    """Whether an expression, as it is written, is called, or given to something that is, in another one."""
    return any(part == expr for call in facts.within(within, facts.Call) for part in facts.walk(call))


def reaches(function: FunctionNode) -> Iterator[Reach]:
    """Every attribute that a body reads, in source order, with what its own statement tests before."""
    for step in function.facts.body.steps:
        match step:
            case facts.Bind(target=target, value=value):
                if value is not None:
                    yield from _reaches(value, step, ())
                if step.how != "for":
                    yield from _in_target(target, step)
            case facts.Delete(target=target):
                yield from _reaches(target, step, ())
            case facts.Evaluate(value=value):
                yield from _reaches(value, step, ())
            case facts.Return(value=value) if value is not None:
                yield from _reaches(value, step, ())
            case _:
                pass


def _in_target(target: Expr, step: facts.Step) -> Iterator[Reach]:
    for one in facts.targets(target):
        if isinstance(one, (facts.Attribute, facts.Item)):
            for part in facts.children(one):
                yield from _reaches(part, step, ())


def _reaches(expr: Expr, step: facts.Step, tests: tuple[Expr, ...]) -> Iterator[Reach]:
    match expr:
        case facts.Attribute(base=base):
            yield from _reaches(base, step, tests)
            yield Reach(expr, step, tests)
        case facts.Boolean(op=op, values=values):
            for index, value in enumerate(values):
                before = values[:index] if op == "and" else map(opposite, values[:index])
                yield from _reaches(value, step, (*tests, *before))
        case facts.Choice(test=test, then=then, otherwise=otherwise):
            yield from _reaches(test, step, tests)
            yield from _reaches(then, step, (*tests, test))
            yield from _reaches(otherwise, step, (*tests, opposite(test)))
        case facts.Lambda() | facts.Comprehension():
            return  # runs later, or under names of its own
        case _:
            for child in facts.children(expr):
                yield from _reaches(child, step, tests)


def is_caught(function: FunctionNode, guard: int) -> bool:
    """Whether an AttributeError would be caught by the body itself, or the step is what catches it."""
    return any(
        one.kind == "except" or (one.kind == "try" and not _CATCHES.isdisjoint(one.catches))
        for one in function.facts.body.guards_of(guard)
    )


def is_looked_at(reach: Reach, function: FunctionNode, *, partial: bool) -> bool:
    """Whether a condition on the way to a reach may rule its failure out.

    Args:
        partial: the reach fails in some arms only; then any condition on the object's state may be about them.
    """
    scope = function.facts.body
    rounds = {step.guard for step in scope.steps if isinstance(step, facts.Bind) and step.how == "for"}
    guards = (scope.guards[one] for one in guards_around(scope, reach.step.guard) if one not in rounds)
    conditions = [guard.test for guard in guards if guard.test is not None]  # going round a list asks nothing
    own = function.own
    prefixes = set()
    part: Expr = reach.expr
    names = set()
    while isinstance(part, facts.Attribute):
        prefixes.add(facts.spell(part))
        names.add(part.name)
        part = part.base
    if isinstance(part, facts.Name) and part.id != own:
        prefixes.add(part.id)
    params = {param.name for param in function.facts.params} - {own}
    for test in (*reach.tests, *conditions):
        for inner in facts.walk(test):
            match inner:
                case facts.Call(func=facts.Name(id="hasattr" | "getattr"), args=(_, facts.Constant(value=name), *_)):
                    if name in names:
                        return True
                case facts.Attribute() | facts.Name():
                    if facts.spell(inner) in prefixes:
                        return True
                    if partial and isinstance(inner, facts.Name) and inner.id not in params:
                        return True
                case _:
                    pass
    return False
