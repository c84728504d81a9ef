"""What an attribute of an object is once its constructor has run: all of it, none of it, or nothing that can be known.

Composition lists every assignment; here those are left out that a later one always replaces, so that what remains as
`None` is `None` for a caller. An attribute counts as absent only where nothing could have put it there: no definition,
no assignment, no base outside the tree, no name that is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from specint.facts import model as facts
from specint.facts.guards import complete, is_within
from specint.facts.logic import opposite
from specint.graph.composition import Assignment, Composition
from specint.graph.evaluation import Frame
from specint.graph.hierarchy import Hierarchy, Member, external_classes
from specint.graph.opening import is_open
from specint.graph.project import ClassNode, FunctionNode, Project
from specint.graph.steps import assigned
from specint.graph.value import ConstantValue, Instance

_HARMLESS = frozenset({"super", "isinstance", "hasattr", "getattr", "type", "id", "repr", "print", "len", "callable"})


@dataclass(frozen=True, eq=False)
class Arm:
    """One thing that an expression can be.

    Attributes:
        kind: "object" of the class `node`; "none"; "unset": not assigned on this way; "member": a method or property of
            the class, in `member`, found on `node`; "unknown".
        condition: under what, as written; "" where nothing decides.
        file, line: where that is decided.
    """

    kind: Literal["object", "none", "unset", "member", "unknown"]
    node: ClassNode | None = None
    member: Member | None = None
    condition: str = ""
    file: str = ""
    line: int = 0

    def under(self, condition: str) -> Arm:
        """The same, where another condition holds as well."""
        both = " and ".join(dict.fromkeys(filter(None, (condition, self.condition))))
        return self if both == self.condition else replace(self, condition=both)


UNKNOWN = Arm("unknown")


@dataclass(frozen=True, eq=False)
class _Event:
    """What an attribute is given at one place of a function, itself or in what it calls there."""

    guard: int
    line: int
    given: tuple[Assignment, ...]
    always: bool


class Attributes:
    """Answers about attributes of objects, memoised per class and name."""

    def __init__(self, project: Project, hierarchy: Hierarchy, composition: Composition) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self._arms: dict[tuple[str, str], tuple[Arm, ...]] = {}
        self._calls: dict[str, dict[int, list[tuple[facts.Step, FunctionNode]]]] = {}
        self._steps: dict[str, dict[tuple[int, str], list[Assignment]]] = {}
        self._lasting: dict[tuple[str, str], tuple[Assignment, ...]] = {}
        self._open: dict[str, bool] = {}
        self._written: dict[str, frozenset[str]] = {}

    def arms(self, node: ClassNode, name: str) -> tuple[Arm, ...]:
        """What an attribute can be; empty where an object of this class certainly has none of the name."""
        key = (node.key, name)
        if key not in self._arms:
            self._arms[key] = self._find(node, name)
        return self._arms[key]

    def lasting(self, node: ClassNode, name: str) -> tuple[Assignment, ...]:
        """The assignments to an attribute without those that a later one of the constructor always replaces."""
        key = (node.key, name)
        if key not in self._lasting:
            self._lasting[key] = self._find_lasting(node, name)
        return self._lasting[key]

    def _find_lasting(self, node: ClassNode, name: str) -> tuple[Assignment, ...]:
        assignments = tuple(self.composition.assigned(node, name))
        constructor = self.composition.constructor(node)
        first = constructor[0].function if constructor else None
        if first is None or len(assignments) < 2 or any(one.late for one in assignments):
            return assignments
        return self._run(node, name, first, {})[0] or assignments

    def _find(self, node: ClassNode, name: str) -> tuple[Arm, ...]:
        member = self.hierarchy.lookup(node, name)
        assignments = self.composition.assigned(node, name)
        hidden = assignments and member is not None and member.kind != "property"  # by what the object has itself
        if member is not None and member.kind != "attribute" and not hidden:
            return (Arm("member", node, member, file=member.owner.file, line=member.line),)
        if assignments:
            return self._assigned(node, name, assignments, member)
        if member is not None or hasattr(object, name) or self.hierarchy.external_provider(node, name) is not None:
            return (UNKNOWN,)
        return (UNKNOWN,) if self.is_open(node) or name in self.written_in(node.module) else ()

    def _assigned(
        self, node: ClassNode, name: str, assignments: list[Assignment], member: Member | None
    ) -> tuple[Arm, ...]:
        if any(one.late for one in assignments):
            return (UNKNOWN,)  # when, and in which order, is up to callers
        constructor = self.composition.constructor(node)
        if constructor[0].function is None:
            return (UNKNOWN,)
        survivors, always = self._run(node, name, constructor[0].function, {})
        found = [arm for one in survivors for arm in _where_it_stays(one, survivors)]
        if not always and member is None and survivors and not self.is_open(node):
            first = survivors[0]
            found.append(Arm("unset", None, None, _unless(first), first.file, first.line))
        if any(arm.kind in ("none", "unset") for arm in found) and self._set_later(node, name):
            found = [UNKNOWN if arm.kind in ("none", "unset") else arm for arm in found]
        return tuple(found) or (UNKNOWN,)

    def _set_later(self, node: ClassNode, name: str) -> bool:
        """Whether a method that the constructor doesn't run, or another object, gives the attribute a value."""
        ran = {id(frame.function) for frame in self.composition.constructor(node)}
        for method, step in self.composition.evaluator.self_binds(node, name):
            if id(method) not in ran and step.value != facts.Constant(None):
                return True
        return name in self.written_in(node.module)

    # -- the order of a constructor --------------------------------------------------------------------------------

    def _run(
        self, node: ClassNode, name: str, function: FunctionNode, ran: dict[int, tuple[tuple[Assignment, ...], bool]]
    ) -> tuple[tuple[Assignment, ...], bool]:
        """The assignments to an attribute that hold when a function of the constructor ends, and whether one always
        happens. A function that is called again does the same again; one that calls itself does nothing more."""
        if id(function) in ran:
            return ran[id(function)]
        ran[id(function)] = ((), False)
        events: list[_Event] = []
        scope = function.facts.body
        calls = {id(step): callee for step, callee in self._called(node).get(id(function), ())}
        places = self._assigned_at(node)
        for step in scope.steps:
            callee = calls.get(id(step))
            if callee is not None:
                given, always = self._run(node, name, callee, ran)
                if given:
                    events.append(_Event(step.guard, step.line, given, always))
            if here := places.get((id(step), name)):
                events.append(_Event(step.guard, step.line, tuple(here), True))
        ran[id(function)] = _settle(scope, events)
        return ran[id(function)]

    def _called(self, node: ClassNode) -> dict[int, list[tuple[facts.Step, FunctionNode]]]:
        if node.key not in self._calls:
            found: dict[int, list[tuple[facts.Step, FunctionNode]]] = {}
            for frame in self.composition.constructor(node):
                for step in frame.function.facts.body.steps if frame.function is not None else ():
                    match step:
                        case facts.Evaluate(value=facts.Call() as call) | facts.Bind(value=facts.Call() as call):
                            for callee in self.composition.callees(call, frame):
                                found.setdefault(id(frame.function), []).append((step, callee.function))
                        case _:
                            pass
            self._calls[node.key] = found
        return self._calls[node.key]

    def _assigned_at(self, node: ClassNode) -> dict[tuple[int, str], list[Assignment]]:
        """The assignments of a class by the step that makes them, and the attribute."""
        if node.key not in self._steps:
            found: dict[tuple[int, str], list[Assignment]] = {}
            for name, assignments in self.composition.assignments(node).items():
                for one in assignments:
                    found.setdefault((id(one.step), name), []).append(one)
            self._steps[node.key] = found
        return self._steps[node.key]

    # -- what can't be known ---------------------------------------------------------------------------------------

    def is_open(self, node: ClassNode) -> bool:
        """Whether an object may have attributes that no line of its classes names."""
        if node.key not in self._open:
            self._open[node.key] = self._is_open(node)
        return self._open[node.key]

    def _is_open(self, node: ClassNode) -> bool:
        order = self.hierarchy.order(node)
        declared = external_classes()
        if order.problem or is_open(self.hierarchy, node) or self.hierarchy.lookup(node, "__setattr__") is not None:
            return True
        if any((found := declared.get(one.name)) is None or not found.exhaustive for one in order.external):
            return True
        if any(one.facts.decorators or one.facts.keywords for one in order.nodes):
            return True
        if any(self._computes(method) for one in order.nodes for method in self.project.methods_of(one)):
            return True
        return any(self._gives_itself_away(frame) for frame in self.composition.constructor(node))

    def _computes(self, method: FunctionNode) -> bool:
        """Whether a method sets attributes of its object under names that can't be known."""
        if method.receiver is None:
            return False
        own = facts.Name(method.receiver)
        evaluator, frame = self.composition.evaluator, Frame(method.module, method)
        for step in method.facts.body.steps:
            if evaluator.named(step, method.receiver, frame) is None:
                return True
            for call in _for_effect(step):
                match call:
                    case facts.Call(func=facts.Attribute(base=facts.Attribute(base=base, name="__dict__"))) if (
                        base == own
                    ):
                        return True
                    case facts.Call(func=facts.Name(id="vars" | "exec")):
                        return True
                    case facts.Call(func=facts.Name(id="setattr"), args=(base, *_)) if base == own:
                        if isinstance(step, facts.Evaluate) and step.value is not call:
                            return True  # in a comprehension
                    case _:
                        pass
        return False

    def _gives_itself_away(self, frame: Frame) -> bool:
        """Whether a constructor hands its object to somebody who may put attributes on it."""
        function = frame.function
        if function is None or function.receiver is None:
            return False
        own = facts.Name(function.receiver)
        for call in _calls_in(function):
            if own in call.args or any(keyword.value == own for keyword in call.keywords):
                match call.func:
                    case facts.Name(id=name) if name in _HARMLESS or (name == "setattr" and call.args[0] == own):
                        continue
                    case facts.Attribute(name="__init__"):
                        continue
                    case _ if self.composition.callees(call, frame):
                        continue  # `Base.build(self)`: what it sets is among the assignments
                    case _:
                        return True
        return False

    def written_in(self, module: facts.Module) -> frozenset[str]:
        """The attributes that a module's functions put on other objects than their own."""
        if module.name not in self._written:
            found: set[str] = set()
            for function in self.project.functions_of(module):
                own = facts.Name(function.receiver) if function.receiver is not None else None
                for step in function.facts.body.steps:
                    targets = (target for target, _ in assigned(step) if isinstance(target, facts.Attribute))
                    found.update(target.name for target in targets if target.base != own)
            self._written[module.name] = frozenset(found)
        return self._written[module.name]


