"""Every place under scan that touches a model object: what it reads, calls, probes or writes, and how it is called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from specint.contract.code import Code, Local, Occurrence, tail, tails
from specint.contract.model import CallShape
from specint.contract.receivers import ELSEWHERE, Receivers
from specint.contract.shapes import shape_of
from specint.facts import model as facts
from specint.graph.binding import bind_arguments
from specint.graph.project import FunctionNode
from specint.graph.value import ConstantValue, Instance

Kind = Literal["call", "read", "write", "get", "probe"]


@dataclass(frozen=True, eq=False)
class Touch:
    """One touch of one member.

    Attributes:
        roles: whose model it can be.
        member: dotted where it is asked of a part of a model: `lm_head.weight`, `layers[].self_attn`.
        kind: "get" is a getattr with a default, "probe" a hasattr; both may turn out to be required.
        asked: what conditions are told by: the member, or what stands for all members that the expression asks.
        alternatives: all members, this one included, that are asked by the same expression of parts of one model: one
            of them is enough.
        expr: the expression that does it, `receiver` what it does it to.
    """

    occurrence: Occurrence
    roles: frozenset[str]
    member: str
    kind: Kind
    expr: facts.Expr
    receiver: facts.Expr
    line: int
    call: CallShape | None = None
    asked: str = ""
    alternatives: tuple[str, ...] = ()

    @property
    def function(self) -> FunctionNode:
        """The function that touches."""
        return self.occurrence.function

    @property
    def step(self) -> facts.Step:
        """The step in which it happens."""
        return self.occurrence.step

    @property
    def local(self) -> Local:
        """The conditions within the expression itself."""
        return self.occurrence.local


def find_touches(receivers: Receivers, names: set[str]) -> list[Touch]:
    """All touches of what travels under the given names, and of its parts, in the order of files and lines."""
    reader = _Reader(receivers)
    code = receivers.code
    for name in sorted(names):
        for one in code.accesses.get(name, ()):
            reader.access(one)
        for one in code.probes.get(name, ()):
            reader.probe(one)
    for writes in code.writes.values():
        for one in writes:
            assert isinstance(one.expr, facts.Attribute)
            if not names.isdisjoint(tails(one.expr.base)):
                reader.write(one)
    reader.parts()
    return sorted(reader.found.values(), key=lambda touch: (touch.function.module.path, touch.line, touch.member))


class _Reader:
    """Gathers touches; each expression is read once for each member that it asks.

    Attributes:
        found: by the expression that touches, its function, and the member.
    """

    def __init__(self, receivers: Receivers) -> None:
        self.receivers = receivers
        self.code = receivers.code
        self.found: dict[tuple[int, int, str], Touch] = {}
        self._calls = {
            id(c.expr.func): c for cs in self.code.calls.values() for c in cs if isinstance(c.expr, facts.Call)
        }

    def access(self, one: Occurrence) -> None:
        """A plain attribute, read or called."""
        assert isinstance(one.expr, facts.Attribute)
        if hasattr(object, one.expr.name):  # every object has it
            return
        called = self._calls.get(id(one.expr))
        self._add(one, (one.expr.name,), "call" if called is not None else "read", one.expr.base, one.expr.line, called)

    def write(self, one: Occurrence) -> None:
        """An attribute that is given a value."""
        assert isinstance(one.expr, facts.Attribute)
        self._add(one, (one.expr.name,), "write", one.expr.base, one.expr.line, None)

    def probe(self, one: Occurrence) -> None:
        """A `hasattr`, `getattr` or `setattr`, also by a name out of a loop or a table."""
        match one.expr:
            case facts.Call(func=facts.Name(id=builtin), args=(base, name, *rest)) as call:
                kinds: dict[str, Kind] = {"hasattr": "probe", "getattr": "get" if rest else "read", "setattr": "write"}
                called = self._calls.get(id(call)) if builtin == "getattr" and not rest else None
                kind = "call" if called is not None else kinds[builtin]
                self._add(one, self._texts(name, one), kind, base, call.line, called)
            case _:
                pass

    def _texts(self, name: facts.Expr, one: Occurrence) -> tuple[str, ...]:
        if isinstance(name, facts.Constant):
            return (name.value,) if isinstance(name.value, str) else ()
        frame = self.receivers.frame(one.function)
        return tuple(sorted(self.receivers.evaluator.texts(name, frame, one.step) or ()))

    def _add(
        self,
        one: Occurrence,
        names: tuple[str, ...],
        kind: Kind,
        base: facts.Expr,
        line: int,
        called: Occurrence | None,
    ) -> None:
        parts = self.receivers.parts(base, one.function, one.step) if names else {}
        if not parts:  # of nearly all
            return
        shape = _shape(called, self.receivers) if called is not None else None
        by_name = f"<{facts.spell(one.expr.args[1])}>" if len(names) > 1 and isinstance(one.expr, facts.Call) else ""
        for name in names:
            members = {".".join((*path, name)): roles for path, roles in parts.items() if ELSEWHERE not in path}
            for member, roles in members.items():
                others = [m for m, theirs in members.items() if theirs & roles] if len(members) > 1 else []
                alternatives = tuple(sorted(others, key=lambda m: (-m.count("."), m)))
                if ELSEWHERE in map("".join, parts) or ("." in member and self._may_be_else(base, one)):
                    kind = "get" if kind in ("call", "read") else kind  # what may be a part isn't asked as a model
                asked = by_name or (alternatives[0] if alternatives else member)
                key = (id(one.expr), id(one.function), member)
                self.found[key] = Touch(one, roles, member, kind, one.expr, base, line, shape, asked, alternatives)

    def _may_be_else(self, base: facts.Expr, one: Occurrence) -> bool:
        """Whether what is asked as a part of a model is by some way a text or a number, or an object of the tree."""
        receivers = self.receivers
        values = receivers.evaluator.evaluate(base, receivers.frame(one.function), one.step)
        return any(
            value.value is not None if isinstance(value, ConstantValue) else isinstance(value, Instance)
            for value in values
        )

    def parts(self) -> None:
        """What is asked of parts of a model: `model.lm_head.weight`, or an alias, also where a function is handed one.

        First in the functions that touch a model, then in those that they hand a part to.
        """
        asking = _Asking({(id(touch.function), touch.expr) for touch in self.found.values()})
        pending = [touch.function for touch in self.found.values()]
        calls = self._calls_in
        seen: dict[int, FunctionNode] = {}
        while pending:
            function = pending.pop()
            number = id(function)
            if number not in seen:
                seen[number] = function
                pending += function.nested  # what is written within sees the same names
            elif not asking.learned(function):
                continue
            for how, one in self.code.inside.get(number, ()):
                match one.expr:
                    case facts.Attribute(base=base) | facts.Call(args=(base, _, *_)):
                        if asking.is_part(base, function):
                            {"access": self.access, "write": self.write, "probe": self.probe}[how](one)
                    case _:
                        pass
            for call in calls.get(number, ()):
                pending += asking.hands_on(call, self.code)

    @cached_property
    def _calls_in(self) -> dict[int, list[Occurrence]]:
        """The calls of each function that hand something to a function under scan."""
        found: dict[int, list[Occurrence]] = {}
        for name, calls in self.code.calls.items():
            if self.code.functions_named(name):
                for one in calls:
                    found.setdefault(id(one.function), []).append(one)
        return found


class _Asking:
    """Which expressions come out of touches, by how they are written within one function."""

    def __init__(self, touches: set[tuple[int, facts.Expr]]) -> None:
        self._touches = touches
        self._names: dict[tuple[int, str], bool] = {}
        self._handed: set[tuple[int, str]] = set()
        self._learned: set[int] = set()

    def learned(self, function: FunctionNode) -> bool:
        """Whether a function was handed more since this was asked last."""
        if id(function) in self._learned:
            self._learned.discard(id(function))
            return True
        return False

    def hands_on(self, call: Occurrence, code: Code) -> list[FunctionNode]:
        """The functions that a call can hand a part of a model to, and that were handed none by that parameter yet."""
        assert isinstance(call.expr, facts.Call)
        given = [one for one in call.expr.args if self.is_part(one, call.function)]
        named = [k.name for k in call.expr.keywords if k.name and self.is_part(k.value, call.function)]
        if not given and not named:
            return []
        found = []
        for function in code.functions_named(tail(call.expr.func) or ""):
            bound = bind_arguments(function, call.expr, skip_first=function.takes_receiver)
            for name, value in bound.items():
                if (name in named or value in given) and (id(function), name) not in self._handed:
                    self._handed.add((id(function), name))
                    self._names.clear()
                    self._learned.add(id(function))
                    found.append(function)
        return found

    def is_part(self, expr: facts.Expr, function: FunctionNode) -> bool:
        """Whether an expression is what a touch gave, an element or result of that, or a name for it."""
        while True:
            if (id(function), expr) in self._touches:
                return True
            match expr:
                case facts.Attribute(base=inner) | facts.Item(base=inner) | facts.Call(func=inner):
                    if isinstance(expr, facts.Call) and expr.args and self.is_part(expr.args[0], function):
                        return isinstance(inner, facts.Name)  # a wrapper around a part
                    expr = inner
                case facts.Walrus(value=inner):
                    expr = inner
                case facts.Boolean(values=values):
                    return any(self.is_part(one, function) for one in values)
                case facts.Choice(then=then, otherwise=otherwise):
                    return self.is_part(then, function) or self.is_part(otherwise, function)
                case facts.Name(id=name):
                    return self._is_name(name, function)
                case _:
                    return False

    def _is_name(self, name: str, function: FunctionNode) -> bool:
        key = (id(function), name)
        if key in self._handed:
            return True
        own = name in function.binds or name in function.loops or name in function.named
        if not own and function.outer is not None:
            return self._is_name(name, function.outer)
        if key not in self._names:
            self._names[key] = False
            values = [step.value for step in function.binds.get(name, ()) if isinstance(step, facts.Bind)]
            values += [loop.iterable for loop in function.loops.get(name, ())]
            self._names[key] = any(value is not None and self.is_part(value, function) for value in values)
        return self._names[key]


def _shape(called: Occurrence, receivers: Receivers) -> CallShape:
    assert isinstance(called.expr, facts.Call)
    return msgspec.structs.replace(shape_of(called.expr), unpacks=_unpacked(called, receivers, 3))


def _unpacked(called: Occurrence, receivers: Receivers, hops: int) -> int | None:
    """Into how many names the result of a call goes, through functions that only hand it on."""
    step = called.step
    match step:
        case facts.Bind(target=facts.Display(items=items), value=value, how="=") if value is called.expr:
            return None if any(isinstance(item, facts.Starred) for item in items) else len(items)
        case facts.Return(value=value) if value is called.expr and hops:
            for caller in receivers.callers(called.function):
                if (count := _unpacked(caller, receivers, hops - 1)) is not None:
                    return count
        case facts.Bind(target=facts.Name(id=name), value=value) if value is called.expr and hops:
            return _unpacked_later(name, called.function)
        case _:
            pass
    return None


def _unpacked_later(name: str, function: FunctionNode) -> int | None:
    for step in function.facts.body.steps:
        match step:
            case facts.Bind(target=facts.Display(items=items), value=facts.Name(id=found), how="=") if found == name:
                return len(items)
            case _:
                pass
    return None
