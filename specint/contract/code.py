"""The code under scan as one searchable whole: who calls what, who binds which attribute, who touches which name.

Model objects are few and code is long. One walk over all expressions notes, by name, the calls, the attribute
assignments and the attribute accesses; `flow_names` then tells under which names a model object can travel at all, so
that only those few expressions need be evaluated.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.facts.records import is_record_base
from specint.graph.handing import calls_of
from specint.graph.hierarchy import declared_fields
from specint.graph.project import PUTS, ClassNode, FunctionNode, Project

NEAR = 2
"""What is put into a container one by one is followed out of it where its name was given it so many steps ago, at most:
lists are everywhere, and most of what is in them has nothing to do with a model."""
_LAMBDA = "lambda "
_OWN = "own "
_ANY = "*"
_WORD = "**"
_MOST_ALIASES = 50
"""A callable that goes by more names than this is followed under the nearest ones."""

Local = tuple[tuple[Expr, bool], ...]
"""Conditions within an expression: `b` in `a and b` holds only where `a` is true."""


How = Literal["access", "write", "probe"]


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
        inside: per function, its attribute reads and writes and its hasattr, getattr and setattr calls.
        super_calls: per function, the names it calls on `super()`.
        lambdas: per function that is a lambda, what it is called here.
        fields: by the name of a class that has no constructor of its own, what its body declares.
        own_calls: the calls of what a method was reached through: `cls(…)` makes an object.
        classes: by their plain name.
        heirs: by the last name of a base as it is written, the classes that have it.
        handed_on: names that stand anywhere but where they are called: a function of such a name may be called later.
    """

    project: Project
    functions: dict[str, list[FunctionNode]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    accesses: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    probes: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    writes: dict[str, list[Occurrence]] = field(default_factory=lambda: defaultdict(list))
    mentions: dict[int, list[tuple[str, facts.Step]]] = field(default_factory=lambda: defaultdict(list))
    attributes: dict[int, dict[str, facts.Step]] = field(default_factory=lambda: defaultdict(dict))
    inside: dict[int, list[tuple[How, Occurrence]]] = field(default_factory=lambda: defaultdict(list))
    super_calls: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    lambdas: dict[int, str] = field(default_factory=dict)
    handed_on: set[str] = field(default_factory=set)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    own_calls: list[Occurrence] = field(default_factory=list)
    heirs: dict[str, list[ClassNode]] = field(default_factory=lambda: defaultdict(list))
    classes: dict[str, list[ClassNode]] = field(default_factory=lambda: defaultdict(list))
    _records: set[str] = field(default_factory=set)
    _edges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _puts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _kept_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _after: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _parameters: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    _modules: set[str] = field(default_factory=set)

    def add(self, modules: Iterable[facts.Module]) -> None:
        """Put modules under scan; one that is there already is left alone."""
        for worked_out in ("_kept_in", "_constructors"):
            self.__dict__.pop(worked_out, None)
        self._parameters.clear()
        self._kept_as.clear()
        self._after.clear()
        for module in modules:
            if module.name in self._modules:
                continue
            self._modules.add(module.name)
            for function in self.project.functions_of(module):
                self._add(function, function.name)
            for node in self.project.classes_of(module):
                self.classes[node.name].append(node)
                for base in node.facts.bases:
                    if (called := tail(base)) is not None:
                        self.heirs[called].append(node)
                if declared := declared_fields(node.facts):
                    self.fields[node.name] = declared
                    if any(map(is_record_base, node.facts.bases)):
                        self._records.add(node.name)
            for scope in (module.body, *(node.facts.body for node in self.project.classes_of(module))):
                for step in scope.steps:
                    if isinstance(step, facts.Bind) and isinstance(step.value, facts.Lambda):
                        self.flow(step.target, step.value)
                        self.add_lambda(self.project.lambda_node(module, step.value, None, None), step.value)

    def of_module(self, name: str) -> Iterator[FunctionNode]:
        """The functions of a module that is under scan."""
        module = self.project.module(name) if name in self._modules else None
        return self.project.functions_of(module) if module is not None else iter(())

    @property
    def size(self) -> int:
        """How many modules are under scan."""
        return len(self._modules)

    def __contains__(self, module: str) -> bool:
        return module in self._modules

    def add_lambda(self, node: FunctionNode, written: facts.Lambda) -> None:
        """Put a lambda under scan, as a function that is called what nobody else is."""
        self._add(node, lambda_name(written))
        self.lambdas[id(node)] = lambda_name(written)

    def looks_at_signature(self, function: FunctionNode) -> bool:
        """Whether a function looks at what another one takes."""
        named = self.attributes.get(id(function), {})
        return not _SIGNATURES.isdisjoint(named) or any(
            n in _SIGNATURES for n, _ in self.mentions.get(id(function), ())
        )

    def name_of(self, function: FunctionNode) -> str:
        """The name under which a function is known here."""
        return self.lambdas.get(id(function), function.name)

    def _add(self, function: FunctionNode, name: str) -> None:
        self.functions[name].append(function)
        walk = _Walk(self, function)
        for _, one in function.yielded:
            for source in tails(one.value):
                self._edges[source].add(f"{name}()")
        for step in function.facts.body.steps:
            walk.step = step
            match step:
                case facts.Bind(target=target, value=value, how=how):
                    if value is not None:
                        walk.expression(value)
                        self.flow(target, value)
                    if how == "with":  # the name is what entering gives
                        self._edges["__enter__()"].update(_target_tails(target))
                    for attribute in _attribute_targets(target):
                        walk.expression(attribute.base)
                        if attribute.base != walk.own:
                            occurrence = Occurrence(function, step, attribute)
                            self.writes[attribute.name].append(occurrence)
                            self.inside[id(function)].append(("write", occurrence))
                case facts.Evaluate(value=value):
                    walk.expression(value)
                case facts.Return(value=value) if value is not None:
                    walk.expression(value)
                    # a property gives it under its name; under that of a call stands what calling that gives
                    met = (name,) if function.facts.is_decorated("property") else (f"{name}()", name)
                    for source in tails(value):
                        self._edges[source].update(met)
                case facts.Raise(value=value) if value is not None:
                    walk.expression(value)
                case facts.Delete(target=target):
                    walk.expression(target)
                case facts.Define(index=index):  # its defaults are read here and now
                    for param in function.facts.body.functions[index].params:
                        if param.default is not None:
                            walk.expression(param.default)
                            self.flow(facts.Name(param.name), param.default)
                case _:
                    pass

    def flow(self, target: Expr, value: Expr) -> None:
        """Note that what an expression is goes on under the names of a target."""
        names = list(_target_tails(target))
        for source in tails(value):
            self._edges[source].update(names)

    def meet(self, source: str, name: str) -> None:
        """Note that what goes by one name goes by another, too."""
        self._edges[source].add(name)

    def put(self, container: Expr, value: Expr) -> None:
        """Note that what an expression is goes into a container of a name."""
        names = list(_target_tails(container))
        for source in tails(value):
            self._puts[source].update(names)

    def flow_call(self, name: str, call: facts.Call, function: FunctionNode) -> None:
        """Note that the arguments of a call go on under the callee's parameters."""
        for index, arg in enumerate(call.args):
            if isinstance(arg, facts.Starred):
                for source in gathered(arg.value, function) or tails(arg.value):
                    self._edges[source].add(f"{name}({_ANY})")
                continue
            for source in tails(arg):
                self._edges[source].add(f"{name}({index})")
        for keyword in call.keywords:
            if keyword.name is not None:
                for source in tails(keyword.value):
                    self._edges[source].update((keyword.name, f"{name}({_WORD})"))
            elif not gathered(keyword.value, function):  # what is gathered under names keeps them
                for source in tails(keyword.value):
                    self._edges[source].add(f"{name}({_ANY})")

    def flow_names(self, roots: Iterable[str], *, kept: bool = True) -> set[str]:
        """Every name under which what is kept under the roots' names can be met: generous, by names alone.

        Args:
            kept: follow also what is kept and called later, and what is gathered (`*args`, `**words`); otherwise only
                what a lambda gives is met where the lambda is called. Functions share names with so much else that this
                leads nearly everywhere.
        """
        found: set[str] = set()
        pending = list(roots)
        near = {*pending, *self.names_after(pending, NEAR)}
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            if not kept and name[:1] == _ANY:  # all that is gathered is called alike
                continue
            if name in self._edges:
                pending += self._edges[name] - found
            if name in near:
                pending += self._puts.get(name, ())
            if name[-1:] != ")":
                continue
            if name.endswith("()"):  # what a callable gives is met wherever the callable is called
                if kept:
                    pending += [f"{alias}()" for alias in self.kept_as(name[:-2])]
                elif name.startswith(_LAMBDA):
                    found.update(f"{alias}()" for alias in self.kept_as(name[:-2]))
            else:
                callee, _, index = name[:-1].rpartition("(")
                pending += self.parameters(callee, index)
                for one in self.kept_in(callee) if kept else ():
                    pending += self.parameters(one, index)
        return found

    def names_after(self, names: Iterable[str], hops: int) -> set[str]:
        """The names that what is kept under some is given next, by assignments and keywords, so many times."""
        found: set[str] = set()
        front = set(names)
        for _ in range(hops):
            front = {to for name in front for to in self._edges.get(name, ()) if not to.endswith(")")} - found
            found |= front
        return found

    def kept_as(self, name: str) -> tuple[str, ...]:
        """The other names under which a callable of this name is met where it is handed over as a value or kept."""
        if name not in self._kept_as:
            self._kept_as[name] = tuple(self._aliases(name)) if name in self._edges else ()
        return self._kept_as[name]

    def _aliases(self, name: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = deque([self._next(name)])  # lists of names, the nearest first: of most only the first few are met
        while waiting:
            for one in waiting.popleft():
                if one == name or one in found:
                    continue
                if one.endswith(")"):
                    callee, _, index = one[:-1].rpartition("(")
                    waiting.append(tuple(n for n in self.parameters(callee, index) if not n.endswith("()")))
                else:
                    found[one] = None
                    if len(found) == _MOST_ALIASES:
                        return list(found)
                    waiting.append(self._next(one))
        return list(found)

    def _next(self, name: str) -> tuple[str, ...]:
        """The names and parameters that what goes by a name is given next, in order."""
        if name not in self._after:
            self._after[name] = tuple(sorted(one for one in self._edges.get(name, ()) if not one.endswith("()")))
        return self._after[name]

    def kept_in(self, name: str) -> tuple[str, ...]:
        """The functions and lambdas that a call of this name can reach because one was handed over under it."""
        return tuple(self._kept_in.get(name, ()))

    @cached_property
    def _kept_in(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for name in self.functions:
            for alias in self.kept_as(name):
                if alias != name and alias in self.calls:
                    found[alias].append(name)
        return found

    def functions_named(self, name: str) -> list[FunctionNode]:
        """The functions of a plain name, and the constructor of a class of that name."""
        return [*self.functions.get(name, ()), *self._constructors.get(name, ())]

    def parameters(self, callee: str, index: str) -> tuple[str, ...]:
        """The parameter names that an argument of a call can meet: the one at an index, any (`*`), or one by name that
        no parameter has (`**`)."""
        key = (callee, index)
        if key not in self._parameters:
            self._parameters[key] = tuple(dict.fromkeys(self._find_parameters(callee, index)))
        return self._parameters[key]

    def _find_parameters(self, callee: str, index: str) -> Iterator[str]:
        for function in self.functions_named(callee):
            yield from _parameters_at(function, index)
        if callee in self.fields and index != _WORD:  # by a name it goes under that
            yield from self.fields[callee]
            if callee in self._records:
                yield f"{callee}()"  # a tuple of its fields, which can be unpacked

    @cached_property
    def _constructors(self) -> dict[str, list[FunctionNode]]:
        """By the name of their class, and of each heir that has none; what calls its own class may call an heir's."""
        found: dict[str, list[FunctionNode]] = defaultdict(list)
        owners = {function.owner for function in self.functions.get("__init__", ()) if function.owner is not None}
        for function in self.functions.get("__init__", ()):
            if function.owner is None:
                continue
            found[f"{_OWN}{function.owner.name}"].append(function)
            for name in (function.owner.name, *(one.name for one in self.below(function.owner, owners))):
                found[name].append(function)
            for above in self._above(function.owner):
                found[f"{_OWN}{above}"].append(function)
        return found

    def below(self, node: ClassNode, but: Set[ClassNode] = frozenset()) -> Iterator[ClassNode]:
        """The classes that are heirs of one by the names of their bases, without some and what is below those."""
        pending, seen = [node.name], {node.name}
        while pending:
            for one in self.heirs.get(pending.pop(), ()):
                if one not in but and one.name not in seen:
                    seen.add(one.name)
                    pending.append(one.name)
                    yield one

    def _above(self, node: ClassNode) -> Iterator[str]:
        """The names of a class's bases, and of theirs."""
        pending, seen = [node], {node.name}
        while pending:
            for base in map(tail, pending.pop().facts.bases):
                if base is not None and base not in seen:
                    seen.add(base)
                    yield base
                    pending += self.classes.get(base, ())


class _Walk:
    """One function's expressions, on their way into the indexes.

    Attributes:
        own: what a method calls its own object, as it stands; no model object, so not worth following.
        step: the step whose expressions come next.
    """

    __slots__ = ("attributes", "code", "function", "inside", "mentions", "own", "step")

    def __init__(self, code: Code, function: FunctionNode) -> None:
        self.code = code
        self.function = function
        self.own = facts.Name(function.receiver or "")
        self.step: facts.Step = facts.Return(None, -1, 0)
        self.mentions = code.mentions[id(function)]
        self.attributes = code.attributes[id(function)]
        self.inside = code.inside[id(function)]

    def expression(self, expr: Expr, local: Local = ()) -> None:
        """Note an expression and what is in it; `local` are the conditions within the whole that it stands under."""
        handle = _WALKS.get(type(expr))
        if handle is not None:
            handle(self, expr, local)
            return
        for child in facts.children(expr):
            self.expression(child, local)

    def name(self, expr: facts.Name, _: Local) -> None:
        self.mentions.append((expr.id, self.step))
        self.code.handed_on.add(expr.id)
        for source in gathered(expr, self.function):
            self.code.meet(source, expr.id)

    def attribute(self, expr: facts.Attribute, local: Local) -> None:
        self.code.handed_on.add(expr.name)
        self._attribute(expr, local)

    def _attribute(self, expr: facts.Attribute, local: Local) -> None:
        base = expr.base
        self.attributes.setdefault(expr.name, self.step)
        if type(base) is facts.Call and base.func == _SUPER:
            self.code.super_calls[id(self.function)].append(expr.name)
        if base != self.own:
            occurrence = Occurrence(self.function, self.step, expr, local)
            self.inside.append(("access", occurrence))
            for source in tails(base):
                self.code.accesses[source].append(occurrence)
        self.expression(base, local)

    def call(self, expr: facts.Call, local: Local) -> None:
        code = self.code
        called = tail(expr.func)
        if called is not None:
            occurrence = Occurrence(self.function, self.step, expr, local)
            code.calls[called].append(occurrence)
            if called in _PROBES and expr.args:
                self.inside.append(("probe", occurrence))
                for source in tails(expr.args[0]):
                    code.probes[source].append(occurrence)
            code.flow_call(called, expr, self.function)
            if expr.func == self.own or called in _OWN_CLASS:
                self._own_call(expr, occurrence)
            early = _ahead(expr)
            for one in calls_of(expr) if early is None else (early,):
                # what is handed over ahead of a call, or together with the callee, is handed over all the same
                if (callee := tail(one.func)) is not None:
                    code.calls[callee].append(Occurrence(self.function, self.step, one, local))
                    code.flow_call(callee, one, self.function)
            if isinstance(expr.func, facts.Attribute) and expr.func.name in PUTS and expr.args:
                code.put(expr.func.base, expr.args[-1])
        self._called(expr.func, local)
        for arg in expr.args:
            if not isinstance(arg, facts.Starred) or not gathered(arg.value, self.function):
                self.expression(arg, local)
        for keyword in expr.keywords:
            if keyword.name is not None or not gathered(keyword.value, self.function):
                self.expression(keyword.value, local)

    def _own_call(self, expr: facts.Call, occurrence: Occurrence) -> None:
        """`cls(…)`, `type(self)(…)`, `self.__class__(…)`."""
        owner = self.function.owner
        if owner is not None:
            self.code.own_calls.append(occurrence)
            self.code.flow_call(f"{_OWN}{owner.name}", expr, self.function)

    def _called(self, func: Expr, local: Local) -> None:
        if type(func) is facts.Name:
            self.mentions.append((func.id, self.step))
        elif type(func) is facts.Attribute:
            self._attribute(func, local)
        else:
            self.expression(func, local)

    def boolean(self, expr: facts.Boolean, local: Local) -> None:
        for value in expr.values:
            self.expression(value, local)
            local = (*local, (value, expr.op == "and"))

    def choice(self, expr: facts.Choice, local: Local) -> None:
        self.expression(expr.test, local)
        self.expression(expr.then, (*local, (expr.test, True)))
        self.expression(expr.otherwise, (*local, (expr.test, False)))

    def comprehension(self, expr: facts.Comprehension, local: Local) -> None:
        for loop in expr.loops:
            self.expression(loop.iterable, local)
            self.code.flow(loop.target, loop.iterable)
            for condition in loop.conditions:
                self.expression(condition, local)
                local = (*local, (condition, True))
        self.expression(expr.element, local)

    def written_lambda(self, expr: facts.Lambda, _: Local) -> None:
        for param in expr.params:
            if param.default is not None:
                self.code.flow(facts.Name(param.name), param.default)
        code, function = self.code, self.function
        code.add_lambda(code.project.lambda_node(function.module, expr, function, self.step), expr)

    def walrus(self, expr: facts.Walrus, local: Local) -> None:
        self.code.flow(facts.Name(expr.name), expr.value)
        self.expression(expr.value, local)


# By type, not by `match`: every expression under scan comes through here.
_WALKS: dict[type, Callable[[_Walk, Any, Local], None]] = {
    facts.Constant: lambda walk, expr, local: None,  # noqa: ARG005
    facts.Name: _Walk.name,
    facts.Attribute: _Walk.attribute,
    facts.Call: _Walk.call,
    facts.Boolean: _Walk.boolean,
    facts.Choice: _Walk.choice,
    facts.Comprehension: _Walk.comprehension,
    facts.Walrus: _Walk.walrus,
    facts.Lambda: _Walk.written_lambda,
}
_PARTIAL = "partial"
_OWN_CLASS = frozenset({"type()", "__class__"})
_HANDS_OUT = frozenset({"values", "items", "get", "pop", "copy", "setdefault", "_replace"})
"""The methods by which a container gives what it holds."""
_HANDS_THROUGH = frozenset(
    {"list", "tuple", "set", "frozenset", "zip", "zip_longest", "enumerate", "reversed", "sorted", "iter", "next"}
    | {"filter", "chain", "cycle", "deque", "cast", "proxy", "nullcontext", "closing", "enter_context"}
    | {"copy", "deepcopy", "replace"}
)
"""The functions that give what they are handed, or a container or an element of it."""
_SIGNATURES = frozenset({"signature", "getfullargspec"})
_SUPER = facts.Name("super")
_PROBES = frozenset({"hasattr", "getattr", "setattr"})


def _ahead(call: facts.Call) -> facts.Call | None:
    """The call that a partial begins: its callee with what is handed over ahead; None for any other call."""
    if tail(call.func) != _PARTIAL or not call.args:
        return None
    early = facts.Call(call.args[0], call.args[1:], call.keywords, call.line)
    inner = _ahead(early.func) if isinstance(early.func, facts.Call) else None
    if inner is None:
        return early
    return facts.Call(inner.func, (*inner.args, *early.args), (*inner.keywords, *early.keywords), call.line)


def gathered(expr: Expr, function: FunctionNode | None) -> tuple[str, ...]:
    """The name under which what a function gathers (`*args`, `**words`) travels, where an expression is that: it has
    no other function's, as all are called alike."""
    if type(expr) is not facts.Name:
        return ()
    while function is not None:
        param = function.named.get(expr.id)
        if param is not None:
            return (f"{param.kind}{id(function)}",) if param.kind in (_ANY, _WORD) else ()
        function = function.outer
    return ()


def _parameters_at(function: FunctionNode, index: str) -> Iterator[str]:
    params = function.parameters
    positional = [p.name for p in params if p.kind in ("positional-only", "positional")]
    if index == _ANY:
        yield from (p.name for p in params if p.kind not in (_ANY, _WORD))
    elif index != _WORD and int(index) < len(positional):
        yield positional[int(index)]
        return
    for param in params:
        if param.kind in (_ANY, _WORD) and (index == _ANY or (index == _WORD) is (param.kind == _WORD)):
            yield f"{param.kind}{id(function)}"


def lambda_name(written: facts.Lambda) -> str:
    """What a lambda is called among the names here: it has none, and no two are the same."""
    return f"{_LAMBDA}{id(written)}"


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
        case facts.Lambda():
            return lambda_name(expr)
        case _:
            return None


def tails(expr: Expr) -> Iterable[str]:
    """All names that the value of an expression can have travelled under."""
    if type(expr) is facts.Name:
        return (expr.id,)
    if type(expr) is facts.Attribute:
        return (expr.name,)
    return () if type(expr) is facts.Constant else _tails(expr)


def _tails(expr: Expr) -> Iterator[str]:
    match expr:
        case facts.Boolean(values=values) | facts.Display(items=values) | facts.DictDisplay(values=values):
            for value in values:
                yield from tails(value)
        case facts.Choice(then=then, otherwise=otherwise):
            yield from tails(then)
            yield from tails(otherwise)
        case facts.Comprehension(element=element):
            yield from tails(element)
        case facts.Lambda():
            yield lambda_name(expr)
        case facts.Yield(value=value) | facts.Item(base=value):
            yield from tails(value)
        case facts.Call(func=facts.Name(id="getattr"), args=(_, facts.Constant(value=str(name)), *rest)):
            yield name
            for one in rest:
                yield from tails(one)
        case facts.Call(func=func, args=args):
            if (called := tail(expr)) is not None:
                yield called
            if called == f"{_PARTIAL}()" and args:
                yield from tails(args[0])
            if isinstance(func, facts.Attribute) and func.name in _HANDS_OUT:
                yield from tails(func.base)
            last = func.id if isinstance(func, facts.Name) else getattr(func, "name", "")
            if last in _HANDS_THROUGH:
                for arg in args:
                    yield from tails(arg)
            for made in calls_of(expr) if last == "map" else ():
                yield from tails(made)
        case _:
            if (last := tail(expr)) is not None:
                yield last


def _target_tails(target: Expr) -> Iterator[str]:
    match target:
        case facts.Display(items=items):
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
        case facts.Display(items=items):
            for item in items:
                yield from _attribute_targets(item)
        case _:
            pass
