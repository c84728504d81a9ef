"""spec-wrong-return: what comes back from a member isn't what its callers unpack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.asked import Asked, asked_members, is_asked, sites
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.rules.signature_mismatch import keeps_signature
from specint.checks.wording import does
from specint.contract.model import telling_site
from specint.facts import model as facts
from specint.facts.guards import leaves_always
from specint.graph.attributes import Arm
from specint.graph.dataflow import Place
from specint.graph.project import FunctionNode

SYMBOL = "spec-wrong-return"

_HOPS = 3


@dataclass(frozen=True)
class Wrong:
    """One way on which a function gives back the wrong thing."""

    function: FunctionNode
    line: int
    what: str


def check(context: Context) -> Iterator[Finding]:
    """Every member that doesn't return what the workers unpack or use."""
    for one in context.once(asked_members):
        function = one.function
        if function is None or one.definition is None or function.facts.is_generator:
            continue
        if not keeps_signature(one.definition):
            continue
        unpacks = next((call.unpacks for call in one.calls if call.unpacks is not None), None)
        reads = any(r.use == "read" for r in one.requirements)
        wrong: list[Wrong] = []
        if one.definition.kind == "property" and reads:
            wrong = [Wrong(function, function.facts.line, "it returns nothing")] if _returns_nothing(function) else []
        elif one.definition.kind == "method" and one.calls:
            wrong = list(_wrong(context, one, function, unpacks)) if unpacks else list(_dropped(context, one, function))
        if wrong:
            yield _finding(one, wrong, unpacks)


def _gives(function: FunctionNode) -> bool:
    """Whether some way through a function ends in a value."""
    steps = function.facts.body.steps
    return any(isinstance(step, facts.Return) and step.value not in (None, facts.Constant(None)) for step in steps)


def _returns_nothing(function: FunctionNode) -> bool:
    """Whether a function always comes back empty-handed; one that raises may be a refusal by name."""
    return not _gives(function) and not any(isinstance(step, facts.Raise) for step in function.facts.body.steps)


def _wrong(context: Context, one: Asked, function: FunctionNode, unpacks: int) -> Iterator[Wrong]:
    if _returns_nothing(function):
        dropped = list(_dropped(context, one, function))
        yield from dropped or [Wrong(function, function.facts.line, "it returns nothing")]
        return
    returned = False
    for step in function.facts.body.steps:
        if isinstance(step, facts.Return):
            returned = True
            place = Place(one.node, function, step)
            what = _not_values(context, step.value, place, unpacks, _HOPS)
            if what is not None:
                yield Wrong(function, step.line, what)
    if returned and not leaves_always(function.facts.body):
        yield Wrong(function, function.facts.end_line, "it ends without a return where none of its conditions holds")


def _not_values(context: Context, expr: facts.Expr | None, place: Place, unpacks: int, hops: int) -> str | None:
    """Why an expression certainly isn't so many values; None where it is, or may be."""
    match expr:
        case None | facts.Constant(value=None):
            return "it returns None"
        case facts.Constant():
            return "it returns a constant"
        case facts.Display(items=items) if not any(isinstance(item, facts.Starred) for item in items):
            if len(items) != unpacks:
                return f"it returns {_values(len(items))}"
            methods = [i for i in items if isinstance(i, facts.Attribute) and _is_method(context.flow.arms(i, place))]
            return f"it returns the method {facts.spell(methods[0])} itself, without a call" if methods else None
        case facts.Choice(then=then, otherwise=otherwise):
            return _not_values(context, then, place, unpacks, hops) or _not_values(
                context, otherwise, place, unpacks, hops
            )
        case facts.Attribute():
            return _single(context, expr, place)
        case facts.Call(func=facts.Attribute() as func) if hops:
            return _called(context, func, place, unpacks, hops)
        case _:
            return None


def _single(context: Context, expr: facts.Attribute, place: Place) -> str | None:
    """Why what an attribute holds certainly is one thing alone."""
    arms = context.flow.arms(expr, place)
    if _is_method(arms):
        return f"it returns the method {facts.spell(expr)} itself, without a call"
    if expr.name == "weight":
        return f"it returns {facts.spell(expr)}, a single tensor"
    if all(arm.kind == "object" and _is_single(context, arm) for arm in arms):
        return f"it returns {facts.spell(expr)}, a single object"
    return None


def _called(context: Context, func: facts.Attribute, place: Place, unpacks: int, hops: int) -> str | None:
    """Why what a method gives certainly isn't so many values."""
    for arm in context.flow.arms(func, place):
        inner = arm.member.function if arm.kind == "member" and arm.member is not None else None
        if inner is None or arm.node is None or is_asked(context, arm.node, inner) or inner.facts.is_generator:
            continue
        if inner.facts.decorators or arm.member is None or arm.member.kind != "method":
            continue
        if _returns_nothing(inner):
            return f"it returns what {inner.facts.qualname} gives, which is nothing"
        for step in inner.facts.body.steps:
            if isinstance(step, facts.Return):
                what = _not_values(context, step.value, Place(arm.node, inner, step), unpacks, hops - 1)
                if what is not None:
                    return f"it returns what {inner.facts.qualname} gives: {what.removeprefix('it ')}"
    return None


def _is_method(arms: tuple[Arm, ...]) -> bool:
    return all(arm.kind == "member" and arm.member is not None and arm.member.kind == "method" for arm in arms)


def _is_single(context: Context, arm: Arm) -> bool:
    """Whether an object can't be unpacked at all."""
    attributes = context.flow.attributes
    assert arm.node is not None
    return not attributes.is_open(arm.node) and not any(
        context.judge.hierarchy.lookup(arm.node, name) for name in ("__iter__", "__getitem__")
    )


def _dropped(context: Context, one: Asked, function: FunctionNode) -> Iterator[Wrong]:
    """A delegation that calls the same member of the inner model, which gives something, and doesn't pass it on."""
    if not _returns_nothing(function):
        return
    for step in function.facts.body.steps:
        match step:
            case facts.Evaluate(value=facts.Call(func=facts.Attribute(name=name) as func)) if name == one.member:
                for arm in context.flow.arms(func, Place(one.node, function, step)):
                    inner = arm.member.function if arm.kind == "member" and arm.member is not None else None
                    if inner is not None and inner is not function and _gives(inner):
                        what = f"it calls {facts.spell(func)} and doesn't return what that gives"
                        yield Wrong(function, step.line, what)
                        return
            case _:
                pass


def _values(count: int) -> str:
    return f"{count} value" if count == 1 else f"{count} values"


def _finding(one: Asked, wrong: list[Wrong], unpacks: int | None) -> Finding:
    first = wrong[0]
    unpacking = [r for r in one.requirements if r.call is not None and r.call.unpacks]
    site = telling_site(unpacking or one.requirements, one.algorithms)
    wanted = f"unpack {_values(unpacks)}" if unpacks else "use what it returns"
    message = (
        f"{one.model.name}.{one.member} doesn't give what {does(one.algorithms, 'need')}: "
        f"{first.what} "
        f"({first.function.module.path}:{first.line}), and callers {wanted} at {site.file}:{site.line}"
    )
    return about(
        SYMBOL,
        one.model,
        one.member,
        one.algorithms,
        at=one.place,
        message=message,
        evidence=(*(Evidence(file=w.function.module.path, line=w.line, what=w.what) for w in wrong), *sites(one)),
    )
