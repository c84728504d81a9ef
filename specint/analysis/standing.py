"""How far a model is from serving an algorithm: what `missing` alone doesn't say.

A model that was never meant for an algorithm and a wrapper whose two lines are written already both lack members. A
reader of a matrix wants to see the second kind, so `missing` is told in three steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance, Verdict
from specint.contract.model import Contract, Requirement
from specint.graph.hierarchy import external_classes

Standing = Literal["ok", "broken", "one step away", "half there", "never offered", "unknown", "not applicable"]
"""A verdict, with `missing` in three: a finding has the lines that settle it; the model or the one it holds has a part
of what is asked; it has nothing of it."""


def standings(
    contract: Contract, models: Iterable[ModelCompliance], findings: Sequence[Finding]
) -> dict[str, dict[str, Standing]]:
    """Dotted class -> algorithm -> standing.

    Args:
        findings: those that a reader sees; a patch of another one is no step that is on offer.
    """
    settled = _settled(findings)
    hooks = {algorithm: _hooks(contract.requirements, algorithm) for algorithm in contract.algorithms}
    return {
        model.class_: {
            algorithm: _standing(model, algorithm, verdict, settled, hooks.get(algorithm, {}))
            for algorithm, verdict in model.algorithms.items()
        }
        for model in models
    }


def _standing(
    model: ModelCompliance,
    algorithm: str,
    verdict: Verdict,
    settled: Mapping[tuple[str, str], frozenset[str]],
    hooks: Mapping[str, frozenset[str]],
) -> Standing:
    if verdict.verdict != "missing":
        return verdict.verdict
    lines = settled.get((model.class_, algorithm), frozenset())
    if all(lines & set(member.split("|")) for member in verdict.missing) and not verdict.unknown:
        return "one step away"
    roles = {"both", *model.roles}
    asked = [member for member, asked_of in hooks.items() if asked_of & roles]
    return "half there" if any(_within_reach(model, member) for member in asked) else "never offered"


def _within_reach(model: ModelCompliance, member: str) -> bool:
    """The model has it, or one that it holds does."""
    status = model.members.get(member)
    return status is not None and (
        status.status == "present" or any(inner.status == "present" for inner in status.inners)
    )


def _settled(findings: Sequence[Finding]) -> dict[tuple[str, str], frozenset[str]]:
    """Class and algorithm -> the members for which a finding has lines."""
    found: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        if finding.patch:
            for algorithm in finding.algorithms:
                found.setdefault((finding.class_, algorithm), set()).add(finding.member)
    return {key: frozenset(members) for key, members in found.items()}


def _hooks(requirements: Iterable[Requirement], algorithm: str) -> dict[str, frozenset[str]]:
    """The methods that an algorithm calls on a model -> of which roles.

    An attribute that it reads (a head, a body) has another purpose as well, and so has a method that libraries name
    (`get_input_embeddings`): having it says nothing.
    """
    general = {name for declared in external_classes().values() for name in declared.members}
    found: dict[str, set[str]] = {}
    for one in requirements:
        name = one.member.rpartition(".")[2]
        if algorithm in one.algorithms and one.use == "call" and one.strength != "optional" and name not in general:
            found.setdefault(one.member, set()).add(one.role)
    return {member: frozenset(roles) for member, roles in found.items()}
