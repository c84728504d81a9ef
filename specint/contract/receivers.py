"""Which expressions are a model object, and whose: the evaluator, told about runners, workers and the two sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from specint.contract.code import NEAR, Code, Occurrence, tail, tails
from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.graph.binding import bind_arguments, spread_arguments
from specint.graph.evaluation import Frame
from specint.graph.evaluator import Evaluator
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, FunctionNode, Project
from specint.graph.value import (
    ClassValue,
    ConstantValue,
    FunctionValue,
    Instance,
    ModelObject,
    SequenceValue,
    Value,
    Values,
    changed,
    completed,
    handed_ahead,
)

_SIDES = ("target", "draft")
_OBJECTS = (Instance, ClassValue)
_DEEPEST = 2
"""So many steps into a model are followed. What lies deeper is a tensor or a kernel's business."""
ELSEWHERE = "…"
"""The path of a part that was handed to another function: that it is a part is known there, and not which."""
_NONE = frozenset({ConstantValue(None)})
_CHANGES = ("_replace", "replace")
_MOST_CALLS = 1_000
"""Of a name that is called more often than this, no callers are followed: the most that we met (0.5.9) is 88, and
thousands of functions of one name that call each other would take minutes."""


class Receivers:
    """Follows model objects through attributes, aliases, lists, helper parameters and results."""

    def __init__(self, project: Project, hierarchy: Hierarchy, roots: Roots, code: Code) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.roots = roots
        self.code = code
        self.evaluator = Evaluator(
            project,
            hierarchy,
            attribute_hook=self._attribute,
            parameter_hook=self._parameter,
            construct_hook=self._construct,
            result_hook=self._result,
            outside_binds=self._outside_binds,
            role_of=self.role_of,
            worth_keeping=self._may_lead_to_model,
        )
        self._roles: dict[str, str] = {}
        self._leading: tuple[int, set[str]] | None = None
        self._changes: tuple[int, Mapping[str, list[tuple[Occurrence, facts.Expr, facts.Expr]]]] | None = None
        self._frames: dict[FunctionNode, Frame] = {}
        self._by_name: dict[int, tuple[FunctionNode, list[Occurrence]]] = {}

    # -- roles -----------------------------------------------------------------------------------------------------

    def has_side(self, node: ClassNode) -> bool:
        """Whether objects of a class stand on one side of speculative decoding: workers and runners do."""
        return any(self.hierarchy.is_subclass(node, root) for root in (self.roots.runner, self.roots.worker))

    def role_of(self, node: ClassNode) -> str:
        """The side that a class takes by itself: "draft" where its own constructor sets the draft flag."""
        if node.key not in self._roles:
            self._roles[node.key] = "both" if self.has_side(node) else ""
            if self._roles[node.key] and self._sets_draft_flag(node):
                self._roles[node.key] = "draft"
        return self._roles[node.key]

    def _sets_draft_flag(self, node: ClassNode) -> bool:
        flag = self.roots.declared.worker.draft_flag
        member = self.hierarchy.lookup(node, "__init__")
        if member is None or member.function is None:
            return False
        return any(
            keyword.name == flag and keyword.value == facts.Constant(True)
            for step in member.function.facts.body.steps
            if isinstance(step, facts.Evaluate) and isinstance(step.value, facts.Call)
            for keyword in step.value.keywords
        )

    def _construct(self, node: ClassNode, call: facts.Call, _: Frame) -> Values | None:
        if not self.has_side(node):
            return None
        flag = self._draft_flag(node, call)
        role = ("draft" if flag.value else "target") if isinstance(flag, facts.Constant) else self.role_of(node)
        return frozenset({Instance(node, role)})

    def _draft_flag(self, node: ClassNode, call: facts.Call) -> facts.Expr | None:
        """What a constructor call gives to the draft flag, its default where it gives nothing; None where it has none,
        or where what is spread may hold it."""
        name = self.roots.declared.worker.draft_flag
        member = self.hierarchy.lookup(node, "__init__")
        if member is None or member.function is None:
            return None
        bound = bind_arguments(member.function, call, skip_first=True)
        param = next((one for one in member.function.facts.params if one.name == name), None)
        spread = any(isinstance(one, facts.Starred) for one in call.args) or any(k.name is None for k in call.keywords)
        if name in bound or param is None or spread:
            return bound.get(name)
        return param.default

    def _result(self, function: FunctionNode) -> Values | None:
        """What the one function gives that tells a model's class: the class, and its name."""
        if function.key != f"{self.project.package}.{self.roots.declared.architecture.function}":
            return None
        return frozenset({SequenceValue((frozenset({ModelObject("class")}), frozenset()))})

    def model_names(self, *, kept: bool = True) -> set[str]:
        """The names under which a model object can be met at all; `kept`: see `Code.flow_names`."""
        roots = self.roots.declared
        told_by = roots.architecture.function.rpartition(".")[2]
        return self.code.flow_names([roots.runner.model, f"{told_by}()", roots.inner.parameter], kept=kept)

    def _may_lead_to_model(self, expr: facts.Expr) -> bool:
        """Whether an expression is called like a model or what has one, or was given such a name a few lines ago."""
        if self._leading is None or self._leading[0] != self.code.size:
            declared = self.roots.declared
            roots = {declared.runner.model, declared.worker.target_parameter, declared.inner.parameter}
            roots |= {f"{root.name}()" for root in (self.roots.runner, self.roots.worker)}
            names = roots | self.code.names_after(roots, NEAR)
            self._leading = self.code.size, names
        return not self._leading[1].isdisjoint(tails(expr))

    # -- attributes and parameters ---------------------------------------------------------------------------------

    def _attribute(self, value: Value, name: str) -> Values | None:
        if isinstance(value, ModelObject):
            path = value.path
            deeper = len(path) < _DEEPEST and ELSEWHERE not in path and not hasattr(object, name)
            return frozenset({ModelObject(value.role, (*value.path, name))}) if deeper else frozenset()
        if not isinstance(value, Instance):
            return None
        if name == self.roots.declared.runner.model and self.hierarchy.is_subclass(value.node, self.roots.runner):
            return frozenset({ModelObject(value.role or "both")})
        found = self.evaluator.instance_attribute(value, value.node, name)
        if not found and self.has_side(value.node):
            found = self._same_name_elsewhere(value.node, name)
        return (
            frozenset(changed(v, lambda one: _on_side(one, value.role)) for v in found)
            if value.role in _SIDES
            else found
        )

    def _same_name_elsewhere(self, node: ClassNode, name: str) -> Values:
        """An attribute that its worker never defines means what the other workers mean by the name.

        Seen in SGLang 0.5.9: `MultiLayerEagleWorker` reads `draft_model_runner`, which only `EAGLEWorker` defines.
        """
        if any(self.hierarchy.definitions(node, name)) or any(self.evaluator.self_binds(node, name)):
            return frozenset()
        others = {f.owner for f in self.code.functions.get(name, ()) if f.owner is not None and self.has_side(f.owner)}
        found = (self.evaluator.instance_attribute(Instance(o, self.role_of(o)), o, name) for o in others)
        return frozenset(v for values in found for v in values if isinstance(v, Instance) and self.has_side(v.node))

    def _parameter(self, frame: Frame, param: facts.Param) -> Values | None:
        function = frame.function
        assert function is not None
        inner = self.roots.declared.inner
        if param.name == inner.parameter and function.key == f"{self.project.package}.{inner.function}":
            return frozenset({ModelObject("inner")})
        annotated = self.evaluator.promised(param, frame)
        if param.name == self.roots.declared.worker.target_parameter:
            node = next((v.node for v in annotated if isinstance(v, Instance)), self.roots.worker)
            return frozenset({Instance(node if self.has_side(node) else self.roots.worker, "target")})
        plain = [v for v in annotated if isinstance(v, Instance) and not self.has_side(v.node)]
        if plain:
            return annotated
        found = self._from_heir(frame, param)
        if found is None:
            found = self._from_callers(function, param)
        sides = [v for v in found if isinstance(v, (Instance, ModelObject))]
        if not sides:
            found |= annotated
        if param.default is not None:
            around = function.outer
            found |= self.evaluator.evaluate(param.default, self.frame(around) if around else Frame(frame.module))
        return found

    def _from_heir(self, frame: Frame, param: facts.Param) -> Values | None:
        """What an heir's constructor hands to a parameter of the inherited one, None where the heir has none."""
        function, receiver = frame.function, frame.receiver
        assert function is not None
        if function.name != "__init__" or not isinstance(receiver, Instance) or receiver.node is function.owner:
            return None
        member = self.hierarchy.lookup(receiver.node, "__init__")
        for _ in range(len(self.hierarchy.order(receiver.node).classes)):
            if member is None or member.function is None or member.function is function:
                return None
            above = self.hierarchy.next_definition(receiver.node, member.owner, "__init__")
            if above is not None and above.function is function:
                heir = Frame(member.function.module, member.function, receiver)
                return self._handed_up(heir, function, param)
            member = above
        return None

    def _handed_up(self, heir: Frame, function: FunctionNode, param: facts.Param) -> Values | None:
        assert heir.function is not None
        for step in heir.function.facts.body.steps:
            match step:
                case facts.Evaluate(
                    value=facts.Call(
                        func=facts.Attribute(base=facts.Call(func=facts.Name(id="super")), name="__init__")
                    ) as call
                ):
                    bound = bind_arguments(function, call, skip_first=True)
                    bound |= spread_arguments(function, call, skip_first=True)
                    if param.name in bound:
                        return self.evaluator.evaluate(bound[param.name], heir, step)
                    if param.default is not None:
                        return self.evaluator.evaluate(param.default, Frame(function.module))
                case _:
                    pass
        return None

    def _from_callers(self, function: FunctionNode, param: facts.Param) -> Values:
        found: set[Value] = set()
        for caller in self.callers(function):
            frame = self.frame(caller.function)
            bound = self.arguments(caller, function)
            bound |= self._spread(caller, function)
            if param.name in bound:
                found |= _handed_over(self.evaluator.evaluate(bound[param.name], frame, caller.step))
        return frozenset(found)

    def arguments(self, caller: Occurrence, function: FunctionNode) -> dict[str, facts.Expr]:
        """Parameter -> what a call of a function hands over: its object is among it where a method is called on its
        class, and what a partial was handed ahead is not."""
        assert isinstance(caller.expr, facts.Call)
        skip = self._skips(caller, function)
        return bind_arguments(function, caller.expr, skip_first=skip, ahead=self._ahead(caller, function))

    def _spread(self, caller: Occurrence, function: FunctionNode) -> dict[str, facts.Expr]:
        """The same of what a call spreads, if that holds so much."""
        assert isinstance(caller.expr, facts.Call)
        call = caller.expr
        if all(k.name is not None for k in call.keywords) and not any(isinstance(a, facts.Starred) for a in call.args):
            return {}
        skip = self._skips(caller, function)
        return spread_arguments(function, call, skip_first=skip, ahead=self._ahead(caller, function))

    def _skips(self, caller: Occurrence, function: FunctionNode) -> bool:
        """Whether Python hands over the object of a method, not its caller."""
        assert isinstance(caller.expr, facts.Call)
        return function.takes_receiver and not self._is_on_class(caller.expr, caller.function, function)

    def _is_on_class(self, call: facts.Call, caller: FunctionNode, function: FunctionNode) -> bool:
        """`Base.method(self, …)`: Python hands over no object then."""
        func = call.func
        if not isinstance(func, facts.Attribute) or func.name != function.name or function.own is None:
            return False
        return bool(self._classes_named(func.base, caller))

    def _classes_named(self, expr: facts.Expr, function: FunctionNode) -> list[ClassNode]:
        """The classes that an expression names outright."""
        if not isinstance(expr, (facts.Name, facts.Attribute)) or expr == facts.Name(function.receiver or ""):
            return []
        symbols = self.project.symbol(function.module, expr, (function.facts.body,))
        return [one for one in symbols if isinstance(one, ClassNode)]

    def _ahead(self, caller: Occurrence, function: FunctionNode) -> int:
        """How many arguments a call's callee was handed ahead, where it is a partial of a function."""
        assert isinstance(caller.expr, facts.Call)
        if self.code.name_of(function) == tail(caller.expr.func):
            return 0
        for callee in self.evaluator.evaluate(caller.expr.func, self.frame(caller.function), caller.step):
            inner = completed(callee)
            if isinstance(inner, FunctionValue) and inner.node is function:
                return handed_ahead(callee)
        return 0

    def callees(self, call: facts.Call, function: FunctionNode) -> list[FunctionNode]:
        """The functions that a call can call."""
        values = self.evaluator.evaluate(call.func, self.frame(function))
        return [value.node for value in values if isinstance(value, FunctionValue)]

    def frame(self, function: FunctionNode) -> Frame:
        """A function as anybody may call it: `self` is an object of its own class."""
        found = self._frames.get(function)
        if found is None:
            own: Value | None = self.evaluator.instance(function.owner) if function.owner is not None else None
            if function.owner is not None and function.own is None and function.receiver is not None:
                own = ClassValue(function.owner)
            found = self._frames[function] = Frame(function.module, function, own)
        return found

    def callers(self, function: FunctionNode) -> tuple[Occurrence, ...]:
        """The calls under scan that can be calls of a function.

        A call by a name that no other function has counts, whatever it is made on: asking what that is would make it
        depend on its own answer, and hardly ever tells another one. A name that is called too often has no callers, as
        one that nobody under scan calls: parameters are what their annotations say.
        """
        calls = self._calls_by_name(function)

        # a question of the evaluator's: whether a call can be one of it depends on what values are, and they on callers
        def answer() -> frozenset[Occurrence]:
            return frozenset([one for one in calls if self._calls(one, function)])

        # a function that is only reached through itself has no callers
        nobody: frozenset[Occurrence] = frozenset()
        found = self.evaluator.ask(("callers", id(function)), answer, nobody) if calls else nobody
        return tuple([one for one in calls if one in found])

    def _calls_by_name(self, function: FunctionNode) -> list[Occurrence]:
        """The calls under scan that can be calls of a function by what is called; none where there are too many."""
        if id(function) not in self._by_name:
            constructor = function.name == "__init__" and function.owner is not None
            name = self.code.name_of(function)
            spellings = self._constructed_as(function) if constructor else [name, *self.code.kept_as(name)]
            calls = [one for spelling in spellings for one in self.code.calls.get(spelling, ())]
            calls += [one for one in self.code.own_calls if constructor and self._may_make(one, function)]
            self._by_name[id(function)] = (function, calls if len(calls) <= _MOST_CALLS else [])
        return self._by_name[id(function)][1]

    def _constructed_as(self, function: FunctionNode) -> list[str]:
        assert function.owner is not None
        below = self.code.below(function.owner)
        heirs = [node.name for node in below if self.hierarchy.is_subclass(node, function.owner)]
        return list(dict.fromkeys([function.owner.name, *heirs, "__init__", *self._class_aliases(function.owner)]))

    def _may_make(self, call: Occurrence, function: FunctionNode) -> bool:
        """Whether a call of its own class, in a method, can make an object of a constructor's class."""
        node = call.function.owner
        return (
            node is not None
            and function.owner is not None
            and (self.hierarchy.is_subclass(node, function.owner) or self.hierarchy.is_subclass(function.owner, node))
        )

    def _class_aliases(self, node: ClassNode) -> list[str]:
        """Parameters that are annotated as a class of this kind: calling one of them constructs it."""
        if not self.has_side(node):
            return []
        return [name for name in self.code.calls if name.endswith(("_cls", "_class"))]

    def _calls(self, call: Occurrence, function: FunctionNode) -> bool:
        assert isinstance(call.expr, facts.Call)
        func = call.expr.func
        base = func.base if isinstance(func, facts.Attribute) else None
        if isinstance(func, facts.Attribute) and isinstance(base, facts.Call) and base.func == facts.Name("super"):
            owner = call.function.owner
            if owner is None or function.owner is None or function.name != func.name:
                return False
            member = self.hierarchy.above(call.function, base, owner, func.name)
            return member is not None and member.function is function
        if (plainly := self._calls_plainly(func, call.function, function)) is not None:
            return plainly
        constructor = function.name == "__init__"
        if not constructor and tail(func) == function.name and len(self.code.functions.get(function.name, ())) == 1:
            return True
        callees = self.evaluator.evaluate(func, self.frame(call.function), call.step)
        for callee in map(completed, callees):
            match callee:
                case FunctionValue(node=node) if node is function or self._overrides(function, node):
                    return True
                case ClassValue(node=node) if constructor and function.owner is not None:
                    member = self.hierarchy.lookup(node, "__init__")
                    if member is not None and member.function is function:
                        return True
                    if call in self.code.own_calls and self.hierarchy.is_subclass(function.owner, node):
                        return True
                case _:
                    pass
        return False

    def _calls_plainly(self, func: facts.Expr, caller: FunctionNode, function: FunctionNode) -> bool | None:
        """Whether a call goes to a function, where the names alone tell; None where they don't.

        Most calls are so, and evaluating what they are made on leads from function to function without end.
        """
        match func:
            case facts.Name(id=name) if function.name == name and not _is_local(name, caller):
                symbols = self.project.symbol(caller.module, func)
                functions = [one for one in symbols if isinstance(one, FunctionNode)]
                return function in functions if functions and len(functions) == len(symbols) else None
            case facts.Attribute(base=base, name=name) if name == function.name and (
                named := self._classes_named(base, caller)
            ):
                # what is called on a class is that class's own, whatever heirs have
                members = [self.hierarchy.lookup(node, name) for node in named]
                return any(one is not None and one.function is function for one in members)
            case facts.Attribute(base=facts.Name(id=own), name=name) if (
                name == function.name and own == caller.receiver
            ):
                member = self.hierarchy.lookup(caller.owner, name) if caller.owner is not None else None
                if member is None or member.kind != "method" or member.function is None:
                    return None
                return member.function is function or self._overrides(function, member.function)
            case _:
                return None

    def _overrides(self, function: FunctionNode, called: FunctionNode) -> bool:
        if function.name != called.name or function.owner is None or called.owner is None:
            return False
        return self.hierarchy.is_subclass(function.owner, called.owner)

    def _outside_binds(self, node: ClassNode, name: str) -> Iterable[tuple[Frame, facts.Bind]]:
        for write in self.code.writes.get(name, ()):
            assert isinstance(write.expr, facts.Attribute)
            frame = self.frame(write.function)
            values = self.evaluator.evaluate(write.expr.base, frame, write.step)
            if any(isinstance(v, _OBJECTS) and self.hierarchy.related(v.node, node) for v in values):
                assert isinstance(write.step, facts.Bind)
                yield frame, write.step
        yield from self._field_arguments(node, name)

    def _field_arguments(self, node: ClassNode, name: str) -> Iterable[tuple[Frame, facts.Bind]]:
        """What constructor calls give to a field of a class that declares its fields instead of an `__init__`."""
        fields = self.hierarchy.fields(node)
        if name not in fields:
            return
        index = fields.index(name)
        own = (
            one for one in self.code.own_calls if (owner := one.function.owner) and self.hierarchy.related(owner, node)
        )
        for call in (*self.code.calls.get(node.name, ()), *own):
            assert isinstance(call.expr, facts.Call)
            value = next((k.value for k in call.expr.keywords if k.name == name), None)
            if value is None and index < len(call.expr.args):
                value = call.expr.args[index]
            if value is None:
                continue
            frame = self.frame(call.function)
            if ClassValue(node) in self.evaluator.evaluate(call.expr.func, frame, call.step):
                yield frame, facts.Bind(facts.Name(name), value, None, "=", call.step.guard, call.step.line)
        for call, other, value in self._changing.get(name, ()):
            frame = self.frame(call.function)
            objects = self.evaluator.evaluate(other, frame, call.step)
            if any(isinstance(one, Instance) and one.node is node for one in objects):
                yield frame, facts.Bind(facts.Name(name), value, None, "=", call.step.guard, call.step.line)

    @property
    def _changing(self) -> Mapping[str, list[tuple[Occurrence, facts.Expr, facts.Expr]]]:
        """The calls that make an object of another one and of what it is to have in place of its fields, by each field:
        with the other object, and the value."""
        if self._changes is None or self._changes[0] != self.code.size:
            found: dict[str, list[tuple[Occurrence, facts.Expr, facts.Expr]]] = defaultdict(list)
            for call in (one for name in _CHANGES for one in self.code.calls.get(name, ())):
                match call.expr:
                    case facts.Call(func=facts.Attribute(base=other, name="_replace"), args=(), keywords=keywords):
                        pass
                    case facts.Call(args=(other,), keywords=keywords):
                        pass
                    case _:
                        continue
                for keyword in keywords:
                    if keyword.name is not None:
                        found[keyword.name].append((call, other, keyword.value))
            self._changes = self.code.size, found
        return self._changes[1]

    def fields_of(self, node: ClassNode, name: str) -> Iterable[facts.Step]:
        """The steps of the class bodies that declare a name."""
        return (
            step
            for one in self.hierarchy.order(node).nodes
            for step in one.facts.body.steps
            if isinstance(step, facts.Bind) and step.target == facts.Name(name)
        )

    def models(self, expr: facts.Expr, function: FunctionNode, step: facts.Step) -> set[str]:
        """The roles of the model objects that an expression can be; empty where it is none."""
        return set(self.parts(expr, function, step).get((), ()))

    def parts(
        self, expr: facts.Expr, function: FunctionNode, step: facts.Step
    ) -> dict[tuple[str, ...], frozenset[str]]:
        """The models, and parts of models, that an expression can be: by the way from the model, whose it can be."""
        found: dict[tuple[str, ...], set[str]] = {}
        for value in self.evaluator.evaluate(expr, self.frame(function), step):
            if isinstance(value, ModelObject):
                found.setdefault(value.path, set()).add(value.role)
        # "both" is what is left where one way of several tells no side
        return {path: frozenset(roles - {"both"} or roles) for path, roles in found.items()}


def _is_local(name: str, function: FunctionNode | None) -> bool:
    """Whether a name is a function's own, or one of those around it."""
    while function is not None:
        if name in function.binds or name in function.loops or any(p.name == name for p in function.facts.params):
            return True
        function = function.outer
    return False


def _handed_over(values: Values) -> Values:
    """What an argument is to the function that gets it: of what may be one part or another, that it may be a part."""
    paths = {value.path for value in values if isinstance(value, ModelObject)}
    others = {value for value in values if not isinstance(value, ModelObject)} - _NONE
    if len(paths) == 1 and not others:
        return values
    return frozenset(
        ModelObject(value.role, (ELSEWHERE,)) if isinstance(value, ModelObject) and value.path else value
        for value in values
    )


def _on_side(value: Value, role: str) -> Value:
    match value:
        case Instance(node=node, role="both"):
            return Instance(node, role)
        case ModelObject(role="both", path=path):
            return ModelObject(role, path)
        case _:
            return value
