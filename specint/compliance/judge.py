"""Every registered model against the contract."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import msgspec

from specint.compliance.members import Members, wrap_of
from specint.compliance.model import MemberStatus, ModelCompliance, Verdict, Wrap
from specint.compliance.serving import Reasons, Serving
from specint.compliance.statements import Statements
from specint.compliance.verdicts import HARD, as_draft, insists, not_applicable, of_draft, of_target, unread, verdict_of
from specint.contract.declared import Declared
from specint.contract.model import Contract
from specint.errors import Diagnostic
from specint.facts import model as facts
from specint.graph.composition import Composition
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, Project
from specint.graph.value import ConstantValue

__all__ = ["HARD", "Judge", "Wrapped", "insists", "lost_way"]

_RUNS = "forward"
_BODIES = 2
"""So many bodies, one in another, are opened for the model that they hold."""


@dataclass(frozen=True)
class Wrapped:
    """One attribute of a model that holds a model: each class it can be, with the condition under which, and the first
    line that gives it one. "inner.llm" is the `llm` of what `inner` holds, which is no model itself."""

    attribute: str
    candidates: list[tuple[ClassNode, str]]
    file: str
    line: int


def members_of(composition: Composition, declared: Declared) -> Members:
    """What answers about members of models; it knows what is so in every server that has a worker, and no contract."""
    without = (option for one in declared.without_worker for option in one.options)
    ordinary = declared.stages.alone | dict.fromkeys(without, False)
    return Members(composition.project, composition.hierarchy, composition, ordinary=ordinary)


def look_ahead(members: Members, models: Iterable[ClassNode], names: Iterable[str], late: Callable[[], bool]) -> None:
    """Ask of models, and of what they hold, what a judge will ask once there is a contract, and until it is there.

    Args:
        names: the members that the contract will speak of.
        late: says whether it is there.
    """
    names = tuple(names)
    for node in sorted(models, key=lambda n: (n.file, n.facts.line)):
        if late():
            return
        with suppress(RecursionError):  # whoever asks for it says so
            held = dict.fromkeys(_held(members.composition, node))
            for one in (node, *held):
                for name in names:
                    members.status(one, name)
            for body in held:
                if members.hierarchy.lookup(body, _RUNS) is not None:
                    tuple(_held(members.composition, body))
            for one in members.hierarchy.order(node).nodes:
                for method in members.project.methods_of(one):
                    _ = method.attributes


def _held(composition: Composition, node: ClassNode) -> Iterator[ClassNode]:
    """The classes of what an object has in its attributes once it is constructed."""
    for given in composition.assignments(node).values():
        yield from (part for one in given if not one.late for part in one.classes)


class Judge:
    """Judges models; what it is asked first about one class it needs for others too."""

    def __init__(
        self,
        members: Members,
        contract: Contract,
        declared: Declared,
        models: tuple[ClassNode, ...],
        statements: Statements,
    ) -> None:
        self.members = members
        self.project: Project = members.project
        self.hierarchy: Hierarchy = members.hierarchy
        self.composition: Composition = members.composition
        self.contract = contract
        self.declared = declared
        self.models = models
        self.statements = statements
        self.serving = Serving(
            self.project,
            self.hierarchy,
            self.composition,
            members,
            contract,
            statements,
            models,
            declared.draft.handed_over,
        )
        self._registered = set(models)
        self._names = tuple(dict.fromkeys(r.member for r in contract.requirements))
        self._wraps: dict[str, tuple[Wrapped, ...]] = {}
        self._demands = {algorithm: of_target(contract, algorithm) for algorithm in contract.algorithms}
        self._insisted = {
            algorithm: tuple(r for r in contract.requirements if insists(r, algorithm))
            for algorithm in contract.algorithms
        }
        self._shown: dict[str, tuple[Wrap, ...]] = {}
        self._are_models: dict[ClassNode, bool] = {}
        self.lost: list[Diagnostic] = []

    def judge(self, only: Collection[str] = ()) -> tuple[ModelCompliance, ...]:
        """Every registered model, or those of some dotted names, in the order of files and lines; `lost` are those that
        lead on without end."""
        found = []
        for node in sorted(self.models, key=lambda n: (n.file, n.facts.line)):
            if only and node.key not in only:
                continue
            try:
                found.append(self._model(node))
            except RecursionError:
                self.lost.append(lost_way(node))
        return tuple(found)

    def _model(self, node: ClassNode) -> ModelCompliance:
        members = {name: self._member(node, name) for name in self._names}
        draft = self.is_draft(node)
        drafts_for = self.serving.serves(node) if draft else {}
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
            algorithms=self._verdicts(node, members, drafts_for),
            drafts_for=drafts_for,
            title=node.module.title,
            made_from=self.statements.rewrites[node.name].before if node.name in self.statements.rewrites else (),
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
        return tuple(self._held_models(node) or self._models_within(node, _BODIES))

    def _models_within(self, node: ClassNode, bodies: int) -> list[Wrapped]:
        """The models that a class's body holds, where the class itself holds none: its forward must run the body."""
        return [
            Wrapped(f"{attribute}.{wrapped.attribute}", wrapped.candidates, wrapped.file, wrapped.line)
            for attribute, assignments in self.composition.assignments(node).items()
            for body in dict.fromkeys(body for one in assignments if not one.late for body in one.classes)
            if body is not node and self._runs(node, attribute) and self.hierarchy.lookup(body, _RUNS) is not None
            for wrapped in self._held_models(body) or (self._models_within(body, bodies - 1) if bodies > 1 else ())
            if self._runs(body, wrapped.attribute.partition(".")[0])
        ]

    def _held_models(self, node: ClassNode) -> list[Wrapped]:
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
        return found

    def is_model(self, node: ClassNode) -> bool:
        """Whether a class is one: registered, an heir of one that is, or one that some algorithm could take."""
        if node not in self._are_models:
            registered = any(one in self._registered for one in (node, *self.hierarchy.order(node).nodes))
            self._are_models[node] = registered or any(
                asked and all(self._offers_one(node, group) for group in asked) for asked in self._asked_groups
            )
        return self._are_models[node]

    @cached_property
    def _asked_groups(self) -> tuple[frozenset[str], ...]:
        """What each algorithm insists on: a class that offers one of each is one that it could take."""
        return tuple(frozenset(r.group or r.member for r in one) for one in self._insisted.values())

    def _offers_one(self, node: ClassNode, group: str) -> bool:
        return any(self.members.status(node, member).status == "present" for member in group.split("|"))

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
        for one in self.wraps(node):
            if "." in one.attribute:
                classes = tuple(candidate.key for candidate, _ in one.candidates)
                shown.append(Wrap(attribute=one.attribute, classes=classes))
        return tuple(shown)

    def _runs(self, node: ClassNode, attribute: str) -> bool:
        """Whether the class's forward mentions an attribute: then what it holds matters."""
        member = self.hierarchy.lookup(node, _RUNS)
        if member is None or member.function is None:
            return False
        return any(one.name == attribute for one in member.function.attributes)

    # -- members ---------------------------------------------------------------------------------------------------

    def _member(self, node: ClassNode, name: str) -> MemberStatus:
        status = self.members.status(node, name)
        if status.status == "present" or "." in name:  # a part of the model is its own, whatever it wraps
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

    # -- verdicts --------------------------------------------------------------------------------------------------

    def is_draft(self, node: ClassNode) -> bool:
        """Whether a class serves as a draft only."""
        return self.serving.is_draft(node)

    def _verdicts(self, node: ClassNode, members: dict[str, MemberStatus], drafts_for: Reasons) -> dict[str, Verdict]:
        """A model under each algorithm; of one whose worker was not found, nothing is said to be ok."""
        given = self._as_asked(node, members, drafts_for)
        return {
            a: unread(verdict, why.reason if (why := self.contract.unread.get(a)) is not None else None)
            for a, verdict in given.items()
        }

    def _as_asked(self, node: ClassNode, members: dict[str, MemberStatus], drafts_for: Reasons) -> dict[str, Verdict]:
        """A model under each algorithm: as the draft that it is, else as a target."""
        algorithms = self.contract.algorithms
        reason = self._serves_none(node)
        if reason is not None:
            return dict.fromkeys(algorithms, not_applicable(reason))
        if self.is_draft(node):
            demands = {a: of_draft(self.contract, a, lambda name: self.flag(node, name)) for a in drafts_for}
            return {a: as_draft(a, drafts_for, demands, members, self.serving.drafting) for a in algorithms}
        doubt = self._may_be_none(node)
        if doubt is not None:
            return dict.fromkeys(algorithms, Verdict(verdict="unknown", reason=doubt))
        limits = {a: self._limit(node, a) for a in algorithms}
        return {
            a: verdict_of(self._demands[a], members) if limit is None else not_applicable(limit)
            for a, limit in limits.items()
        }

    def flag(self, node: ClassNode, name: str) -> bool | None:
        """What a member is where it is asked as a flag: False where there is none, None where its value is open."""
        status = self.members.status(node, name)
        if status.status != "present":
            return False if status.status == "missing" else None
        given = self.composition.assigned(node, name)
        if given:
            constants = {one for each in given for one in each.values}
        else:
            member = self.hierarchy.lookup(node, name)
            if member is None or not isinstance(member.value, facts.Constant):
                return None
            constants = {ConstantValue(member.value.value)}
        truths = {bool(one.value) if isinstance(one, ConstantValue) else None for one in constants}
        return truths.pop() if len(truths) == 1 else None

    def _serves_none(self, node: ClassNode) -> str | None:
        """Why no algorithm can serve a class at all, or why nothing is to be said of it."""
        if not self.contract.requirements:
            return "nothing is asked of models under the interfaces that were named"
        silent = self.statements.silent.get(node.name)
        if silent is not None:
            return f"it generates nothing: SGLang runs it for embeddings or scores ({silent})"
        if self.members.status(node, _RUNS).status == "missing" and not self.wraps(node):
            return f"it is no model: neither it nor a base of it has a {_RUNS}"
        return None

    def _may_be_none(self, node: ClassNode) -> str | None:
        """Why it can't be known that a class is a model."""
        if self.members.status(node, _RUNS).status != "unknown" or self.wraps(node):
            return None
        unknown = ", ".join(one.name for one in self.hierarchy.unknown_bases(node))
        return (
            f"whether it is a model can't be known: it inherits from {unknown}, outside of the tree"
            if unknown
            else None
        )

    # -- the limits of an algorithm --------------------------------------------------------------------------------

    def _limit(self, node: ClassNode, algorithm: str) -> str | None:
        """Why an algorithm never meets a target: the tree chooses it for drafts of another family only."""
        drafts = self._only_drafts.get(algorithm)
        if drafts is None or self._family(node) & {key for draft in drafts for key in self._own_family(draft)}:
            return None
        names = self.statements.answers[algorithm]
        place = names[drafts[0].name]
        return f"{algorithm} runs only with {' or '.join(one.name for one in drafts)} as its draft ({place})"

    @cached_property
    def _only_drafts(self) -> dict[str, tuple[ClassNode, ...]]:
        """The algorithms that the tree chooses by itself for some drafts alone, and those drafts."""
        found = {}
        for algorithm, names in self.statements.answers.items():
            drafts = tuple(node for node in self.models if node.name in names and self.is_draft(node))
            if drafts:
                found[algorithm] = drafts
        return found

    def _own_family(self, draft: ClassNode) -> frozenset[str]:
        """A draft's family without what others lend it: classes of the modules that it and its bases are in."""
        modules = {one.module.name for one in self.hierarchy.order(draft).nodes}
        return frozenset(key for key in self._family(draft) if key.rpartition(".")[0] in modules)

    def _family(self, node: ClassNode) -> frozenset[str]:
        """The model classes that a class is made of: those it inherits from and those that it or they hold."""
        package = f"{self.project.package}.{self.declared.code.models}."
        bases = [one for one in self.hierarchy.order(node).nodes if not self.is_draft(one)]
        held = {
            above
            for one in bases
            for assignments in self.composition.assignments(one).values()
            for each in assignments
            for inner in each.classes
            for above in self.hierarchy.order(inner).nodes
        }
        return frozenset(one.key for one in {*bases, *held} if one.key.startswith(package))


def lost_way(node: ClassNode) -> Diagnostic:
    """What is said of a class whose calls, bases or imports lead on for longer than can be followed."""
    return Diagnostic(
        file=node.file,
        line=node.facts.line,
        column=node.facts.column,
        what=f"{node.name} was not judged: its chain of calls, bases or imports is longer than specint follows",
        hint="shorten the chain of calls, bases or imports",
    )


def _unknown(wrap: Wrap) -> str:
    return f"{wrap.attribute} can't be followed: {wrap.reason}"
