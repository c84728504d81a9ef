"""What findings say about verdicts: a member that is there and can't work makes no model fit."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from specint.checks.catalog import all_rules
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance, Verdict


def with_broken(models: Iterable[ModelCompliance], findings: Iterable[Finding]) -> tuple[ModelCompliance, ...]:
    """The models, with what the rules that `break` a verdict found in their members."""
    breaking = {rule.symbol for rule in all_rules() if rule.breaks}
    found: dict[tuple[str, str], dict[str, None]] = {}
    for finding in findings:
        if finding.rule in breaking:
            for algorithm in finding.algorithms:
                found.setdefault((finding.class_, algorithm), {})[finding.member] = None
    touched = {class_ for class_, _ in found}
    return tuple(_with(model, found) if model.class_ in touched else model for model in models)


def _with(model: ModelCompliance, found: dict[tuple[str, str], dict[str, None]]) -> ModelCompliance:
    verdicts = {
        algorithm: _broken(verdict, tuple(found.get((model.class_, algorithm), ())))
        for algorithm, verdict in model.algorithms.items()
    }
    return msgspec.structs.replace(model, algorithms=verdicts)


def _broken(verdict: Verdict, members: tuple[str, ...]) -> Verdict:
    if not members or verdict.verdict == "not applicable":
        return verdict
    word = verdict.verdict if verdict.missing else "broken"
    return msgspec.structs.replace(verdict, verdict=word, broken=members)
