"""spec-missing-delegation: a wrapper lacks a required target member that its inner model has."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from specint.checks.asked import is_asked
from specint.checks.context import Context, call_sites, providers
from specint.checks.delegation import delegation
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import at_site, does
from specint.compliance.model import ModelCompliance
from specint.contract.model import failing_site

SYMBOL = "spec-missing-delegation"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each missing member that an inner model has, where handing on makes an algorithm work."""
    told = {model.class_: delegations(context, model) for model in context.models}
    for model in context.models:
        for member, algorithms in told[model.class_].items():
            heirs = [
                heir.name
                for heir in context.models
                if model.class_ in heir.mro[1:]
                and heir.members[member].inner == model.members[member].inner
                and delegable(context, heir, member)  # though its own inner model may be able to do no algorithm
            ]
            yield _finding(context, model, member, algorithms, heirs)


def delegations(context: Context, model: ModelCompliance) -> dict[str, tuple[str, ...]]:
    """The members that a wrapper would have to hand on, and the algorithms that it gains by that.

    An algorithm for which the inner model lacks something itself, or has it and can't do it, is not gained. What no
    model of the tree offers decides nothing: it is newer than all of them (a contract of a later release).
    """
    offered = context.once(offered_members)
    found: dict[str, list[str]] = {}
    for algorithm, verdict in model.algorithms.items():
        labels = [label for label in verdict.missing if not offered.isdisjoint(label.split("|"))]
        members = [delegable(context, model, label) for label in labels]
        for member in members if all(members) else ():
            assert member is not None
            found.setdefault(member, []).append(algorithm)
    return {member: tuple(dict.fromkeys(algorithms)) for member, algorithms in found.items()}


def offered_members(context: Context) -> frozenset[str]:
    """The members that some model of the tree has."""
    return frozenset(
        name for model in context.models for name, status in model.members.items() if status.status == "present"
    )


def delegable(context: Context, model: ModelCompliance, label: str) -> str | None:
    """The first member of a missing group that an inner model has and that works there; None where there is none."""
    for member in label.split("|"):
        status = model.members[member]
        having = [one for one in status.inners if one.status == "present"]
        lacks = status.status == "missing" and status.inner_status == "present"
        if lacks and any(_works(context, one.holder, member) for one in having):
            return member
    return None


def _works(context: Context, holder: str, member: str) -> bool:
    """Whether nothing is known against a member of an inner class: it finds what it reaches for."""
    node = context.judge.project.class_by_key(holder)
    found = context.judge.hierarchy.lookup(node, member) if node is not None else None
    if node is None or found is None or found.function is None or found.kind != "method":
        return True
    broken = context.flow.breaks(node, found.function, partial(is_asked, context))
    return not any(one.always and one.arm.kind == "object" for one in broken)


def _finding(
    context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...], heirs: list[str]
) -> Finding:
    node = context.node(model)
    status = model.members[member]
    requirements = context.insisted(member)
    having = [one for one in status.inners if one.status == "present"]
    lacking = [one for one in status.inners if one.status == "missing"]
    first = having[0]
    holder, provider = first.holder.rpartition(".")[2], (first.provider or "").rpartition(".")[2]
    inherited = f", inherited from {provider}" if provider != holder else ""
    call = next((r for r in requirements if r.use == "call"), None)
    shown = f"{member}()" if call is not None else member
    others = f"; {does([one.holder.rpartition('.')[2] for one in lacking], 'lack')} it" if lacking else ""
    site = failing_site(requirements, algorithms)
    below = f"; {does(heirs, 'inherit')} the gap" if heirs else ""
    message = (
        f"{model.name} doesn't delegate {shown} to self.{status.inner} ({holder} has it{inherited}{others}); "
        f"{does(algorithms, 'fail')}{at_site(site, algorithms)}"
        f"{below}"
    )
    kept = next(w for w in context.judge.wraps(node) if w.attribute == status.inner)
    held = Evidence(file=kept.file, line=kept.line, what=f"self.{status.inner} is set here")
    calls = tuple(call_sites(requirements, algorithms))
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=message,
        # one call and the way to the inner model first: what comes later may be cut
        evidence=(*calls[:1], held, *providers(status, member), *calls[1:]),
        edit=delegation(context, model, member),
    )