def _settle(scope: facts.Scope, events: list[_Event]) -> tuple[tuple[Assignment, ...], bool]:
    """What is left when later assignments have replaced earlier ones, and whether the attribute is set on every way."""
    kept: list[_Event] = []
    for event in events:
        if event.always:
            kept = [one for one in kept if not is_within(scope, one.guard, event.guard)]
        kept.append(event)
    left = {event.guard for event in kept if event.always}
    left |= {step.guard for step in scope.steps if isinstance(step, facts.Raise)}
    for guard in complete(scope, left):
        kept = [one for one in kept if one.line >= guard.line or not is_within(scope, one.guard, guard.parent)]
    given = tuple(dict.fromkeys(one for event in kept for one in event.given))
    return given, -1 in left


def _given(assignment: Assignment) -> Iterator[Arm]:
    """What one assignment gives. `None` beside something else counts only where the source says when."""
    place = (assignment.condition, assignment.file, assignment.line)
    if not assignment.values:
        yield UNKNOWN
    for value in sorted(assignment.values, key=str):
        if isinstance(value, Instance):
            yield Arm("object", value.node, None, *place)
        elif value == ConstantValue(None) and (test := _chosen_none(assignment)) is not None:
            yield Arm("none", None, None, *place).under(test)
        elif assignment.is_none:
            yield Arm("none", None, None, *place)
        else:
            yield UNKNOWN
    if len(assignment.values) < _choices(assignment.value):
        yield UNKNOWN  # one of the alternatives gave nothing that could be followed


