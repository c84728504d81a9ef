"""spec-unresolved: what can't be known of a model, and why."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, call_sites, gaps
from specint.checks.finding import Finding, about
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance

SYMBOL = "spec-unresolved"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member of a model that can't be known, or that it lacks around a model that can't be."""
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
            message = f"whether {model.name} has {member} for {listed(algorithms)} can't be known: {reason}"
            yield _finding(context, model, member, tuple(algorithms), message)
        for label, under in gaps(model).items():
            members = label.split("|")
            status = model.members[members[0]]
            if all(model.members[one].inner_status == "unknown" for one in members):
                message = (
                    f"{model.name} lacks {' or '.join(members)} for {listed(under)}; whether self.{status.inner} could "
                    f"give it can't be known: {status.reason or 'it is not known what that is'}"
                )
                yield _finding(context, model, members[0], under, message)


def _finding(
    context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...], message: str
) -> Finding:
    evidence = tuple(call_sites(context.insisted(member), algorithms))
    return about(SYMBOL, model, member, algorithms, message=message, evidence=evidence)
