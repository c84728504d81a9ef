"""Reading against running: for each member of a model, what the source says and what the object says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from specint.smoke.model import Accord, Agreement, Ask, Problem

if TYPE_CHECKING:
    from specint.checks.finding import Finding
    from specint.compliance.model import MemberStatus, ModelCompliance

LACKS = re.compile(r"AttributeError: '(\w+)' object has no attribute")
TAKES_NOT = re.compile(r"TypeError: [\w.]+\(\) (takes|missing|got an unexpected)")


def agreements(
    model: ModelCompliance, contract_facts: dict[str, Any], asks: Sequence[Ask], findings: Iterable[Finding]
) -> tuple[Agreement, ...]:
    """One for each member that the object was asked for."""
    about: dict[str, set[str]] = {}
    for finding in findings:
        if finding.class_ == model.class_:
            for member in {finding.member, *finding.hooks}:
                about.setdefault(member, set()).add(finding.rule)
    answers: dict[str, list[dict[str, Any]]] = {}
    for answer in contract_facts.get("answers", ()):
        answers.setdefault(answer["member"], []).extend(answer["calls"])
    return tuple(
        _agreement(member, model, told, answers.get(member, []), asks, about.get(member, set()))
        for member, told in contract_facts.get("has", {}).items()
    )


def _agreement(
    member: str,
    model: ModelCompliance,
    told: dict[str, Any],
    calls: list[dict[str, Any]],
    asks: Sequence[Ask],
    rules: set[str],
) -> Agreement:
    status = model.members[member]
    there = bool(told["there"])
    accord, why = _accord(status, told, calls, rules)
    asking = [ask for ask in asks if ask.member == member and ask.strength in ("required", "raises", "any-of")]
    return Agreement(
        member=member,
        static=status.status,
        provider=status.provider,
        runtime="present" if there else "missing",
        runtime_provider=told.get("provider"),
        accord=accord,
        required_by=tuple(sorted({name for ask in asking for name in ask.algorithms})),
        site=asking[0].site if asking else "",
        asked=tuple(calls),
        findings=tuple(sorted(rules)),
        why=why,
    )


def _accord(
    status: MemberStatus, told: dict[str, Any], calls: list[dict[str, Any]], rules: set[str]
) -> tuple[Accord, str | None]:
    there = bool(told["there"])
    if status.status == "unknown":
        return "static unknown", None
    if (status.status == "present") is not there:
        reason = f": {told['why']}" if told.get("why") else ""
        if rules:  # a rule says that it is there and doesn't work
            return "agree", None
        if status.status == "present" and status.reason:  # reading said under which condition
            return "agree", f"read as {status.reason}"
        return "disagree", f"read as {status.status}, {'present' if there else 'missing'} in the object{reason}"
    provider = told.get("provider")
    # Of classes outside the tree (torch's, Transformers') reading only knows the name by which they are imported.
    known = provider not in (None, "instance") and status.way in ("own", "inherited") and _in_tree(status)
    if there and known and provider != status.provider:
        return "disagree", f"read as provided by {status.provider}, the object has it from {provider}"
    for call in calls:
        if call["outcome"] == "raises" and not rules and _ought_to_be_read(call):
            return "disagree", f"no rule says that {call['arguments']} raises {call['what']} ({call.get('where')})"
    return "agree", None


def _in_tree(status: MemberStatus) -> bool:
    return bool(status.provider and status.file)


def _ought_to_be_read(call: dict[str, Any]) -> bool:
    """A call that doesn't fit the signature, or an attribute that a model's own class lacks: the source shows both."""
    what, where = call["what"], call.get("where") or ""
    return bool(TAKES_NOT.search(what) or (LACKS.search(what) and "/models/" in where))


def missing(found: Sequence[Agreement], asks: Sequence[Ask], algorithms: Sequence[str], role: str) -> list[Problem]:
    """What the algorithms that were asked for require of the object, and it hasn't."""
    there = {one.member for one in found if one.runtime == "present"}
    problems: dict[str, Problem] = {}
    for ask in asks:
        if ask.role not in (role, "both") or not set(algorithms).intersection(ask.algorithms):
            continue
        members = ask.group.split("|") if ask.group else [ask.member]
        if ask.strength == "conditional" and ask.condition is not None:
            if (ask.condition.member in there) is not ask.condition.holds:
                continue
        elif ask.strength not in ("required", "raises", "any-of"):
            continue
        if not there.intersection(members):
            names = " or ".join(members)
            for_ = ", ".join(name for name in algorithms if name in ask.algorithms)
            problems[names] = Problem(
                kind="missing", what=f"no {names}, which {for_} requires", severity="error", where=ask.site or None
            )
    return list(problems.values())
