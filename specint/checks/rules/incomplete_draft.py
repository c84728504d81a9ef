"""spec-incomplete-draft: a draft class lacks what the worker of its own algorithm asks it for."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, gaps
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.compliance.verdicts import insists_on_draft
from specint.contract.model import telling_site

SYMBOL = "spec-incomplete-draft"


def check(context: Context) -> Iterator[Finding]:
    """Every draft against the draft side of the algorithms that it is made for."""
    for model in context.models:
        if "draft" in model.roles:
            for label, algorithms in gaps(model).items():
                yield _finding(context, model, label, algorithms)


def _finding(context: Context, model: ModelCompliance, label: str, algorithms: tuple[str, ...]) -> Finding:
    node = context.node(model)
    members = label.split("|")
    asking = [
        r
        for r in context.contract.requirements
        if r.member in members
        and any(insists_on_draft(r, a, lambda name: context.judge.flag(node, name)) for a in algorithms)
    ]
    site = telling_site(asking, algorithms)
    verb = {"call": "calls", "read": "reads", "write": "sets"}[asking[0].use]
    why = "; ".join(dict.fromkeys(model.drafts_for[a] for a in algorithms))
    return about(
        SYMBOL,
        model,
        members[0],
        algorithms,
        message=(
            f"{model.name} is a draft for {listed(algorithms)} and lacks {' or '.join(members)}, which the worker "
            f"{verb} without a guard at {site.file}:{site.line}; {why}"
        ),
        evidence=tuple(
            Evidence(file=s.file, line=s.line, what=f"{verb} {r.member} here, in {s.function}")
            for r in asking
            for s in r.sites_under(algorithms)
        ),
    )
