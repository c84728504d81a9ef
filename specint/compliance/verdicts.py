"""What is asked of one side under one algorithm, and the verdict that follows from a class's members."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from specint.compliance.model import MemberStatus, Verdict, VerdictWord
from specint.contract.model import Contract, Requirement

HARD = ("required", "raises", "any-of")
"""The strengths without which the caller fails."""

_SETTLED = {False: ("present",), True: ("present", "unknown")}
"""Of a part or not: what of a member that a draft may be asked for needs no more words."""

Flag = Callable[[str], bool | None]
"""What a member of a draft is known to be: true, false, or None where its value is decided at run time."""


class Demands(NamedTuple):
    """Members ("a|b" for an any-of) that an algorithm insists on.

    `open` are those that it insists on only where another member of the draft is true or false at run time, each with
    that condition in words.
    """

    certain: tuple[str, ...]
    open: Mapping[str, str] = {}


def insists(requirement: Requirement, algorithm: str) -> bool:
    """Whether an algorithm fails on a target without what a requirement names, whatever the server's settings.

    What is asked of a part of it counts only where nothing else decides whether it is asked: a test that is open may
    well be about the kind of draft that the part is for.
    """
    return (
        requirement.role in ("target", "both")
        and algorithm in requirement.algorithms
        and requirement.strength in HARD
        and not requirement.settings
        and requirement.condition is None
        and (requirement.unconditional or "." not in requirement.member)
    )


def insists_on_draft(requirement: Requirement, algorithm: str, flag: Flag) -> bool | None:
    """Whether an algorithm's worker fails on a draft without what a requirement names; None where that depends on the
    value of another member at run time."""
    if requirement.role not in ("draft", "both") or algorithm not in requirement.algorithms or requirement.settings:
        return False
    if requirement.use == "write":  # a module takes any attribute
        return False
    condition = requirement.condition
    if condition is not None and requirement.strength == "conditional":
        value = flag(condition.member)
        return None if value is None else value is condition.holds
    return requirement.strength in HARD and requirement.unconditional and condition is None


def of_target(contract: Contract, algorithm: str) -> Demands:
    """What an algorithm insists on in a target."""
    asked = (r for r in contract.requirements if insists(r, algorithm))
    return Demands(tuple(dict.fromkeys(r.group or r.member for r in asked)))


def of_draft(contract: Contract, algorithm: str, flag: Flag) -> Demands:
    """What an algorithm insists on in a draft whose flags are known as far as they are."""
    certain: dict[str, None] = {}
    unsure: dict[str, str] = {}
    for requirement in contract.requirements:
        answer = insists_on_draft(requirement, algorithm, flag)
        label = requirement.group or requirement.member
        if answer:
            certain[label] = None
        elif answer is None and requirement.condition is not None:
            one = requirement.condition
            unsure.setdefault(
                label, f"{label} is asked for where {one.member} is {'true' if one.holds else 'not true'}"
            )
    return Demands(tuple(certain), {label: why for label, why in unsure.items() if label not in certain})


def verdict_of(demands: Demands, members: Mapping[str, MemberStatus], reason: str | None = None) -> Verdict:
    """What a class's members say of what is insisted on."""
    missing = tuple(one for one in demands.certain if _status(one, members) == "missing")
    missing = tuple(one for one in missing if not _within(one, missing))
    # of parts that can't be followed nothing is said
    unknown = tuple(one for one in demands.certain if "." not in one and _status(one, members) == "unknown")
    unknown = tuple(one for one in unknown if not _within(one, (*missing, *unknown)))
    unsure = tuple(one for one in demands.open if _status(one, members) not in _SETTLED[_is_inside(one)])
    word: VerdictWord = "missing" if missing else "unknown" if unknown or unsure else "ok"
    why = "; ".join(filter(None, (reason, *(demands.open[one] for one in unsure)))) or None
    return Verdict(verdict=word, missing=missing, unknown=(*unknown, *unsure), reason=why)


def drafting(contract: Contract) -> tuple[str, ...]:
    """The algorithms whose worker loads a draft and hands it something of the target's."""
    of_drafts = {a for r in contract.requirements if r.role == "draft" for a in r.algorithms}
    of_targets = {a for r in contract.requirements if r.role == "target" for a in r.algorithms}
    return tuple(a for a in contract.algorithms if a in of_drafts & of_targets)


def as_draft(
    algorithm: str,
    drafts_for: Mapping[str, str],
    demands: Mapping[str, Demands],
    members: Mapping[str, MemberStatus],
    drafting: Sequence[str],
) -> Verdict:
    """A draft under one algorithm.

    Args:
        drafts_for: the algorithms that it is made for, each with how we know.
        demands: what each of them insists on.
        drafting: the algorithms that load a draft at all.
    """
    if algorithm in drafts_for:
        return verdict_of(demands[algorithm], members)
    if drafts_for:
        return not_applicable(f"it is a draft for {', '.join(drafts_for)}")
    if algorithm in drafting:
        return Verdict(verdict="unknown", reason="it is a draft, and nothing in SGLang says for which algorithm")
    return not_applicable("it serves as a draft, and this algorithm loads none")


def unread(verdict: Verdict, reason: str | None) -> Verdict:
    """A verdict where nothing is known of what the algorithm asks, for this reason: never ok."""
    if reason is None or verdict.verdict != "ok":
        return verdict
    return Verdict(verdict="unknown", reason=reason)


def not_applicable(reason: str) -> Verdict:
    """Why there is nothing to judge."""
    return Verdict(verdict="not applicable", reason=reason)


def _is_inside(label: str) -> bool:
    """Whether all that is asked for is asked of parts of a model: where they can't be followed, nothing is said."""
    return all("." in one for one in label.split("|"))


def _within(label: str, missing: Sequence[str]) -> bool:
    """Whether a label that asks for parts says no more than another: it only asks for members of what is missing
    itself, or names what is missing as one of several ways."""
    ways = set(label.split("|"))
    if not any("." in one for one in ways):
        return False
    others = [set(other.split("|")) for other in missing if other != label]
    return any(other < ways for other in others) or (
        _is_inside(label) and any(all(one.partition(".")[0] in other for one in ways) for other in others)
    )


def _status(label: str, members: Mapping[str, MemberStatus]) -> str:
    found = [members[member].status for member in label.split("|") if member in members]
    return "present" if "present" in found else "unknown" if "unknown" in found else "missing"
