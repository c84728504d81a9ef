"""Touches that mean the same are one requirement: its sites, its call shapes, its algorithms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from specint.contract.interfaces import classify
from specint.contract.model import CallShape, Condition, Requirement, Role, Site, Strength, Use
from specint.contract.presence import site_of
from specint.contract.shapes import together
from specint.contract.touches import Touch

World = frozenset[tuple[str, str, object]]
"""What is settled on one way to a line, for as long as a server lives: where it is asked, what, and the answer."""


@dataclass(frozen=True)
class Meaning:
    """How one touch is meant on one side.

    Attributes:
        make_up: how many conditions on the server's make-up stand around it.
        worlds: what such conditions say, for each way that leads here.
        raised_at: the line that raises where the member is missing, 0 where the touch itself fails.
        looked_up: the keywords that are handed over only where the member's signature has them.
    """

    strength: Strength
    group: str | None = None
    condition: Condition | None = None
    decided_by: Site | None = None
    settings: tuple[str, ...] = ()
    unconditional: bool = False
    make_up: int = 0
    worlds: tuple[World, ...] = ()
    raised_at: int = 0
    looked_up: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Asking:
    """One touch under one algorithm ("" stands for every server), and how it is meant there."""

    touch: Touch
    algorithm: str
    meaning: Meaning

    @property
    def call(self) -> CallShape | None:
        """How the member is called, without what is only handed over where it is taken."""
        call, looked_up = self.touch.call, self.meaning.looked_up
        if call is None or not looked_up:
            return call
        kept = tuple(keyword for keyword in call.keywords if keyword not in looked_up)
        return msgspec.structs.replace(call, keywords=kept)


class Meant(msgspec.Struct, frozen=True):
    """What touches must have in common to be one requirement."""

    role: Role
    member: str
    use: Use
    strength: Strength
    group: str | None
    condition: Condition | None
    behind_setting: bool


Askings = dict[Meant, list[Asking]]


def meant(role: Role, asking: Asking) -> Meant:
    """As what a touch counts."""
    kind, meaning = asking.touch.kind, asking.meaning
    use: Use = "call" if kind == "call" else "write" if kind == "write" else "read"
    behind = bool(meaning.settings)
    return Meant(role, asking.touch.member, use, meaning.strength, meaning.group, meaning.condition, behind)


def settle(merged: Askings) -> None:
    """Puts together what belongs together although it is meant differently."""
    _settle_settings(merged)
    _first_choices(merged)
    _implied(merged)
    _soft_into_hard(merged)


def _settle_settings(merged: Askings) -> None:
    """What an algorithm asks without a setting somewhere, it asks: sites behind a setting join it."""
    for key in [key for key in merged if key.behind_setting]:
        plain = msgspec.structs.replace(key, behind_setting=False)
        if plain not in merged:
            continue
        algorithms = {one.algorithm for one in merged[plain]}
        merged[plain] += [one for one in merged[key] if one.algorithm in algorithms]
        merged[key] = [one for one in merged[key] if one.algorithm not in algorithms]
        if not merged[key]:
            del merged[key]


def _first_choices(merged: Askings) -> None:
    """A guarded touch whose other branch falls back to another member is the first choice of an any-of."""
    groups = [(key.role, one) for key, found in merged.items() if key.strength == "any-of" for one in found]
    for key in [key for key in merged if key.strength == "optional"]:
        for one in list(merged[key]):
            group = next((other for role, other in groups if role == key.role and _is_choice(one, other)), None)
            if group is not None:
                merged[key].remove(one)
                chosen = Asking(one.touch, one.algorithm, group.meaning)
                merged.setdefault(meant(key.role, chosen), []).append(chosen)
        if not merged[key]:
            del merged[key]


def _implied(merged: Askings) -> None:
    """Where one of several is asked for anyway, the others of the group are no way round it."""
    insisted = {
        (key.role, one.algorithm, key.member)
        for key, found in merged.items()
        if key.strength in ("required", "raises") and not key.behind_setting and key.condition is None
        for one in found
    }
    for key in [key for key in merged if key.strength == "any-of" and key.group is not None]:
        members = str(key.group).split("|")
        for one in list(merged[key]):
            asked = [member for member in members if (key.role, one.algorithm, member) in insisted]
            if asked:
                merged[key].remove(one)
                strength: Strength = "required" if key.member in asked else "optional"
                alone = Asking(one.touch, one.algorithm, replace(one.meaning, strength=strength, group=None))
                merged.setdefault(meant(key.role, alone), []).append(alone)
        if not merged[key]:
            del merged[key]


def _is_choice(one: Asking, group: Asking) -> bool:
    """Whether a soft touch is one of those of which a group's caller takes the first that is there. Where that was
    looked for decides the group, and may be the caller of the function that falls back."""
    looked = group.meaning.decided_by
    here = one.touch.function is group.touch.function or (
        looked is not None and looked == site_of(one.touch.function, looked.line)
    )
    return here and one.algorithm == group.algorithm and one.touch.member in str(group.meaning.group).split("|")


def _soft_into_hard(merged: Askings) -> None:
    """A read that only checks before the call it belongs to is no requirement of its own, and no site of the call."""
    for key in [key for key in merged if key.use == "read" and key.strength in ("raises", "any-of")]:
        for use in ("call", "write"):
            stricter = msgspec.structs.replace(key, use=use)
            if stricter in merged:
                called = {(one.algorithm, one.touch.function) for one in merged[stricter]}
                checks = ("probe", "get")
                merged[stricter] += [
                    one
                    for one in merged.pop(key)
                    if one.touch.kind not in checks or (one.algorithm, one.touch.function) not in called
                ]
                break


def requirement(key: Meant, found: list[Asking], algorithms: Sequence[str], workers: str) -> Requirement:
    """The one requirement of touches that mean the same.

    Args:
        algorithms: all, in their order.
        workers: the folder of the workers' package.
    """
    under = {one.algorithm for one in found}
    sites = _sites(found, algorithms)
    settings = [one.meaning.settings for one in found]
    calls = [one.call for one in found if one.call is not None]
    decided = "" not in under or any(site.file.startswith(workers) for site in sites)
    return Requirement(
        role=key.role,
        member=key.member,
        use=key.use,
        algorithms=() if "" in under else tuple(name for name in algorithms if name in under),
        strength=key.strength,
        sites=sites,
        group=key.group,
        call=together(calls),
        calls=_alternatives(found),
        condition=key.condition,
        decided_by=min(found, key=lambda one: one.meaning.make_up).meaning.decided_by,
        settings=() if () in settings else tuple(dict.fromkeys(words for one in settings for words in one)),
        unconditional=any(one.meaning.unconditional for one in found),
        interface=classify(key.member, (site.file for site in sites), decided=decided),
    )


def _sites(found: Iterable[Asking], algorithms: Sequence[str]) -> tuple[Site, ...]:
    """Every place once, with the algorithms that come by and the fewest conditions under which one does."""
    under: dict[Site, set[str]] = defaultdict(set)
    conditions: dict[Site, int] = {}
    raised: dict[Site, int] = {}
    for one in found:
        site = site_of(one.touch.function, one.touch.line)
        under[site].add(one.algorithm)
        conditions[site] = min(one.meaning.make_up, conditions.get(site, one.meaning.make_up))
        raised[site] = one.meaning.raised_at or raised.get(site, 0)
    return tuple(
        msgspec.structs.replace(
            site,
            algorithms=() if "" in under[site] else tuple(name for name in algorithms if name in under[site]),
            conditions=conditions[site],
            raised_at=raised[site],
        )
        for site in sorted(under)
    )


def _alternatives(found: list[Asking]) -> tuple[CallShape, ...]:
    """The shapes of which one must fit: sites that no server reaches both are not put together. None where all sites
    can be reached together."""
    touches: dict[int, list[Asking]] = defaultdict(list)
    for one in found:
        if one.call is not None:
            touches[id(one.touch)].append(one)
    nodes = list(touches.values())
    apart = {
        (a, b)
        for a, one in enumerate(nodes)
        for b, other in enumerate(nodes)
        if a < b and one[0].call != other[0].call and _exclude(one, other)
    }
    if not apart:
        return ()
    sets = _fitting_sets(len(nodes), lambda a, b: (min(a, b), max(a, b)) not in apart)
    shapes = (together([one.call for n in chosen for one in nodes[n][:1] if one.call]) for chosen in sets)
    return tuple(sorted({shape for shape in shapes if shape is not None}))


def _exclude(one: list[Asking], other: list[Asking]) -> bool:
    """Whether no server comes by both of two places: under each algorithm every two ways contradict each other."""
    pairs = [(a.meaning.worlds, b.meaning.worlds) for a in one for b in other if a.algorithm == b.algorithm]
    return bool(pairs) and all(_contradict(x, y) for ones, others in pairs for x in ones for y in others)


def _contradict(one: World, other: World) -> bool:
    left, right = _answers(one), _answers(other)
    return any(answers.isdisjoint(right[question]) for question, answers in left.items() if question in right)


def _answers(world: World) -> dict[tuple[str, str], set[object]]:
    """By question: a way through two callers may have been given two answers."""
    found: dict[tuple[str, str], set[object]] = defaultdict(set)
    for where, what, answer in world:
        found[where, what].add(answer)
    return found


def _fitting_sets(count: int, fit: Callable[[int, int], bool]) -> list[set[int]]:
    """The largest sets of which every two fit together."""
    found: list[set[int]] = [set()]
    for n in range(count):
        grown = [chosen | {n} if all(fit(n, one) for one in chosen) else chosen for chosen in found]
        beside = [{n, *(one for one in chosen if fit(n, one))} for chosen in found]
        unique = {frozenset(chosen) for chosen in (*grown, *beside)}
        found = [set(chosen) for chosen in sorted(unique, key=sorted) if not any(chosen < more for more in unique)]
    return found
