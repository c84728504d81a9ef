"""spec-contract-drift: a worker asks, unguarded, for a member that a class claiming its algorithm lacks."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.catalog import rule
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding
from specint.checks.rules.partial_interface import claiming_members, claims_itself
from specint.checks.wording import does, listed
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.contract.model import telling_site

SYMBOL = "spec-contract-drift"


def check(context: Context) -> Iterator[Finding]:
    """The gaps of spec-partial-interface, seen from the line that opens them."""
    claims = claiming_members(context)
    for requirement in context.contract.requirements:
        if requirement.strength != "required":
            continue  # what is raised by name was meant to be missing somewhere
        broken: dict[str, ModelCompliance] = {}
        under: list[str] = []
        for algorithm in requirement.algorithms:
            if not insists(requirement, algorithm):
                continue
            for model in context.models:
                claimed = any(claims_itself(context, model, claim) for claim in claims.get(algorithm, ()))
                if claimed and requirement.member in model.algorithms[algorithm].missing:
                    broken[model.class_] = model
                    under += [algorithm] if algorithm not in under else []
        if not broken:
            continue
        site = telling_site([requirement], under)
        module = site.file.removesuffix(".py").replace("/", ".")
        names = [model.name for model in broken.values()]
        yield Finding(
            rule=SYMBOL,
            id=rule(SYMBOL).id,
            class_=f"{module}.{site.function.rpartition('.')[0] or site.function}",
            member=requirement.member,
            algorithms=tuple(under),
            file=site.file,
            line=site.line,
            message=(
                f"{site.function} asks every target of {listed(under)} for {requirement.member} without a guard; "
                f"{does(names, 'claim')} {listed(under)} and "
                f"{'lacks' if len(names) == 1 else 'lack'} it"
            ),
            evidence=tuple(
                Evidence(file=model.file, line=model.line, what=f"{model.name} lacks {requirement.member}")
                for model in broken.values()
            ),
        )
