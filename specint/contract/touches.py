"""Every place under scan that touches a model object: what it reads, calls, probes or writes, and how it is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from specint.contract.code import Local, Occurrence, tails
from specint.contract.model import CallShape
from specint.contract.receivers import Receivers
from specint.facts import model as facts
from specint.graph.project import FunctionNode

Kind = Literal["call", "read", "write", "get", "probe"]


@dataclass(frozen=True, eq=False)
class Touch:
    """One touch of one member.

    Attributes:
        roles: whose model it can be.
        kind: "get" is a getattr with a default, "probe" a hasattr; both may turn out to be required.
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
    """All touches of what travels under the given names, in the order of files and lines."""
    code = receivers.code
    calls = {id(c.expr.func): c for cs in code.calls.values() for c in cs if isinstance(c.expr, facts.Call)}
    found: list[Touch] = []
    for name in sorted(names):
        for one in code.accesses.get(name, ()):
            assert isinstance(one.expr, facts.Attribute)
            if hasattr(object, one.expr.name):  # every object has it
                continue
            if roles := receivers.models(one.expr.base, one.function, one.step):
                called = calls.get(id(one.expr))
                shape = _shape(called, receivers) if called is not None else None
                kind: Kind = "call" if called is not None else "read"
                found.append(
                    Touch(one, frozenset(roles), one.expr.name, kind, one.expr, one.expr.base, one.expr.line, shape)
                )
        for one in code.probes.get(name, ()):
            found += _probe(one, receivers)
    for member, writes in code.writes.items():
        for one in writes:
            assert isinstance(one.expr, facts.Attribute)
            if names.isdisjoint(tails(one.expr.base)):
                continue
            if roles := receivers.models(one.expr.base, one.function, one.step):
                found.append(Touch(one, frozenset(roles), member, "write", one.expr, one.expr.base, one.expr.line))
    return sorted(found, key=lambda touch: (touch.function.module.path, touch.line, touch.member))


def _probe(one: Occurrence, receivers: Receivers) -> Iterator[Touch]:
    match one.expr:
        case facts.Call(func=facts.Name(id=builtin), args=(base, facts.Constant(value=str(member)), *rest)) as call:
            roles = frozenset(receivers.models(base, one.function, one.step))
            if not roles:
                return
            kinds: dict[str, Kind] = {"hasattr": "probe", "getattr": "get" if rest else "read", "setattr": "write"}
            yield Touch(one, roles, member, kinds[builtin], call, base, call.line)
        case _:
            return


def _shape(called: Occurrence, receivers: Receivers) -> CallShape:
    assert isinstance(called.expr, facts.Call)
    args, keywords = called.expr.args, called.expr.keywords
    positional = sum(not isinstance(arg, facts.Starred) for arg in args)
    return CallShape(
        positional=positional,
        keywords=tuple(sorted(k.name for k in keywords if k.name is not None)),
        unpacks=_unpacked(called, receivers, 3),
        fewest=positional,
        starred=positional < len(args) or any(k.name is None for k in keywords),
    )


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
