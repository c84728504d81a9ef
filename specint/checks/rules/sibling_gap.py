"""spec-sibling-gap: of two classes around one inner model, one offers a capture hook and its twin doesn't."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import capture_hooks, effects, layers_written
from specint.checks.rules.aux_dropped import Loss, lost_on_the_way
from specint.checks.rules.unread_capture import read_in_forward
from specint.checks.wording import does
from specint.compliance.model import ModelCompliance
from specint.graph.effects import Held, Place
from specint.graph.project import ClassNode

SYMBOL = "spec-sibling-gap"
FORWARD = "forward"


@dataclass(frozen=True)
class _Offer:
    """A class that has the hook, the name under which it tells the layers, and the switches that it turns on."""

    model: ModelCompliance
    attribute: str
    flags: frozenset[str]


@dataclass(frozen=True)
class _Twin:
    """A class that has the hook, where its inner model reads what it writes, where our own forward is ready, and where
    it would lose the states all the same."""

    model: ModelCompliance
    shared: str
    read: Place
    ready: Place
    loss: Loss | None


def check(context: Context) -> Iterator[Finding]:
    """One finding for each target that lacks only a capture hook, which a twin of it has."""
    hooks = capture_hooks(context)
    offering = {member: _offering(context, member) for member in hooks}
    for model in context.models:
        if "target" not in model.roles:
            continue
        told: set[str] = set()
        for member, algorithms in hooks.items():
            status = model.members[member]
            under = tuple(a for a in algorithms if _lacks_only(model, member, a))
            if status.status != "missing" or status.inner_status == "present" or set(under) <= told:
                continue
            twin = _twin(context, model, offering[member])
            if twin is not None:
                told |= set(under)
                yield _finding(context, model, member, under, twin)


def _lacks_only(model: ModelCompliance, member: str, algorithm: str) -> bool:
    verdict = model.algorithms[algorithm]
    return len(verdict.missing) == 1 and member in verdict.missing[0].split("|") and not verdict.unknown


def _offering(context: Context, member: str) -> dict[ClassNode, _Offer]:
    """Inner class -> the first target around it that has a hook which tells it the layers."""
    flow = effects(context)
    found: dict[ClassNode, _Offer] = {}
    for model in context.models:
        if "target" not in model.roles or not model.applicable or model.members[member].status != "present":
            continue
        node = context.node(model)
        flags = frozenset(write.attribute for write in flow.writes(node, member) if write.is_flag)
        for write in layers_written(flow, node, member):
            for held in write.holders:
                if len(held.path) == 1:
                    found.setdefault(held.node, _Offer(model, write.attribute, flags))
    return found


def _twin(context: Context, model: ModelCompliance, offering: dict[ClassNode, _Offer]) -> _Twin | None:
    """The class that has the hook around the same inner class, where ours is ready for it."""
    flow, node = effects(context), context.node(model)
    for name, assignments in context.judge.composition.assignments(node).items():
        for inner in dict.fromkeys(inner for one in assignments if not one.late for inner in one.classes):
            offer = offering.get(inner)
            if offer is None or (ready := _ready(context, node, offer.flags)) is None:
                continue
            read = read_in_forward(flow, node, offer.attribute, Held(inner, (name,)))
            if read is not None:
                loss = lost_on_the_way(flow, node, Held(inner, (name,)), offer.flags, set())
                return _Twin(offer.model, inner.name, read, ready, loss)
    return None


def _ready(context: Context, node: ClassNode, flags: frozenset[str]) -> Place | None:
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
    lost = twin.loss
    if lost is None:
        rest = f"everything else that {does(algorithms, 'ask')} for is there"
    else:
        rest = f"with it there is more to do, as {lost.what}"
    message = f"{model.name} lacks {member}, which {other.name} has around the same {twin.shared}; {rest}"
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        message=message,
        evidence=(
            Evidence(file=status.file, line=status.line, what=f"{member} of {other.name} is here"),
            Evidence(
                file=twin.read.file, line=twin.read.line, what="the inner model of both captures what it is told to"
            ),
            Evidence(file=twin.ready.file, line=twin.ready.line, what=f"forward of {model.name} is ready for it"),
            *((Evidence(file=lost.place.file, line=lost.place.line, what="the states get lost here"),) if lost else ()),
            *call_sites(context.insisted(member), algorithms),
        ),
    )
