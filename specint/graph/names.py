"""What a name can be where it is read: a local one, a parameter, one of an outer function or of the module.

Which assignments can still hold at a line, `binding` says; what a parameter is without a call that is followed, the
hook of whoever asks, and its annotation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.binding import reaching
from specint.graph.containers import (
    elements,
    put_one_by_one,
    table,
    union,
)
from specint.graph.evaluation import Frame
from specint.graph.loops import OPENS, Loops
from specint.graph.project import Assigned, ClassNode, External, FunctionNode, ModuleRef, Symbol
from specint.graph.value import (
    NOTHING,
    ClassValue,
    ElementsOf,
    ExternalValue,
    FunctionValue,
    Instance,
    ModuleValue,
    SequenceValue,
    Values,
    flat,
    is_telling,
)

_Reaching = tuple[list[facts.Step], bool, tuple[int, ...]]
"""The steps that can give a name its value, whether one of them always runs, and the number of each."""
_BUILTINS = frozenset({"getattr", "hasattr", "setattr", "isinstance", "super", "type", "len", "int", "list", "print"})


@dataclass
class Names(Loops):
    """What stands behind names, and what annotations promise."""

    _reached: dict[tuple[int, str, int], tuple[object, _Reaching]] = field(default_factory=dict)

    def name(self, name: str, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a name can be where it is read: local, of an outer function, or of the module."""
        function = frame.function
        if name in frame.round:
            return frame.round[name]
        if function is None:
            return self.module_name(name, frame.module)
        steps = function.binds.get(name, ())
        param = function.named.get(name)
        if param is not None and not steps and frame.receiver is not None and self._is_receiver(param, frame):
            return frozenset({frame.receiver})
        if param is None and not steps:
            if name in function.loops:
                return self._looped(name, frame, at)
            if function.outer is not None:
                return self.name(name, Frame(frame.module, function.outer, frame.receiver))
            return self.module_name(name, frame.module)
        assigning, covered, numbers = self._reaching(function, name, at)
        arguments = frozenset(frame.arguments.items()) if frame.arguments is not None else None
        of_round = frozenset(frame.round.items()) if frame.round else NOTHING
        key = ("name", id(function), frame.receiver, name, numbers, covered, arguments, of_round)

        def compute() -> Values:
            found: Values = self.parameter(param, frame) if param is not None and not covered else NOTHING
            for step in assigning:
                found |= self.bound(step, name, frame)
            for step, put_under, value in function.fills.get(name, ()):
                if self.worth_keeping is not None and self.worth_keeping(value):
                    found |= self._put(put_under, value, frame, step)
            for inner, step in function.lent.get(name, ()):
                found |= self.bound(step, name, Frame(frame.module, inner, frame.receiver))
            return found

        return self.once(key, compute)

    def _reaching(self, function: FunctionNode, name: str, at: facts.Step | None) -> _Reaching:
        """The steps that can give a local name its value at a step: the same for every object and every call."""
        key = (id(function), name, id(at))
        kept = self._reached.get(key)
        if kept is None:
            assigning, covered = reaching(function.binds.get(name, ()), at, function.facts.body)
            # with whose numbers the key is made of, so that these stay theirs
            kept = self._reached[key] = (function, at), (assigning, covered, tuple(map(id, assigning)))
        return kept[1]

    def _put(self, key: Expr | None, value: Expr, frame: Frame, at: facts.Step) -> Values:
        """A container of the one thing that a step puts into one."""
        held = flat(put_one_by_one(self.evaluate(value, frame, at)))
        if not any(map(is_telling, held)):
            return NOTHING
        if key is None:
            return frozenset({ElementsOf(held)})
        return frozenset({table([(self.evaluate(key, frame, at), held)])})

    def _looped(self, name: str, frame: Frame, at: facts.Step | None) -> Values:
        """What a name can be that a comprehension gives its elements, one after the other."""
        assert frame.function is not None
        loops = frame.function.loops[name]
        key = ("loop", id(frame.function), frame.receiver, name)

        def compute() -> Values:
            each = ((loop, elements(self.evaluate(loop.iterable, frame, at))) for loop in loops)
            return union([self.unpack(loop.target, name, found) for loop, found in each])

        return self.once(key, compute)

    def module_name(self, name: str, module: facts.Module) -> Values:
        """What a name means at module level."""
        found = union([self.symbol(symbol) for symbol in self.project.resolve(module, name)])
        if name in module.globals:
            found |= self._given_by_functions(name, module)
        return found or (frozenset({ExternalValue(f"builtins.{name}")}) if name in _BUILTINS else NOTHING)

    def _given_by_functions(self, name: str, module: facts.Module) -> Values:
        def compute() -> Values:
            given = self.project.given_by_functions(module, name)
            return union([self.bound(step, name, self._anyhow(function)) for function, step in given])

        return self.once(("global", module.name, name), compute)

    def _anyhow(self, function: FunctionNode) -> Frame:
        """A function as anybody may call it."""
        own = self.instance(function.owner) if function.owner is not None and function.own is not None else None
        return Frame(function.module, function, own)

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
                return self.once(("assigned", id(value)), lambda: self.evaluate(value, Frame(module)))

    @staticmethod
    def _is_receiver(param: facts.Param, frame: Frame) -> bool:
        """Whether Python hands a parameter its value: the object or class that a method was reached through."""
        function = frame.function
        assert function is not None
        return function.takes_receiver and param is function.facts.params[0]

    def parameter(self, param: facts.Param, frame: Frame) -> Values:
        """What a parameter can be: the receiver, what is handed over, or what the hook or its annotation tell."""
        function = frame.function
        assert function is not None
        if frame.receiver is not None and self._is_receiver(param, frame):
            return frozenset({frame.receiver})
        if frame.arguments is not None and param.name in frame.arguments:
            return frame.arguments[param.name]
        around = Frame(frame.module, function.outer, frame.receiver if function.outer is not None else None)
        if frame.arguments is not None and param.default is not None:
            return self.evaluate(param.default, around)
        if self.parameter_hook is not None and (found := self.parameter_hook(frame, param)) is not None:
            return found
        found = self.promised(param, frame)
        if param.default is not None:
            found |= self.evaluate(param.default, around)
        return found

    def promised(self, param: facts.Param, frame: Frame) -> Values:
        """What a parameter's annotation says of it: of those that gather it speaks of what they gather."""
        found = self.annotation(param.annotation, frame)
        return frozenset({ElementsOf(found)}) if found and param.kind in ("*", "**") else found

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
                    return union([self.annotation(part, frame) for part in parts])
                if name == "Callable":  # what it gives is no part of it
                    return NOTHING
                if name in ("Type", "type"):
                    found = union([self.annotation(part, frame) for part in parts])
                    return frozenset(ClassValue(value.node) for value in found if isinstance(value, Instance))
                if name in ("Tuple", "tuple") and not any(isinstance(part, facts.Other) for part in parts):
                    return frozenset({SequenceValue(tuple([self.annotation(part, frame) for part in parts]))})
                found = union([self.annotation(part, frame) for part in parts])
                return frozenset({ElementsOf(found)}) if found else NOTHING
            case facts.Other(parts=parts):  # X | None
                return union([self.annotation(part, frame) for part in parts])
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
                if how in OPENS:
                    found = self.opened(how, found)
                found = self.unpack(target, name, found)
                if annotation is not None and not any(isinstance(v, Instance) for v in found):
                    found |= self.annotation(annotation, frame)
                return found
            case facts.Define(index=index):
                assert frame.function is not None
                return frozenset({FunctionValue(frame.function.nested[index], frame.receiver)})
            case _:
                return union([self.symbol(s) for s in self.project.symbols(frame.module, scope, step)])
