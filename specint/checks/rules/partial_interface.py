"""spec-partial-interface: a class claims an algorithm by one member, and lacks another that the algorithm requires."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.claims import Claim, claims, claims_itself, told
from specint.checks.context import Context, call_sites, gaps
from specint.checks.finding import Evidence, Finding, about
from specint.checks.rules.missing_delegation import delegations
from specint.checks.wording import at_site, does, listed
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.contract.interfaces import RUNTIME, SPECULATIVE
from specint.contract.model import Requirement, failing_site
from specint.edits.model import undecided

SYMBOL = "spec-partial-interface"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member without which an algorithm that a class claims can't serve it."""
    claimed = context.once(claims)
    vain = {(r.member, a) for r in context.contract.requirements for a in asked_in_vain(context, r)[1]}
    for model in context.models:
        missed: dict[str, list[Claim]] = {}
        handed_on = {a for under in delegations(context, model).values() for a in under}
        for label, algorithms in gaps(model).items():
            for claim in claimed.get(model.class_, ()):
                if (
                    claim.algorithm not in algorithms
                    or claim.algorithm in handed_on
                    or (label, claim.algorithm) in vain
                ):
                    continue  # spec-missing-delegation tells it, with the lines to add
                missed.setdefault(label, []).append(claim)
        for label, found in missed.items():
            yield _finding(context, model, label, tuple(found))
        yield from _halves(context, model)


def _halves(context: Context, model: ModelCompliance) -> Iterator[Finding]:
    """The runner's other interfaces, where they are selected: one that a class offers softly, without what it needs.

    SGLang #21004, #38608: a class that tells its experts' layout and doesn't hand out their weights.
    """
    models = {one.class_ for one in context.models}
    for interface in dict.fromkeys(r.interface for r in context.contract.requirements if not r.algorithms):
        if interface in (SPECULATIVE, RUNTIME):
            continue
        asked = [r for r in context.contract.requirements if r.interface == interface and not r.algorithms]
        claims = [r.member for r in asked if r.role == "class" and r.use == "call"]
        offered = [member for member in dict.fromkeys(claims) if claims_itself(model, member, models)]
        told_of: set[str] = set()
        for requirement in asked if offered else ():
            if requirement.strength != "required" or requirement.settings or requirement.role not in ("target", "both"):
                continue
            if requirement.member in told_of or "." in requirement.member:
                continue  # what the value of a member lacks is told by spec-wrong-kind and spec-incomplete-part
            told_of.add(requirement.member)
            if model.members[requirement.member].status == "missing":
                yield _half(model, interface, requirement, offered)


def _half(model: ModelCompliance, interface: str, requirement: Requirement, offered: list[str]) -> Finding:
    site = requirement.sites[0]
    claim = model.members[offered[0]]
    return about(
        SYMBOL,
        model,
        requirement.member,
        (),
        message=(
            f"{model.name} offers {listed(offered)}, by which it takes part in {interface}, but not "
            f"{requirement.member}, which is read without a guard at {site.file}:{site.line}"
        ),
        evidence=(
            Evidence(file=claim.file, line=claim.line, what=f"{offered[0]} is offered here"),
            *(Evidence(file=s.file, line=s.line, what=f"read here, in {s.function}") for s in requirement.sites),
        ),
    )


_SEVERAL = 2
"""One class that lacks a member lacks it; where several do and none has it, who asks is at fault."""


def asked_in_vain(context: Context, requirement: Requirement) -> tuple[dict[str, ModelCompliance], list[str]]:
    """The classes that claim an algorithm of a requirement, and the algorithms, where none of them has what it asks.

    Then the line is at fault and not each class: spec-contract-drift tells it, and this rule doesn't.
    """
    claimed = context.once(claims)
    broken: dict[str, ModelCompliance] = {}
    under: list[str] = []
    if requirement.strength != "required" or not requirement.unconditional:
        return broken, under  # what is raised by name, or asked at times, was meant to be missing somewhere
    for algorithm in requirement.algorithms:
        if not insists(requirement, algorithm):
            continue
        claiming = [
            model
            for model in context.models
            if any(claim.algorithm == algorithm for claim in claimed.get(model.class_, ()))
        ]
        lacking = [one for one in claiming if requirement.member in one.algorithms[algorithm].missing]
        if len(lacking) >= _SEVERAL and len(lacking) == len(claiming):
            broken |= {model.class_: model for model in lacking}
            under.append(algorithm)
    return broken, under


def _usual(context: Context, label: str) -> str:
    """Of members of which one is enough, the one that most models have."""
    having = {m: sum(model.members[m].status == "present" for model in context.models) for m in label.split("|")}
    return max(having, key=lambda member: having[member])


def _finding(context: Context, model: ModelCompliance, label: str, chosen: tuple[Claim, ...]) -> Finding:
    member = _usual(context, label)
    algorithms = tuple(a for a in context.contract.algorithms if any(one.algorithm == a for one in chosen))
    requirements = tuple(r for part in label.split("|") for r in context.insisted(part))
    site = failing_site(requirements, algorithms)
    wanted = " or ".join(label.split("|"))
    message = (
        f"{told(context, model, chosen)}, but {model.name} has no {wanted}, "
        f"which {does(algorithms, 'require')}{at_site(site, algorithms)}"
    )
    has_inner = model.members[member].inner
    instead = f"self.{has_inner} has none to hand it on to" if has_inner else "it wraps no model that could answer"
    undo = " and ".join(dict.fromkeys(one.undo for one in chosen))
    decide = f"{instead}: decide what {model.name} gives for {wanted}, or {undo}"
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=message,
        evidence=(*dict.fromkeys(one.evidence for one in chosen), *call_sites(requirements, algorithms)),
        edit=undecided(model.class_, model.file, member, decide),
    )
