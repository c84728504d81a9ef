"""spec-worker-mismatch: a worker class doesn't answer to what the scheduler asks of every worker."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.catalog import rule
from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding
from specint.checks.wording import listed
from specint.contract.model import Unanswered, WorkerDemand

SYMBOL = "spec-worker-mismatch"


def check(context: Context) -> Iterator[Finding]:
    """One finding for each worker class and member; a class that serves several algorithms is told once."""
    for demand in context.contract.demands:
        told: dict[str, list[Unanswered]] = {}
        for one in demand.lacking:
            told.setdefault(one.class_, []).append(one)
        for found in told.values():
            yield _finding(demand, found)


def _finding(demand: WorkerDemand, found: list[Unanswered]) -> Finding:
    one = found[0]
    name = one.class_.rpartition(".")[2]
    algorithms = tuple(dict.fromkeys(a for each in found for a in each.algorithms))
    verb = "calls" if demand.use == "call" else "reads"
    return Finding(
        rule=SYMBOL,
        id=rule(SYMBOL).id,
        class_=one.class_,
        member=demand.member,
        algorithms=algorithms,
        file=one.file,
        line=one.line,
        column=one.column,
        message=(
            f"{name}, the worker of {listed(algorithms)}, {one.reason}; {one.site.function} {verb} it on whatever "
            f"worker the algorithm has, at {one.site.file}:{one.site.line}"
        ),
        evidence=tuple(
            Evidence(file=each.site.file, line=each.site.line, what=f"{verb} {demand.member}, in {each.site.function}")
            for each in found
        ),
    )
