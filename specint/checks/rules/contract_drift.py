"""spec-contract-drift: a worker asks, unguarded, for a member that a class claiming its algorithm lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from specint.checks.catalog import rule
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding
from specint.checks.rules.partial_interface import asked_in_vain
from specint.checks.wording import does, listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import Site, telling_site

SYMBOL = "spec-contract-drift"


def check(context: Context) -> Iterator[Finding]:
    """The gaps that no class fills: of those that claim an algorithm, all lack what this line asks for."""
    for requirement in context.contract.requirements:
        broken, under = asked_in_vain(context, requirement)
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


def forgotten(
    member: str, asked: Site, first: ModelCompliance, line: int, offering: Sequence[ModelCompliance], version: str
) -> Finding:
    """The other way round: models offer what an earlier SGLang asked for, and no code reads it any more."""
    names = [model.name for model in offering]
    return Finding(
        rule=SYMBOL,
        id=rule(SYMBOL).id,
        class_=first.class_,
        member=member,
        algorithms=(),
        file=first.file,
        line=line,
        message=(
            f"{does(names, 'offer')} {member}, which {asked.function} of SGLang {version} asked for "
            f"({asked.file}:{asked.line}); nothing reads it any more"
        ),
        evidence=tuple(
            Evidence(file=model.file, line=model.line, what=f"{model.name} offers {member}") for model in offering
        ),
    )
