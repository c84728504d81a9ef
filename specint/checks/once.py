"""One gap, one finding: what two rules see, or an heir repeats, is said once.

The others stay in the analysis, in what a baseline keeps and in the exit code; this is about what a reader is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from specint.checks.finding import Finding
from specint.checks.rules.missing_delegation import SYMBOL as DELEGATION
from specint.checks.rules.unsupported_algorithm import SYMBOL as DEMAND
from specint.compliance.model import ModelCompliance


def told_once(findings: Sequence[Finding], models: Iterable[ModelCompliance] = ()) -> tuple[Finding, ...]:
    """The findings without those that another of them tells as well: the answer to a demand where a rule says the same
    of the same member, and a missing delegation of an heir where its parent's line settles both.

    Args:
        models: the judged models, by which heirs are known.
    """
    known = {model.class_: model for model in models}
    return tuple(
        one
        for one in findings
        if not any(_answers(other, one) or _inherits(other, one, known) for other in findings if other is not one)
    )


def _answers(other: Finding, demand: Finding) -> bool:
    return (
        demand.rule == DEMAND
        and other.rule != DEMAND
        and other.class_ == demand.class_
        and set(demand.algorithms) <= set(other.algorithms)
        and not set(demand.hooks).isdisjoint(other.hooks)
    )


def _inherits(parent: Finding, heir: Finding, known: dict[str, ModelCompliance]) -> bool:
    if heir.rule != DELEGATION or parent.rule != DELEGATION or parent.member != heir.member:
        return False
    model, above = known.get(heir.class_), known.get(parent.class_)
    return (
        model is not None
        and above is not None
        and parent.class_ in model.mro[1:]
        and set(heir.algorithms) <= set(parent.algorithms)
        and model.members[heir.member].inner == above.members[heir.member].inner
    )
