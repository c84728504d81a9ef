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
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.rule in breaking:
            found.setdefault(finding.class_, []).append(finding)
    return tuple(_with(model, found[model.class_]) if model.class_ in found else model for model in models)


def _with(model: ModelCompliance, found: list[Finding]) -> ModelCompliance:
    verdicts = {}
    for algorithm, verdict in model.algorithms.items():
        # what no algorithm decides happens under each of them
        concerned = [f for f in found if not f.algorithms or algorithm in f.algorithms]
        members = dict.fromkeys(hook for f in concerned for hook in f.hooks)
        verdicts[algorithm] = _broken(verdict, tuple(members))
    return msgspec.structs.replace(model, algorithms=verdicts)


def _broken(verdict: Verdict, members: tuple[str, ...]) -> Verdict:
    if not members or verdict.verdict == "not applicable":
        return verdict
    word = verdict.verdict if verdict.missing else "broken"
    return msgspec.structs.replace(verdict, verdict=word, broken=members)
