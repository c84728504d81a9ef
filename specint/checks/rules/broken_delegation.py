"""spec-broken-delegation: the body of a member that a worker asks for reaches for something that can't be there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from specint.checks.asked import Asked, asked_members, is_asked, sites
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.library import looks_in_vain
from specint.checks.modes import meeting
from specint.checks.wording import at_site, does, listed
from specint.contract.model import telling_site
from specint.facts import model as facts
from specint.facts.logic import opposite, truth
from specint.graph.dataflow import Break
from specint.graph.hierarchy import Finds

SYMBOL = "spec-broken-delegation"


def check(context: Context) -> Iterator[Finding]:
    """Every member whose body reaches for an attribute that no class on the way has."""
    for one in context.once(asked_members):
        broken = [b for b in breaks(context, one) if b.arm.kind == "object" and not _of_skipped(context, b)]
        if broken and not _soft_property(one):
            yield _finding(context, under(context, one, broken), broken)
        elif (finds := looks_in_vain(context, one)) is not None:
            yield _in_vain(one, finds)


def _in_vain(one: Asked, finds: Finds) -> Finding:
    status = one.model.members[one.member]
    provider = (status.provider or "").rpartition(".")[2]
    site = telling_site(one.requirements, one.algorithms)
    message = (
        f"{one.model.name}.{one.member} can't work: {provider}, which gives it, looks for "
        f"{listed([f'self.{way}' for way in finds.ways])}, and {one.model.name} has none of them; "
        f"{does(one.algorithms, 'get')} an error from it{at_site(site, one.algorithms)}"
    )
    return about(SYMBOL, one.model, one.member, one.algorithms, message=message, evidence=tuple(sites(one)))


def breaks(context: Context, one: Asked) -> list[Break]:
    """The reaches of a member's body that fail when it is called as the contract calls it."""
    if one.function is None:
        return []
    found = context.flow.breaks(one.node, one.function, partial(is_asked, context))
    return [b for b in found if not _behind_unused_parameter(one, b) and meeting(context, one, b.arm.condition)]


def under(context: Context, one: Asked, broken: list[Break]) -> Asked:
    """A member as it is asked for by the algorithms alone that can meet one of its breaks."""
    met = {name for b in broken for name in meeting(context, one, b.arm.condition)}
    return replace(one, algorithms=tuple(name for name in one.algorithms if name in met))


def _behind_unused_parameter(one: Asked, found: Break) -> bool:
    """Whether a reach happens only where a parameter is given that no caller of the contract gives: not where it has
    its default then."""
    if found.function is not one.function or not one.calls:
        return False
    params = found.function.parameters
    given = max(call.positional for call in one.calls)
    keywords = {k for call in one.calls for k in call.keywords}
    if any(call.starred for call in one.calls):
        return False
    unused = {
        p.name: p.default
        for i, p in enumerate(params)
        if i >= given and p.name not in keywords and p.kind not in ("*", "**")
    }
    changed = found.function.binds.keys()
    defaults = {
        name: value for name, value in unused.items() if isinstance(value, facts.Constant) and name not in changed
    }
    guards = found.function.facts.body.guards_of(found.reach.step.guard)
    tests = [g.test if g.positive else opposite(g.test) for g in guards if g.test is not None] + list(found.reach.tests)
    asking = (t for t in tests if any(isinstance(part, facts.Name) and part.id in unused for part in facts.walk(t)))
    return any(truth(test, defaults) is not True for test in asking)


def _of_skipped(context: Context, found: Break) -> bool:
    """Whether a constructor that never runs would have set it on the object itself: another rule's matter."""
    if found.arm.node is None or found.reach.expr.base != facts.Name(found.function.own or ""):
        return False
    return next(context.judge.composition.evaluator.self_binds(found.arm.node, found.name), None) is not None


def _soft_property(one: Asked) -> bool:
    """A property that raises AttributeError looks absent to a caller that looks first, which is what it may be for."""
    property_ = one.definition is not None and one.definition.kind == "property"
    return property_ and all(r.strength in ("raises", "any-of") for r in one.requirements)


def _finding(context: Context, one: Asked, broken: list[Break]) -> Finding:
    first = broken[0]
    assert first.arm.node is not None
    holders = list(dict.fromkeys(b.arm.node.name for b in broken if b.arm.node is not None and b.name == first.name))
    base = facts.spell(first.reach.expr.base)
    is_self = first.reach.expr.base == facts.Name(first.function.own or "")
    where = "" if first.always or not first.arm.condition else f" where {first.arm.condition}"
    lacking = f"{base} is of class {listed(holders)}{where}, which has no {first.name}"
    what = "nothing ever sets it" if is_self else lacking
    instead = _instead(context, first)
    site = telling_site(one.requirements, one.algorithms)
    through = f", through {first.function.facts.qualname}" if first.through else ""
    message = (
        f"{one.model.name}.{one.member} can't work{through}: it reaches for {first.chain}, but {what}"
        f"{f' ({base}.{instead}.{first.name} exists)' if instead else ''}; "
        f"{does(one.algorithms, 'get')} an AttributeError from it{at_site(site, one.algorithms)}"
    )
    return about(
        SYMBOL,
        one.model,
        one.member,
        one.algorithms,
        at=one.place,
        message=message,
        evidence=(*(e for b in broken for e in evidence(b)), *sites(one)),
    )


def _instead(context: Context, found: Break) -> str | None:
    """An attribute of the holder whose object does have what was reached for."""
    assert found.arm.node is not None
    for attribute in context.judge.composition.assignments(found.arm.node):
        for arm in context.flow.attributes.arms(found.arm.node, attribute):
            if arm.kind == "object" and arm.node is not None:
                inner = context.flow.attributes.arms(arm.node, found.name)
                if inner and all(a.kind in ("object", "member") for a in inner):
                    return attribute
    return None


def evidence(found: Break) -> Iterator[Evidence]:
    """The way to a reach that fails, and why it fails."""
    for function, line in found.through:
        yield Evidence(file=function.module.path, line=line, what=f"{function.facts.qualname} calls on from here")
    read = f"{found.function.facts.qualname} reads {found.chain} here"
    yield Evidence(file=found.function.module.path, line=found.line, what=read)
    base = facts.spell(found.reach.expr.base)
    under = f" where {found.arm.condition}" if found.arm.condition else ""
    if found.arm.line:
        class_ = found.arm.node.name if found.arm.node is not None else "?"
        holds = {"none": f"is None{under}", "unset": f"is set here{f', but not{under}' if under else ''}"}
        what = f"{base} {holds.get(found.arm.kind, f'is of class {class_}{under}')}"
        yield Evidence(file=found.arm.file, line=found.arm.line, what=what)
    if found.arm.kind == "object" and found.arm.node is not None:
        node = found.arm.node
        yield Evidence(file=node.file, line=node.facts.line, what=f"{node.name} has no attribute {found.name}")