def _where_it_stays(assignment: Assignment, survivors: tuple[Assignment, ...]) -> Iterator[Arm]:
    """What one assignment gives; a `None` that was put there first stays where nothing later is put in its place."""
    if not assignment.is_none or assignment.condition:
        yield from _given(assignment)
        return
    others = [_unless(one) for one in survivors if one is not assignment and not one.is_none]
    stays = " and ".join(dict.fromkeys(filter(None, others)))
    yield from (arm.under(stays) for arm in _given(assignment))


def _choices(expr: facts.Expr | None) -> int:
    match expr:
        case facts.Choice(then=then, otherwise=otherwise):
            return _choices(then) + _choices(otherwise)
        case facts.Boolean(values=values):
            return sum(map(_choices, values))
        case _:
            return 1


def _chosen_none(assignment: Assignment) -> str | None:
    """The condition of a `… if test else None`, "" negated where None is its first half; None for anything else."""
    match assignment.value:
        case facts.Choice(test=test, otherwise=facts.Constant(value=None)):
            return facts.spell(opposite(test))
        case facts.Choice(test=test, then=facts.Constant(value=None)):
            return facts.spell(test)
        case _:
            return None


def _unless(assignment: Assignment) -> str:
    """When the outermost condition around an assignment doesn't hold."""
    guards = assignment.function.facts.body.guards_of(assignment.step.guard)
    branches = (g for g in guards if g.kind == "if" or (g.kind == "after" and g.left_by != "raise"))
    tests = [(g.test, g.positive) for g in branches if g.test is not None]
    if not tests:
        return ""
    test, positive = tests[-1]
    return facts.spell(opposite(test) if positive else test)


def _for_effect(step: facts.Step) -> Iterator[facts.Call]:
    """The calls that are a statement, or the elements of one."""
    if not isinstance(step, facts.Evaluate):
        return
    if isinstance(step.value, facts.Call):
        yield step.value
        if isinstance(step.value.func, facts.Attribute) and isinstance(step.value.func.base, facts.Call):
            yield step.value.func.base
    elif isinstance(step.value, facts.Comprehension):
        yield from facts.within(step.value, facts.Call)


def _calls_in(function: FunctionNode) -> Iterator[facts.Call]:
    for step in function.facts.body.steps:
        value = getattr(step, "value", None)
        if isinstance(value, facts.Node):
            yield from facts.within(value, facts.Call)
