"""Every registered model against the contract."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from specint.compliance.members import Members, wrap_of
from specint.compliance.model import MemberStatus, ModelCompliance, Verdict, Wrap
from specint.compliance.registry import Drafts, reads_handed_over
from specint.contract.declared import Declared
from specint.contract.model import Contract, Requirement
from specint.errors import Diagnostic
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, Project

HARD = ("required", "raises", "any-of")
"""The strengths without which the caller fails."""

_FEW = 3
_COMMON = 0.05
"""A member that more of the registered classes offer than this says nothing about whether a class drafts."""
_TELLING = 2
"""So many members that only drafts are asked for make a class a draft."""


def insists(requirement: Requirement, algorithm: str) -> bool:
    """Whether an algorithm fails on a target without what a requirement names, whatever the server's settings."""
    return (
        requirement.role == "target"
        and algorithm in requirement.algorithms
        and requirement.strength in HARD
        and not requirement.settings
        and requirement.condition is None
    )


@dataclass(frozen=True)
class Wrapped:
    """One attribute of a model that holds a model: each class it can be, with the condition under which, and the first
    line that gives it one."""

    attribute: str
    candidates: list[tuple[ClassNode, str]]
    file: str
    line: int


class Judge:
    """Judges models; what it is asked first about one class it needs for others too."""

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        composition: Composition,
        contract: Contract,
        declared: Declared,
        models: tuple[ClassNode, ...],
        drafts: Drafts,
    ) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self.members = Members(project, hierarchy, composition)
        self.contract = contract
        self.declared = declared
        self.models = models
        self.drafts = drafts
        self._registered = set(models)
        self._names = tuple(dict.fromkeys(r.member for r in contract.requirements))
        self._wraps: dict[str, tuple[Wrapped, ...]] = {}
        self._insisted = {
            algorithm: tuple(r for r in contract.requirements if insists(r, algorithm))
            for algorithm in contract.algorithms
        }
        self._telling: dict[str, bool] = {}
        self._shown: dict[str, tuple[Wrap, ...]] = {}
        self._is_draft: dict[str, bool] = {}
        self.lost: list[Diagnostic] = []
        self._draft_members = self._telling_members()

    def judge(self) -> tuple[ModelCompliance, ...]:
        """Every registered model, in the order of files and lines; `lost` are those that lead on without end."""
        found = []
        for node in sorted(self.models, key=lambda n: (n.file, n.facts.line)):
            try:
                found.append(self._model(node))
            except RecursionError:
                self.lost.append(lost_way(node))
        return tuple(found)

    def _model(self, node: ClassNode) -> ModelCompliance:
        members = {name: self._member(node, name) for name in self._names}
        draft = self.is_draft(node)
        return ModelCompliance(
            class_=node.key,
            name=node.name,
            file=node.file,
            line=node.facts.line,
            column=node.facts.column,
            roles=("draft",) if draft else ("target",),
            mro=tuple(getattr(one, "key", None) or one.name for one in self.hierarchy.order(node).classes),
            wraps=self._shown_wraps(node),
            members=members,
            algorithms={a: self.verdict(members, a, draft) for a in self.contract.algorithms},
        )

    # -- composition -----------------------------------------------------------------------------------------------

    def wraps(self, node: ClassNode) -> tuple[Wrapped, ...]:
        """The attributes that hold a model: a registered class, an heir of one, or one that meets some algorithm."""
        if node.key not in self._wraps:
            self._wraps[node.key] = ()  # a model that holds one of its own kind
            try:
                self._wraps[node.key] = self._find_wraps(node)
            except RecursionError:
                del self._wraps[node.key]
                raise
        return self._wraps[node.key]

    def _find_wraps(self, node: ClassNode) -> tuple[Wrapped, ...]:
        found = []
        for attribute, assignments in self.composition.assignments(node).items():
            candidates = {
                candidate: one.condition
                for one in assignments
                if not one.late
                for candidate in one.classes
                if candidate is not node and self.is_model(candidate)
            }
            if candidates:
                first = next(one for one in assignments if not candidates.keys().isdisjoint(one.classes))
                found.append(Wrapped(attribute, list(candidates.items()), first.file, first.line))
        return tuple(found)

    def is_model(self, node: ClassNode) -> bool:
        """Whether a class is one: registered, an heir of one that is, or one that some algorithm could take."""
        if node in self._registered or any(one in self._registered for one in self.hierarchy.order(node).nodes):
            return True
        for requirements in self._insisted.values():
            asked = [r.member for r in requirements if r.strength != "any-of"]
            if asked and all(self.members.status(node, member).status == "present" for member in asked):
                return True
        return False

    def _shown_wraps(self, node: ClassNode) -> tuple[Wrap, ...]:
        if node.key not in self._shown:
            self._shown[node.key] = self._to_show(node)
        return self._shown[node.key]

    def _to_show(self, node: ClassNode) -> tuple[Wrap, ...]:
        models = {one.attribute for one in self.wraps(node)}
        shown = []
        for attribute, assignments in self.composition.assignments(node).items():
            wrap = wrap_of(attribute, assignments)
            if wrap is not None and (attribute in models or (wrap.reason is not None and self._runs(node, attribute))):
                shown.append(wrap)
        return tuple(shown)

    def _runs(self, node: ClassNode, attribute: str) -> bool:
        """Whether the class's forward mentions an attribute: then what it holds matters."""
        member = self.hierarchy.lookup(node, "forward")
        if member is None or member.function is None:
            return False
        return any(one.name == attribute for one in member.function.attributes)

    # -- members ---------------------------------------------------------------------------------------------------

    def _member(self, node: ClassNode, name: str) -> MemberStatus:
        status = self.members.status(node, name)
        if status.status == "present":
            return status
        best: MemberStatus | None = None
        for wrapped in self.wraps(node):
            inners = self.members.inner(wrapped.attribute, wrapped.candidates, name)
            words = {one.status for one in inners}
            inner_status = words.pop() if len(words) == 1 else "present" if "present" in words else "unknown"
            found = msgspec.structs.replace(status, inner=wrapped.attribute, inner_status=inner_status, inners=inners)
            if best is None or (inner_status == "present" and best.inner_status != "present"):
                best = found
        if best is not None:
            return best
        for wrap in self._shown_wraps(node):
            if wrap.reason is not None:
                return msgspec.structs.replace(
                    status, inner=wrap.attribute, inner_status="unknown", reason=status.reason or _unknown(wrap)
                )
        return status

    # -- roles -----------------------------------------------------------------------------------------------------

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
        if node.name in self.drafts.architectures:
            return True
        bases = self.hierarchy.order(node).nodes[1:]
        if any(base in self._registered and self.is_draft(base) for base in bases):
            return True
        path = self.declared.draft.handed_over
        if reads_handed_over(node, self.hierarchy, self.composition, self.project, path):
            return True
        return any(
            sum(self.members.status(node, member).status == "present" for member in members) >= _TELLING
            for members in self._draft_members
        )

    def _telling_members(self) -> list[tuple[str, ...]]:
        """Per algorithm, the members that only its drafts are asked for and that few classes offer."""
        asked_of_targets = {r.member for r in self.contract.requirements if r.role != "draft"}
        found = []
        for algorithm in self.contract.algorithms:
            asked = {
                r.member
                for r in self.contract.requirements
                if r.role == "draft" and algorithm in r.algorithms and r.member not in asked_of_targets
            }
            rare = tuple(sorted(member for member in asked if self.is_telling(member)))
            if rare:
                found.append(rare)
        return found

    def is_telling(self, member: str) -> bool:
        """Whether so few registered classes offer a member that offering it says what a class is for."""
        if member not in self._telling:
            having = sum(self.hierarchy.lookup(node, member) is not None for node in self.models)
            inherited = any(self.hierarchy.external_provider(node, member) for node in self.models)
            self._telling[member] = not inherited and having <= max(_FEW, _COMMON * len(self.models))
        return self._telling[member]

    # -- verdicts --------------------------------------------------------------------------------------------------

    def verdict(self, members: dict[str, MemberStatus], algorithm: str, draft: bool) -> Verdict:
        """One model under one algorithm, as a target."""
        if draft:
            return Verdict(verdict="not applicable", reason="it serves as a draft")
        missing: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for requirement in self._insisted.get(algorithm, ()):
            label = requirement.group or requirement.member
            statuses = [members[m].status for m in label.split("|") if m in members]
            if "present" in statuses:
                continue
            if "unknown" in statuses:
                unknown[label] = None
            else:
                missing[label] = None
        word = "missing" if missing else "unknown" if unknown else "ok"
        return Verdict(verdict=word, missing=tuple(missing), unknown=tuple(unknown))  # type: ignore[arg-type]


def lost_way(node: ClassNode) -> Diagnostic:
    """What is said of a class whose calls, bases or imports lead on for longer than can be followed."""
    return Diagnostic(
        file=node.file,
        line=node.facts.line,
        column=node.facts.column,
        what=f"{node.name} leads on for too long to be followed, and was not judged",
        hint="shorten the chain of calls, bases or imports",
    )


def _unknown(wrap: Wrap) -> str:
    return f"{wrap.attribute} can't be followed: {wrap.reason}"
