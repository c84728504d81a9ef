"""One gap, one finding: what two rules see, or an heir repeats, is said once.

The others stay in the analysis, in what a baseline keeps and in the exit code; this is about what a reader is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from specint.checks.finding import Finding
from specint.checks.rules.missing_delegation import SYMBOL as DELEGATION
from specint.checks.rules.unsupported_algorithm import SYMBOL as DEMAND
from specint.checks.wording import does
from specint.compliance.model import ModelCompliance


def told_once(findings: Sequence[Finding], models: Iterable[ModelCompliance] = ()) -> tuple[Finding, ...]:
    """The findings without those that another of them tells as well: the answer to a demand where a rule says the same
    of the same member, and what an heir repeats of its parent, where one line settles both.

    Args:
        models: the judged models, by which heirs are known.
    """
    known = {model.class_: model for model in models}
    heirs: dict[Finding, list[str]] = {}
    kept = []
    for one in findings:
        parent = next((other for other in findings if other is not one and _inherits(other, one, known)), None)
        if parent is not None:
            heirs.setdefault(parent, []).append(one.class_.rpartition(".")[2])
        elif not any(_answers(other, one) for other in findings if other is not one):
            kept.append(one)
    return tuple(_with_heirs(one, heirs.get(one, [])) for one in kept)


def parted(findings: Sequence[Finding], models: Iterable[ModelCompliance] = ()) -> tuple[tuple[Finding, bool], ...]:
    """The findings as they are told once, and behind them those that are told with another one (True)."""
    told = told_once(findings, models)
    known = {_place(one) for one in told}
    return (*((one, False) for one in told), *((one, True) for one in findings if _place(one) not in known))


def _place(finding: Finding) -> tuple[object, ...]:
    """What stays of a finding whose message names heirs."""
    return finding.rule, finding.class_, finding.member, finding.algorithms, finding.file, finding.line


def _with_heirs(finding: Finding, heirs: list[str]) -> Finding:
    if not heirs or finding.rule == DELEGATION:  # that rule names them itself
        return finding
    return msgspec.structs.replace(finding, message=f"{finding.message}; {does(heirs, 'inherit')} it")


def _answers(other: Finding, demand: Finding) -> bool:
    return (
        demand.rule == DEMAND
        and other.rule != DEMAND
        and other.class_ == demand.class_
        and set(demand.algorithms) <= set(other.algorithms)
        and not set(demand.hooks).isdisjoint(other.hooks)
    )


def _inherits(parent: Finding, heir: Finding, known: dict[str, ModelCompliance]) -> bool:
    """Whether a parent's finding is the heir's too: the same gap around the same attribute, or the same lines."""
    if heir.rule != parent.rule or parent.member != heir.member or not set(heir.algorithms) <= set(parent.algorithms):
        return False
    model, above = known.get(heir.class_), known.get(parent.class_)
    if model is None or above is None or parent.class_ not in model.mro[1:]:
        return False
    if heir.rule == DELEGATION:
        return model.members[heir.member].inner == above.members[heir.member].inner
    return bool(heir.evidence) and _places(heir) == _places(parent)


def _places(finding: Finding) -> frozenset[tuple[str, int]]:
    return frozenset((one.file, one.line) for one in finding.evidence)
