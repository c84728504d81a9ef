"""spec-sibling-gap: of two classes around one inner model, one offers a capture hook and its twin doesn't."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.catalog import rule
from specint.checks.context import Context, call_sites, listed
from specint.checks.finding import Evidence, Finding
from specint.checks.flow import capture_hooks, effects, layers_written
from specint.checks.rules.unread_capture import read_in_forward
from specint.compliance.model import ModelCompliance
from specint.graph.effects import Held, Place
from specint.graph.project import ClassNode

SYMBOL = "spec-sibling-gap"
FORWARD = "forward"


@dataclass(frozen=True)
class _Twin:
    """A class that has the hook, where its inner model reads what it writes, and where our own forward is ready."""

    model: ModelCompliance
    shared: str
    read: Place
    ready: Place


def check(context: Context) -> Iterator[Finding]:
    """One finding for each target that lacks only a capture hook, which a twin of it has."""
    hooks = capture_hooks(context)
    for model in context.models:
        if "target" not in model.roles:
            continue
        for member, algorithms in hooks.items():
            status = model.members[member]
            under = tuple(a for a in algorithms if _lacks_only(model, member, a))
            if status.status != "missing" or status.inner_status == "present" or not under:
                continue
            twin = next(_twins(context, model, member), None)
            if twin is not None:
                yield _finding(context, model, member, under, twin)


def _lacks_only(model: ModelCompliance, member: str, algorithm: str) -> bool:
    verdict = model.algorithms[algorithm]
    return len(verdict.missing) == 1 and member in verdict.missing[0].split("|") and not verdict.unknown


def _twins(context: Context, model: ModelCompliance, member: str) -> Iterator[_Twin]:
    """The classes that have the member, write into an inner model of the same kind, and find ours ready for it."""
    flow, node, hierarchy = effects(context), context.node(model), context.judge.hierarchy
    for other in context.models:
        if other is model or "target" not in other.roles or other.members[member].status != "present":
            continue
        twin = context.node(other)
        layers = layers_written(flow, twin, member)
        flags = {write.attribute for write in flow.writes(twin, member) if write.is_flag}
        for write in layers:
            for theirs in (held for held in write.holders if len(held.path) == 1):
                for ours in flow.held(Held(node), theirs.path[0]):
                    if not hierarchy.related(ours.node, theirs.node):
                        continue
                    read = read_in_forward(flow, node, write.attribute, ours)
                    ready = _ready(context, node, flags)
                    if read is not None and ready is not None:
                        yield _Twin(other, theirs.node.name, read, ready)


def _ready(context: Context, node: ClassNode, flags: set[str]) -> Place | None:
    """Where the class's own forward already asks for a switch that the twin's hook turns on."""
    flow = effects(context)
    for run in flow.runs(node, FORWARD, within=()):
        for read in flow.own_reads(run):
            if read.attribute in flags:
                return read.place
    return None


def _finding(
    context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...], twin: _Twin
) -> Finding:
    other = twin.model
    status = other.members[member]
    message = (
        f"{model.name} lacks {member}, which {other.name} has around the same {twin.shared}; everything else that "
        f"{listed(algorithms)} asks for is there"
    )
    return Finding(
        rule=SYMBOL,
        id=rule(SYMBOL).id,
        class_=model.class_,
        member=member,
        algorithms=algorithms,
        file=model.file,
        line=model.line,
        column=model.column,
        message=message,
        evidence=(
            Evidence(file=status.file, line=status.line, what=f"{member} of {other.name} is here"),
            Evidence(
                file=twin.read.file, line=twin.read.line, what="the inner model of both captures what it is told to"
            ),
            Evidence(file=twin.ready.file, line=twin.ready.line, what=f"forward of {model.name} is ready for it"),
            *call_sites(context.insisted(member), algorithms),
        ),
    )
