"""The code under scan as one searchable whole: who calls what, who binds which attribute, who touches which name.

Model objects are few and code is long. One walk over all expressions notes, by name, the calls, the attribute
assignments and the attribute accesses; `flow_names` then tells under which names a model object can travel at all, so
that only those few expressions need be evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import FunctionNode, Project

Local = tuple[tuple[Expr, bool], ...]
"""Conditions within an expression: `b` in `a and b` holds only where `a` is true."""


@dataclass(frozen=True, eq=False, slots=True)
class Occurrence:
    """A call, an attribute access or an attribute assignment, and where it stands."""

    function: FunctionNode
    step: facts.Step
    expr: Expr
    local: Local = ()


@dataclass
class Code:
    """Indexes over the functions under scan.

    Attributes:
        functions: by their plain name.
        calls: by the last name of what is called.
        accesses: attribute reads, by the tail of what they are read from (see `tail`).
        probes: hasattr, getattr and setattr calls, by the tail of their object.
        writes: assignments to attributes of anything but self, by attribute name.
        mentions: per function (by id), the plain names it reads, each with its step.
        attributes: per function, the attribute names it mentions, each with the first step that does.
        super_calls: per function, the names it calls on `super()`.
    """

    project: Project
    functions: dict[str, list[FunctionNode]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    accesses: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    probes: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    mentions: dict[int, list[tuple[str, facts.Step]]] = field(default_factory=lambda: defaultdict(list))
    attributes: dict[int, dict[str, facts.Step]] = field(default_factory=lambda: defaultdict(dict))
    super_calls: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _edges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _modules: set[str] = field(default_factory=set)

    def add(self, modules: Iterable[facts.Module]) -> None:
        """Put modules under scan; one that is there already is left alone."""
        for module in modules:
            if module.name in self._modules:
                continue
            self._modules.add(module.name)
            for function in self.project.functions_of(module):
                self._add(function)

    def __contains__(self, module: str) -> bool:
        return module in self._modules

    def _add(self, function: FunctionNode) -> None:
        self.functions[function.name].append(function)
        own = _own_name(function)
        for step in function.facts.body.steps:
            match step:
                case facts.Bind(target=target, value=value):
                    if value is not None:
                        self._walk(value, function, step, ())
                        self._flow(target, value)
                    for attribute in _attribute_targets(target):
                        self._walk(attribute.base, function, step, ())
                        if attribute.base != facts.Name(own):
                            self.writes[attribute.name].append(Occurrence(function, step, attribute))
                case facts.Evaluate(value=value):
                    self._walk(value, function, step, ())
                case facts.Return(value=value) if value is not None:
                    self._walk(value, function, step, ())
                    for source in tails(value):
                        self._edges[source].add(f"{function.name}()")
                        self._edges[source].add(function.name)
                case facts.Raise(value=value) if value is not None:
                    self._walk(value, function, step, ())
                case facts.Delete(target=target):
                    self._walk(target, function, step, ())
                case _:
                    pass

    def _walk(self, expr: Expr, function: FunctionNode, step: facts.Step, local: Local) -> None:
        match expr:
            case facts.Constant():
                return
            case facts.Name(id=name):
                self.mentions[id(function)].append((name, step))
            case facts.Attribute(base=base, name=name):
                self.attributes[id(function)].setdefault(name, step)
                if isinstance(base, facts.Call) and base.func == facts.Name("super"):
                    self.super_calls[id(function)].append(name)
                if not (function.owner is not None and base == facts.Name(_own_name(function))):
                    for source in tails(base):
                        self.accesses[source].append(Occurrence(function, step, expr, local))
                self._walk(base, function, step, local)
            case facts.Call(func=func, args=args, keywords=keywords):
                called = tail(func)
                if called is not None:
                    self.calls[called].append(Occurrence(function, step, expr, local))
                    if called in _PROBES and args:
                        for source in tails(args[0]):
                            self.probes[source].append(Occurrence(function, step, expr, local))
                    self._flow_call(called, expr)
                self._walk(func, function, step, local)
                for arg in args:
                    self._walk(arg, function, step, local)
                for keyword in keywords:
                    self._walk(keyword.value, function, step, local)
            case facts.Boolean(op=op, values=values):
                for index, value in enumerate(values):
                    before = tuple((earlier, op == "and") for earlier in values[:index])
                    self._walk(value, function, step, local + before)
            case facts.Choice(test=test, then=then, otherwise=otherwise):
                self._walk(test, function, step, local)
                self._walk(then, function, step, (*local, (test, True)))
                self._walk(otherwise, function, step, (*local, (test, False)))
            case facts.Comprehension(element=element, loops=loops):
                for loop in loops:
                    self._walk(loop.iterable, function, step, local)
                    self._flow(loop.target, loop.iterable)
                    for condition in loop.conditions:
                        self._walk(condition, function, step, local)
                        local = (*local, (condition, True))
                self._walk(element, function, step, local)
            case facts.Walrus(name=name, value=value):
                self._flow(facts.Name(name), value)
                self._walk(value, function, step, local)
            case _:
                for child in facts.children(expr):
                    self._walk(child, function, step, local)

    def _flow(self, target: Expr, value: Expr) -> None:
        names = list(_target_tails(target))
        for source in tails(value):
            self._edges[source].update(names)

    def _flow_call(self, name: str, call: facts.Call) -> None:
        for index, arg in enumerate(call.args):
            for source in tails(arg):
                self._edges[source].add(f"{name}({index})")
        for keyword in call.keywords:
            if keyword.name is not None:
                for source in tails(keyword.value):
                    self._edges[source].add(keyword.name)

    def flow_names(self, roots: Iterable[str]) -> set[str]:
        """Every name under which what is kept under the roots' names can be met: generous, by names alone."""
        found: set[str] = set()
        pending = list(roots)
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            pending += self._edges.get(name, ())
            if name.endswith(")") and not name.endswith("()"):
                callee, _, index = name[:-1].rpartition("(")
                pending += self.parameters(callee, int(index))
        return found

    def parameters(self, callee: str, index: int) -> Iterator[str]:
        """The parameter names that the argument at an index of a call can meet."""
        for function in self.functions.get(callee, ()):
            names = [p.name for p in function.facts.params if p.kind in ("positional-only", "positional")]
            skip = 1 if function.owner is not None and function.outer is None else 0
            if index + skip < len(names):
                yield names[index + skip]
        for function in self.functions.get("__init__", ()):
            if function.owner is not None and function.owner.name == callee:
                names = [p.name for p in function.facts.params]
                if index + 1 < len(names):
                    yield names[index + 1]


