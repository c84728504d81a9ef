"""What stands at the sites of a requirement: each call by itself, which the contract's shape is the sum of."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.context import Context
from specint.contract.model import CallShape, Requirement, Site
from specint.contract.shapes import shape_of
from specint.facts import model as facts
from specint.graph.project import FunctionNode
from specint.graph.steps import expressions, read_names


def functions_at(context: Context, site: Site) -> Iterator[FunctionNode]:
    """The function in which a site is (several, where a module defines one of its name twice)."""
    module = context.judge.project.module(site.file.removesuffix(".py").replace("/", "."))
    for function in context.judge.project.functions_of(module) if module is not None else ():
        if function.facts.qualname == site.function:
            yield function


def calls_at(context: Context, member: str, site: Site) -> Iterator[facts.Call]:
    """The calls of a member that stand at a site."""
    for function in functions_at(context, site):
        for step in function.facts.body.steps:
            for expr in expressions(step):
                for part in facts.walk(expr):
                    match part:
                        case facts.Call(func=facts.Attribute(name=name, line=line)):
                            if (name, line) == (member, site.line):
                                yield part
                        case _:
                            pass


def is_called_later(context: Context, member: str, site: Site) -> bool:
    """Whether what is read at a site gets a name there, and is called by that."""
    for function in functions_at(context, site):
        names = {
            step.target.id
            for step in function.facts.body.steps
            if isinstance(step, facts.Bind) and isinstance(step.target, facts.Name) and step.value is not None
            if any(name == member and line == site.line for name, line in read_names(step.value))
        }
        for step in function.facts.body.steps if names else ():
            for expr in expressions(step):
                for part in facts.walk(expr):
                    if isinstance(part, facts.Call) and isinstance(part.func, facts.Name) and part.func.id in names:
                        return True
    return False


def site_shapes(context: Context, requirement: Requirement) -> tuple[CallShape, ...]:
    """The call of each site that hands over names which another site doesn't hand over, and the other way round: no
    one signature is meant for all of them. Empty where that isn't so."""
    shapes = dict.fromkeys(
        shape_of(call) for site in requirement.sites for call in calls_at(context, requirement.member, site)
    )
    apart = any(set(a.keywords) - set(b.keywords) and set(b.keywords) - set(a.keywords) for a in shapes for b in shapes)
    return tuple(shapes) if apart else ()
