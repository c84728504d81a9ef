"""What an attribute of a value can be: by its class, by what its methods set, by what answers for unknown names.

A step that sets an attribute in another way than those that there are is a case of `facts/spelling.py`, or of
`steps.computed` where its name is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.binding import content, own_binds
from specint.graph.containers import (
    item,
    put_one_by_one,
    union,
)
from specint.graph.evaluation import Frame
from specint.graph.hierarchy import Member
from specint.graph.loops import OPENS
from specint.graph.names import Names
from specint.graph.opening import opening
from specint.graph.project import ClassNode, FunctionNode, ModuleRef
from specint.graph.steps import computed
from specint.graph.value import (
    NOTHING,
    ClassValue,
    ConstantValue,
    ExternalValue,
    FunctionValue,
    Instance,
    ModelObject,
    ModuleValue,
    TableValue,
    Unknown,
    Value,
    Values,
    is_telling,
)

_MOST_NAMES = 12
"""The longest dotted name, in dots, of something outside of the tree: a loop could make it longer for ever."""


@dataclass(frozen=True, eq=False)
class OwnBind:
    """A step that gives an attribute of a method's own object a value, in one round of the loops around it."""

    function: FunctionNode
    step: facts.Bind
    round: Mapping[str, Values]

    def frame(self, receiver: Value) -> Frame:
        """Where its value is evaluated, for an object."""
        return Frame(self.function.module, self.function, receiver, round=self.round)


@dataclass
class Lookup(Names):
    """What is found on a value under a name."""

    _binds: dict[str, dict[str, list[OwnBind]]] = field(default_factory=dict)

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
                module = self.project.module(dotted)
                if module is not None and name in module.globals:
                    return self.module_name(name, module)
                return union([self.symbol(s) for s in self.project.member(ModuleRef(dotted), name)])
            case ExternalValue(name=dotted, called=called):
                if dotted.count(".") >= _MOST_NAMES:  # a chain that a loop makes longer
                    return frozenset({value})
                return frozenset({ExternalValue(f"{dotted}.{name}", called)})
            case Unknown():
                return frozenset({value})
            case TableValue(entries=entries):  # a namespace: no dict has an attribute by a key's name
                key = ConstantValue(name)
                return union([held for keys, held in entries if key in keys])
            case _:
                return NOTHING

    def above(self, call: facts.Call, name: str, frame: Frame) -> Values:
        """What an attribute of `super()` is; nothing where no class above has it."""
        receiver = frame.receiver
        if frame.function is None or not isinstance(receiver, (Instance, ClassValue)):
            return NOTHING
        member = self.hierarchy.above(frame.function, call, receiver.node, name)
        return self.member(member, receiver) if member is not None else NOTHING

    def instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        """What an attribute of an object can be, by its class, its methods' assignments and its annotations."""
        if name == "__class__":
            return frozenset({ClassValue(node)})
        return self.once(("attribute", value, name), lambda: self._instance_attribute(value, node, name))

    def _instance_attribute(self, value: Instance, node: ClassNode, name: str) -> Values:
        found: Values = NOTHING
        member = self.hierarchy.lookup(node, name)
        if member is not None:
            found |= self.member(member, value)
        if member is None or member.kind == "attribute":
            for one in chain(self._own_binds(node, name), self._own_binds(node, content(name))):
                found |= self._bound_attribute(one.step, one.frame(value), name)
            if not any(map(is_telling, found)):
                found |= self._declared(node, name)
            if self.outside_binds is not None and not any(map(is_telling, found)):
                for frame, step in self.outside_binds(node, name):
                    found |= self._bound_attribute(step, frame, name)
        return found or self._handed_on(value, name)

    def _handed_on(self, value: Instance, name: str) -> Values:
        """What the objects have that an object asks for names it doesn't know."""
        answers = opening(self.hierarchy, value.node, name) if not name.startswith("__") else None
        found: set[Value] = set()
        for path in answers.paths if answers is not None else ():
            if name in path:
                continue
            held: Values = frozenset({value})
            for attribute in (*path, name):
                held = union([self.attribute(one, attribute) for one in held])
            found |= held
        return frozenset(found)

    def given(self, attribute: str, step: facts.Step, value: Expr | None, frame: Frame) -> Values:
        """What a step gives an attribute: `value`, or its part of what is unpacked there."""
        if value is None and isinstance(step, facts.Bind):
            return self._bound_attribute(step, frame, attribute) or frozenset(
                {Unknown("it is a part of what is unpacked", is_object=False)}
            )
        return self.evaluate(value, frame, step)

    def _bound_attribute(self, step: facts.Bind, frame: Frame, name: str) -> Values:
        if step.how == "declare":
            return self.annotation(step.annotation, frame)
        if step.how == "put" and (
            self.worth_keeping is None or step.value is None or not self.worth_keeping(step.value)
        ):
            return NOTHING
        found = self.evaluate(step.value, frame, step)
        if step.how == "put":
            held = put_one_by_one(found)
            return held if any(map(is_telling, held)) else NOTHING
        if step.how in OPENS:
            found = self.opened(step.how, found)
        if isinstance(step.target, facts.Display):
            for index, one in enumerate(step.target.items):
                if isinstance(one, facts.Attribute) and one.name == name:
                    found = item(found, frozenset({ConstantValue(index)}))
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
        return ((one.function, one.step) for one in self._own_binds(node, name))

    def _own_binds(self, node: ClassNode, name: str) -> Iterator[OwnBind]:
        for one in self.hierarchy.order(node).nodes:
            yield from self.binds_in(one).get(name, ())

    def binds_in(self, node: ClassNode) -> dict[str, list[OwnBind]]:
        """Attribute name -> where the methods of one class bind it on `self`; appends to a list count as well."""
        cached = self._binds.get(node.key)
        if cached is not None:
            return cached
        cached = self._binds[node.key] = {}
        functions = [
            one for method in self.project.methods_of(node) for one in method.within if one.receiver is not None
        ]
        for function in functions:
            for step in function.facts.body.steps:
                for name, bind in own_binds(step, function.receiver or ""):
                    cached.setdefault(name, []).append(OwnBind(function, bind, {}))
        for function in functions:  # what the names are may depend on what the others give
            for step in function.facts.body.steps:
                frame = Frame(function.module, function)
                for name, bind, one in self.named(step, function.receiver or "", frame) or ():
                    cached.setdefault(name, []).append(OwnBind(function, bind, one.round))
        return cached

    def named(self, step: facts.Step, own: str, frame: Frame) -> list[tuple[str, facts.Bind, Frame]] | None:
        """What a step binds on an object under names that it computes, each with the round of the loops in which it
        does; None where the names can't be known."""
        parts = computed(step)
        if parts is None or parts[0] != facts.Name(own):
            return []
        base, asked, value = parts
        found = []
        for one in self.rounds(step, frame):
            texts = self.texts(asked, one, step)
            if texts is None:
                return None
            for text in sorted(texts):
                target = facts.Attribute(base, text, step.line)
                found.append((text, facts.Bind(target, value, None, "=", step.guard, step.line), one))
        return found

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
            case "classmethod" if isinstance(receiver, Instance):
                return (
                    frozenset({FunctionValue(function, ClassValue(receiver.node))}) if function is not None else NOTHING
                )
            case "method" if isinstance(receiver, ClassValue):  # its caller hands the object over
                return frozenset({FunctionValue(function)}) if function is not None else NOTHING
            case _:
                return frozenset({FunctionValue(function, receiver)}) if function is not None else NOTHING
