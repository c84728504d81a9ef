"""spec-wrong-kind: what callers do with a member's value can't be done with what the class keeps there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context
from specint.checks.finding import Evidence, Finding, about
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement, Site
from specint.facts import model as facts
from specint.graph.composition import Assignment
from specint.graph.project import ClassNode, FunctionNode
from specint.graph.steps import expressions
from specint.graph.value import Instance

SYMBOL = "spec-wrong-kind"


@dataclass(frozen=True)
class _Use:
    """One attribute that a caller reads of a member's value."""

    name: str
    site: Site
    line: int


def check(context: Context) -> Iterator[Finding]:
    """One finding for each member whose value lacks what a caller reads of it."""
    for requirement in context.contract.requirements:
        if requirement.use != "read" or requirement.role in ("class", "inner"):
            continue
        uses = list(_uses(context, requirement))
        for model in context.models if uses else ():
            if requirement.role not in ("both", *model.roles):
                continue
            for use in uses:
                kept = _lacking(context, context.node(model), requirement.member, use.name)
                if kept is not None:
                    yield _finding(model, requirement, use, kept)
                    break


def _uses(context: Context, requirement: Requirement) -> Iterator[_Use]:
    project = context.judge.project
    for site in requirement.sites:
        module = project.module(site.file.removesuffix(".py").replace("/", "."))
        for function in project.functions_of(module) if module is not None else ():
            if function.facts.qualname == site.function:
                for name, line in _read_of(function, requirement.member, site.line):
                    yield _Use(name, site, line)


def _read_of(function: FunctionNode, member: str, line: int) -> Iterator[tuple[str, int]]:
    """What a function reads of the value that it takes from a model at a line, there or under a name of its own."""
    names: set[str] = set()
    for step in function.facts.body.steps:
        match step:
            case facts.Bind(target=facts.Name(id=name), value=facts.Attribute(name=found, line=at)):
                if found == member and at == line and len(function.binds.get(name, ())) == 1:
                    names.add(name)
            case _:
                pass
        for expr in expressions(step):
            for part in facts.walk(expr):
                match part:
                    case facts.Attribute(base=facts.Attribute(name=found, line=at), name=name, line=here):
                        if found == member and at == line:
                            yield name, here
                    case facts.Attribute(base=facts.Name(id=base), name=name, line=here) if base in names:
                        yield name, here
                    case _:
                        pass


def _lacking(context: Context, node: ClassNode, member: str, name: str) -> Assignment | None:
    """An assignment of the member, where everything that it can be certainly lacks an attribute."""
    hierarchy = context.judge.hierarchy
    if hierarchy.lookup(node, member) is not None:
        return None
    given = [one for one in context.judge.composition.assigned(node, member) if not one.is_none]
    return given[0] if given and all(_lacks(context, one, name) for one in given) else None


def _lacks(context: Context, one: Assignment, name: str) -> bool:
    match one.value:
        case facts.Display():
            return not any(hasattr(kind, name) for kind in (list, tuple, set))
        case facts.DictDisplay():
            return not hasattr(dict, name)
        case _:
            return bool(one.values) and all(
                isinstance(value, Instance) and _is_plain_without(context, value.node, name) for value in one.values
            )


def _is_plain_without(context: Context, node: ClassNode, name: str) -> bool:
    """Whether a class certainly lacks an attribute, and is no part of the network: callers go through those with care
    of their own, and other rules ask what they find."""
    outside = context.judge.hierarchy.order(node).external
    return not outside and context.judge.members.status(node, name).status == "missing"


def _finding(model: ModelCompliance, requirement: Requirement, use: _Use, kept: Assignment) -> Finding:
    classes = sorted({value.node.name for value in kept.values if isinstance(value, Instance)})
    what = f"a {' or '.join(classes)}" if classes else "a display"
    site = use.site
    message = (
        f"{model.name}.{requirement.member} is {what} ({kept.file}:{kept.line}), which has no {use.name}, and "
        f"{site.function} reads {requirement.member}.{use.name} at {site.file}:{use.line}"
    )
    return about(
        SYMBOL,
        model,
        requirement.member,
        requirement.algorithms,
        message=message,
        evidence=(
            Evidence(file=kept.file, line=kept.line, what=f"{requirement.member} is given here"),
            Evidence(file=site.file, line=use.line, what=f"{use.name} of it is read here, in {site.function}"),
        ),
    )
