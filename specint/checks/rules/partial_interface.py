"""spec-partial-interface: a class claims an algorithm by one member, and lacks another that the algorithm requires."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, call_sites, gaps
from specint.checks.finding import Evidence, Finding, about
from specint.checks.rules.missing_delegation import delegations
from specint.checks.wording import at_site, does, listed
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.contract.interfaces import RUNTIME, SPECULATIVE
from specint.contract.model import Requirement, telling_site
from specint.edits.model import undecided

SYMBOL = "spec-partial-interface"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member without which an offered one can't serve."""
    claims = claiming_members(context)
    vain = {(r.member, a) for r in context.contract.requirements for a in asked_in_vain(context, r, claims)[1]}
    for model in context.models:
        missed: dict[str, list[str]] = {}
        handed_on = {a for under in delegations(context, model).values() for a in under}
        for label, algorithms in gaps(model).items():
            for algorithm in algorithms:
                if algorithm in handed_on or (label, algorithm) in vain:
                    continue  # spec-missing-delegation tells it, with the lines to add
                if any(claims_itself(context, model, claim) for claim in claims.get(algorithm, ())):
                    missed.setdefault(label, []).append(algorithm)
        for label, under in missed.items():
            yield _finding(context, model, label, tuple(under), claims)
        yield from _halves(context, model)


def _halves(context: Context, model: ModelCompliance) -> Iterator[Finding]:
    """The runner's other interfaces, where they are selected: one that a class offers softly, without what it needs.

    SGLang #21004, #38608: a class that tells its experts' layout and doesn't hand out their weights.
    """
    for interface in dict.fromkeys(r.interface for r in context.contract.requirements if not r.algorithms):
        if interface in (SPECULATIVE, RUNTIME):
            continue
        asked = [r for r in context.contract.requirements if r.interface == interface and not r.algorithms]
        claims = [r.member for r in asked if r.role == "class" and r.use == "call"]
        offered = [member for member in dict.fromkeys(claims) if claims_itself(context, model, member)]
        told: set[str] = set()
        for requirement in asked if offered else ():
            if requirement.strength != "required" or requirement.settings or requirement.role not in ("target", "both"):
                continue
            if requirement.member in told:
                continue
            told.add(requirement.member)
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


def claiming_members(context: Context) -> dict[str, tuple[str, ...]]:
    """Algorithm -> the members by which a class claims it: hooks that only this algorithm insists on.

    A hook is called with something. An accessor without arguments may be there for anybody.
    """
    insisting: dict[str, set[str]] = {}
    handed: set[str] = set()
    for requirement in context.contract.requirements:
        for algorithm in requirement.algorithms:
            if insists(requirement, algorithm) and requirement.strength != "any-of":
                insisting.setdefault(requirement.member, set()).add(algorithm)
                call = requirement.call
                if requirement.use == "call" and call is not None and (call.positional or call.keywords):
                    handed.add(requirement.member)
    found: dict[str, list[str]] = {}
    for member, algorithms in insisting.items():
        if member in handed and len(algorithms) == 1:
            found.setdefault(next(iter(algorithms)), []).append(member)
    return {algorithm: tuple(members) for algorithm, members in found.items()}


_SEVERAL = 2
"""One class that lacks a member lacks it; where several do and none has it, who asks is at fault."""


def asked_in_vain(
    context: Context, requirement: Requirement, claims: dict[str, tuple[str, ...]]
) -> tuple[dict[str, ModelCompliance], list[str]]:
    """The classes that claim an algorithm of a requirement, and the algorithms, where none of them has what it asks.

    Then the line is at fault and not each class: spec-contract-drift tells it, and this rule doesn't.
    """
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
            if any(claims_itself(context, model, claim) for claim in claims.get(algorithm, ()))
        ]
        lacking = [one for one in claiming if requirement.member in one.algorithms[algorithm].missing]
        if len(lacking) >= _SEVERAL and len(lacking) == len(claiming):
            broken |= {model.class_: model for model in lacking}
            under.append(algorithm)
    return broken, under


def _usual(context: Context, label: str) -> str:
    """Of members of which one is enough, the one that most models have."""
    return max(label.split("|"), key=lambda member: sum(_offers(model, member) for model in context.models))


def _offers(model: ModelCompliance, member: str) -> bool:
    return model.members[member].status == "present"


def claims_itself(context: Context, model: ModelCompliance, member: str) -> bool:
    """Whether a class offers a hook on its own account: what it inherits from another model was that model's claim."""
    status = model.members[member]
    if status.status != "present":
        return False
    return status.provider == model.class_ or status.provider not in {one.class_ for one in context.models}


def _finding(
    context: Context,
    model: ModelCompliance,
    label: str,
    algorithms: tuple[str, ...],
    claims: dict[str, tuple[str, ...]],
) -> Finding:
    member = _usual(context, label)
    requirements = tuple(r for part in label.split("|") for r in context.insisted(part))
    offered = list(dict.fromkeys(c for a in algorithms for c in claims[a] if _offers(model, c)))
    site = telling_site(requirements, algorithms)
    wanted = " or ".join(label.split("|"))
    message = (
        f"{model.name} offers {listed(offered)}, which only {does(algorithms, 'ask')} for, but not {wanted}, "
        f"which {does(algorithms, 'require')}{at_site(site, algorithms)}"
    )
    claimed = tuple(
        Evidence(file=status.file, line=status.line, what=f"{claim} is offered here")
        for claim in offered
        if (status := model.members[claim]).line
    )
    has_inner = model.members[member].inner
    instead = f"self.{has_inner} has none to hand it on to" if has_inner else "it wraps no model that could answer"
    decide = f"{instead}: decide what {model.name} gives for {wanted}, or take {listed(offered)} away"
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=message,
        evidence=(*claimed, *call_sites(requirements, algorithms)),
        edit=undecided(model.class_, model.file, member, decide),
    )
