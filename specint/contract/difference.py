"""What changed between two contracts: what a model must newly offer, may drop, must take other arguments for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from specint.contract.model import CallShape, Contract, Requirement, Role, Site, Strength

What = Literal["new", "dropped", "unfollowed", "stricter", "looser", "other arguments", "other algorithms"]

_RANK: dict[Strength, int] = {"optional": 0, "conditional": 1, "any-of": 2, "raises": 3, "required": 3}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One member in one role whose requirement is not what it was.

    Attributes:
        before, after: how strictly it was and is asked for, None where it is not asked for at all.
        old_call, new_call: the call shapes, where the member is called.
        site: where it is asked for now; where it was, if it is dropped.
        named_at: of what is "unfollowed": where its name is still read, of an object that can't be followed.
    """

    what: What
    role: Role
    member: str
    interface: str
    algorithms: tuple[str, ...]
    before: Strength | None
    after: Strength | None
    old_algorithms: tuple[str, ...] = ()
    old_call: CallShape | None = None
    new_call: CallShape | None = None
    site: Site | None = None
    named_at: str = ""


class Asked(msgspec.Struct, frozen=True):
    """Everything that is asked of one member in one role, put together."""

    strength: Strength
    algorithms: tuple[str, ...]
    call: CallShape | None
    site: Site
    interface: str


def differences(
    old: Contract,
    new: Contract,
    shown: Callable[[Contract], Contract] = lambda contract: contract,
    named: Callable[[str], str] = lambda _: "",
) -> tuple[Change, ...]:
    """The changes from one contract to another, those that can break a model first.

    Args:
        old, new: everything that is asked, under any interface: what went from one to another is no change by itself.
        shown: what of a contract the changes are told of.
        named: where the newer code reads a name of some object; "" where it doesn't. Nobody asks for a member any more
            only where its name isn't read at all: what was handed on may be asked out of sight.
    """
    then, now = _asked(old.requirements), _asked(new.requirements)
    before, after = _asked(shown(old).requirements), _asked(shown(new).requirements)
    found = [
        change
        for role, member in sorted(before.keys() | after.keys())
        for change in _changes(
            role,
            member,
            before.get((role, member)) or _of_role(then, role, member),
            after.get((role, member)) or _of_role(now, role, member),
        )
    ]
    found = [_unfollowed(one, named) if one.what == "dropped" else one for one in found]
    order: tuple[What, ...] = (
        "new", "stricter", "other arguments", "other algorithms", "looser", "unfollowed", "dropped"
    )  # fmt: skip
    roles: tuple[Role, ...] = ("target", "draft", "inner", "class", "both")
    return tuple(
        sorted(found, key=lambda c: (order.index(c.what), roles.index(c.role), -_RANK[c.after or "optional"], c.member))
    )


def _of_role(asked: dict[tuple[Role, str], Asked], role: Role, member: str) -> Asked | None:
    """What is asked of a member in a role: what is asked of either model is asked of each."""
    alike: dict[Role, tuple[Role, ...]] = {"both": ("both", "target", "draft")}
    roles = alike.get(role, (role, "both") if role in ("target", "draft") else (role,))
    return next((asked[one, member] for one in roles if (one, member) in asked), None)


def _unfollowed(change: Change, named: Callable[[str], str]) -> Change:
    name = change.member.rpartition(".")[2].removesuffix("[]")
    place = named(name)
    return msgspec.structs.replace(change, what="unfollowed", named_at=place) if place else change


def _asked(requirements: Iterable[Requirement]) -> dict[tuple[Role, str], Asked]:
    found: dict[tuple[Role, str], list[Requirement]] = {}
    for requirement in requirements:
        found.setdefault((requirement.role, requirement.member), []).append(requirement)
    return {key: _together(group) for key, group in found.items()}


def _together(group: list[Requirement]) -> Asked:
    strictest = max(group, key=lambda r: (_RANK[r.strength], not r.settings))
    # what is only asked for softly, or behind a setting, counts where nothing stricter is there
    level = (
        [r for r in group if _RANK[r.strength] and not r.settings] or [r for r in group if _RANK[r.strength]] or group
    )
    algorithms = tuple(sorted({a for r in level for a in r.algorithms}))
    call = next((r.call for r in group if r.call is not None and r.strength == strictest.strength), None)
    call = call or next((r.call for r in group if r.call is not None), None)
    return Asked(strictest.strength, algorithms, call, strictest.sites[0], strictest.interface)


def _changes(role: Role, member: str, before: Asked | None, after: Asked | None) -> Iterable[Change]:
    def change(what: What) -> Change:
        now = after or before
        assert now is not None
        return Change(
            what=what,
            role=role,
            member=member,
            interface=now.interface,
            algorithms=after.algorithms if after else (),
            old_algorithms=before.algorithms if before else (),
            before=before.strength if before else None,
            after=after.strength if after else None,
            old_call=before.call if before else None,
            new_call=after.call if after else None,
            site=now.site,
        )

    if before is None:
        yield change("new")
        return
    if after is None:
        yield change("dropped")
        return
    if _RANK[after.strength] != _RANK[before.strength]:
        yield change("stricter" if _RANK[after.strength] > _RANK[before.strength] else "looser")
    if before.call is not None and after.call is not None and _arguments(before.call) != _arguments(after.call):
        yield change("other arguments")
    if after.algorithms != before.algorithms and set(after.algorithms) - set(before.algorithms):
        yield change("other algorithms")


def _arguments(call: CallShape) -> tuple[object, ...]:
    return call.fewest, call.positional, call.keywords, call.unpacks
