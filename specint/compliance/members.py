"""Whether one class offers one member: through its hierarchy, its attributes, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from specint.compliance.model import Inner, MemberStatus, Wrap
from specint.facts import model as facts
from specint.graph.attributes import Attributes
from specint.graph.composition import Assignment, Composition, unfollowed
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.opening import Opening, opening, replaces
from specint.graph.project import ClassNode, Project


class Members:
    """Answers about members of model classes, memoised."""

    def __init__(self, project: Project, hierarchy: Hierarchy, composition: Composition) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self._own: dict[tuple[str, str], MemberStatus] = {}
        self._asking: set[tuple[str, str]] = set()

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
        statuses = [self.status(one, member) for one in parts]
        if not statuses:
            return MemberStatus(status="unknown", reason=f"what {where} is can't be followed")
        if all(one.status == "present" for one in statuses):
            return statuses[0]
        if any(
            one.status != "missing" or self.attributes.is_open(part) for one, part in zip(statuses, parts, strict=True)
        ):
            return MemberStatus(
                status="unknown", reason=f"not every object that {where} can be has {member} for certain"
            )
        names = " or ".join(sorted({part.name for part in parts}))
        return MemberStatus(status="missing", reason=f"its {where} is of {names}, which has no {member}")

    @cached_property
    def attributes(self) -> Attributes:
        """What attributes of parts are once their constructors have run."""
        return Attributes(self.project, self.hierarchy, self.composition)

    def _of_itself(self, node: ClassNode, member: str) -> MemberStatus:
        defined = self.hierarchy.lookup(node, member)
        if defined is not None and not _is_none(defined):
            return self._defined(node, defined)
        assignments = self.composition.assignments(node).get(member)
        if assignments:
            return self._assigned(assignments)
        external = self.hierarchy.external_provider(node, member)
        if external is not None:
            return MemberStatus(status="present", provider=external.name, way="inherited")
        if defined is not None:
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
        return self._answered(node, member, answers) if answers is not None else MemberStatus(status="missing")

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
        return [self.status(one, member) for one in self.parts(node, path)]

    def parts(self, node: ClassNode, path: Iterable[str]) -> list[ClassNode]:
        """The classes of the objects that can stand at the end of a path; none where one can't be followed."""
        nodes = [node]
        for attribute in path:
            held: dict[ClassNode, None] = {}
            for one in nodes:
                assignments = self.composition.assignments(one).get(attribute, ())
                if any(unfollowed(each.values) is not None for each in assignments):
                    return []
                held.update((part, None) for each in assignments for part in each.classes)
            nodes = list(held)
        return nodes

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
        if member.kind == "property" and member.function is not None and _always_raises(member):
            return MemberStatus(status="missing", reason=f"its property always raises ({member.file}:{member.line})")
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
