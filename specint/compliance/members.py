"""Whether one class offers one member: through its hierarchy, its attributes, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from specint.compliance.model import Inner, MemberStatus, Status, Wrap
from specint.facts import model as facts
from specint.facts.conditions import excludes
from specint.facts.known import Known
from specint.graph.attributes import Attributes
from specint.graph.composition import Assignment, Composition, unfollowed
from specint.graph.dataflow import DataFlow
from specint.graph.hierarchy import Hierarchy, Member, external_classes
from specint.graph.opening import Opening, opening, replaces
from specint.graph.project import ClassNode, Project
from specint.graph.value import ExternalValue

Made = TypeVar("Made")


class Members:
    """Answers about members of model classes, memoised.

    Args:
        written: attributes that code outside of the models puts on them.
        ordinary: what some names say in a server that runs the whole model in one stage.
    """

    def __init__(
        self,
        project: Project,
        hierarchy: Hierarchy,
        composition: Composition,
        written: frozenset[str] = frozenset(),
        ordinary: Known | None = None,
    ) -> None:
        self._written = written
        self._ordinary = ordinary or {}
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self._own: dict[tuple[str, str], MemberStatus] = {}
        self._parts: dict[tuple[str, tuple[str, ...]], list[ClassNode]] = {}
        self._asking: set[tuple[str, str]] = set()
        self._beside: dict[Callable[[Members], Any], Any] = {}

    def beside(self, make: Callable[[Members], Made]) -> Made:
        """What a room below works out from these members, made once.

        It goes when they go. A table of weak keys wouldn't let go of them: what is in it refers to its own key.
        """
        if make not in self._beside:
            self._beside[make] = make(self)
        made: Made = self._beside[make]
        return made

    def status(self, node: ClassNode, member: str) -> MemberStatus:
        """What the class itself has, its inner models left aside."""
        key = (node.key, member)
        if key not in self._own:
            self._own[key] = self._status(node, member)
        return self._own[key]

    def _status(self, node: ClassNode, member: str) -> MemberStatus:
        path, _, last = member.rpartition(".")
        return self._inside(node, path.split("."), last) if path else self._of_itself(node, member)

    def _inside(self, node: ClassNode, path: list[str], member: str) -> MemberStatus:
        """What the parts at the end of a path have: missing only where each of them certainly lacks the member."""
        first = self.status(node, path[0])
        if first.status == "missing" and path[0].isidentifier():
            return MemberStatus(status="missing", reason=f"it has no {path[0]}")
        where = ".".join(path)
        if not all(map(str.isidentifier, path)):
            return MemberStatus(status="unknown", reason=f"what {where} is can't be followed")
        parts = self.parts(node, path)
        statuses = [*(self.status(one, member) for one in parts), *self._outside(node, path, member)]
        if not statuses:
            before = self._inside(node, path[:-1], path[-1]) if len(path) > 1 else None
            if before is not None and before.status == "missing":
                return before
            return MemberStatus(status="unknown", reason=f"what {where} is can't be followed")
        if all(one.status == "present" for one in statuses):
            doubt = self._doubt(node, path)
            return statuses[0] if doubt is None else MemberStatus(status="unknown", reason=doubt)
        if any(one.status != "missing" for one in statuses) or any(map(self.attributes.is_open, parts)):
            return MemberStatus(
                status="unknown", reason=f"not every object that {where} can be has {member} for certain"
            )
        names = " or ".join(sorted({part.name for part in parts}) or ["a class outside of the tree"])
        return MemberStatus(status="missing", reason=f"its {where} is of {names}, which has no {member}")

    def _doubt(self, node: ClassNode, path: list[str]) -> str | None:
        """Why an object may not stand at the end of a path although one can: on the way there something may be None,
        not be set, or be of a class that has no such part."""
        nodes = [node]
        for number, attribute in enumerate(path):
            way = ".".join(path[: number + 1])
            for one in nodes:
                arms = self.attributes.arms(one, attribute)
                if not self.attributes.lasting(one, attribute) and self.hierarchy.lookup(one, attribute) is None:
                    lacks = "of whose" if arms else "which has no"
                    rest = " nothing is known" if arms else ""
                    return f"{'.'.join(path[:number]) or 'it'} can be a {one.name}, {lacks} {attribute}{rest}"
                lost = next((arm for arm in arms if arm.kind in ("none", "unset") and arm.condition), None)
                if lost is not None and not excludes(lost.condition, self._ordinary):
                    word = "None" if lost.kind == "none" else "not set"
                    return f"{way} is {word} where {lost.condition} ({lost.file}:{lost.line})"
            nodes = self.parts(node, path[: number + 1])
        return None

    @cached_property
    def attributes(self) -> Attributes:
        """What attributes of parts are once their constructors have run."""
        return Attributes(self.project, self.hierarchy, self.composition)

    def _of_itself(self, node: ClassNode, member: str) -> MemberStatus:
        defined = self.hierarchy.lookup(node, member)
        fails = self._failing(node, defined) if defined is not None else None
        if defined is not None and not _is_none(defined) and fails is None:
            return self._defined(node, defined)
        assignments = self.composition.assigned(node, member)
        happening = {one: self._happens(node, one, member) for one in assignments}
        if given := [one for one, answer in happening.items() if answer == "present"]:
            return self._assigned(given)
        if undecided := [one for one, answer in happening.items() if answer == "unknown"]:
            how = f"set where {undecided[0].condition}, of which nothing is known"
            return MemberStatus(status="unknown", reason=how)
        external = self.hierarchy.external_provider(node, member)
        if external is not None:
            return MemberStatus(status="present", provider=external.name, way="inherited")
        if defined is not None and fails is None:
            return self._defined(node, defined)
        order = self.hierarchy.order(node)
        if order.problem:
            return MemberStatus(status="unknown", reason=order.problem)
        other = replaces(self.hierarchy, node)
        if other is not None:
            how = f"{other.owner.name}.__new__ may make an object of another class ({other.owner.file}:{other.line})"
            return MemberStatus(status="unknown", reason=how)
        unknown = self.hierarchy.unknown_bases(node)
        if unknown:
            names = ", ".join(base.name for base in unknown)
            return MemberStatus(status="unknown", reason=f"it inherits from {names}, outside of the tree")
        answers = opening(self.hierarchy, node, member)
        # what a property raises is asked of `__getattr__` too
        return self._answered(node, member, answers) if answers is not None else fails or MemberStatus(status="missing")

    def _happens(self, node: ClassNode, one: Assignment, member: str) -> Status:
        """Whether the tests of `hasattr(self.part, name)` on the way to an assignment hold: "missing" where one never
        does. Other tests are up to a configuration, and count as holding."""
        key = (node.key, member)
        words: set[str] = set()
        for guard in one.function.facts.body.guards_of(one.step.guard):
            match guard.test:
                case facts.Call(
                    func=facts.Name(id="hasattr"),
                    args=(facts.Attribute(base=facts.Name(id=own), name=part), facts.Constant(value=str(name))),
                ) if own == one.function.receiver and guard.kind in ("if", "after") and part != member:
                    if key in self._asking:
                        return "unknown"
                    if len(self.composition.assigned(node, part)) > 1:
                        words.add("unknown")  # what it held when it was looked at
                        continue
                    self._asking.add(key)
                    try:
                        word = self._inside(node, [part], name).status
                    finally:
                        self._asking.discard(key)
                    negated = {"present": "missing", "missing": "present", "unknown": "unknown"}
                    words.add(word if guard.positive else negated[word])
                case _:
                    pass
        return "missing" if "missing" in words else "unknown" if "unknown" in words else "present"

    def _answered(self, node: ClassNode, member: str, answers: Opening) -> MemberStatus:
        """What a method gives that answers for names a class doesn't know: what the objects have that it asks."""
        method = answers.member
        who = f"{method.owner.name}.{method.name}"
        how = f"{method.owner.name} forwards what it doesn't know by {method.name} ({answers.place})"
        unknown = MemberStatus(status="unknown", reason=how)
        if not answers.is_plain or (node.key, member) in self._asking:
            return unknown
        self._asking.add((node.key, member))
        try:
            asked = [self._along(node, path, member) for path in answers.paths]
        finally:
            self._asking.discard((node.key, member))
        path = " or ".join(f"self.{'.'.join(path)}" for path in answers.paths)
        for statuses in asked:
            if statuses and all(one.status == "present" for one in statuses):
                how = f"{who} hands it on to {path} ({answers.place})"
                return msgspec.structs.replace(statuses[0], way="forwarded", reason=how)
        if not path:
            return MemberStatus(status="missing")
        if all(asked) and all(one.status == "missing" for statuses in asked for one in statuses):
            how = f"{who} hands it on to {path}, which lacks it too ({answers.place})"
            return MemberStatus(status="missing", reason=how)
        return unknown

    def _along(self, node: ClassNode, path: tuple[str, ...], member: str) -> list[MemberStatus]:
        """What each object that stands at the end of a path says about a member; none where one can't be followed."""
        return [*(self.status(one, member) for one in self.parts(node, path)), *self._outside(node, path, member)]

    def _outside(self, node: ClassNode, path: Sequence[str], member: str) -> list[MemberStatus]:
        """What is declared of the classes outside of the tree whose objects can stand at the end of a path."""
        holders = self.parts(node, path[:-1]) if len(path) > 1 else [node]
        held = [one for holder in holders for one in self.attributes.lasting(holder, path[-1])]
        found = []
        for value in sorted({v for one in held for v in one.values if isinstance(v, ExternalValue)}, key=str):
            declared = external_classes().get(value.name) if value.called else None
            if declared is not None and member in declared.members:
                found.append(MemberStatus(status="present", provider=value.name, way="inherited"))
            elif declared is not None and declared.complete:
                found.append(MemberStatus(status="missing"))
            else:
                how = f"what {value.name} has isn't known"
                found.append(MemberStatus(status="unknown", reason=how))
        return found

    def parts(self, node: ClassNode, path: Iterable[str]) -> list[ClassNode]:
        """The classes of the objects that can stand at the end of a path; none where one can't be followed."""
        key = (node.key, tuple(path))
        if key not in self._parts:
            self._parts[key] = self._find_parts(node, key[1])
        return self._parts[key]

    def _find_parts(self, node: ClassNode, path: tuple[str, ...]) -> list[ClassNode]:
        nodes = [node]
        for attribute in path:
            held: dict[ClassNode, None] = {}
            for one in nodes:
                assignments = self.attributes.lasting(one, attribute)
                if any(unfollowed(each.values) is not None for each in assignments):
                    return []
                held.update((part, None) for each in assignments for part in each.classes)
            nodes = list(held)
        return nodes

    def _failing(self, node: ClassNode, member: Member) -> MemberStatus | None:
        """That a property is none for its reader, since reading it fails; None where it doesn't, or may not."""
        if member.kind != "property" or member.function is None:
            return None
        if _always_raises(member):
            return MemberStatus(status="missing", reason=f"its property always raises ({member.file}:{member.line})")
        lost = next((one for one in self._flow.breaks(node, member.function) if one.always), None)
        if lost is None:
            return self._guessed(node, member)
        what = f"its property reads {lost.chain}, and there is no {lost.name}"
        return MemberStatus(status="missing", reason=f"{what} ({lost.function.module.path}:{lost.line})")

    def _guessed(self, node: ClassNode, member: Member) -> MemberStatus | None:
        """That nothing is known of a property, as it reads what the object may have by a method that answers for any
        name; None where it reads nothing of the kind."""
        key = (node.key, member.name)
        assert member.function is not None
        if key in self._asking or opening(self.hierarchy, node, member.name) is None:
            return None
        own = facts.Name(member.function.receiver or "")
        self._asking.add(key)
        try:
            for read in member.function.attributes:
                if read.base == own and self.status(node, read.name).status != "present":
                    how = f"its property reads {read.name}, of which nothing is known ({member.file}:{read.line})"
                    return MemberStatus(status="unknown", reason=how)
        finally:
            self._asking.discard(key)
        return None

    @cached_property
    def _flow(self) -> DataFlow:
        return DataFlow(self.attributes, self._written)

    def _defined(self, node: ClassNode, member: Member) -> MemberStatus:
        if member.kind == "property":
            way = "property"
        elif member.function is not None and member.function.module is not member.owner.module:
            way = "assigned"
        elif member.owner is node:
            way = "own"
        else:
            way = "inherited"
        reason = "defined under a condition" if member.conditional else None
        return MemberStatus(
            status="present",
            provider=member.owner.key,
            way=way,  # type: ignore[arg-type]
            file=member.file,
            line=member.line,
            reason=reason,
        )

    @staticmethod
    def _assigned(assignments: list[Assignment]) -> MemberStatus:
        given = [one for one in assignments if not one.is_none] or assignments
        first = next((one for one in given if not one.condition), given[0])
        reason = None
        if first.is_none:
            reason = "it is only ever set to None"
        elif first.late and len(given) < len(assignments):
            reason = f"None until {first.function.name} sets it"
        elif first.late:
            reason = f"set in {first.function.name}, not by the constructor"
        elif first.condition and not any(not one.condition for one in assignments):
            reason = f"set where {first.condition}"
        return MemberStatus(
            status="present",
            provider=first.owner.key,
            way="attribute",
            file=first.owner.file,
            line=first.line,
            reason=reason,
        )

    def inner(self, attribute: str, candidates: list[tuple[ClassNode, str]], member: str) -> tuple[Inner, ...]:
        """What each class that an attribute can hold says about a member."""
        found = []
        for candidate, condition in candidates:
            status = self.status(candidate, member)
            found.append(
                Inner(
                    attribute=attribute,
                    holder=candidate.key,
                    status=status.status,
                    provider=status.provider,
                    file=status.file,
                    line=status.line,
                    condition=condition,
                )
            )
        return tuple(found)


def _is_none(member: Member) -> bool:
    return member.kind == "attribute" and member.value == facts.Constant(None)


def _always_raises(member: Member) -> bool:
    assert member.function is not None
    steps = [s for s in member.function.facts.body.steps if isinstance(s, (facts.Return, facts.Raise))]
    return bool(steps) and all(isinstance(s, facts.Raise) and s.guard == -1 for s in steps)


def wrap_of(attribute: str, assignments: list[Assignment]) -> Wrap | None:
    """What an attribute holds, None where it is no object of the tree and nothing unknown."""
    classes = {node.key: None for one in assignments if not one.late for node in one.classes}
    reason = next((r for one in assignments if not one.late and (r := unfollowed(one.values)) is not None), None)
    if not classes and reason is None:
        return None
    return Wrap(attribute=attribute, classes=tuple(classes), reason=reason)
