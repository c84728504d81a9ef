"""spec-unsupported-algorithm: a model was demanded to support an algorithm, and doesn't."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from specint.checks.finding import Evidence, Finding, about
from specint.compliance.model import ModelCompliance, Verdict
from specint.compliance.pairs import pair_of
from specint.contract.model import Contract, Requirement, failing_site

SYMBOL = "spec-unsupported-algorithm"


def demanded(contract: Contract, model: ModelCompliance, algorithm: str) -> tuple[Finding, ...]:
    """A finding for each member that a model lacks for an algorithm that somebody demanded of it."""
    side = "draft" if "draft" in model.roles else "target"
    return tuple(_unmet(contract, model, algorithm, model.algorithms[algorithm], side, model))


def demanded_pair(
    contract: Contract, target: ModelCompliance, draft: ModelCompliance, algorithm: str
) -> tuple[Finding, ...]:
    """The same for a target and a draft together; each finding stands at the side that lacks something.

    Where that side is SGLang's and the other one is the user's own, it stands at the user's.
    """
    pair = pair_of(contract, target, draft, algorithm)
    found: list[Finding] = []
    for verdict, side, model, other in (
        (pair.as_target, "target", target, draft),
        (pair.as_draft, "draft", draft, target),
    ):
        package = _package(contract)
        is_ours = other.class_.partition(".")[0] != package and model.class_.partition(".")[0] == package
        at = other if is_ours else model
        found += _unmet(contract, model, algorithm, verdict, side, at, beside=f"{target.name} with {draft.name}: ")
    return tuple(found)


def _package(contract: Contract) -> str:
    """The top package of SGLang itself: its workers are in it."""
    return next((worker.partition(".")[0] for workers in contract.workers.values() for worker in workers), "")


def _unmet(
    contract: Contract,
    model: ModelCompliance,
    algorithm: str,
    verdict: Verdict,
    side: str,
    at: ModelCompliance,
    beside: str = "",
) -> Iterator[Finding]:
    of = " of its draft" if side == "draft" else ""
    if verdict.verdict == "not applicable":
        yield _finding(contract, at, algorithm, "", side, f"{beside}{_no_part(model, algorithm)}: {verdict.reason}")
    for label in verdict.missing:
        message = f"{beside}{model.name} lacks {' or '.join(label.split('|'))}, which {algorithm} requires{of}"
        yield _finding(contract, at, algorithm, label, side, message)
    for label in verdict.unknown:
        status = model.members.get(label.split("|")[0])
        reason = (status.reason if status else None) or verdict.reason or "it can't be followed"
        message = f"{beside}whether {model.name} has {label}, which {algorithm} requires{of}, can't be known: {reason}"
        yield _finding(contract, at, algorithm, label, side, message)
    if verdict.verdict == "unknown" and not verdict.unknown:
        message = f"{beside}whether {model.name} serves {algorithm} can't be known: {verdict.reason}"
        yield _finding(contract, at, algorithm, "", side, message)


def _no_part(model: ModelCompliance, algorithm: str) -> str:
    return f"{model.name} takes no part in {algorithm}"


def _finding(
    contract: Contract, model: ModelCompliance, algorithm: str, label: str, side: str, message: str
) -> Finding:
    asked = [r for r in contract.requirements if r.member in label.split("|") and _asks(r, algorithm, side)]
    evidence = tuple(
        Evidence(file=site.file, line=site.line, what=f"asked for here, in {site.function}")
        for requirement in asked
        for site in requirement.sites_under([algorithm])
    )
    at = ""
    if evidence:
        site = failing_site(asked, (algorithm,))
        at = f" ({site.file}:{site.line})"
    return about(
        SYMBOL,
        model,
        label.split("|", maxsplit=1)[0],
        (algorithm,),
        message=message + at,
        evidence=evidence,
        through=tuple(label.split("|")) if "|" in label else msgspec.UNSET,
    )


def _asks(requirement: Requirement, algorithm: str, side: str) -> bool:
    concerned = requirement.role in (side, "both") and algorithm in requirement.algorithms
    return concerned and requirement.strength != "optional"
