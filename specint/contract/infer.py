"""From touches to requirements: how strictly each is meant, for which algorithms, merged over all sites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from specint.contract.conditions import Side
from specint.contract.flags import is_given
from specint.contract.interfaces import classify
from specint.contract.model import CallShape, Condition, Requirement, Role, Site, Strength, Use
from specint.contract.presence import Clause, Has, Holds, IsA, Literal, Open, Presence, site_of
from specint.contract.reach import Reach
from specint.contract.settings import Settings
from specint.contract.touches import Touch, find_touches
from specint.contract.ways import Way, Ways
from specint.facts import model as facts
from specint.graph.project import FunctionNode

_LEVELS: dict[Strength, int] = {"optional": 0, "conditional": 1, "any-of": 2, "raises": 3, "required": 4}
_SWALLOWS = frozenset({"", "AttributeError", "Exception", "BaseException"})


@dataclass(frozen=True)
class Meaning:
    """How one touch is meant on one side."""

    strength: Strength
    group: str | None = None
    condition: Condition | None = None
    decided_by: Site | None = None
    settings: tuple[str, ...] = ()
    unconditional: bool = False


@dataclass(frozen=True)
class Insisted:
    """A raise that happens where a model lacks a member (or every member of a group)."""

    group: tuple[Has, ...]
    condition: Condition | None
    line: int
    settings: tuple[str, ...]


class Inference:
    """Reads the requirements out of the code under scan."""

    def __init__(self, reach: Reach, algorithms: Iterable[str]) -> None:
        self.reach = reach
        self.algorithms = tuple(algorithms)
        self.touches = find_touches(reach.receivers, reach.receivers.model_names())
        self.presence = Presence(reach, self.touches)
        self.ways = Ways(self.presence)
        self.settings = Settings(reach.receivers, self.presence.kept)
        self._insisted: dict[tuple[int, Side, frozenset[str]], list[Insisted]] = {}

    def requirements(self) -> tuple[Requirement, ...]:
        """All requirements, in a fixed order."""
        merged: dict[tuple[object, ...], list[tuple[Touch, str, Meaning]]] = defaultdict(list)
        for touch in self.touches:
            for role, algorithm, meaning in self._meanings(touch):
                use: Use = "call" if touch.kind == "call" else "write" if touch.kind == "write" else "read"
                meant = (meaning.strength, meaning.group, meaning.condition, bool(meaning.settings))
                key = (role, touch.member, use, *meant)
                merged[key].append((touch, algorithm, meaning))
        self._settle_settings(merged)
        self._first_choices(merged)
        self._soft_into_hard(merged)
        found = [self._merge(key, places) for key, places in merged.items()]
        return tuple(sorted(found, key=lambda r: (r.member, r.role, r.use, r.strength, r.group or "", r.sites)))

    # -- one touch -------------------------------------------------------------------------------------------------

    def _meanings(self, touch: Touch) -> Iterable[tuple[Role, str, Meaning]]:
        """Every side on which a touch happens, and how it is meant there. Algorithm "" stands for every server."""
        none = self.reach.roots.declared.algorithm.none
        for other in ("inner", "class"):
            if other in touch.roles:
                yield other, "", self._meaning(touch, Side(none, "target"))
        if not touch.roles & {"target", "draft", "both"}:
            return
        sides: dict[str, list[str]] = {}
        for role in ("target", "draft"):
            if role in touch.roles or "both" in touch.roles:
                reached = [a for a in self.algorithms if self.reach.occurs(touch.occurrence, Side(a, role))]
                if reached:
                    sides[role] = reached
        if not sides:
            if not self._may_stand(touch):
                return
            # nothing that was followed leads here, so anything may that has a worker with this method
            serving = [a for a in self.algorithms if self.reach.workers.serves(touch.function, a)]
            reached = serving or list(self.algorithms)
            sides = {role: reached for role in ("target", "draft") if {role, "both"} & touch.roles}
        same = len(sides) == 2 and sides["target"] == sides["draft"]
        for role, reached in sides.items():
            shown: Role = "both" if same else "target" if role == "target" else "draft"
            if same and role == "draft":
                continue
            plain = [a for a in reached if self._plainly(touch, a, role)]
            everywhere = set(plain) == set(self.algorithms)
            for algorithm in reached:
                if algorithm == none and len(reached) > 1 and not everywhere:
                    continue  # the server that only captures states asks for nothing that the algorithm doesn't
                meaning = self._meaning(touch, Side(algorithm, role))
                if algorithm not in plain:
                    settings = dict.fromkeys((*self.reach.workers.opted_in(algorithm), *meaning.settings))
                    meaning = replace(meaning, settings=tuple(settings))
                yield shown, "" if everywhere or algorithm == none else algorithm, meaning

    def _may_stand(self, touch: Touch) -> bool:
        """Whether some algorithm lets the conditions around a touch hold, however its function is reached."""
        return any(
            self.reach.conditions.stands(touch.occurrence, Side(algorithm, role))
            for algorithm in (*self.algorithms, self.reach.roots.declared.algorithm.none)
            for role in ("target", "draft")
            if {role, "both"} & touch.roles
        )

    def _plainly(self, touch: Touch, algorithm: str, role: str) -> bool:
        """Whether an algorithm comes by without a setting that brings it another worker."""
        if not self.reach.workers.opted_in(algorithm):
            return True
        return self.reach.occurs(touch.occurrence, Side(algorithm, role, plain=True))

    def _meaning(self, touch: Touch, side: Side) -> Meaning:
        """How a touch is meant on the strictest of the ways that lead to it."""
        ways = self.ways.into(touch.function, side)
        return max((self._meaning_on(touch, side, way) for way in ways), key=_strictness)

    def _meaning_on(self, touch: Touch, side: Side, way: Way) -> Meaning:
        def told(literal: Open) -> bool | None:
            return way.told(touch.function, literal)

        own = self.presence.settle(self.presence.around(touch), side, told)
        clauses = [*own, *way.clauses]
        roles = touch.roles
        settings = tuple(dict.fromkeys((*self._settings(own), *self._settings_above(way, side))))
        alone = [clause[0] for clause in clauses if len(clause) == 1]
        guarded = [one for one in alone if isinstance(one, Has) and one.roles & roles]
        here = site_of(touch.function, touch.line)
        above = [clause[0] for clause in way.clauses if len(clause) == 1]
        if not any(isinstance(one, Has) and one.member == touch.member and one.positive for one in above):
            for insisted in self.insisted(touch.function, side, roles):
                if any(has.member == touch.member for has in insisted.group):
                    return self._insisted_meaning(insisted, touch, self._settings_above(way, side))
        for has in guarded:
            if has.member == touch.member and has.positive:
                return Meaning("optional", decided_by=has.place or here)
        if touch.kind in ("probe", "get"):
            return Meaning("optional", decided_by=here)
        if any(isinstance(one, IsA) and one.positive and one.roles & roles for one in alone):
            return Meaning("optional", decided_by=here)
        if (swallowed := self._swallowed(touch)) is not None:
            return swallowed
        here = self._raised_again(touch) or here
        fallbacks = [has for has in guarded if not has.positive and has.member != touch.member]
        unconditional = not any(isinstance(one, Open) for clause in own for one in clause) and not any(
            isinstance(one, Open) and self.ways.lasts(one, side) for clause in way.clauses for one in clause
        )
        if fallbacks and touch.kind != "write":
            group = "|".join(dict.fromkeys([has.member for has in reversed(fallbacks)] + [touch.member]))
            place = fallbacks[0].place
            return Meaning("any-of", group, decided_by=place, settings=settings, unconditional=unconditional)
        conditions = [
            Condition(one.member, one.positive)
            for one in alone
            if isinstance(one, (Has, Holds)) and one.roles & roles and one.member != touch.member
        ]
        if conditions:
            return Meaning("conditional", condition=conditions[0], decided_by=here, settings=settings)
        negated = [c for c in clauses if len(c) > 1 and all(isinstance(one, (Has, Holds)) for one in c)]
        for clause in negated:
            first = clause[-1]
            if isinstance(first, Holds) and first.roles & roles:
                return Meaning("conditional", condition=Condition(first.member, first.positive), decided_by=here)
        return Meaning("required", decided_by=here, settings=settings, unconditional=unconditional)

    def _insisted_meaning(self, insisted: Insisted, touch: Touch, above: tuple[str, ...]) -> Meaning:
        members = list(dict.fromkeys(has.member for has in insisted.group))
        place = site_of(touch.function, insisted.line)
        settings = tuple(dict.fromkeys((*above, *insisted.settings)))
        if len(members) > 1:
            return Meaning("any-of", "|".join(members), insisted.condition, place, settings)
        if insisted.condition is not None:
            return Meaning("conditional", None, insisted.condition, place, settings)
        return Meaning("raises", None, None, place, settings)

    def insisted(self, function: FunctionNode, side: Side, roles: frozenset[str]) -> list[Insisted]:
        """The raises of a function that follow from a member being absent."""
        key = (id(function), side, roles)
        if key not in self._insisted:
            found: list[Insisted] = []
            for step in function.facts.body.steps:
                if not isinstance(step, facts.Raise) or not self.reach.conditions.possible(function, step.guard, side):
                    continue
                clauses = self._own_tests(function, step, side)
                for group in self.presence.lacks(clauses, roles):
                    members = {has.member for has in group}
                    given = [
                        Condition(one.member, one.positive)
                        for clause in clauses
                        if len(clause) == 1 and isinstance(one := clause[0], (Has, Holds)) and one.roles & roles
                        if one.member not in members and (one.positive or isinstance(one, Holds))
                    ]
                    rest = [c for c in clauses if not any(isinstance(one, Has) for one in c)]
                    settings = self._settings(rest)
                    found.append(Insisted(group, given[0] if given else None, step.line, settings))
            self._insisted[key] = found
        return self._insisted[key]

    def _own_tests(self, function: FunctionNode, step: facts.Raise, side: Side) -> list[Clause]:
        """The conditions of a raise. What an earlier branch left open is one of them only where the raise has no test
        of its own, or one that asks for a member, too: `if OTHER: raise` has another reason."""
        found: list[Clause] = []
        for guard in function.facts.body.guards_of(step.guard):
            if guard.test is None or guard.kind == "loop":
                continue
            lacking = any(isinstance(one, Has) and not one.positive for clause in found for one in clause)
            if guard.kind == "after" and found and not lacking:
                continue
            if guard.left_by == "raise" and not self.presence.asks_model(guard, function):
                continue
            found += self.presence.settle(self.presence.clauses(guard.test, guard.positive, function), side)
        return found

    @staticmethod
    def _swallowed(touch: Touch) -> Meaning | None:
        """What the nearest try around a touch makes of an AttributeError, or of being its handler."""
        for guard in touch.function.facts.body.guards_of(touch.step.guard):
            if guard.kind == "except":
                handled = f"except {' or '.join(guard.catches)}".strip()
                return Meaning("required", decided_by=site_of(touch.function, guard.line), settings=(handled,))
            if guard.kind == "try" and _SWALLOWS & set(guard.catches):
                swallowed = guard.reraises == "never"
                return Meaning("optional", decided_by=site_of(touch.function, guard.line)) if swallowed else None
        return None

    @staticmethod
    def _raised_again(touch: Touch) -> Site | None:
        """The try around a touch whose handler raises an AttributeError again."""
        guards = touch.function.facts.body.guards_of(touch.step.guard)
        line = next((one.line for one in guards if one.kind == "try" and _SWALLOWS & set(one.catches)), None)
        return site_of(touch.function, line) if line is not None else None

    def _settings(self, clauses: Iterable[Clause]) -> tuple[str, ...]:
        """The conditions that a server's settings must opt in to: neither the algorithm nor a model decides them, and
        somewhere the source answers no."""
        found = []
        for clause in clauses:
            literals = [one for one in clause if isinstance(one, Open) and not one.about_model]
            if len(literals) == len(clause) and all(self._opts_in(one) for one in literals):
                words = (f"{'' if one.positive else 'not '}{facts.spell(one.expr)}" for one in literals)
                found.append(" or ".join(words))
        return tuple(dict.fromkeys(found))

    def _settings_above(self, way: Way, side: Side) -> tuple[str, ...]:
        """The settings that the callers ask for: what differs from step to step is none."""
        kept = (
            clause
            for clause in way.clauses
            if all(isinstance(one, Open) and self.ways.lasts(one, side) and not _is_called(one) for one in clause)
        )
        decided = (clause for clause in way.clauses if all(self._by_default(one) is not None for one in clause))
        return self._settings(dict.fromkeys((*kept, *decided)))

    def _by_default(self, literal: Literal) -> bool | None:
        """What an open condition answers where no setting is given."""
        if not isinstance(literal, Open) or self.presence.decides(literal):
            return None
        return self.settings.truth(literal.expr, literal.function, of_none=literal.of_none)

    def _opts_in(self, literal: Open) -> bool:
        if self.presence.decides(literal):
            return False
        if (by_default := self._by_default(literal)) is not None:
            return by_default is not literal.positive
        return is_given(not literal.positive, literal.expr, literal.function, self.reach.receivers.evaluator)

    # -- all touches -----------------------------------------------------------------------------------------------

    @staticmethod
    def _settle_settings(merged: dict[tuple[object, ...], list[tuple[Touch, str, Meaning]]]) -> None:
        """What an algorithm asks without a setting somewhere, it asks: sites behind a setting join it."""
        for key in [k for k in merged if k[-1] and (*k[:-1], False) in merged]:
            always = merged[(*key[:-1], False)]
            algorithms = {algorithm for _, algorithm, _ in always}
            always += [place for place in merged[key] if place[1] in algorithms]
            merged[key] = [place for place in merged[key] if place[1] not in algorithms]
            if not merged[key]:
                del merged[key]

    @staticmethod
    def _first_choices(merged: dict[tuple[object, ...], list[tuple[Touch, str, Meaning]]]) -> None:
        """A guarded touch whose other branch falls back to another member is the first choice of an any-of."""
        groups = [
            (touch.function, role, algorithm, meaning)
            for (role, *_), places in merged.items()
            for touch, algorithm, meaning in places
            if meaning.strength == "any-of" and meaning.group is not None
        ]
        for key in [k for k in merged if k[3] == "optional"]:
            for place in list(merged[key]):
                touch, algorithm, _ = place
                for function, role, under, meaning in groups:
                    asked = meaning.decided_by  # where the first choice was looked for: perhaps in the caller
                    here = touch.function is function or (
                        asked is not None and asked == site_of(touch.function, asked.line)
                    )
                    if here and (role, under) == (key[0], algorithm) and touch.member in str(meaning.group).split("|"):
                        merged[key].remove(place)
                        target = (*key[:3], "any-of", meaning.group, meaning.condition, bool(meaning.settings))
                        merged[target].append((touch, algorithm, meaning))
                        break
            if not merged[key]:
                del merged[key]

    @staticmethod
    def _soft_into_hard(merged: dict[tuple[object, ...], list[tuple[Touch, str, Meaning]]]) -> None:
        """A read that only checks before the call it belongs to is no requirement of its own."""
        for key in [k for k in merged if k[2] == "read" and k[3] in ("raises", "any-of")]:
            role, member, _, *rest = key
            for use in ("call", "write"):
                stricter = (role, member, use, *rest)
                if stricter in merged:
                    merged[stricter] += merged.pop(key)
                    break

    def _merge(self, key: tuple[object, ...], places: list[tuple[Touch, str, Meaning]]) -> Requirement:
        role, member, use, strength, group, condition, _ = key
        algorithms = {algorithm for _, algorithm, _ in places}
        sites = self._sites(places)
        calls = [touch.call for touch, _, _ in places if touch.call is not None]
        open_settings = [meaning.settings for _, _, meaning in places]
        settings = () if () in open_settings else tuple(dict.fromkeys(s for one in open_settings for s in one))
        return Requirement(
            role=role,  # type: ignore[arg-type]
            member=member,  # type: ignore[arg-type]
            use=use,  # type: ignore[arg-type]
            algorithms=() if "" in algorithms else tuple(a for a in self.algorithms if a in algorithms),
            strength=strength,  # type: ignore[arg-type]
            sites=sites,
            group=group,  # type: ignore[arg-type]
            call=merge_shapes(calls),
            condition=condition,  # type: ignore[arg-type]
            decided_by=places[0][2].decided_by,
            settings=settings,
            unconditional=any(meaning.unconditional for _, _, meaning in places),
            interface=self._interface(str(member), sites, algorithms),
        )

    def _sites(self, places: list[tuple[Touch, str, Meaning]]) -> tuple[Site, ...]:
        """Every place once, with the algorithms that come by."""
        found: dict[Site, set[str]] = defaultdict(set)
        for touch, algorithm, _ in places:
            found[site_of(touch.function, touch.line)].add(algorithm)
        names = {
            site: () if "" in under else tuple(name for name in self.algorithms if name in under)
            for site, under in found.items()
        }
        return tuple(msgspec.structs.replace(site, algorithms=names[site]) for site in sorted(found))

    def _interface(self, member: str, sites: Iterable[Site], algorithms: set[str]) -> str:
        workers = self.reach.workers.package.replace(".", "/") + "/"
        decided = "" not in algorithms or any(site.file.startswith(workers) for site in sites)
        return classify(member, (site.file for site in sites), decided=decided)


def _is_called(literal: Open) -> bool:
    return any(isinstance(part, facts.Call) for part in facts.walk(literal.expr))


def _strictness(meaning: Meaning) -> tuple[bool, int, bool]:
    """What of several ways decides: the one that needs no setting, then the stricter one."""
    return not meaning.settings, _LEVELS[meaning.strength], meaning.unconditional


def merge_shapes(shapes: list[CallShape]) -> CallShape | None:
    """One shape for all: a parameter that only some sites hand over needs a default."""
    if not shapes:
        return None
    return CallShape(
        positional=max(s.positional for s in shapes),
        keywords=tuple(sorted({k for s in shapes for k in s.keywords})),
        unpacks=next((s.unpacks for s in shapes if s.unpacks is not None), None),
        fewest=min(s.fewest for s in shapes),
        starred=any(s.starred for s in shapes),
    )
