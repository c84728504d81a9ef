"""A target and a draft together under one algorithm: both sides, and what they hand each other."""

from __future__ import annotations

from typing import Literal

import msgspec

from specint.compliance.model import MemberStatus, ModelCompliance, Verdict, VerdictWord
from specint.compliance.verdicts import drafting, insists, not_applicable, of_draft, verdict_of
from specint.contract.model import Contract, Requirement, Site

Side = Literal["target", "draft"]
Way = Literal["gives", "takes", "is told"]


class Handed(msgspec.Struct, frozen=True, kw_only=True):
    """One member through which something goes from one side to the other.

    Attributes:
        side: whose member it is.
        way: the side `gives` what callers read or get back from it, `takes` what it is called with; a target `is told`
            what to hand over.
        insisted: whether the algorithm fails without it, whatever the checkpoint says.
        status: present, missing or unknown on that side.
    """

    side: Side
    member: str
    way: Way
    insisted: bool
    status: str
    site: Site


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One answer for a target and a draft under one algorithm.

    Attributes:
        target, draft: dotted classes.
        verdict: the worse of both sides' (what is not applicable to one side is not applicable to the pair).
        as_target, as_draft: each side's own verdict.
        handed: in the order of the target's members, then the draft's.
        notes: what else SGLang says of these two together.
    """

    target: str
    draft: str
    algorithm: str
    verdict: VerdictWord
    as_target: Verdict
    as_draft: Verdict
    handed: tuple[Handed, ...]
    notes: tuple[str, ...] = ()


_WORST: tuple[VerdictWord, ...] = ("not applicable", "missing", "broken", "unknown", "ok")


def pair_of(contract: Contract, target: ModelCompliance, draft: ModelCompliance, algorithm: str) -> Pair:
    """Both sides of a pair under an algorithm."""
    as_target = target_side(target, algorithm)
    as_draft = draft_side(contract, target, draft, algorithm)
    words = {as_target.verdict, as_draft.verdict}
    return Pair(
        target=target.class_,
        draft=draft.class_,
        algorithm=algorithm,
        verdict=next(word for word in _WORST if word in words),
        as_target=as_target,
        as_draft=as_draft,
        handed=tuple(_handed(contract, target, draft, algorithm)),
        notes=tuple(_notes(target, draft)),
    )


def target_side(target: ModelCompliance, algorithm: str) -> Verdict:
    """A class as the target of a pair."""
    if "target" not in target.roles:
        return not_applicable(f"{target.name} is no target: it is a draft")
    return target.algorithms[algorithm]


def draft_side(contract: Contract, target: ModelCompliance, draft: ModelCompliance, algorithm: str) -> Verdict:
    """A class as the draft of a pair: a draft by its own verdict, any other model where nothing is handed over."""
    if not any(r.role == "draft" and algorithm in r.algorithms for r in contract.requirements):
        return not_applicable(f"{algorithm} loads no draft")
    if "draft" in draft.roles:
        return _made_for(target, draft, draft.algorithms[algorithm])
    if algorithm in drafting(contract):
        return not_applicable(
            f"{draft.name} is no draft: nothing says that it takes what {algorithm}'s target hands over"
        )
    if not draft.applicable:
        return draft.algorithms[algorithm]
    absent = {name for name, status in draft.members.items() if status.status == "missing"}
    return verdict_of(of_draft(contract, algorithm, lambda name: False if name in absent else None), draft.members)


def _made_for(target: ModelCompliance, draft: ModelCompliance, verdict: Verdict) -> Verdict:
    """A draft's verdict beside this target: whether the weights of another family fit, no source says."""
    if verdict.verdict != "ok" or not draft.made_from or _is_kin(target, draft.made_from):
        return verdict
    return msgspec.structs.replace(verdict, verdict="unknown", reason=_of_others(target, draft))


def _is_kin(target: ModelCompliance, names: tuple[str, ...]) -> bool:
    held = (name for wrap in target.wraps for name in wrap.classes)
    return any(name.rpartition(".")[2] in names for name in (target.class_, *target.mro, *held))


def _of_others(target: ModelCompliance, draft: ModelCompliance) -> str:
    return f"SGLang makes {draft.name} out of checkpoints of {', '.join(draft.made_from)}, not of {target.name}"


def _notes(target: ModelCompliance, draft: ModelCompliance) -> list[str]:
    if target.name in draft.made_from:
        return [f"SGLang makes {draft.name} out of a checkpoint of {target.name}"]
    return [_of_others(target, draft)] if draft.made_from and not _is_kin(target, draft.made_from) else []


def _handed(contract: Contract, target: ModelCompliance, draft: ModelCompliance, algorithm: str) -> list[Handed]:
    found: dict[tuple[str, str], Handed] = {}
    sides: tuple[tuple[Side, ModelCompliance], ...] = (("target", target), ("draft", draft))
    for side, model in sides:
        for requirement in contract.requirements:
            if (
                requirement.role not in (side, "both")
                or algorithm not in requirement.algorithms
                or requirement.use == "write"
            ):
                continue
            status = model.members.get(requirement.member, _NOT_LOOKED_AT)
            insisted = _insisted(requirement, algorithm, side)
            if not insisted and status.status == "missing":
                continue  # callers do without
            if status.status == "present" and not status.file:
                continue  # what every module has goes from nobody to nobody
            one = Handed(
                side=side,
                member=requirement.member,
                way=_way(requirement, side),
                insisted=insisted,
                status=status.status,
                site=requirement.sites_under([algorithm])[0],
            )
            known = found.get((side, requirement.member))
            if known is None or (insisted and not known.insisted):
                found[side, requirement.member] = one
    return list(found.values())


_NOT_LOOKED_AT = MemberStatus(status="unknown", reason="not looked at")


def _insisted(requirement: Requirement, algorithm: str, side: Side) -> bool:
    if side == "target":
        return insists(requirement, algorithm)
    return requirement.strength in ("required", "raises") and requirement.unconditional and not requirement.settings


def _way(requirement: Requirement, side: Side) -> Way:
    call = requirement.call
    if requirement.use != "call" or call is None or not (call.positional or call.keywords):
        return "gives"
    return "is told" if side == "target" and call.unpacks is None else "takes"
