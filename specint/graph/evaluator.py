"""What an expression can be: a small abstract evaluation over linked facts, on demand.

An answer is a set of values, because branches assign differently. What can't be followed is an `Unknown` with its
reason, never silently nothing. The contract uses it to follow a model object through workers and runners, the
composition graph to find what a wrapper's attribute holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.binding import bind_arguments, bind_values, own_binds, reaching
from specint.graph.builtin_calls import builtin_call
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef, Project, Symbol
from specint.graph.questions import Circles
from specint.graph.value import (
    NOTHING,
    ClassValue,
    ConstantValue,
    ElementsOf,
    ExternalValue,
    FunctionValue,
    Instance,
    ModelObject,
    ModuleValue,
    PartialValue,
    SequenceValue,
    Unknown,
    Value,
    Values,
    flat,
    is_telling,
)

# Lists go into `union` and `tuple` here, not generators: those resume from C, which later Pythons limit by itself.
_DEPTH = 40
_DEEP = 24
_MOST_LAYERS = 4
"""So many partials of partials are told apart: a loop that wraps a callable anew each time would never end."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Where an expression is evaluated.

    Attributes:
        function: None at module or class level.
        receiver: what `self` (or `cls`) is.
        arguments: what each parameter was called with, where one call is followed; None where any caller may come.
    """

    module: facts.Module
    function: FunctionNode | None = None
    receiver: Value | None = None
    arguments: Mapping[str, Values] | None = None

    @property
    def scope(self) -> facts.Scope:
        """The steps among which a name is looked up first."""
        return self.function.facts.body if self.function is not None else self.module.body


@dataclass
class Evaluator:
    """Evaluates expressions of a project.

    Args:
        attribute_hook: asked first for an attribute of an instance; None lets the usual rules answer.
        parameter_hook: what a parameter can be when no call is being followed (annotations come first).
        construct_hook: what calling a class gives, so that roles can be read from arguments.
        result_hook: what calling a function gives, where that is declared; None lets its body answer.
    """

    project: Project
    hierarchy: Hierarchy
    attribute_hook: Callable[[Value, str], Values | None] | None = None
    parameter_hook: Callable[[Frame, facts.Param], Values | None] | None = None
    construct_hook: Callable[[ClassNode, facts.Call, Frame], Values | None] | None = None
    result_hook: Callable[[FunctionNode], Values | None] | None = None
    outside_binds: Callable[[ClassNode, str], Iterable[tuple[Frame, facts.Bind]]] | None = None
    role_of: Callable[[ClassNode], str] | None = None
    _questions: Circles = field(default_factory=lambda: Circles(_DEEP))
    _binds: dict[str, dict[str, list[tuple[FunctionNode, facts.Bind]]]] = field(default_factory=dict)
    _depth: int = 0

    def instance(self, node: ClassNode) -> Instance:
        """An object of a class, on the side of speculative decoding that its class alone tells."""
        return Instance(node, self.role_of(node) if self.role_of is not None else "")

    def _once(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        depth, self._depth = self._depth, 0
        try:
            return self._questions.ask(key, compute, NOTHING)
        finally:
            self._depth = depth

    @property
    def open_questions(self) -> int:
        """How many questions are being answered."""
        return self._questions.depth

    def hear_provisional(self, floor: int) -> None:
        """Take note that a hook gave an answer that isn't final: nothing is kept of what is concluded from it by the
        questions that were opened after the first `floor` ones."""
        self._questions.taint(floor)

    # -- expressions -----------------------------------------------------------------------------------------------

    def evaluate(self, expr: Expr | None, frame: Frame, at: facts.Step | None = None) -> Values:
        """Everything an expression can be in a frame.

        Args:
            at: the step in which the expression stands; assignments that another one on the way there hides are left
                out. None: any assignment may have happened.
        """
        if expr is None:
            return frozenset({ConstantValue(None)})
        if self._depth > _DEPTH:
            return frozenset({Unknown("the way is too long to follow")})
        self._depth += 1
        try:
            return self._evaluate(expr, frame, at)
        finally:
            self._depth -= 1

    def _evaluate(self, expr: Expr, frame: Frame, at: facts.Step | None) -> Values:
        match expr:
            case facts.Name(id=name):
                return self.name(name, frame, at)
            case facts.Attribute(base=base, name=name):
                return self.union([self.attribute(value, name) for value in self.evaluate(base, frame, at)])
            case facts.Constant(value=value):
                return frozenset({ConstantValue(value)})
            case facts.Call():
                return self.call(expr, frame, at)
            case facts.Display(items=items):
                if any(isinstance(item, facts.Starred) for item in items):
                    return frozenset({ElementsOf(self.union([flat(self.evaluate(item, frame, at)) for item in items]))})
                return frozenset({SequenceValue(tuple([flat(self.evaluate(item, frame, at)) for item in items]))})
            case facts.DictDisplay(keys=keys, values=values):
                pairs = zip(keys, [self.evaluate(value, frame, at) for value in values], strict=True)
                held = [found if key is not None else self.item(found, facts.Other(())) for key, found in pairs]
                return frozenset({ElementsOf(self.union([flat(one) for one in held]))})
            case facts.Item(base=base, index=index):
                return self.item(self.evaluate(base, frame, at), index)
            case facts.Choice(then=then, otherwise=otherwise):
                return self.evaluate(then, frame, at) | self.evaluate(otherwise, frame, at)
            case facts.Boolean(values=values):
                return self.union([self.evaluate(value, frame, at) for value in values])
            case facts.Walrus(value=value):
                return self.evaluate(value, frame, at)
            case facts.Starred(value=value):
                return self.item(self.evaluate(value, frame, at), facts.Other(()))
            case facts.Comprehension(element=element):
                return frozenset({ElementsOf(flat(self.evaluate(element, frame, at)))})
            case facts.Lambda():
                node = self.project.lambda_node(frame.module, expr, frame.function, at)
                return frozenset({FunctionValue(node, frame.receiver)})
            case facts.Not() | facts.Compare():
                return NOTHING
            case facts.Other(parts=(one,)):  # an await, or a conversion
                return self.evaluate(one, frame, at)
            case _:
                return NOTHING

    def item(self, values: Values, index: Expr) -> Values:
        """What an element of containers can be; any element where the index is no constant."""
        found: set[Value] = set()
        for value in values:
            match value:
                case SequenceValue(items=items):
                    if isinstance(index, facts.Constant) and isinstance(index.value, int):
                        if -len(items) <= index.value < len(items):
                            found |= items[index.value]
                    else:
                        found |= self.union(items)
                case ElementsOf(elements=elements):
                    found |= elements
                case Unknown():
                    found.add(value)
                case _:
                    pass
        return frozenset(found)

    @staticmethod
    def union(sets: Iterable[Values]) -> Values:
        """All values of all sets."""
        found: set[Value] = set()
        for one in sets:
            found |= one
        return frozenset(found)

    # -- names -----------------------------------------------------------------------------------------------------

    def name(self, name: str, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a name can be where it is read: local, of an outer function, or of the module."""
        function = frame.function
        if function is None:
            return self.module_name(name, frame.module)
        params = function.facts.params
        steps = function.binds.get(name, ())
        param = next((p for p in params if p.name == name), None)
        if param is None and not steps:
            if name in function.loops:
                return self._looped(name, frame, at)
            if function.outer is not None:
                return self.name(name, replace(frame, function=function.outer, arguments=None))
            return self.module_name(name, frame.module)
        assigning, covered = reaching(steps, at, function.facts.body)
        arguments = frozenset(frame.arguments.items()) if frame.arguments is not None else None
        key = ("name", id(function), frame.receiver, name, tuple(map(id, assigning)), covered, arguments)

        def compute() -> Values:
            found: Values = self.parameter(param, frame) if param is not None and not covered else NOTHING
            for step in assigning:
                found |= self.bound(step, name, frame)
            return found

        return self._once(key, compute)

    def _looped(self, name: str, frame: Frame, at: facts.Step | None) -> Values:
        """What a name can be that a comprehension gives its elements, one after the other."""
        assert frame.function is not None
        loops = frame.function.loops[name]
        key = ("loop", id(frame.function), frame.receiver, name)

        def compute() -> Values:
            return self.union(
                [
                    self._unpack(loop.target, name, self.item(self.evaluate(loop.iterable, frame, at), facts.Other(())))
                    for loop in loops
                ]
            )

        return self._once(key, compute)

    def module_name(self, name: str, module: facts.Module) -> Values:
        """What a name means at module level."""
        found = self.union([self.symbol(symbol) for symbol in self.project.resolve(module, name)])
        return found or (frozenset({ExternalValue(f"builtins.{name}")}) if name in _BUILTINS else NOTHING)

    def symbol(self, symbol: Symbol) -> Values:
        """The values of what a linked name stands for."""
        match symbol:
            case ClassNode():
                return frozenset({ClassValue(symbol)})
            case FunctionNode():
                return frozenset({FunctionValue(symbol)})
            case ModuleRef(name=name):
                return frozenset({ModuleValue(name)})
            case External(name=name):
                return frozenset({ExternalValue(name)})
            case Assigned(module=module, value=value):
                return self._once(("assigned", id(value)), lambda: self.evaluate(value, Frame(module)))

    def parameter(self, param: facts.Param, frame: Frame) -> Values:
        """What a parameter can be: the receiver, what is handed over, or what the hook or its annotation tell."""
        function = frame.function
        assert function is not None
        first = function.facts.params[0] if function.facts.params else None
        if param is first and frame.receiver is not None and function.takes_receiver:
            return frozenset({frame.receiver})
        if frame.arguments is not None and param.name in frame.arguments:
            return frame.arguments[param.name]
        if frame.arguments is not None and param.default is not None:
            return self.evaluate(param.default, Frame(frame.module, None))
        if self.parameter_hook is not None and (found := self.parameter_hook(frame, param)) is not None:
            return found
        found = self.annotation(param.annotation, frame)
        if param.default is not None:
            found |= self.evaluate(param.default, Frame(frame.module, None))
        return found

    def annotation(self, expr: Expr | None, frame: Frame) -> Values:
        """What a value of an annotated type is: an instance of a class of the tree, or a container of such."""
        match expr:
            case facts.Name() | facts.Attribute():
                symbols = self.project.symbol(frame.module, expr)
                return frozenset(self.instance(s) for s in symbols if isinstance(s, ClassNode))
            case facts.Item(base=base, index=index):
                name = (facts.dotted(base) or "").rpartition(".")[2]
                parts = index.items if isinstance(index, facts.Display) else (index,)
                if name in ("Optional", "Union", "Annotated", "Final", "ClassVar"):
                    return self.union([self.annotation(part, frame) for part in parts])
                if name in ("Type", "type"):
                    found = self.union([self.annotation(part, frame) for part in parts])
                    return frozenset(ClassValue(value.node) for value in found if isinstance(value, Instance))
                if name in ("Tuple", "tuple") and not any(isinstance(part, facts.Other) for part in parts):
                    return frozenset({SequenceValue(tuple([self.annotation(part, frame) for part in parts]))})
                found = self.union([self.annotation(part, frame) for part in parts])
                return frozenset({ElementsOf(found)}) if found else NOTHING
            case facts.Other(parts=parts):  # X | None
                return self.union([self.annotation(part, frame) for part in parts])
            case _:
                return NOTHING

    def bound(self, step: facts.Step, name: str, frame: Frame) -> Values:
        """What one step gives to a local name."""
        scope = frame.scope
        match step:
            case facts.Bind(target=target, value=value, annotation=annotation, how=how):
                if how == "declare":
                    return self.annotation(annotation, frame)
                if how == "augment":
                    return NOTHING
                found = self.evaluate(value, frame, step)
                if how == "for":
                    found = self.item(found, facts.Other(()))
                found = self._unpack(target, name, found)
                if annotation is not None and not any(isinstance(v, Instance) for v in found):
                    found |= self.annotation(annotation, frame)
                return found
            case facts.Define(index=index):
                assert frame.function is not None
                return frozenset({FunctionValue(frame.function.nested[index], frame.receiver)})
            case _:
                return self.union([self.symbol(s) for s in self.project.symbols(frame.module, scope, step)])

    def _unpack(self, target: Expr, name: str, values: Values) -> Values:
        match target:
            case facts.Name(id=found):
                return values if found == name else NOTHING
            case facts.Display(items=items):
                parts = (
                    self._unpack(item, name, self.item(values, facts.Constant(index)))
                    for index, item in enumerate(items)
                )
                return self.union(parts)
            case _:
                return NOTHING

    # -- attributes ------------------------------------------------------------------------------------------------

    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can be."""
        if self.attribute_hook is not None and (found := self.attribute_hook(value, name)) is not None:
            return found
        match value:
            case Instance(node=node):
                return self.instance_attribute(value, node, name)
            case ClassValue(node=node):
                if name == "__name__":
                    return frozenset({ConstantValue(node.name)})
                member = self.hierarchy.lookup(node, name)
                return self.member(member, value) if member is not None else NOTHING
            case ModuleValue(name=dotted):
                return self.union([self.symbol(s) for s in self.project.member(ModuleRef(dotted), name)])
            case ExternalValue(name=dotted, called=called):
                return frozenset({ExternalValue(f"{dotted}.{name}", called)})
            case Unknown():
                return frozenset({value})
            case _:
                return NOTHING

    def instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        """What an attribute of an object can be, by its class, its methods' assignments and its annotations."""
        return self._once(("attribute", value, name), lambda: self._instance_attribute(value, node, name))

    def _instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        found: Values = NOTHING
        member = self.hierarchy.lookup(node, name)
        if member is not None:
            found |= self.member(member, value)
        if member is None or member.kind == "attribute":
            for method, step in self.self_binds(node, name):
                found |= self._bound_attribute(step, Frame(method.module, method, value), name)
            if not any(map(is_telling, found)):
                found |= self._declared(node, name)
            if self.outside_binds is not None and not any(map(is_telling, found)):
                for frame, step in self.outside_binds(node, name):
                    found |= self._bound_attribute(step, frame, name)
        return found

    def _bound_attribute(self, step: facts.Bind, frame: Frame, name: str) -> Values:
        if step.how == "declare":
            return self.annotation(step.annotation, frame)
        found = self.evaluate(step.value, frame, step)
        if step.how == "for":
            found = self.item(found, facts.Other(()))
        if isinstance(step.target, facts.Display):
            for index, item in enumerate(step.target.items):
                if isinstance(item, facts.Attribute) and item.name == name:
                    found = self.item(found, facts.Constant(index))
                    break
        if step.annotation is not None and not any(isinstance(v, Instance) for v in found):
            found |= self.annotation(step.annotation, frame)
        return found

    def _declared(self, node: ClassNode, name: str) -> Values:
        """What the class body annotates, or `__init__`'s fields in a dataclass."""
        for one in self.hierarchy.order(node).nodes:
            for step in one.facts.body.steps:
                if isinstance(step, facts.Bind) and step.target == facts.Name(name) and step.annotation is not None:
                    return self.annotation(step.annotation, Frame(one.module))
        return NOTHING

    def self_binds(self, node: ClassNode, name: str) -> Iterator[tuple[FunctionNode, facts.Bind]]:
        """Every `self.name = …` in the methods of a class and its bases."""
        for one in self.hierarchy.order(node).nodes:
            yield from self.binds_in(one).get(name, ())

    def binds_in(self, node: ClassNode) -> dict[str, list[tuple[FunctionNode, facts.Bind]]]:
        """Attribute name -> where the methods of one class bind it on `self`; appends to a list count as well."""
        cached = self._binds.get(node.key)
        if cached is None:
            cached = self._binds[node.key] = {}
            for function in (one for method in self.project.methods_of(node) for one in method.within):
                if function.receiver is None:
                    continue
                for step in function.facts.body.steps:
                    for name, bind in own_binds(step, function.receiver):
                        cached.setdefault(name, []).append((function, bind))
        return cached

    def member(self, member: Member, receiver: Value) -> Values:
        """What a class-level definition gives when it is reached through a value."""
        function = member.function
        match member.kind:
            case "property" if isinstance(receiver, Instance) and function is not None:
                found = self.returned(function, receiver, None)
                if not any(isinstance(v, (Instance, ModelObject, ClassValue)) for v in found):
                    found |= self.annotation(function.facts.returns, Frame(function.module))
                return found
            case "class":
                nested = next((c for c in member.owner.facts.body.classes if c.name == member.name), None)
                if nested is None:
                    return NOTHING
                return frozenset({ClassValue(self.project.class_node(member.owner.module, nested))})
            case "attribute":
                return self.evaluate(member.value, Frame(member.owner.module)) if member.value is not None else NOTHING
            case _:
                return frozenset({FunctionValue(function, receiver)}) if function is not None else NOTHING

    # -- calls -----------------------------------------------------------------------------------------------------

    def call(self, call: facts.Call, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a call gives back."""
        special = builtin_call(self, call, frame, at)
        if special is not None:
            return special
        found: set[Value] = set()
        for callee in self.evaluate(call.func, frame, at):
            match callee:
                case ClassValue(node=node):
                    hooked = self.construct_hook(node, call, frame) if self.construct_hook is not None else None
                    found |= hooked if hooked is not None else {self.instance(node)}
                case FunctionValue(node=node, receiver=receiver):
                    given = self.result_hook(node) if self.result_hook is not None else None
                    if given is not None:
                        found |= given
                        continue
                    found |= self.returned(node, receiver, self.arguments(node, call, frame, at, receiver))
                case PartialValue():
                    found |= self._completed(callee, call, frame, at)
                case ExternalValue(name="functools.partial", called=False):
                    found |= self._partial(call, frame, at)
                case ExternalValue(name=name, called=called):
                    found.add(ExternalValue(name, True) if not called else Unknown(f"the result of {name}(…)"))
                case Unknown():
                    found.add(callee)
                case Instance(node=node):
                    member = self.hierarchy.lookup(node, "__call__")
                    if member is not None and member.function is not None:
                        found |= self.returned(member.function, callee, None)
                case _:
                    pass
        return frozenset(found)

    def _partial(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        """What `functools.partial(callee, …)` gives: the callee with what it is handed ahead."""
        if not call.args or any(isinstance(one, facts.Starred) for one in call.args):
            return NOTHING
        args = tuple([flat(self.evaluate(one, frame, at)) for one in call.args[1:]])
        keywords = tuple([(k.name, flat(self.evaluate(k.value, frame, at))) for k in call.keywords if k.name])
        callees = self.evaluate(call.args[0], frame, at)
        return frozenset(
            PartialValue(one, args, keywords)
            for one in callees
            if isinstance(one, (FunctionValue, ClassValue, PartialValue)) and _layers(one) < _MOST_LAYERS
        )

    def _completed(self, partial: PartialValue, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        """What calling a partial gives back, what it was handed ahead put before what the call hands over."""
        args = [self.evaluate(one, frame, at) for one in call.args if not isinstance(one, facts.Starred)]
        keywords = {k.name: self.evaluate(k.value, frame, at) for k in call.keywords if k.name is not None}
        callee: Value = partial
        while isinstance(callee, PartialValue):
            args = [*callee.args, *args]
            keywords = {**dict(callee.keywords), **keywords}
            callee = callee.callee
        if isinstance(callee, ClassValue):
            hooked = self.construct_hook(callee.node, call, frame) if self.construct_hook is not None else None
            return hooked if hooked is not None else frozenset({self.instance(callee.node)})
        assert isinstance(callee, FunctionValue)
        skip = callee.receiver is not None and callee.node.takes_receiver
        return self.returned(callee.node, callee.receiver, bind_values(callee.node, args, keywords, skip_first=skip))

    def returned(
        self, function: FunctionNode, receiver: Value | None, arguments: Mapping[str, Values] | None
    ) -> Values:
        """What a function can give back, its return annotation where the body tells nothing."""
        key = ("returned", id(function), receiver, frozenset(arguments.items()) if arguments is not None else None)
        return self._once(key, lambda: self._returned(Frame(function.module, function, receiver, arguments)))

    def _returned(self, frame: Frame) -> Values:
        function = frame.function
        assert function is not None
        if function.facts.is_generator:
            return NOTHING
        found = self.union([self.evaluate(step.value, frame, step) for step in function.facts.returned()])
        if not any(not isinstance(v, (ConstantValue, Unknown, ExternalValue)) for v in found):
            found |= self.annotation(function.facts.returns, frame)
        return found

    def arguments(
        self, function: FunctionNode, call: facts.Call, frame: Frame, at: facts.Step | None, receiver: Value | None
    ) -> dict[str, Values] | None:
        """Parameter -> what one call hands over; None where that can't matter to what comes back."""
        if next(function.facts.returned(), None) is None:
            return None
        bound = bind_arguments(function, call, skip_first=receiver is not None and function.takes_receiver)
        values = {name: self.evaluate(expr, frame, at) for name, expr in bound.items()}
        # what decides nothing would only make every call a question of its own
        return values if any(is_telling(v) for found in values.values() for v in found) else None


_BUILTINS = frozenset({"getattr", "hasattr", "setattr", "isinstance", "super", "type", "len", "int", "list", "print"})


def _layers(value: Value) -> int:
    """How many partials stand around a callable."""
    count = 0
    while isinstance(value, PartialValue):
        value, count = value.callee, count + 1
    return count