def _own_name(function: FunctionNode) -> str:
    """What a method calls its own object; no model object, so not worth following."""
    return function.facts.params[0].name if function.owner is not None and function.facts.params else ""


_PROBES = frozenset({"hasattr", "getattr", "setattr"})


def tail(expr: Expr) -> str | None:
    """The last name of an expression: what it would be called by somebody who passes it on."""
    match expr:
        case facts.Name(id=name) | facts.Attribute(name=name):
            return name
        case facts.Call(func=func):
            called = tail(func)
            return f"{called}()" if called is not None else None
        case facts.Item(base=base) | facts.Starred(value=base) | facts.Walrus(value=base):
            return tail(base)
        case _:
            return None


def tails(expr: Expr) -> Iterator[str]:
    """All names that the value of an expression can have travelled under."""
    match expr:
        case facts.Boolean(values=values) | facts.Sequence(items=values) | facts.Mapping(values=values):
            for value in values:
                yield from tails(value)
        case facts.Choice(then=then, otherwise=otherwise):
            yield from tails(then)
            yield from tails(otherwise)
        case facts.Comprehension(element=element):
            yield from tails(element)
        case facts.Lambda(body=body):
            yield from tails(body)
        case facts.Call(func=facts.Name(id="getattr"), args=(_, facts.Constant(value=str(name)), *rest)):
            yield name
            for one in rest:
                yield from tails(one)
        case facts.Call(func=func, args=args):
            if (called := tail(expr)) is not None:
                yield called
            if isinstance(func, facts.Name) and func.id in ("list", "tuple", "zip", "enumerate", "reversed", "cast"):
                for arg in args:
                    yield from tails(arg)
        case _:
            if (last := tail(expr)) is not None:
                yield last


def _target_tails(target: Expr) -> Iterator[str]:
    match target:
        case facts.Sequence(items=items):
            for item in items:
                yield from _target_tails(item)
        case facts.Starred(value=value):
            yield from _target_tails(value)
        case _:
            if (name := tail(target)) is not None:
                yield name


def _attribute_targets(target: Expr) -> Iterator[facts.Attribute]:
    match target:
        case facts.Attribute():
            yield target
        case facts.Sequence(items=items):
            for item in items:
                yield from _attribute_targets(item)
        case _:
            pass
