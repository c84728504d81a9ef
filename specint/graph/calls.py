"""What a call runs (`callees`), what it hands over, and what comes back.

A function that Python has, or a method of its containers, is a line in `containers`, one that calls what it is handed
a line in `handing`, and what it can give of what it was handed a line in `library`; what needs the frame of the call
is a case of `_of_python` here.
"""

from __future__ import annotations

from collections.abc import Mapping

from specint.facts import model as facts
from specint.graph.binding import Callee, bind_values
from specint.graph.containers import (
    BUILTINS,
    METHODS,
    elements,
    method,
    union,
)
from specint.graph.evaluation import Frame
from specint.graph.handing import calls_of
from specint.graph.library import RESULTS
from specint.graph.lookup import Lookup
from specint.graph.project import FunctionNode
from specint.graph.value import (
    NOTHING,
    ClassValue,
    ConstantValue,
    ElementsOf,
    ExternalValue,
    FunctionValue,
    Instance,
    PartialValue,
    Unknown,
    Value,
    Values,
    flat,
    is_telling,
)

_MOST_LAYERS = 4
"""Partials of partials are told apart to this depth: a loop that wraps a callable anew each time would never end."""


class Calls(Lookup):
    """Calls, followed into what they run."""

    def call(self, call: facts.Call, frame: Frame, at: facts.Step | None = None) -> Values:
        """What a call gives back."""
        special = self._of_python(call, frame, at)
        if special is not None:
            return special
        found: set[Value] = set()
        for callee in self.evaluate(call.func, frame, at):
            match callee:
                case ClassValue(node=node):
                    hooked = self.construct_hook(node, call, frame) if self.construct_hook is not None else None
                    found |= hooked if hooked is not None else {self.instance(node)}
                case FunctionValue() | Instance():
                    for one in self._callees(callee, call, frame, at):
                        found |= self._result(one, call, frame, at)
                case PartialValue():
                    found |= self._completed(callee, call, frame, at)
                case ExternalValue(name="functools.partial", called=False):
                    found |= self._partial(call, frame, at)
                case ExternalValue(name=name, called=False) if name in RESULTS:
                    found |= RESULTS[name](*self._handed(call, frame, at))
                case ExternalValue(name=name, called=called):
                    found.add(ExternalValue(name, True) if not called else Unknown(f"the result of {name}(…)"))
                case Unknown():
                    found.add(callee)
                case _:
                    pass
        return frozenset(found)

    def _handed(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> tuple[list[Values], dict[str, Values]]:
        named = {k.name: self.evaluate(k.value, frame, at) for k in call.keywords if k.name is not None}
        return [self.evaluate(one, frame, at) for one in call.args], named

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

    def _of_python(self, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values | None:
        """What a call of Python's own functions, or of a container's method, gives back; None for any other call."""
        match call:
            case facts.Call(func=facts.Name(id="getattr"), args=(base, asked, *default)):
                names = self.texts(asked, frame, at)
                of = self.evaluate(base, frame, at)
                if names is None:
                    computed = frozenset({Unknown("an attribute whose name is only known when it runs")})
                    return computed if any(map(is_telling, of)) else NOTHING
                found = union([self.attribute(value, name) for value in of for name in sorted(names)])
                return found | union([self.evaluate(one, frame, at) for one in default])
            case facts.Call(func=facts.Name(id="super")) if frame.function is not None and frame.function.owner:
                return frozenset({Unknown("super()")})
            case facts.Call(func=facts.Attribute(base=base)) if facts.super_call(base) is not None:
                return union([self._result(one, call, frame, at) for one in self.callees(call, frame, at)])
            case facts.Call(func=facts.Name(id="cast") | facts.Attribute(name="cast"), args=(to, what)):
                return self.annotation(to, frame) or self.evaluate(what, frame, at)
            case facts.Call(func=facts.Name(id=name)) if name in BUILTINS:
                return BUILTINS[name](*self._handed(call, frame, at))
            case facts.Call(func=facts.Name(id="map")) if made := calls_of(call):
                return frozenset({ElementsOf(flat(union([self.call(one, frame, at) for one in made])))})
            case facts.Call(func=facts.Attribute(base=base, name="_replace"), args=()):
                return self.evaluate(base, frame, at)
            case facts.Call(func=facts.Attribute(name="enter_context"), args=(entered,)):
                return self.opened("with", self.evaluate(entered, frame, at))
            case facts.Call(func=facts.Attribute(base=base, name=name), args=args) if name in METHODS:
                return method(name, self.evaluate(base, frame, at), [self.evaluate(one, frame, at) for one in args])
            case _:
                return None

    def callees(self, call: facts.Call, frame: Frame, at: facts.Step | None = None) -> list[Callee]:
        """Every function of the tree that a call runs, each with the object it runs on: whoever follows calls from
        values to values asks this."""
        above = facts.super_call(call.func.base) if isinstance(call.func, facts.Attribute) else None
        if above is None or not isinstance(call.func, facts.Attribute):
            return [c for value in self.evaluate(call.func, frame, at) for c in self._callees(value, call, frame, at)]
        if frame.function is None or not isinstance(frame.receiver, (Instance, ClassValue)):
            return []
        member = self.hierarchy.above(frame.function, above, frame.receiver.node, call.func.name)
        if member is None or member.function is None:
            return []
        on_class = member.kind == "classmethod"
        return [Callee(member.function, ClassValue(frame.receiver.node) if on_class else frame.receiver)]

    def _callees(self, value: Value, call: facts.Call, frame: Frame, at: facts.Step | None) -> list[Callee]:
        match value:
            case FunctionValue(node=node, receiver=None) if node.takes_receiver and call.args:
                given = self.evaluate(call.args[0], frame, at)
                objects = [one for one in given if isinstance(one, (Instance, ClassValue))]
                return [Callee(node, one, is_handed=True) for one in objects] or [Callee(node, None)]
            case FunctionValue(node=node, receiver=receiver):
                return [Callee(node, receiver)]
            case ClassValue(node=node):
                member = self.hierarchy.lookup(node, "__init__")
                return [Callee(member.function, self.instance(node))] if member is not None and member.function else []
            case Instance(node=node):
                member = self.hierarchy.lookup(node, "__call__")
                return [Callee(member.function, value)] if member is not None and member.function else []
            case _:
                return []

    def _result(self, callee: Callee, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values:
        given = self.result_hook(callee.function) if self.result_hook is not None else None
        if given is not None:
            return given
        return self.returned(callee.function, callee.receiver, self.arguments(callee, call, frame, at))

    def returned(
        self, function: FunctionNode, receiver: Value | None, arguments: Mapping[str, Values] | None
    ) -> Values:
        """What a function can give back, its return annotation where the body tells nothing."""
        key = ("returned", id(function), receiver, frozenset(arguments.items()) if arguments is not None else None)
        return self.once(key, lambda: self._returned(Frame(function.module, function, receiver, arguments)))

    def _returned(self, frame: Frame) -> Values:
        function = frame.function
        assert function is not None
        if function.facts.is_generator:
            return self._yielded(frame, function)
        found = union([self.evaluate(step.value, frame, step) for step in function.facts.returned()])
        if not any(not isinstance(v, (ConstantValue, Unknown, ExternalValue)) for v in found):
            found |= self.annotation(function.facts.returns, frame)
        return found

    def _yielded(self, frame: Frame, function: FunctionNode) -> Values:
        held = [
            elements(found) if one.whole else found
            for step, one in function.yielded
            for found in (self.evaluate(one.value, frame, step),)
        ]
        found = flat(union(held))
        return frozenset({ElementsOf(found)}) if any(map(is_telling, found)) else NOTHING

    def arguments(
        self, callee: Callee, call: facts.Call, frame: Frame, at: facts.Step | None
    ) -> dict[str, Values] | None:
        """Parameter -> what one call hands over, of those that decide what comes back; None where none does.

        What leads nowhere would only make every call a question of its own, and is left out.
        """
        deciding = callee.function.deciding
        if not deciding:
            return None
        found = {
            name: _followed(self.evaluate(expr, frame, at))
            for name, expr in callee.bound(call).items()
            if name in deciding
        }
        for name, expr in callee.spread(call).items():
            if name in deciding and any(map(is_telling, values := self.evaluate(expr, frame, at))):
                found[name] = _followed(values)
        return found


def _followed(values: Values) -> Values:
    """What can be told of values where they were handed on: what leads on, and constants."""
    return frozenset([one for one in values if isinstance(one, ConstantValue) or is_telling(one)])


def _layers(value: Value) -> int:
    """How many partials stand around a callable."""
    count = 0
    while isinstance(value, PartialValue):
        value, count = value.callee, count + 1
    return count
