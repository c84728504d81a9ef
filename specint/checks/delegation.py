"""What would hand a missing member on to the inner model, whether it is safe, and why there is nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from specint.checks.context import Context
from specint.checks.serving import stands_apart
from specint.checks.wording import listed, unfit
from specint.compliance.members import wrap_of
from specint.compliance.model import Inner, ModelCompliance
from specint.contract.model import CallShape, Requirement
from specint.contract.shapes import misfit, together
from specint.edits.delegating import PassThrough, passed_through
from specint.edits.model import Edit, undecided
from specint.edits.placing import source_lines
from specint.facts import model as facts
from specint.graph.hierarchy import Member
from specint.graph.project import ClassNode
from specint.graph.value import ConstantValue
from specint.source.tree import content_digest


@dataclass(frozen=True)
class Provider:
    """One inner class that has the member, and its definition there (None: it is assigned, or comes from outside)."""

    holder: ClassNode
    member: Member | None

    @property
    def function(self) -> facts.Function | None:
        """The method, None where it is something else."""
        found = self.member
        plain = found is not None and found.kind in ("method", "classmethod", "staticmethod")
        return found.function.facts if plain and found is not None and found.function is not None else None


def delegation(context: Context, model: ModelCompliance, member: str) -> Edit:
    """What makes a wrapper hand a member on to the inner model that has it.

    It is a plain pass-through: a method with the signature that the callers need, or a property for what is read.
    """
    node = context.node(model)
    status = model.members[member]
    requirements = _asking(context, member)
    attribute = status.inner or ""
    inners = _inners(context, model, member)
    providers = tuple(_providers(context, inners, member))
    why = (
        _too_deep(model, attribute)
        or stands_apart(context, node, attribute)
        or _obstacle(context, node, member, requirements, providers)
    )
    source = context.source(node)
    if why or source is None:
        return undecided(model.class_, model.file, member, why or "its file is gone or was changed meanwhile")
    file, data = source
    lines = source_lines(data, file.path)
    lacking = any(inner.status != "present" for inner in inners)
    known = next((provider for provider in providers if provider.function is not None), None)
    wanted = PassThrough(
        member,
        attribute,
        call=_shape(requirements) if _called(requirements) else None,
        parameters=known.member.parameters if known is not None and known.member is not None else (),
        gives=_gives(providers),
        guard="arm" if lacking else _absence(context, node, attribute),
    )
    splice = passed_through(wanted, lines, node.facts)
    if splice is None:
        why = f"the body of {model.name} stands on the same line as its `class`: put it on a line of its own"
        return undecided(model.class_, model.file, member, why)
    return Edit(
        kind="add",
        class_=model.class_,
        member=member,
        file=model.file,
        digest=content_digest(data),
        splices=(splice,),
        doubt="; ".join(_doubts(context, node, attribute, member, inners, requirements, providers)),
    )


def _too_deep(model: ModelCompliance, attribute: str) -> str:
    """Why nothing is written for a model that the body holds; "" where the wrapper holds it itself."""
    body, _, inner = attribute.partition(".")
    if not inner:
        return ""
    return (
        f"{model.name} reaches it through self.{body}: decide whether that hands it on from its {inner}, "
        f"or {model.name} does"
    )


def _absence(context: Context, node: ClassNode, attribute: str) -> Literal["", "none", "unset"]:
    """How an inner model may not be there once the constructor has run: "none", "unset", or "" where it always is."""
    kinds = {arm.kind for arm in context.flow.attributes.arms(node, attribute)}
    assigned = context.judge.composition.assignments(node)[attribute]
    if "none" in kinds or (kinds == {"unknown"} and any(ConstantValue(None) in one.values for one in assigned)):
        return "none"
    return "unset" if "unset" in kinds else ""


def _asking(context: Context, member: str) -> tuple[Requirement, ...]:
    """Every way in which somebody asks a target for the member, those who insist first."""
    insisted = context.insisted(member)
    others = (
        one
        for one in context.contract.requirements
        if one.member == member and one.role in ("target", "both") and one not in insisted
    )
    return (*insisted, *others)


def _called(requirements: Sequence[Requirement]) -> bool:
    return any(one.use == "call" for one in requirements)


def _shape(requirements: Sequence[Requirement]) -> CallShape:
    """All ways of calling the member as one."""
    return together([one.call for one in requirements if one.call is not None]) or CallShape()


def _inners(context: Context, model: ModelCompliance, member: str) -> tuple[Inner, ...]:
    """Every class that the wrapper's attribute can hold, in the wrapper and in the heirs that would get the member."""
    status = model.members[member]
    found = {one.holder: one for one in status.inners}
    for heir in context.models:
        theirs = heir.members[member]
        if model.class_ in heir.mro[1:] and theirs.status != "present" and theirs.inner == status.inner:
            for one in theirs.inners:
                found.setdefault(one.holder, one)
    return tuple(found.values())


def _providers(context: Context, inners: Sequence[Inner], member: str) -> Iterator[Provider]:
    for inner in inners:
        holder = context.judge.project.class_by_key(inner.holder)
        if inner.status == "present" and holder is not None:
            yield Provider(holder, context.judge.hierarchy.lookup(holder, member))


def _obstacle(
    context: Context,
    node: ClassNode,
    member: str,
    requirements: Sequence[Requirement],
    providers: Sequence[Provider],
) -> str:
    """Why no pass-through can do it; "" where one can."""
    if any(one.use == "write" for one in requirements):
        return f"{member} is written from outside: decide which object is to hold it"
    if not _called(requirements):
        for heir in (node, *context.judge.models):
            if node in context.judge.hierarchy.order(heir).nodes:
                assigned = context.judge.composition.assigned(heir, member)
                if assigned:
                    place = f"{assigned[0].file}:{assigned[0].line}"
                    return f"a property would be in the way of self.{member} = ... ({place}): decide who holds it"
        return ""
    for provider in providers:
        if provider.function is not None and provider.member is not None:
            shape = _shape(requirements)
            if (lack := misfit(provider.member, shape)) is not None:
                return f"{provider.holder.name}.{member} doesn't take the call: {unfit(lack, shape)}"
    return ""


def _doubts(
    context: Context,
    node: ClassNode,
    attribute: str,
    member: str,
    inners: Sequence[Inner],
    requirements: Sequence[Requirement],
    providers: Sequence[Provider],
) -> Iterator[str]:
    """What would have to be known for the pass-through to be safe."""
    for word, one, several in (("missing", "has no", "have no"), ("unknown", "may lack", "may lack")):
        names = [inner.holder.rpartition(".")[2] for inner in inners if inner.status == word]
        if names:
            yield f"{listed(names)} {one if len(names) == 1 else several} {member}"
    others = [
        wrapped.attribute
        for wrapped in context.judge.wraps(node)
        if wrapped.attribute != attribute
        and any(
            inner.status == "present"
            for inner in context.judge.members.inner(wrapped.attribute, wrapped.candidates, member)
        )
    ]
    if others:
        yield f"self.{listed(others)} has {member} too"
    wrap = wrap_of(attribute, list(context.judge.composition.assignments(node)[attribute]))
    if wrap is not None and wrap.reason:
        yield f"self.{attribute} may be something else: {wrap.reason}"
    if _called(requirements):
        for provider in providers:
            if provider.function is None:
                yield f"what {provider.holder.name}.{member} takes can't be known"


def _gives(providers: Sequence[Provider]) -> bool:
    """Whether something comes back."""
    return any(
        one.function is None
        or any(isinstance(step, facts.Return) and step.value is not None for step in one.function.body.steps)
        for one in providers
    )
