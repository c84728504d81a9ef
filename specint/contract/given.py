"""What the tree itself writes onto every model that it makes: a reader finds it there whatever the class offers.

Models are made where the declared function tells their class (the loader), and kept where the runner binds its model.
What each place that makes one writes onto it, whatever the conditions, no class has to bring.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specint.contract.model import Site
from specint.contract.presence import site_of
from specint.contract.roots import Roots
from specint.contract.touches import Touch
from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.model import Expr
from specint.graph.binding import bind_arguments
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import FunctionNode, Project

_HOPS = 3


def written_by_makers(project: Project, roots: Roots, makers: Iterable[facts.Module]) -> dict[str, Site]:
    """The members that every function which makes a model of the class it is told writes onto it, and where."""
    tells = roots.declared.architecture.function.rpartition(".")[2]
    each: list[dict[str, Site]] = []
    for module in makers:
        for function in project.functions_of(module):
            for step in function.facts.body.steps:
                match step:
                    case facts.Bind(target=facts.Name(id=name), value=facts.Call(func=func), how="=") if _is_told(
                        func, function, tells
                    ):
                        each.append(_written(project, function, facts.Name(name), step, _HOPS))
                    case facts.Return(value=facts.Call(func=func)) if _is_told(func, function, tells):
                        each.append({})
                    case _:
                        pass
    first, others = (each[0], each[1:]) if each else ({}, [])
    return {member: site for member, site in first.items() if all(member in one for one in others)}


def written_by_runner(
    project: Project, hierarchy: Hierarchy, roots: Roots, touches: Iterable[Touch]
) -> dict[str, Site]:
    """The members that the runner writes onto its model right where it gets one."""
    found: dict[str, Site] = {}
    for touch in touches:
        function = touch.function
        if touch.kind != "write" or function.owner is None or not hierarchy.is_subclass(function.owner, roots.runner):
            continue
        for step in function.facts.body.steps:
            match step:
                case facts.Bind(target=facts.Attribute(base=facts.Name(id=own), name=name), how="=") if (
                    own == function.own and name == roots.declared.runner.model and step.line < touch.line
                ):
                    if touch.member in _written(project, function, touch.receiver, step, 0):
                        found.setdefault(touch.member, site_of(function, touch.line))
                case _:
                    pass
    return found


def _is_told(func: Expr, function: FunctionNode, tells: str) -> bool:
    """Whether what is called is the class that the declared function tells."""
    if not isinstance(func, facts.Name):
        return False
    steps = (step for step in function.binds.get(func.id, ()) if isinstance(step, facts.Bind))
    values = (step.value.base if isinstance(step.value, facts.Item) else step.value for step in steps)
    return any(isinstance(value, facts.Call) and _last(value.func) == tells for value in values)


def _last(func: Expr) -> str:
    return (facts.dotted(func) or "").rpartition(".")[2]


def _written(project: Project, function: FunctionNode, model: Expr, made: facts.Step, hops: int) -> dict[str, Site]:
    """What a function writes onto a model on every way from the line that makes it; also through what it calls."""
    found: dict[str, Site] = {}
    for step in _always_after(function, made):
        match step:
            case facts.Bind(target=target, how="="):
                for one in facts.targets(target):
                    if isinstance(one, facts.Attribute) and _same(one.base, model):
                        found.setdefault(one.name, site_of(function, step.line))
            case _:
                pass
        for call in _calls(step) if hops else ():
            for symbol in project.symbol(function.module, call.func):
                if isinstance(symbol, FunctionNode):
                    bound = bind_arguments(symbol, call, skip_first=False)
                    for param, value in bound.items():
                        if _same(value, model):
                            start = facts.Return(None, -1, symbol.facts.line)
                            found = _written(project, symbol, facts.Name(param), start, hops - 1) | found
    return found


def _always_after(function: FunctionNode, made: facts.Step) -> Iterator[facts.Step]:
    """The steps behind a line that run wherever it did."""
    scope = function.facts.body
    around = {-1, *guards_around(scope, made.guard)}
    return (step for step in scope.steps if step.guard in around and step.line >= made.line and step is not made)


def _calls(step: facts.Step) -> Iterator[facts.Call]:
    value = getattr(step, "value", None)
    for part in facts.walk(value) if value is not None else ():
        if isinstance(part, facts.Call):
            yield part


def _same(expr: Expr, model: Expr) -> bool:
    return facts.spell(expr) == facts.spell(model)
