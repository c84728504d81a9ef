"""spec-optional-delegate: what a member hands on to is None under some configuration, and the member doesn't look."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.asked import Asked, asked_members, sites
from specint.checks.context import Context
from specint.checks.finding import Finding, about
from specint.checks.rules.broken_delegation import breaks, evidence, under
from specint.checks.wording import does
from specint.facts import model as facts
from specint.graph.dataflow import Break

SYMBOL = "spec-optional-delegate"


def check(context: Context) -> Iterator[Finding]:
    """Every member that reads through an attribute which may be None, without a look at it."""
    for one in context.once(asked_members):
        found = [b for b in breaks(context, one) if b.arm.kind in ("none", "unset") and not _looked_at(context, one, b)]
        if found:
            yield _finding(under(context, one, found), found)


def _looked_at(context: Context, one: Asked, found: Break) -> bool:
    """Whether the callers themselves read the delegate before: then they know when it is there."""
    base = found.reach.expr.base
    if not isinstance(base, facts.Attribute):
        return False
    role = "draft" if one.side == "draft" else "target"
    return any(
        r.member == base.name and r.role in (role, "both") and set(one.algorithms) <= set(r.algorithms)
        for r in context.contract.requirements
    )


def _finding(one: Asked, found: list[Break]) -> Finding:
    first = found[0]
    base = facts.spell(first.reach.expr.base)
    state = "None" if first.arm.kind == "none" else "not set"
    when = f"where {first.arm.condition}" if first.arm.condition else "until something else is put there"
    message = (
        f"{one.model.name}.{one.member} reads {first.chain} without a check, but {base} is {state} {when} "
        f"({first.arm.file}:{first.arm.line}): {does(one.algorithms, 'get')} an AttributeError that doesn't say why"
    )
    return about(
        SYMBOL,
        one.model,
        one.member,
        one.algorithms,
        at=one.place,
        message=message,
        evidence=(*(e for b in found for e in evidence(b)), *sites(one)),
    )
