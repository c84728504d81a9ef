"""The composition graph: what a model's attributes hold once its constructor has run.

The constructor that really runs is followed: arguments into `super().__init__(…)`, methods that a subclass overrides,
and `nn.Module.__init__(self)`, which skips the parent. All arms of a condition are candidates, with their condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from specint.facts import model as facts
from specint.facts.logic import all_of, opposite
from specint.graph.binding import Callee
from specint.graph.evaluation import Frame
from specint.graph.evaluator import Evaluator
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.project import ClassNode, FunctionNode, Project
from specint.graph.steps import assigned, computed
from specint.graph.value import (
    ClassValue,
    ConstantValue,
    ExternalValue,
    FunctionValue,
    Instance,
    Unknown,
    Value,
    Values,
)


@dataclass(frozen=True, eq=False)
class Assignment:
    """One assignment to an attribute on the way through a constructor, or in a later method.

    Attributes:
        owner: the class whose method assigns.
        step: the assignment itself; `value` is what it gives, None where that is a part of what is unpacked.
        evaluate: says what the value can be, which is asked of few: most attributes hold layers that nobody looks at.
        condition: the conditions around it as written, "" where it always happens.
        late: it happens in a method that the constructor doesn't run.
    """

    attribute: str
    owner: ClassNode
    function: FunctionNode
    step: facts.Step
    value: facts.Expr | None
    evaluate: Callable[[], Values]
    condition: str
    late: bool = False

    @property
    def file(self) -> str:
        """The file that it stands in: a base's, where the base's constructor assigns."""
        return self.function.module.path

    @property
    def line(self) -> int:
        """The line in that file."""
        return self.step.line

    @cached_property
    def values(self) -> Values:
        """What the attribute is given."""
        return self.evaluate()

    @cached_property
    def classes(self) -> tuple[ClassNode, ...]:
        """The classes of the tree that the attribute can be an object of."""
        return tuple(sorted((v.node for v in self.values if isinstance(v, Instance)), key=lambda node: node.key))

    @property
    def is_none(self) -> bool:
        """Whether it can only be None."""
        if isinstance(self.value, facts.Constant):
            return self.value.value is None
        return bool(self.values) and all(v == ConstantValue(None) for v in self.values)


_Giving = tuple[facts.Step, list[tuple[str, facts.Expr | None]], str]
"""A step, the attributes that it gives a value by names that are written out, with the value, and its conditions."""


class Composition:
    """Answers what a class keeps in its attributes, memoised per class."""

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        result_hook: Callable[[FunctionNode], Values | None] | None = None,
    ) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.evaluator = Evaluator(project, hierarchy, result_hook=result_hook)
        self._assignments: dict[str, dict[str, list[Assignment]]] = {}
        self._runs: dict[str, list[Frame]] = {}
        self._given: dict[int, tuple[FunctionNode, list[_Giving]]] = {}
        self._named: dict[ClassNode, frozenset[str] | None] = {}

    def constructor(self, node: ClassNode) -> list[Frame]:
        """The functions that constructing an object runs, each with what it is called with."""
        if node.key not in self._runs:
            found: list[Frame] = []
            self._runs[node.key] = found
            member = self.hierarchy.lookup(node, "__init__")
            if member is not None and member.function is not None:
                try:
                    self._run(Frame(member.function.module, member.function, Instance(node), {}), node, found)
                except RecursionError:
                    del self._runs[node.key]  # half a constructor must not pass for a whole one
                    raise
        return self._runs[node.key]

    def _run(self, frame: Frame, node: ClassNode, found: list[Frame]) -> None:
        function = frame.function
        assert function is not None
        if any(one.function is function for one in found):
            return
        found.append(frame)
        for step, call in _calls(function):
            for callee in self.callees(call, frame):
                arguments = {n: self.evaluator.evaluate(e, frame, step) for n, e in callee.bound(call).items()}
                self._run(Frame(callee.function.module, callee.function, frame.receiver, arguments), node, found)

    def callees(self, call: facts.Call, frame: Frame) -> list[Callee]:
        """What a call runs of the object under construction itself: its methods, and functions within them."""
        function, receiver = frame.function, frame.receiver
        if function is None or function.receiver is None or not isinstance(receiver, Instance):
            return []
        own = facts.Name(function.receiver)
        match call.func:
            case facts.Name(id=name):
                concerned = any(inner.name == name for inner in function.nested)
            case facts.Attribute(base=base, name=name) if base == own:
                member = self.hierarchy.lookup(receiver.node, name)
                concerned = member is not None and member.kind == "method"
            case facts.Attribute(base=base):
                concerned = facts.super_call(base) is not None or call.args[:1] == (own,)
            case _:
                concerned = False
        found = self.evaluator.callees(call, frame) if concerned else []
        return [one for one in found if one.receiver == receiver and not one.function.facts.is_decorated("property")]

    def assignments(self, node: ClassNode) -> Mapping[str, list[Assignment]]:
        """Attribute -> every assignment to it, those of the constructor first."""
        if node.key not in self._assignments:
            found: dict[str, list[Assignment]] = {}
            ran = self.constructor(node)
            self._assignments[node.key] = found
            try:
                self._collect_all(node, ran, found)
            except RecursionError:
                del self._assignments[node.key]
                raise
        return self._assignments[node.key]

    def assigned(self, node: ClassNode, attribute: str) -> list[Assignment]:
        """The assignments to one attribute. Where no line of a class gives an attribute of that name a value, that is
        known without following the constructor: of most parts of a model nothing else is asked."""
        if node.key not in self._assignments and not self._may_assign(node, attribute):
            return []
        return self.assignments(node).get(attribute, [])

    def _may_assign(self, node: ClassNode, attribute: str) -> bool:
        for one in self.hierarchy.order(node).nodes:
            if one not in self._named:
                self._named[one] = self._names_assigned(one)
            names = self._named[one]
            if names is None or attribute in names:
                return True
        return False

    def _names_assigned(self, node: ClassNode) -> frozenset[str] | None:
        """The attributes that a class's own methods give their object; None where a name is computed, or the object is
        handed to a function of somebody else (`Other.build(self)`)."""
        put = (member.function for member in self.hierarchy.own(node).values() if member.function is not None)
        found: set[str] = set()
        for method in {id(one): one for one in (*self.project.methods_of(node), *put)}.values():
            for function in method.within:
                own = function.receiver
                if own is None:
                    continue
                for _, given, _ in self._giving(function, own):
                    if not given:
                        return None
                    found.update(name for name, _ in given)
                for _, call in _calls(function):
                    if isinstance(call.func, facts.Attribute) and call.args[:1] == (facts.Name(own),):
                        return None
        return frozenset(found)

    def _collect_all(self, node: ClassNode, ran: list[Frame], found: dict[str, list[Assignment]]) -> None:
        for frame in ran:
            self._collect(frame, found, late=False)
        functions = {id(frame.function) for frame in ran}
        hidden = self._hidden(node)
        for one in self.hierarchy.order(node).nodes:
            for method in self.project.methods_of(one):
                skipped = id(method) in hidden or (method.name == "__init__" and id(method) not in functions)
                for function in method.within if not skipped else ():
                    if id(function) not in functions:
                        self._collect(Frame(function.module, function, Instance(node)), found, late=True)

    def _hidden(self, node: ClassNode) -> frozenset[int]:
        """The methods that set attributes and that nothing runs for an object of a class: another definition stands
        before each under its name, and no method that runs asks for it (`super().build()`, `Base.build(self)`)."""
        nodes = self.hierarchy.order(node).nodes
        methods = [method for one in nodes for method in self.project.methods_of(one)]
        reached = [member.function for member in self._found_first(node) if member.function is not None]
        plain = (m for m in methods if not m.facts.decorators and not _is_private(m.name))
        hidden = {id(method): method for method in plain if self._sets(method)}
        if not hidden:
            return frozenset()
        named = {name for one in nodes for name in _taken_over(one)}
        reached += [method for method in methods if method.name in named]
        reached += [method for method in methods if id(method) not in hidden]
        for method in reached:
            hidden.pop(id(method), None)
        while hidden and reached:
            for name, exactly in self._asked_above(reached.pop(), node):
                for key, method in tuple(hidden.items()):
                    if method is exactly or (exactly is None and name in (method.name, None)):
                        reached.append(hidden.pop(key))
        return frozenset(hidden)

    def _sets(self, method: FunctionNode) -> bool:
        return any(one.receiver is not None and self._giving(one, one.receiver) for one in method.within)

    def _found_first(self, node: ClassNode) -> Iterator[Member]:
        """What an object of a class is given for a name: the first definition, and others while those before it stand
        under a condition; and what runs as well, the constructors of all bases."""
        behind: set[str] = set()
        for one in self.hierarchy.order(node).nodes:
            own = self.hierarchy.own(one)
            yield from (member for name, member in own.items() if name not in behind or name == "__init__")
            behind.update(name for name, member in own.items() if not member.conditional)

    def _asked_above(self, method: FunctionNode, node: ClassNode) -> Iterator[tuple[str | None, FunctionNode | None]]:
        """What a method asks of the bases of its object's class: a function, or a name where which one isn't known;
        no name where it may be any."""
        for function in method.within:
            scope, own = function.facts.body, facts.Name(function.receiver or "")
            values = (*(getattr(step, "value", None) for step in scope.steps), *(guard.test for guard in scope.guards))
            parts = [p for value in values if value is not None for p in facts.walk(value)]
            plain = sum(facts.super_call(part) is not None for part in parts)
            for part in parts:
                if not isinstance(part, facts.Attribute):
                    continue
                above = facts.super_call(part.base)
                if above is not None:
                    plain -= 1
                    member = self.hierarchy.above(function, above, node, part.name)
                    yield part.name, member.function if member is not None else None
                elif _root(part) != own:
                    classes = [s for s in self.project.symbol(function.module, part.base) if isinstance(s, ClassNode)]
                    members = [self.hierarchy.lookup(one, part.name) for one in classes]
                    yield from ((part.name, member.function) for member in members if member is not None)
                    if not classes:
                        yield part.name, None
            if plain:
                yield None, None  # `getattr(super(), name)`

    def _collect(self, frame: Frame, found: dict[str, list[Assignment]], late: bool) -> None:
        function = frame.function
        assert function is not None
        assert function.owner is not None
        if function.receiver is None:
            return
        for step, plainly, condition in self._giving(function, function.receiver):
            given = [(name, value, frame) for name, value in plainly]
            named = (self.evaluator.named(step, function.receiver, frame) or ()) if not plainly else ()
            for attribute, value, where in (*given, *((name, bind.value, one) for name, bind, one in named)):
                before = found.setdefault(attribute, [])
                if late and not all(one.late or one.is_none for one in before):
                    continue  # what the constructor set is what counts, unless that is nothing yet
                evaluate = partial(self.evaluator.given, attribute, step, value, where)
                before.append(Assignment(attribute, function.owner, function, step, value, evaluate, condition, late))

    def _giving(self, function: FunctionNode, receiver: str) -> list[_Giving]:
        """The steps that give attributes of a function's own object a value: the same for all heirs of its class."""
        if id(function) not in self._given:
            own = facts.Name(receiver)
            steps: list[_Giving] = []
            for step in function.facts.body.steps:
                given = [(t.name, v) for t, v in assigned(step) if isinstance(t, facts.Attribute) and t.base == own]
                parts = computed(step) if not given else None
                if given or (parts is not None and parts[0] == own):
                    steps.append((step, given, condition_text(function, step.guard)))
            self._given[id(function)] = (function, steps)
        return self._given[id(function)][1]

    def skipped_constructors(self, node: ClassNode) -> tuple[FunctionNode, ...]:
        """The constructors of the class's bases that constructing it doesn't run."""
        ran = {id(frame.function) for frame in self.constructor(node)}
        members = self.hierarchy.definitions(node, "__init__")
        return tuple(m.function for m in members if m.function is not None and id(m.function) not in ran)


