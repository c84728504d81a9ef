"""spec-incomplete-part: a part of a model lacks what callers ask of that part."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.compliance.verdicts import HARD
from specint.contract.model import Requirement, telling_site

SYMBOL = "spec-incomplete-part"


def check(context: Context) -> Iterator[Finding]:
    """Every model against what is asked of its parts; one finding for each way that ends at nothing."""
    asked = [r for r in context.contract.requirements if _insists(r)]
    for model in context.models:
        told: set[str] = set()
        for requirement in asked:
            label = requirement.group or requirement.member
            algorithms = _asking(model, requirement, label)
            if algorithms is None or label in told or not _lacks(context, model, label):
                continue
            told.add(label)
            yield _finding(model, requirement, label, algorithms)


def _insists(requirement: Requirement) -> bool:
    label = requirement.group or requirement.member
    return (
        all("." in member for member in label.split("|"))
        and requirement.strength in HARD
        and requirement.use != "write"
        and requirement.unconditional
        and requirement.condition is None
        and not requirement.settings
    )


def _asking(model: ModelCompliance, requirement: Requirement, label: str) -> tuple[str, ...] | None:
    """The algorithms under which a model meets a requirement and lacks nothing else; None where it doesn't meet it.
    Of drafts, another rule tells what their own algorithms ask."""
    if requirement.role not in ("both", *model.roles):
        return None
    if not requirement.algorithms:
        return ()
    if requirement.role == "draft":
        return None
    alone = tuple(a for a in requirement.algorithms if model.algorithms[a].missing == (label,))
    return alone or None


def _lacks(context: Context, model: ModelCompliance, label: str) -> bool:
    """Whether all ways of a label lead to parts, none of which has what is asked of it."""
    node, members = context.node(model), context.judge.members
    statuses = [(one, members.status(node, one)) for one in label.split("|")]
    there = [one for one, _ in statuses if members.status(node, one.partition(".")[0]).status == "present"]
    if not there or any(status.status != "missing" for _, status in statuses):
        return False
    parts = members.parts(node, there[0].split(".")[:-1])
    # callers of plain objects are another rule's
    return any(context.judge.hierarchy.order(part).external for part in parts)


def _finding(model: ModelCompliance, requirement: Requirement, label: str, algorithms: tuple[str, ...]) -> Finding:
    site = telling_site([requirement], algorithms)
    member = requirement.member
    reason = model.members[member].reason or ""
    asking = f"under {listed(algorithms)}" if algorithms else "of every model"
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=(
            f"{model.name} has no {' or '.join(label.split('|'))}, which {site.function} asks {asking} at "
            f"{site.file}:{site.line}: {reason}"
        ),
        evidence=tuple(
            Evidence(file=s.file, line=s.line, what=f"{member} is asked here, in {s.function}")
            for s in requirement.sites_under(algorithms)
        ),
    )
