"""spec-unresolved: what can't be known of a model, and why."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, call_sites
from specint.checks.finding import Finding, about
from specint.checks.wording import listed

SYMBOL = "spec-unresolved"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member of a model that can't be known."""
    for model in context.models:
        if "target" not in model.roles:
            continue
        unknown: dict[str, list[str]] = {}
        for algorithm, verdict in model.algorithms.items():
            for label in verdict.unknown:
                unknown.setdefault(label, []).append(algorithm)
        for label, algorithms in unknown.items():
            member = label.split("|")[0]
            reason = model.members[member].reason or "it can't be followed"
            yield about(
                SYMBOL,
                model,
                member,
                tuple(algorithms),
                message=f"whether {model.name} has {member} for {listed(algorithms)} can't be known: {reason}",
                evidence=tuple(call_sites(context.insisted(member), tuple(algorithms))),
            )
