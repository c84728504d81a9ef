"""spec-lost-member: a class had a required member in an earlier release, and has it no more."""

from __future__ import annotations

from specint.checks.finding import Evidence, Finding, about
from specint.compliance.judge import insists
from specint.compliance.model import ModelCompliance
from specint.contract.model import Contract, telling_site

SYMBOL = "spec-lost-member"


def lost(
    contract: Contract, models: tuple[ModelCompliance, ...], earlier: tuple[ModelCompliance, ...], version: str
) -> tuple[Finding, ...]:
    """What registered targets lost since an earlier release.

    Args:
        earlier: the earlier release's models, held against the same contract, so that both answer the same.
        version: what that release is called.
    """
    before = {model.class_: model for model in earlier}
    by_name: dict[str, list[ModelCompliance]] = {}
    for model in earlier:
        by_name.setdefault(model.name, []).append(model)
    found = []
    for model in models:
        namesakes = by_name.get(model.name, [])
        then = before.get(model.class_) or (namesakes[0] if len(namesakes) == 1 else None)
        if then is None or "target" not in model.roles:
            continue
        for member in dict.fromkeys(r.member for r in contract.requirements):
            algorithms = tuple(
                a
                for a in contract.algorithms
                if any(r.member == member and insists(r, a) for r in contract.requirements)
            )
            had, has = then.members.get(member), model.members[member]
            if algorithms and had is not None and had.status == "present" and has.status == "missing":
                found.append(_finding(contract, version, model, then, member, algorithms))
    return tuple(found)


def _finding(
    contract: Contract,
    version: str,
    model: ModelCompliance,
    then: ModelCompliance,
    member: str,
    algorithms: tuple[str, ...],
) -> Finding:
    had = then.members[member]
    provider = (had.provider or "").rpartition(".")[2]
    how = f"inherited from {provider}, " if had.provider != then.class_ else ""
    bases = _parents(then), _parents(model)
    moved = f"; its bases were {bases[0]} and are {bases[1]}" if bases[0] != bases[1] else ""
    site = telling_site([r for r in contract.requirements if r.member == member], algorithms)
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=(
            f"{model.name} had {member} in {version} ({how}{had.file}:{had.line} there) and no longer has it{moved}; "
            f"it is asked for at {site.file}:{site.line}"
        ),
        evidence=(
            Evidence(file=model.file, line=model.line, what=f"the class as it is now: {' -> '.join(_short(model))}"),
            Evidence(file=site.file, line=site.line, what=f"{member} is asked for here, in {site.function}"),
        ),
    )


def _short(model: ModelCompliance) -> list[str]:
    return [name.rpartition(".")[2] for name in model.mro]


def _parents(model: ModelCompliance) -> str:
    return ", ".join(_short(model)[1:]) or "none"
