"""Which algorithms a draft is made for, as SGLang's configuration says it and as the draft itself shows it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from specint.compliance.members import Members
from specint.compliance.statements import Rewrite, Statements
from specint.compliance.verdicts import drafting
from specint.contract.model import Contract
from specint.facts import model as facts
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, FunctionNode, Project

_FEW = 3
_COMMON = 0.05
"""A member that more of the registered classes offer than this says nothing about what a class drafts for."""
_TELLING = 2
"""So many members that only drafts are asked for make a class a draft."""
_ENOUGH = 1 / 3
"""Less than this part of an algorithm's own members is a likeness of names, no sign."""

Reasons = dict[str, str]
"""Algorithm -> how we know that a draft is made for it."""


class Serving:
    """Answers about drafts, memoised: which class is one, and for which algorithms.

    Nothing here asks whether the draft meets an algorithm: one that lost a member is still made for it.
    """

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        composition: Composition,
        members: Members,
        contract: Contract,
        statements: Statements,
        models: tuple[ClassNode, ...],
        handed_over: tuple[str, ...],
    ) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self.members = members
        self.contract = contract
        self.statements = statements
        self.models = models
        self._handed_over = handed_over
        self._registered = set(models)
        self._telling: dict[str, bool] = {}
        self._is_draft: dict[str, bool] = {}
        self._reads: dict[str, bool] = {}
        self._may_reads: dict[str, bool] = {}

    # -- who is one ------------------------------------------------------------------------------------------------

    def is_draft(self, node: ClassNode) -> bool:
        """Whether a class serves as a draft only: by name in the configuration, by what it reads, by what it offers, or
        because a base of it does."""
        if node.key not in self._is_draft:
            self._is_draft[node.key] = False
            try:
                self._is_draft[node.key] = self._drafts(node)
            except RecursionError:
                del self._is_draft[node.key]
                raise
        return self._is_draft[node.key]

    def _drafts(self, node: ClassNode) -> bool:
        if node.name in self.statements.rewrites or self._stated(node):
            return True
        bases = self.hierarchy.order(node).nodes[1:]
        if any(base in self._registered and self.is_draft(base) for base in bases):
            return True
        if self.reads_handed_over(node):
            return True
        return any(
            sum(self.members.status(node, member).status == "present" for member in members) >= _TELLING
            for members in self._marks.values()
        )

    def reads_handed_over(self, node: ClassNode) -> bool:
        """Whether a class, or one that it builds in its own module, reads what a target hands to its draft."""
        if node.key not in self._reads:
            self._reads[node.key] = self._find_reads(node)
        return self._reads[node.key]

    def _find_reads(self, node: ClassNode) -> bool:
        seen: set[str] = set()
        pending = [node]
        while pending:
            one = pending.pop()
            if one.key in seen:
                continue
            seen.add(one.key)
            for above in self.hierarchy.order(one).nodes:
                if any(_reads(method, self._handed_over) for method in self.project.methods_of(above)):
                    return True
            if self._may_read(node.module):
                for assignments in self.composition.assignments(one).values():
                    pending += [c for a in assignments for c in a.classes if c.module is node.module]
        return False

    def _may_read(self, module: facts.Module) -> bool:
        """Whether any class of a module, or a base of one, reads it: of most nothing is to be followed."""
        if module.name not in self._may_reads:
            nodes = {one: None for each in self.project.classes_of(module) for one in self.hierarchy.order(each).nodes}
            methods = (method for one in nodes for method in self.project.methods_of(one))
            self._may_reads[module.name] = any(_reads(method, self._handed_over) for method in methods)
        return self._may_reads[module.name]

    def is_telling(self, member: str) -> bool:
        """Whether so few registered classes offer a member that offering it says what a class is for."""
        if member not in self._telling:
            having = sum(self.hierarchy.lookup(node, member) is not None for node in self.models)
            inherited = any(self.hierarchy.external_provider(node, member) for node in self.models)
            self._telling[member] = not inherited and having <= max(_FEW, _COMMON * len(self.models))
        return self._telling[member]

    @cached_property
    def _marks(self) -> dict[str, tuple[str, ...]]:
        """Per algorithm, the members that only its drafts (or those of its kin) are asked for and few classes offer."""
        asked_of_targets = {r.member for r in self.contract.requirements if r.role != "draft"}
        found: dict[str, tuple[str, ...]] = {}
        for algorithm in self.contract.algorithms:
            asked = {
                r.member
                for r in self.contract.requirements
                if r.role == "draft" and r.use != "write" and algorithm in r.algorithms
            }
            rare = tuple(sorted(one for one in asked - asked_of_targets if self.is_telling(one)))
            if rare:
                found[algorithm] = rare
        return found

    # -- for what --------------------------------------------------------------------------------------------------

    def serves(self, node: ClassNode) -> Reasons:
        """The algorithms that a draft is made for; none where nothing says."""
        stated = self._stated(node)
        if stated:
            return stated
        shown = self._shown(node)
        why = {algorithm: f"it offers {_some(members)}" for algorithm, members in shown.items()}
        if len({self._marks[algorithm] for algorithm in why}) > 1:  # else their workers ask for the same
            why = {a: why[a] for a in self._called(node, why) or why}
        why = why or self._inherited(node)
        if not why:
            named = self._called(node, self.drafting)
            why = {a: f"its name says {word}" for a, word in named.items()} or self._plainest(node)
        rewrite = self.statements.rewrites.get(node.name)
        if rewrite is not None:
            return dict.fromkeys(why, f"{_became(rewrite)} ({rewrite.place})")
        return why

    def _stated(self, node: ClassNode) -> Reasons:
        """What lines of the configuration say of the class or of a base that is a draft."""
        for one in self.hierarchy.order(node).nodes:
            if one is not node and one not in self._registered:
                continue
            found = {
                algorithm: f"SGLang names it for {algorithm} ({place})"
                for algorithm, place in self.statements.stated.get(one.name, {}).items()
                if algorithm in self.contract.algorithms
            }
            found |= {
                algorithm: f"SGLang chooses {algorithm} for it ({names[one.name]})"
                for algorithm, names in self.statements.answers.items()
                if algorithm in self.contract.algorithms and one.name in names
            }
            if found:
                return found
        return {}

    def _inherited(self, node: ClassNode) -> Reasons:
        """What the nearest base that is a draft of its own is made for."""
        for base in self.hierarchy.order(node).nodes[1:]:
            if base in self._registered and self.is_draft(base):
                return {
                    a: f"it inherits from {base.name}, a draft for {a}: {why}" for a, why in self.serves(base).items()
                }
        return {}

    def _shown(self, node: ClassNode) -> dict[str, tuple[str, ...]]:
        """The algorithms whose own members a draft brings, and which.

        What it shares with targets says nothing. Where the signs of two algorithms come from different classes, the one
        that is nearer to the draft counts: a draft made from another algorithm's still offers what that one asks.
        """
        signs: dict[str, dict[str, int]] = {}
        for algorithm, marks in self._marks.items():
            brought = {m: distance for m in marks if (distance := self._brought(node, m)) is not None}
            if len(brought) >= _ENOUGH * len(marks):
                signs[algorithm] = brought
        kept = dict(signs)
        for one, other in ((a, b) for a in signs for b in signs if a != b):
            fewer = len(self._marks[other]) < len(self._marks[one])
            if _outdone(signs[one], signs[other], fewer=fewer):
                kept.pop(one, None)
        return {algorithm: tuple(brought) for algorithm, brought in kept.items()}

    def _brought(self, node: ClassNode, member: str) -> int | None:
        """How far up the class stands that first has a member; None where there is none, or a target has it too."""
        order = self.hierarchy.order(node).nodes
        first = max((i for i, one in enumerate(order) if self._own(one, member)), default=None)
        if first is not None:
            return None if order[first].key in self._of_targets else first
        status = self.members.status(node, member)
        provider = next((i for i, one in enumerate(order) if one.key == status.provider), None)
        return None if provider is None or order[provider].key in self._of_targets else provider

    def _own(self, node: ClassNode, member: str) -> bool:
        """Whether a class itself has a member: in its body, or set on self by one of its methods."""
        if member in self.hierarchy.own(node):
            return True
        return member in self.composition.evaluator.binds_in(node)

    @cached_property
    def _of_targets(self) -> set[str]:
        """The classes that a registered class is made of which is no draft."""
        return {one.key for node in self.models if not self.is_draft(node) for one in self.hierarchy.order(node).nodes}

    def _called(self, node: ClassNode, algorithms: Iterable[str]) -> dict[str, str]:
        """Which of several algorithms a class is called after, by the longest of their names in its own."""
        words = {a: [a, *(alias for alias, to in self.contract.aliases.items() if to == a)] for a in algorithms}
        name = _plain(node.name)
        hits = {a: word for a, names in words.items() for word in names if _plain(word) in name}
        longest = max((len(word) for word in hits.values()), default=0)
        return {a: word for a, word in hits.items() if len(word) == longest}

    @cached_property
    def drafting(self) -> tuple[str, ...]:
        """The algorithms whose worker loads a draft and hands it something of the target's."""
        return drafting(self.contract)

    def _plainest(self, node: ClassNode) -> Reasons:
        """For a draft that shows no sign: the algorithms that ask their drafts for the fewest members of their own."""
        if not (self.reads_handed_over(node) or node.name in self.statements.rewrites):
            return {}
        limited = {a for a, names in self.statements.answers.items() if names}
        demands = {a: self._demanded(a) for a in self.drafting if a not in limited}
        fewest = min(demands.values(), default=0)
        found = [algorithm for algorithm, number in demands.items() if number == fewest]
        why = "it reads what the target hands over, and offers nothing that another algorithm asks its drafts for"
        return dict.fromkeys(found, why) if len(found) == 1 else {}

    def _demanded(self, algorithm: str) -> int:
        insisted = {
            r.member
            for r in self.contract.requirements
            if r.role == "draft" and algorithm in r.algorithms and r.strength in ("required", "raises")
        }
        return len(insisted & set(self._marks.get(algorithm, ())))


def _outdone(one: dict[str, int], other: dict[str, int], *, fewer: bool) -> bool:
    """Whether the signs of one algorithm are but what the draft of another one has as well.

    `fewer`: the other has fewer members of its own, so the same signs say more of it.
    """
    alone, others = set(one) - set(other), set(other) - set(one)
    if not alone:
        return bool(others) or fewer
    return bool(others) and min(other[m] for m in others) < min(one[m] for m in alone)


def _became(rewrite: Rewrite, most: int = 3) -> str:
    if not rewrite.before:
        return "the configuration makes one of it out of a target's checkpoint"
    more = len(rewrite.before) - most
    others = f" and {more} more" if more > 0 else ""
    return f"the configuration puts it in the place of {', '.join(rewrite.before[:most])}{others}"


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _some(members: tuple[str, ...], most: int = 3) -> str:
    shown = ", ".join(members[:most])
    return f"{shown} and {len(members) - most} more that only drafts are asked for" if len(members) > most else shown


def _reads(method: FunctionNode, path: tuple[str, ...]) -> bool:
    return any(
        one.name == path[-1] and isinstance(one.base, facts.Attribute) and one.base.name == path[-2]
        for one in method.attributes
    )
