"""spec-unread-capture: a capture hook writes the layers where nothing that forward runs looks for them."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence, Finding, about
from specint.checks.flow import anchor, capture_hooks, effects, layers_written, provided_by
from specint.checks.wording import does
from specint.compliance.model import ModelCompliance
from specint.graph.effects import Effects, Held, Place, Write
from specint.graph.project import ClassNode

SYMBOL = "spec-unread-capture"
FORWARD = "forward"


def check(context: Context) -> Iterator[Finding]:
    """A finding for each hook of a target whose layers arrive nowhere."""
    hooks = capture_hooks(context)
    for model in context.models:
        if "target" not in model.roles:
            continue
        for member, asking in hooks.items():
            algorithms = model.under(asking)
            if algorithms and model.members[member].status == "present":
                finding = _judge(context, model, member, algorithms, tuple(hooks))
                if finding is not None:
                    yield finding


def _judge(
    context: Context, model: ModelCompliance, member: str, algorithms: tuple[str, ...], hooks: tuple[str, ...]
) -> Finding | None:
    flow, node = effects(context), context.node(model)
    written = layers_written(flow, node, member)
    if not written or flow.lost(node, member) or next(flow.runs(node, FORWARD, within=()), None) is None:
        return None
    for holder in dict.fromkeys(held for write in written for held in write.holders):
        reaching = [write for write in written if not write.holders or holder in write.holders]
        if any(read_in_forward(flow, node, write.attribute, holder) for write in reaching):
            continue
        if holder.node is not node and _told_within(context, node, holder):
            continue
        return _finding(context, model, member, algorithms, holder, reaching, hooks)
    return None


def read_in_forward(flow: Effects, node: ClassNode, attribute: str, holder: Held) -> Place | None:
    """Where what forward runs reads an attribute of that name; another class in the holder's place is not asked."""
    for within in (holder.path, None):  # nearly always on the way; everything else takes long
        for run in flow.runs(node, FORWARD, within=within):
            at = run.receiver
            if at is not None and at.path == holder.path and at.node is not holder.node:
                continue
            line = flow.names(run).get(attribute)
            if line is not None:
                return Place(run.function, line)
    return flow.read_by_parts(holder.node, attribute)


def _told_within(context: Context, node: ClassNode, holder: Held) -> bool:
    """Whether a registered model on the way to the holder has the same defect, and so tells it itself."""
    flow, registered = effects(context), set(context.judge.models)
    at = Held(node)
    for name in holder.path[:-1]:
        step = next(iter(flow.held(at, name)), None)
        if step is None:
            return False
        if step.node in registered:
            return True
        at = step
    return False


def _finding(
    context: Context,
    model: ModelCompliance,
    member: str,
    algorithms: tuple[str, ...],
    holder: Held,
    written: list[Write],
    hooks: tuple[str, ...],
) -> Finding:
    flow, node = effects(context), context.node(model)
    write, name = written[-1], holder.node.name
    status = model.members[member]
    forward = context.judge.hierarchy.lookup(holder.node, FORWARD)
    other = _mechanism(flow, node, holder, hooks)
    instead = ""
    evidence = [Evidence(file=w.place.file, line=w.place.line, what=f"{w.target} is written here") for w in written]
    if other is not None:
        way, read = other
        instead = f"; {name} goes by {way.attribute}, which {way.place.function.facts.qualname} sets"
        evidence += [
            Evidence(file=read.file, line=read.line, what=f"{way.attribute} is what {name} reads, here"),
            Evidence(file=way.place.file, line=way.place.line, what=f"{way.attribute} is set here, on another way"),
        ]
    elif forward is not None:
        what = f"forward of {name}: nothing it runs reads {write.attribute}"
        evidence.append(Evidence(file=forward.owner.file, line=forward.line, what=what))
    message = (
        f"{model.name}.{member}{provided_by(model, status)} writes {write.target}, "
        f"which nothing that forward runs reads{instead}: {does(algorithms, 'get')} no hidden states to draft from"
    )
    return about(
        SYMBOL,
        model,
        member,
        algorithms,
        at=anchor(node, model, status),
        message=message,
        evidence=(*evidence, *call_sites(context.insisted(member), algorithms)),
    )


def _mechanism(flow: Effects, node: ClassNode, holder: Held, hooks: tuple[str, ...]) -> tuple[Write, Place] | None:
    """How the holder wants to be told: what a capture hook of its own writes and its forward reads."""
    for hook in hooks:
        for write in layers_written(flow, holder.node, hook):
            place = read_in_forward(flow, node, write.attribute, holder)
            if place is not None:
                return write, place
    return None
