"""Whether one class offers one member: through its hierarchy, its attributes, or not at all."""

from __future__ import annotations

from specint.compliance.model import Inner, MemberStatus, Wrap
from specint.facts import model as facts
from specint.graph.composition import Assignment, Composition, unfollowed
from specint.graph.hierarchy import Hierarchy, Member
from specint.graph.project import ClassNode, Project

_FORWARDS = "__getattr__"


class Members:
    """Answers about members of model classes, memoised."""

    def __init__(self, project: Project, hierarchy: Hierarchy, composition: Composition) -> None:
        self.project = project
        self.hierarchy = hierarchy
        self.composition = composition
        self._own: dict[tuple[str, str], MemberStatus] = {}

    def status(self, node: ClassNode, member: str) -> MemberStatus:
        """What the class itself has, its inner models left aside."""
        key = (node.key, member)
        if key not in self._own:
            self._own[key] = self._status(node, member)
        return self._own[key]

    def _status(self, node: ClassNode, member: str) -> MemberStatus:
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
        forwarder = self.hierarchy.lookup(node, _FORWARDS)
        if forwarder is not None:
            owner = forwarder.owner
            how = f"{owner.name} forwards what it doesn't know by {_FORWARDS} ({owner.file}:{forwarder.line})"
            return MemberStatus(status="unknown", reason=how)
        unknown = self.hierarchy.unknown_bases(node)
        if unknown:
            names = ", ".join(base.name for base in unknown)
            return MemberStatus(status="unknown", reason=f"it inherits from {names}, outside of the tree")
        return MemberStatus(status="missing")

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
            return MemberStatus(
                status="missing", reason=f"its property always raises ({member.owner.file}:{member.line})"
            )
        return MemberStatus(
            status="present",
            provider=member.owner.key,
            way=way,  # type: ignore[arg-type]
            file=member.owner.file,
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
        elif first.late:
            reason = f"set in {first.function.name}, not by the constructor"
        elif first.condition and not any(not one.condition for one in assignments):
            reason = f"set where {first.condition}"
        return MemberStatus(
            status="present",
            provider=first.owner.key,
            way="attribute",
            file=first.file,
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
