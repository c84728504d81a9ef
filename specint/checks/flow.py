"""What rules about data flow share: the engine of one analysis, and which members are capture hooks."""

from __future__ import annotations

from specint.checks.context import Context
from specint.compliance.judge import insists
from specint.compliance.members import Members
from specint.compliance.model import MemberStatus, ModelCompliance
from specint.contract.model import Requirement
from specint.graph.effects import Effects, Write
from specint.graph.project import ClassNode


def effects(context: Context) -> Effects:
    """The engine of one analysis; what one rule asked first, the next has for free."""
    return engine_of(context.judge.members)


def engine_of(members: Members) -> Effects:
    """The same, for whoever has no contract yet."""
    return members.beside(_engine)


def _engine(members: Members) -> Effects:
    def has(node: ClassNode, name: str) -> bool | None:
        return {"present": True, "missing": False, "unknown": None}[members.status(node, name).status]

    return Effects(members.composition, has)


def capture_hooks(context: Context) -> dict[str, tuple[str, ...]]:
    """Member -> the algorithms that tell a target through it what to capture.

    That is what some algorithm insists on calling on a target without taking anything back: with the layers as
    argument, or (SGLang 0.4.6) without, where no other algorithm asks for it.
    """
    asked: dict[str, list[Requirement]] = {}
    for requirement in context.contract.requirements:
        if requirement.use == "call" and any(insists(requirement, a) for a in requirement.algorithms):
            asked.setdefault(requirement.member, []).append(requirement)
    hooks: dict[str, tuple[str, ...]] = {}
    for member, requirements in asked.items():
        calls = [r.call for r in requirements if r.call is not None]
        under = {a for r in requirements for a in r.algorithms}
        handed = any(call.positional or call.keywords for call in calls)
        if calls and all(call.unpacks is None for call in calls) and (handed or len(under) == 1):
            hooks[member] = tuple(a for a in context.contract.algorithms if a in under)
    return hooks


def anchor(node: ClassNode, model: ModelCompliance, status: MemberStatus) -> tuple[int, int]:
    """Where a message about a member stands: at the class's own definition of it, else at the class."""
    if status.provider == model.class_ and status.file == model.file and status.line:
        own = next((f for f in node.facts.body.functions if f.line == status.line), None)
        return status.line, own.column if own is not None else 0
    return model.line, model.column


def provided_by(model: ModelCompliance, status: MemberStatus) -> str:
    """` (inherited from Base)`, or nothing where the class has the member itself."""
    if status.provider is None or status.provider == model.class_:
        return ""
    return f" (inherited from {status.provider.rpartition('.')[2]})"


def layers_written(flow: Effects, node: ClassNode, member: str) -> tuple[Write, ...]:
    """The writes of a hook that say which layers: what depends on its argument, or all but flags where it has none."""
    written = flow.writes(node, member)
    carrying = tuple(write for write in written if write.carries)
    return carrying or tuple(write for write in written if not write.is_flag)
