"""What a class outside of the tree has is not what it does: members that look for attributes, and fail without them."""

from __future__ import annotations

from specint.checks.asked import Asked
from specint.checks.context import Context
from specint.facts import model as facts
from specint.graph.hierarchy import Finds, external_classes


def looks_in_vain(context: Context, one: Asked) -> Finds | None:
    """What a member of a library's class looks for, where the object certainly has none of it."""
    status = one.model.members[one.member]
    if one.definition is not None or status.way != "inherited":
        return None
    declared = external_classes().get(status.provider or "")
    for finds in declared.finds if declared is not None else ():
        if finds.member == one.member:
            names = [_named(context, one, name) for name in finds.named_by]
            if "" in names:
                return None
            ways = [*finds.ways, *(name for name in names if name is not None)]
            return None if any(_may_find(context, one, way) for way in ways) else finds
    return None


def _named(context: Context, one: Asked, name: str) -> str | None:
    """The attribute that a class attribute names; None where there is none of it, "" where that can't be known."""
    member = context.judge.hierarchy.lookup(one.node, name)
    if member is None:
        return "" if context.judge.composition.assigned(one.node, name) else None
    match member.value:
        case facts.Constant(value=str(text)) if text and not member.conditional:
            return text
        case facts.Constant(value=None | ""):
            return None
        case _:
            return ""


def _may_find(context: Context, one: Asked, way: str) -> bool:
    first, _, second = way.partition(".")
    judge = context.judge
    if judge.hierarchy.lookup(one.node, first) is None and not judge.composition.assigned(one.node, first):
        return False
    arms = context.flow.attributes.arms(one.node, first)
    if not second:
        return any(arm.kind != "none" for arm in arms)
    return any(
        arm.kind not in ("object", "none")
        or (arm.node is not None and judge.members.status(arm.node, second).status != "missing")
        for arm in arms
    )
