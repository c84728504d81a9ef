"""What the calls give back that Python itself answers: `getattr`, `super()`, `list`, a container's `get`, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specint.facts import model as facts
from specint.graph.value import (
    NOTHING,
    ClassValue,
    ElementsOf,
    Instance,
    SequenceValue,
    Unknown,
    Values,
)

if TYPE_CHECKING:
    from specint.graph.evaluator import Evaluator, Frame


def builtin_call(evaluator: Evaluator, call: facts.Call, frame: Frame, at: facts.Step | None) -> Values | None:
    """What a call of a builtin, of `super()` or of a container's method gives back; None for any other call."""
    match call:
        case facts.Call(func=facts.Name(id="getattr"), args=(base, facts.Constant(value=str(name)), *default)):
            found = evaluator.union([evaluator.attribute(value, name) for value in evaluator.evaluate(base, frame, at)])
            return found | evaluator.union([evaluator.evaluate(one, frame, at) for one in default])
        case facts.Call(func=facts.Name(id="super")) if frame.function is not None and frame.function.owner:
            return frozenset({Unknown("super()")})
        case facts.Call(func=facts.Attribute(base=facts.Call(func=facts.Name(id="super")) as above, name=name)):
            return _super_call(evaluator, above, name, call, frame, at)
        case facts.Call(func=facts.Name(id="type"), args=(one,)):
            values = evaluator.evaluate(one, frame, at)
            return frozenset(ClassValue(v.node) for v in values if isinstance(v, Instance))
        case facts.Call(func=facts.Name(id="cast") | facts.Attribute(name="cast"), args=(to, _)):
            return evaluator.annotation(to, frame)
        case facts.Call(func=facts.Name(id="list" | "tuple" | "reversed" | "iter" | "sorted"), args=(one, *_)):
            return evaluator.evaluate(one, frame, at)
        case facts.Call(func=facts.Name(id="enumerate"), args=(one, *_)):
            inner = evaluator.item(evaluator.evaluate(one, frame, at), facts.Other(()))
            return frozenset({ElementsOf(frozenset({SequenceValue((NOTHING, inner))}))})
        case facts.Call(func=facts.Name(id="zip"), args=args):
            together = tuple(evaluator.item(evaluator.evaluate(one, frame, at), facts.Other(())) for one in args)
            return frozenset({ElementsOf(frozenset({SequenceValue(together)}))})
        case facts.Call(func=facts.Attribute(base=base, name="get" | "pop" | "setdefault"), args=(_, *default)):
            containers = [v for v in evaluator.evaluate(base, frame, at) if isinstance(v, ElementsOf)]
            if containers:
                found = evaluator.union([v.elements for v in containers])
                return found | evaluator.union([evaluator.evaluate(one, frame, at) for one in default])
            return None
        case facts.Call(func=facts.Attribute(base=base, name="items"), args=()):
            containers = [v for v in evaluator.evaluate(base, frame, at) if isinstance(v, ElementsOf)]
            pairs = frozenset(ElementsOf(frozenset({SequenceValue((NOTHING, v.elements))})) for v in containers)
            return pairs or None
        case facts.Call(func=facts.Attribute(base=base, name="values" | "copy"), args=()):
            kept = [v for v in evaluator.evaluate(base, frame, at) if isinstance(v, (ElementsOf, SequenceValue))]
            return frozenset(kept) if kept else None
        case _:
            return None


def _super_call(
    evaluator: Evaluator, above: facts.Call, name: str, call: facts.Call, frame: Frame, at: facts.Step | None
) -> Values:
    function, receiver = frame.function, frame.receiver
    if function is None or not isinstance(receiver, Instance):
        return NOTHING
    member = evaluator.hierarchy.above(function, above, receiver.node, name)
    if member is None or member.function is None:
        return NOTHING
    arguments = evaluator.arguments(member.function, call, frame, at, receiver)
    return evaluator.returned(member.function, receiver, arguments)
