"""Reading against running: for each member of a model, what the source says and what the object says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from specint.checks.catalog import rule
from specint.smoke.knowledge import seen_by_calling
from specint.smoke.model import Accord, Agreement, Ask

if TYPE_CHECKING:
    from specint.checks.finding import Finding
    from specint.compliance.model import MemberStatus, ModelCompliance

LACKS = re.compile(r"AttributeError: '(\w+)' object has no attribute")
TAKES_NOT = re.compile(r"TypeError: [\w.]+\(\) (takes|missing|got an unexpected)")
GIVES_UP = re.compile(r"NotImplementedError\b")

Told = dict[str, Any]
"""What the child says of one member: `there`, `provider`, `truth`, `why`."""


def agreements(
    model: ModelCompliance, contract_facts: dict[str, Any], asks: Sequence[Ask], findings: Iterable[Finding]
) -> tuple[Agreement, ...]:
    """One for each member that the object was asked for."""
    about: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.class_ == model.class_:
            for member in {finding.member, *finding.hooks}:
                about.setdefault(member, []).append(finding)
    answers: dict[str, list[dict[str, Any]]] = {}
    for answer in contract_facts.get("answers", ()):
        calls = [{**call, "algorithms": answer.get("algorithms", [])} for call in answer["calls"]]
        answers.setdefault(answer["member"], []).extend(calls)
    return tuple(
        _agreement(member, model, told, answers.get(member, []), asks, about.get(member, []))
        for member, told in contract_facts.get("has", {}).items()
    )


def _agreement(
    member: str,
    model: ModelCompliance,
    told: Told,
    calls: list[dict[str, Any]],
    asks: Sequence[Ask],
    findings: Sequence[Finding],
) -> Agreement:
    status = model.members[member]
    accord, why = _accord(member, model, told, calls, findings)
    asking = [ask for ask in asks if ask.member == member and ask.strength in ("required", "raises", "any-of")]
    return Agreement(
        member=member,
        static=status.status,
        provider=status.provider,
        runtime="present" if told["there"] else "missing",
        runtime_provider=told.get("provider"),
        accord=accord,
        required_by=tuple(sorted({name for ask in asking for name in ask.algorithms})),
        site=asking[0].site if asking else "",
        asked=tuple({key: value for key, value in call.items() if key != "algorithms"} for call in calls),
        findings=tuple(sorted({finding.rule for finding in findings})),
        why=why,
    )


def _accord(
    member: str, model: ModelCompliance, told: Told, calls: list[dict[str, Any]], findings: Sequence[Finding]
) -> tuple[Accord, str | None]:
    status = model.members[member]
    there = bool(told["there"])
    if status.status == "unknown":
        return "static unknown", None
    if (status.status == "present") is not there:
        if "." in member:  # one way of several to a part; the verdicts say whether any of them is there
            return "static unknown", f"read as {status.status}, {told.get('why') or 'not so in the object'}"
        return _about_presence(status, told)
    provider = told.get("provider")
    # Of classes outside the tree (torch's, Transformers') reading only knows the name by which they are imported.
    known = provider not in (None, "instance") and status.way in ("own", "inherited") and _in_tree(status)
    if there and known and provider != status.provider:
        return "disagree", f"read as provided by {status.provider}, the object has it from {provider}"
    return _about_calls(member, model, calls, findings)


def _about_presence(status: MemberStatus, told: Told) -> tuple[Accord, str | None]:
    reason = f": {told['why']}" if told.get("why") else ""
    if status.status == "present" and status.reason:  # reading said under which condition
        return "agree", f"read as {status.reason}"
    return "disagree", f"read as {status.status}, {'present' if told['there'] else 'missing'} in the object{reason}"


def _about_calls(
    member: str, model: ModelCompliance, calls: list[dict[str, Any]], findings: Sequence[Finding]
) -> tuple[Accord, str | None]:
    """Whether what the calls gave is what the rules say: neither an error without a rule, nor a rule without one."""
    broken = any(rule(finding.rule).breaks for finding in findings)
    for call in calls:
        if call["outcome"] == "raises" and not broken and ought_to_be_read(call):
            return "disagree", f"no rule says that {call['arguments']} raises {call['what']} ({call.get('where')})"
    for finding in (one for one in findings if one.rule in seen_by_calling() and member in one.hooks):
        concerned = [
            call
            for call in calls
            if call["outcome"] != "not called"
            and (not finding.algorithms or set(finding.algorithms).intersection(call["algorithms"]))
        ]
        if concerned and all(call["outcome"] == "ok" for call in concerned):
            if any(len(wrap.classes) > 1 for wrap in model.wraps):
                return "static unknown", f"{finding.rule} is about some of the classes that it may hold"
            shown = ", ".join(f"{call['arguments']} gives {call['what']}" for call in concerned)
            return "disagree", f"{finding.rule} says that it fails, and {shown}"
    return "agree", None


def _in_tree(status: MemberStatus) -> bool:
    return bool(status.provider and status.file)


def ought_to_be_read(call: dict[str, Any]) -> bool:
    """Whether the source shows that a call fails: it doesn't fit the signature, a model's class lacks an attribute, or
    what answers only says that somebody else ought to."""
    what, where = call["what"], call.get("where") or ""
    return bool(TAKES_NOT.search(what) or GIVES_UP.match(what) or (LACKS.search(what) and "/models/" in where))
