"""spec-cannot-serve: a model of one's own lacks what every server asks of a model."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.compliance.construction import loader_calls
from specint.compliance.model import ModelCompliance
from specint.contract.interfaces import RUNTIME, SPECULATIVE
from specint.contract.making import CONSTRUCTOR
from specint.contract.model import Requirement, Site
from specint.graph.project import ClassNode, FunctionNode

SYMBOL = "spec-cannot-serve"
_NEARLY_ALL = 0.95
"""What so many of SGLang's own models offer is no matter of taste: the others are special in some other way."""


def check(context: Context) -> Iterator[Finding]:
    """Each model outside of SGLang against what SGLang's own models share, and are asked for by every server."""
    models = [model for model in context.models if context.is_own(model)]
    if not models:
        return
    asked = context.once(asked_of_every_model)
    # many write a constructor for their own loader; that a method is absent is wrong under any
    is_asked_for = any(requirement.interface == RUNTIME for requirement in context.contract.requirements)
    for model in models:
        node = context.node(model)
        if is_asked_for:
            yield from _unbuilt(context, model, node)
        for requirement in asked:
            yield from _lacks(context, model, node, requirement)


def asked_of_every_model(context: Context) -> tuple[Requirement, ...]:
    """The calls that runners make of every model: nearly all of SGLang's own have the member, from their own code."""
    hierarchy = context.judge.hierarchy
    nodes = [context.node(model) for model in context.models if not context.is_own(model)]
    calls: dict[str, Requirement] = {}
    for requirement in (context.everything or context.contract).requirements:
        if requirement.interface not in (RUNTIME, SPECULATIVE) or requirement.role not in ("both", "target"):
            continue
        if requirement.use != "call" or requirement.strength not in ("required", "raises") or requirement.settings:
            continue
        known = calls.get(requirement.member)
        if known is None or (known.algorithms and not requirement.algorithms):
            calls[requirement.member] = requirement
    return tuple(
        one
        for member, one in calls.items()
        if nodes and sum(hierarchy.lookup(node, member) is not None for node in nodes) >= _NEARLY_ALL * len(nodes)
    )


def _lacks(context: Context, model: ModelCompliance, node: ClassNode, asked: Requirement) -> Iterator[Finding]:
    member = asked.member
    hierarchy = context.judge.hierarchy
    definition = hierarchy.lookup(node, member)
    site = _site(context, asked)
    if definition is None and context.judge.composition.assigned(node, member):
        return  # its constructor binds it
    if definition is None:
        status = context.judge.members.status(node, member)
        inherited = hierarchy.external_provider(node, member)
        if status.status == "missing" or (inherited is not None and not hierarchy.unknown_bases(node)):
            yield _finding(model, member, f"{model.name} has no {member}, which every server calls", site)
        return
    if definition.function is None or asked.call is None:
        return
    most = _positional(definition.function)
    if most is not None and most < asked.call.fewest:
        what = f"{member} takes {most} argument{'s' if most != 1 else ''}, and every server hands over"
        at = (definition.line, definition.function.facts.column) if definition.owner is node else None
        yield _finding(model, member, f"{model.name}.{what} {asked.call.fewest}", site, at)


def _site(context: Context, asked: Requirement) -> Site:
    """Where it is asked for: by the loader, which every server runs, else by the runner."""
    judge = context.judge
    for file, line in sorted(loader_calls(judge.project, judge.declared, asked.member)):
        return Site(file=file, line=line, function="")
    return asked.decided_by or asked.sites[0]


def _unbuilt(context: Context, model: ModelCompliance, node: ClassNode) -> Iterator[Finding]:
    """What the constructor is handed and doesn't take."""
    hierarchy = context.judge.hierarchy
    definition = hierarchy.lookup(node, CONSTRUCTOR)
    if definition is None and hierarchy.unknown_bases(node):
        return
    params = definition.function.facts.params if definition is not None and definition.function is not None else ()
    if any(param.kind == "**" for param in params) or (definition is not None and definition.function is None):
        return
    names = {param.name for param in params if param.kind != "positional-only"}
    for built in context.contract.requirements:
        if built.member != CONSTRUCTOR or built.call is None or built.settings:
            continue
        if lost := [word for word in built.call.keywords if word not in names]:
            words = " and ".join(lost)
            at = (definition.line, 4) if definition is not None and definition.owner is node else None
            said = f"the constructor of {model.name} takes no {words}, with which every server builds its model"
            yield _finding(model, CONSTRUCTOR, said, built.sites[0], at)
            return


def _positional(function: FunctionNode) -> int | None:
    """How many positional arguments callers can hand over; None for any number."""
    if any(param.kind == "*" for param in function.facts.params):
        return None
    return sum(param.kind in ("positional", "positional-only") for param in function.parameters)


def _finding(model: ModelCompliance, member: str, said: str, site: Site, at: tuple[int, int] | None = None) -> Finding:
    where = Evidence(file=site.file, line=site.line, what=f"{'built' if member == CONSTRUCTOR else 'called'} here")
    return about(SYMBOL, model, member, (), message=f"{said} ({site.file}:{site.line})", evidence=(where,), at=at)
