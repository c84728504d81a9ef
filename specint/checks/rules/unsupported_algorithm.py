"""spec-unsupported-algorithm: a model was demanded to support an algorithm, and doesn't."""

from __future__ import annotations

import msgspec

from specint.checks.finding import Evidence, Finding, about
from specint.compliance.model import ModelCompliance
from specint.contract.model import Contract, Requirement

SYMBOL = "spec-unsupported-algorithm"


def demanded(contract: Contract, model: ModelCompliance, algorithm: str) -> tuple[Finding, ...]:
    """A finding for each member that a model lacks for an algorithm that somebody demanded of it."""
    verdict = model.algorithms[algorithm]
    if verdict.verdict == "not applicable":
        return (_finding(contract, model, algorithm, "", f"{model.name} is no target: {verdict.reason}"),)
    found = []
    for label in verdict.missing:
        wanted = " or ".join(label.split("|"))
        found.append(
            _finding(contract, model, algorithm, label, f"{model.name} lacks {wanted}, which {algorithm} requires")
        )
    for label in verdict.unknown:
        reason = model.members[label.split("|")[0]].reason or "it can't be followed"
        message = f"whether {model.name} has {label}, which {algorithm} requires, can't be known: {reason}"
        found.append(_finding(contract, model, algorithm, label, message))
    return tuple(found)


def _finding(contract: Contract, model: ModelCompliance, algorithm: str, label: str, message: str) -> Finding:
    asked = [r for r in contract.requirements if r.member in label.split("|") and _asks(r, algorithm)]
    evidence = tuple(
        Evidence(file=site.file, line=site.line, what=f"asked for here, in {site.function}")
        for requirement in asked
        for site in requirement.sites_under([algorithm])
    )
    at = f" ({evidence[0].file}:{evidence[0].line})" if evidence else ""
    return about(
        SYMBOL,
        model,
        label.split("|", maxsplit=1)[0],
        (algorithm,),
        message=message + at,
        evidence=evidence,
        through=tuple(label.split("|")) if "|" in label else msgspec.UNSET,
    )


def _asks(requirement: Requirement, algorithm: str) -> bool:
    return requirement.role == "target" and algorithm in requirement.algorithms and requirement.strength != "optional"
