"""The verdicts that a built object gives, by the logic of those that reading gives: the same demands, other members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from specint.compliance.model import MemberStatus, Verdict
from specint.compliance.verdicts import Demands, of_draft, of_target, verdict_of
from specint.smoke.agreement import ought_to_be_read
from specint.smoke.model import Accord, Agreement, Judgement, Problem

if TYPE_CHECKING:
    from specint.compliance.model import ModelCompliance
    from specint.contract.model import Contract


def judgements(
    model: ModelCompliance,
    contract: Contract,
    contract_facts: dict[str, Any],
    found: Sequence[Agreement],
    algorithms: Iterable[str],
) -> tuple[Judgement, ...]:
    """One for each of these algorithms under which there is something to judge."""
    told: dict[str, dict[str, Any]] = contract_facts.get("has", {})
    if not told:
        return ()
    members = {name: MemberStatus(status="present" if one["there"] else "missing") for name, one in told.items()}
    made = []
    for algorithm in model.under(algorithms):
        demands = _demands(model, contract, algorithm, told)
        asked = Demands(tuple(label for label in demands.certain if _was_asked(label, told)))
        running = verdict_of(asked, members)
        failing = _failing(asked, contract_facts, algorithm)
        made.append(_judgement(model, algorithm, running, failing, found))
    return tuple(made)


def _demands(model: ModelCompliance, contract: Contract, algorithm: str, told: dict[str, dict[str, Any]]) -> Demands:
    if "draft" not in model.roles:
        return of_target(contract, algorithm)

    def flag(name: str) -> bool | None:
        one = told.get(name)
        return None if one is None else one.get("truth") if one["there"] else False

    return of_draft(contract, algorithm, flag)


def _was_asked(label: str, told: dict[str, Any]) -> bool:
    return any(member in told for member in label.split("|"))


def _failing(demands: Demands, contract_facts: dict[str, Any], algorithm: str) -> dict[str, bool]:
    """The members that are insisted on and can't be called, and whether the source shows that."""
    insisted = {member for label in demands.certain for member in label.split("|")}
    failing: dict[str, bool] = {}
    for answer in contract_facts.get("answers", ()):
        if answer["member"] in insisted and algorithm in answer.get("algorithms", ()):
            for call in answer["calls"]:
                if call["outcome"] in ("raises", "wrong"):
                    shown = call["outcome"] == "wrong" or ought_to_be_read(call)
                    failing[answer["member"]] = failing.get(answer["member"], False) or shown
    return failing


def _judgement(
    model: ModelCompliance, algorithm: str, running: Verdict, failing: dict[str, bool], found: Sequence[Agreement]
) -> Judgement:
    static = model.algorithms[algorithm]
    accord, why = _accord(static, running, failing, {one.member: one for one in found})
    return Judgement(
        algorithm=algorithm,
        static=static.verdict,
        running="missing" if running.missing else "broken" if failing else "ok",
        missing=running.missing,
        broken=tuple(failing),
        accord=accord,
        why=why,
    )


def _accord(
    static: Verdict, running: Verdict, failing: dict[str, bool], found: dict[str, Agreement]
) -> tuple[Accord, str | None]:
    """Whether the two verdicts say the same of every member; what reading left open, it left open."""
    open_ = set(static.unknown)
    conditional = {name for name, one in found.items() if one.accord == "agree" and one.why}
    for label in sorted(set(static.missing).symmetric_difference(running.missing) - open_):
        if not conditional.intersection(label.split("|")):
            where = "running" if label in running.missing else "reading"
            return "disagree", f"{label} is missing by {where} alone"
    for member, shown in failing.items():
        if shown and member not in static.broken and not any(member in label.split("|") for label in open_):
            return "disagree", f"{member} fails, and reading says {static.verdict}"
    for member in static.broken:
        one = found.get(member)
        if one is not None and one.accord == "disagree":
            return "disagree", f"{member}: {one.why}"
    if static.verdict == "unknown":
        return "static unknown", static.reason
    return "agree", None


def missing(judged: Iterable[Judgement], found: Sequence[Agreement], about: str) -> list[Problem]:
    """What the algorithms that were asked for insist on and the object hasn't: one problem for each member."""
    lacking: dict[str, list[str]] = {}
    for one in judged:
        for label in one.missing:
            lacking.setdefault(label, []).append(one.algorithm)
    sites = {one.member: one.site for one in found}
    return [
        Problem(
            kind="missing",
            what=f"no {' or '.join(label.split('|'))}, which {', '.join(algorithms)} requires",
            severity="error",
            where=next((sites[member] for member in label.split("|") if sites.get(member)), None),
            about=about,
        )
        for label, algorithms in lacking.items()
    ]
