"""From touches to requirements: how strictly each is meant, for which algorithms, merged over all sites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from specint.contract.births import Births
from specint.contract.conditions import Side
from specint.contract.flags import is_given
from specint.contract.given import written_by_runner
from specint.contract.merging import Asking, Askings, Meaning, meant, requirement, settle
from specint.contract.model import Condition, Requirement, Role, Site, Strength
from specint.contract.presence import Clause, Has, Holds, IsA, Literal, Open, Presence, Takes, site_of
from specint.contract.reach import Reach
from specint.contract.settings import Settings
from specint.contract.touches import Touch, find_touches
from specint.contract.ways import Way, Ways
from specint.facts import model as facts
from specint.graph.project import FunctionNode

_LEVELS: dict[Strength, int] = {"optional": 0, "conditional": 1, "any-of": 2, "raises": 3, "required": 4}
_SWALLOWS = frozenset({"", "AttributeError", "Exception", "BaseException"})


@dataclass(frozen=True)
class Insisted:
    """A raise that happens where a model lacks a member (or every member of a group)."""

    group: tuple[Has, ...]
    condition: Condition | None
    line: int
    settings: tuple[str, ...]


class Inference:
    """Reads the requirements out of the code under scan."""

    def __init__(self, reach: Reach, algorithms: Iterable[str], given: dict[str, Site]) -> None:
        self.reach = reach
        self.algorithms = tuple(algorithms)
        self.touches = find_touches(reach.receivers, reach.receivers.model_names())
        self.births = Births(reach.receivers.code, reach.roots.declared.worker.draft_flag)
        self.presence = Presence(reach, self.touches)
        self.ways = Ways(self.presence)
        self.settings = Settings(reach.receivers, self.presence.kept)
        self._alternatives = {one.asked: one.alternatives for one in self.touches if one.alternatives}
        receivers = reach.receivers
        own = written_by_runner(receivers.project, receivers.hierarchy, reach.roots, self.touches)
        self.given = given | own
        self._defaults: dict[tuple[facts.Expr, int, bool], bool | None] = {}
        self._above: dict[
            tuple[int, Side], tuple[Way, tuple[str, ...]]
        ] = {}  # with the way, so that its id stays its own
        self._insisted: dict[tuple[int, Side, frozenset[str]], list[Insisted]] = {}

    def requirements(self) -> tuple[Requirement, ...]:
        """All requirements, in a fixed order."""
        merged: Askings = {}
        for touch in self.touches:
            for role, algorithm, meaning in self._meanings(touch):
                one = Asking(touch, algorithm, meaning)
                merged.setdefault(meant(role, one), []).append(one)
        settle(merged)
        workers = self.reach.workers.package.replace(".", "/") + "/"
        found = [requirement(key, places, self.algorithms, workers) for key, places in merged.items()]
        return tuple(sorted(found, key=lambda r: (r.member, r.role, r.use, r.strength, r.group or "", r.sites)))

    # -- one touch -------------------------------------------------------------------------------------------------

    def _meanings(self, touch: Touch) -> Iterable[tuple[Role, str, Meaning]]:
        """Every side on which a touch happens, and how it is meant there. Algorithm "" stands for every server."""
        none = self.reach.roots.declared.algorithm.none
        for other in ("inner", "class"):
            if other in touch.roles and (meaning := self._meaning(touch, Side(none, "target"))) is not None:
                yield other, "", meaning
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
        # what is asked of both models by name is asked of each
        same = "both" in touch.roles and len(sides) == 2 and sides["target"] == sides["draft"]
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
                if meaning is None:
                    continue
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

    def _meaning(self, touch: Touch, side: Side) -> Meaning | None:
        """How a touch is meant on the strictest of the ways that lead to it; None where none does."""
        if touch.member in self.given and side.role in ("target", "draft") and not touch.roles & {"class", "inner"}:
            return Meaning("optional", decided_by=self.given[touch.member])
        found = [(self._meaning_on(touch, side, way), way) for way in self.ways.onto(touch, side)]
        if not found:
            return None
        own = self.presence.settle(self.presence.around(touch), side)
        clauses = [(*own, *way.clauses) for _, way in found]
        above = [self.ways.made_up(way, side) for _, way in found]
        make_up, world = sum(self.ways.of_make_up(clause, side) for clause in own), self.ways.world(own, side)
        return replace(
            self._beside_inner(touch, max((meaning for meaning, _ in found), key=_strictness)),
            looked_up=frozenset.intersection(*(_looked_up(touch, one) for one in clauses)),
            make_up=make_up + min(len(made_up) for made_up, _ in above),
            worlds=tuple(world | said for _, said in above),
        )

    def _beside_inner(self, touch: Touch, meaning: Meaning) -> Meaning:
        """What is asked of `getattr(model, "inner", model)` is the inner model's business where there is one."""
        if touch.alternatives:
            return meaning  # of the model or of its part: whichever is there has what is asked
        inner = self.presence.inner_of(touch)
        if inner is None or inner.member == touch.member or meaning.condition is not None:
            return meaning
        within = touch.member.startswith(f"{inner.member}.")
        if meaning.strength == "optional" or (within and _defaults_to_none(inner.expr)):
            return meaning  # None has none of it either
        return replace(meaning, strength="conditional", group=None, condition=Condition(inner.member, holds=within))

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
        if not any(isinstance(one, Has) and one.member == touch.asked and one.positive for one in above):
            for insisted in self.insisted(touch.function, side, roles):
                if any(has.member == touch.asked for has in insisted.group):
                    return self._insisted_meaning(insisted, touch, self._settings_above(way, side))
        for has in guarded:
            if has.member == touch.asked and has.positive:
                return Meaning("optional", decided_by=has.place or here)
        if touch.kind in ("probe", "get"):
            return Meaning("optional", decided_by=here)
        if any(isinstance(one, IsA) and one.positive and one.roles & roles for one in alone):
            return Meaning("optional", decided_by=here)
        if (swallowed := self._swallowed(touch)) is not None:
            return swallowed
        here = self._raised_again(touch) or here
        fallbacks = [has for has in guarded if not has.positive and has.member != touch.asked]
        opens = [one for clause in own for one in clause if isinstance(one, Open)]
        made_up, _ = self.ways.made_up(way, side)
        opens += [one for clause in made_up for one in clause if isinstance(one, Open)]
        unconditional = all(side.role == "draft" and self.births.implies(one) for one in opens)
        if fallbacks and touch.kind != "write":
            group = self._group([*(has.member for has in reversed(fallbacks)), touch.asked], touch)
            place = fallbacks[0].place
            return Meaning("any-of", group, decided_by=place, settings=settings, unconditional=unconditional)
        conditions = [
            Condition(one.member, one.positive)
            for one in alone
            if isinstance(one, (Has, Holds)) and one.roles & roles and one.member != touch.asked
        ]
        if conditions:
            return Meaning("conditional", condition=conditions[0], decided_by=here, settings=settings)
        negated = [c for c in clauses if len(c) > 1 and all(isinstance(one, (Has, Holds)) for one in c)]
        for clause in negated:
            first = clause[-1]
            if isinstance(first, Holds) and first.roles & roles:
                return Meaning("conditional", condition=Condition(first.member, first.positive), decided_by=here)
        if len(touch.alternatives) > 1:
            group = self._group([touch.asked], touch)
            return Meaning("any-of", group, decided_by=here, settings=settings, unconditional=unconditional)
        return Meaning("required", decided_by=here, settings=settings, unconditional=unconditional)

    def _insisted_meaning(self, insisted: Insisted, touch: Touch, above: tuple[str, ...]) -> Meaning:
        members = self._spread([has.member for has in insisted.group], touch)
        place = site_of(touch.function, insisted.line)
        settings = tuple(dict.fromkeys((*above, *insisted.settings)))
        group = "|".join(members) if len(members) > 1 else None
        strength: Strength = "any-of" if group else "conditional" if insisted.condition is not None else "raises"
        return Meaning(strength, group, insisted.condition, place, settings, raised_at=insisted.line)

    def _group(self, asked: Iterable[str], touch: Touch) -> str:
        return "|".join(self._spread(asked, touch))

    def _spread(self, asked: Iterable[str], touch: Touch) -> list[str]:
        """Members in place of what stands for several: the alternatives of one expression, of names that a loop goes
        through the one that is meant."""
        found: dict[str, None] = {}
        for one in asked:
            if one == touch.asked and not touch.alternatives:
                found[touch.member] = None
            else:
                found.update(dict.fromkeys(self._alternatives.get(one, (one,))))
        return list(found)

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
        key = (id(way), side)
        if key not in self._above:
            self._above[key] = (way, self._find_above(way, side))
        return self._above[key][1]

    def _find_above(self, way: Way, side: Side) -> tuple[str, ...]:
        kept = (
            clause
            for clause in way.clauses
            if all(isinstance(one, Open) and self.ways.lasts(one, side) and not _is_called(one) for one in clause)
        )
        decided = (clause for clause in way.clauses if all(self._by_default(one) is not None for one in clause))
        return self._settings(dict.fromkeys((*kept, *decided)))

    def _by_default(self, literal: Literal) -> bool | None:
        """What an open condition answers where no setting is given."""
        if not isinstance(literal, Open):
            return None
        key = (literal.expr, id(literal.function), literal.of_none)
        if key not in self._defaults:
            decided = self.presence.decides(literal)
            truth = None if decided else self.settings.truth(literal.expr, literal.function, of_none=literal.of_none)
            self._defaults[key] = truth
        return self._defaults[key]

    def _opts_in(self, literal: Open) -> bool:
        if self.presence.decides(literal):
            return False
        if (by_default := self._by_default(literal)) is not None:
            return by_default is not literal.positive
        return is_given(not literal.positive, literal.expr, literal.function, self.reach.receivers.evaluator)


def _looked_up(touch: Touch, clauses: Iterable[Clause]) -> frozenset[str]:
    """The parameters that a member was seen to have on the way to its call."""
    return frozenset(
        one.parameter
        for clause in clauses
        if len(clause) == 1
        for one in clause
        if isinstance(one, Takes) and one.positive and one.member == touch.asked and one.roles & touch.roles
    )


def _defaults_to_none(expr: facts.Expr) -> bool:
    return isinstance(expr, facts.Call) and expr.args[2:] == (facts.Constant(None),)


def _is_called(literal: Open) -> bool:
    return bool(facts.within(literal.expr, facts.Call))


def _strictness(meaning: Meaning) -> tuple[bool, int, bool]:
    """What of several ways decides: the one that needs no setting, then the stricter one."""
    return not meaning.settings, _LEVELS[meaning.strength], meaning.unconditional
