"""spec-incomplete-draft: a draft class lacks what its worker reads of it without a guard."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement, telling_site

SYMBOL = "spec-incomplete-draft"


def check(context: Context) -> Iterator[Finding]:
    """Every draft against the draft side of each algorithm that it shows signs of serving."""
    drafts = {model.class_: served(context, model) for model in context.models if "draft" in model.roles}
    for model in context.models:
        lacked: dict[str, list[str]] = {}
        for algorithm in drafts.get(model.class_, ()):
            peers = [one for one in context.models if algorithm in drafts.get(one.class_, ()) and one is not model]
            for requirement in context.contract.requirements:
                if not asks_draft(requirement, algorithm, model) or not _lacks(model, requirement.member):
                    continue
                having = sum(not _lacks(peer, requirement.member) for peer in peers)
                if having >= _CONSENT * len(peers):
                    under = lacked.setdefault(requirement.member, [])
                    under += [algorithm] if algorithm not in under else []
        for member, algorithms in lacked.items():
            yield _finding(context, model, member, tuple(algorithms))


_CONSENT = 0.8
"""What fewer of the other drafts have than this is asked for under a condition that can't be seen from the call."""
_MOST = 0.5
"""A draft that offers less than this part of what an algorithm's drafts must have is made for another one."""


def served(context: Context, model: ModelCompliance) -> tuple[str, ...]:
    """The algorithms that a draft is made for: it offers most of what their drafts must have, and a hook of them."""
    shares: dict[str, float] = {}
    for algorithm in context.contract.algorithms:
        hooks = {
            r.member
            for r in context.contract.requirements
            if r.role == "draft" and r.algorithms == (algorithm,) and context.judge.is_telling(r.member)
        }
        asked = hooks | {r.member for r in context.contract.requirements if asks_draft(r, algorithm, model)}
        offered = {member for member in asked if not _lacks(model, member)}
        if hooks & offered and len(offered) >= _MOST * len(asked):
            shares[algorithm] = len(offered) / len(asked)
    best = max(shares.values(), default=0.0)  # drafts of kindred algorithms share bases, and so what those offer
    return tuple(a for a in context.contract.algorithms if shares.get(a, -1.0) == best)


def asks_draft(requirement: Requirement, algorithm: str, model: ModelCompliance) -> bool:
    """Whether an algorithm's worker fails on this draft without what a requirement names."""
    if requirement.role != "draft" or algorithm not in requirement.algorithms or requirement.settings:
        return False
    if requirement.use == "write":  # a module takes any attribute
        return False
    if requirement.strength in ("required", "raises"):
        return requirement.unconditional
    condition = requirement.condition
    if requirement.strength != "conditional" or condition is None:
        return False
    # a condition on a member that the draft lacks is decided; on one that it has, its value decides at run time
    return not condition.holds and _lacks(model, condition.member)


def _lacks(model: ModelCompliance, member: str) -> bool:
    return member in model.members and model.members[member].status == "missing"


def _finding(context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...]) -> Finding:
    asking = [
        r
        for r in context.contract.requirements
        if r.member == member and any(asks_draft(r, a, model) for a in algorithms)
    ]
    site = telling_site(asking, algorithms)
    verb = {"call": "calls", "read": "reads", "write": "sets"}[asking[0].use]
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=(
            f"{model.name} is a draft for {listed(algorithms)} and lacks {member}, which the worker {verb} without a "
            f"guard at {site.file}:{site.line}"
        ),
        evidence=tuple(
            Evidence(file=s.file, line=s.line, what=f"{verb} {member} here, in {s.function}")
            for r in asking
            for s in r.sites_under(algorithms)
        ),
    )