def unfollowed(values: Values) -> str | None:
    """Why what an attribute holds can't be known from the tree, None where it can."""
    for value in sorted(values, key=str):
        match value:
            case Unknown(reason=reason, is_object=True):
                return reason
            case ExternalValue(name=name, called=True) if not name.startswith(("torch.", "builtins.")):
                return f"it is built by {name}, outside of the tree"
            case _:
                pass
    return None


def condition_text(function: FunctionNode, guard: int) -> str:
    """The conditions on the way to a step, outermost first, as a reader would write them."""
    tests, caught = [], []
    for one in function.facts.body.guards_of(guard):
        if one.test is not None and one.kind != "loop" and one.left_by != "raise":
            tests.append(one.test if one.positive else opposite(one.test))
        elif one.kind == "except":
            caught.append(f"except {' or '.join(one.catches)}".strip())
    return " and ".join(filter(None, (facts.spell(all_of(reversed(tests))), *reversed(caught))))


def _taken_over(node: ClassNode) -> Iterator[str]:
    """The names that a class's body has from elsewhere: `old = Base.build`."""
    for step in node.facts.body.steps:
        if isinstance(step, facts.Bind) and step.value is not None:
            yield from (part.name for part in facts.within(step.value, facts.Attribute))


def _is_private(name: str) -> bool:
    """Whether a name is each class's own (`__build`): none stands before another's."""
    return name.startswith("__") and not name.endswith("__")


def _root(expr: facts.Expr) -> facts.Expr:
    """What a chain of attributes begins with."""
    while isinstance(expr, facts.Attribute):
        expr = expr.base
    return expr


def _calls(function: FunctionNode) -> Iterator[tuple[facts.Step, facts.Call]]:
    for step in function.facts.body.steps:
        match step:
            case facts.Evaluate(value=facts.Call() as call) | facts.Bind(value=facts.Call() as call):
                yield step, call
            case _:
                pass


__all__ = ["Assignment", "ClassValue", "Composition", "FunctionValue", "Value", "condition_text", "unfollowed"]
