"""spec-incomplete-draft: a draft class lacks what the worker of its own algorithm asks it for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from specint.checks.context import Context, gaps
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.compliance.verdicts import insists_on_draft
from specint.contract.model import telling_site

SYMBOL = "spec-incomplete-draft"


def check(context: Context) -> Iterator[Finding]:
    """Every draft against the draft side of the algorithms that it is made for."""
    drafts = {model.class_: model for model in context.models if "draft" in model.roles}
    lacking = {class_: gaps(model) for class_, model in drafts.items()}
    for class_, found in lacking.items():
        for label, algorithms in found.items():
            if _parent(drafts[class_], lacking, label, algorithms) is None:
                heirs = [
                    one.name
                    for one in drafts.values()
                    if _parent(one, lacking, label, lacking[one.class_].get(label, ())) == class_
                ]
                yield _finding(context, drafts[class_], label, algorithms, tuple(heirs))


def _parent(
    model: ModelCompliance,
    lacking: Mapping[str, Mapping[str, tuple[str, ...]]],
    label: str,
    algorithms: tuple[str, ...],
) -> str | None:
    """The topmost base with the same gap, in the same package: an heir repeats it, and is told with it."""
    package = model.class_.partition(".")[0]
    same = [
        base
        for base in model.mro
        if base != model.class_ and base.partition(".")[0] == package and algorithms
        if set(lacking.get(base, {}).get(label, ())) >= set(algorithms)
    ]
    return same[-1] if same else None


def _finding(
    context: Context, model: ModelCompliance, label: str, algorithms: tuple[str, ...], heirs: tuple[str, ...]
) -> Finding:
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
    also = f"; {listed(heirs)}, made from it, {'lacks' if len(heirs) == 1 else 'lack'} it too" if heirs else ""
    why = "; ".join(dict.fromkeys(model.drafts_for[a] for a in algorithms))
    return about(
        SYMBOL,
        model,
        members[0],
        algorithms,
        message=(
            f"{model.name} is a draft for {listed(algorithms)} and lacks {' or '.join(members)}, which the worker "
            f"{verb} without a guard at {site.file}:{site.line}; {why}{also}"
        ),
        evidence=tuple(
            Evidence(file=s.file, line=s.line, what=f"{verb} {r.member} here, in {s.function}")
            for r in asking
            for s in r.sites_under(algorithms)
        ),
    )
