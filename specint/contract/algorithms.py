"""The speculative algorithms of a tree, and the other names that a user may give them."""

from __future__ import annotations

from collections.abc import Iterator

from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Assigned, FunctionNode, Project


def members(hierarchy: Hierarchy, roots: Roots) -> tuple[str, ...]:
    """The members of the enum, in its order, the one for no algorithm included."""
    own = hierarchy.own(roots.enum)
    found = (name for name, member in own.items() if member.kind == "attribute" and not name.startswith("_"))
    return tuple(name for name in found if name.isupper())


def aliases(project: Project, roots: Roots, algorithms: tuple[str, ...]) -> dict[str, str]:
    """Names that the tree turns into an algorithm: where an option is compared with one name and set to another, or
    where the enum's own reading of a name answers a collection of names with one member."""
    found: dict[str, str] = {}
    option = roots.declared.algorithm.option
    for name in roots.declared.algorithm.option_modules:
        module = project.module(f"{project.package}.{name}")
        if module is not None:
            for function in project.functions_of(module):
                found.update(_replaced(function, option, algorithms))
    for function in project.methods_of(roots.enum):
        found.update(_answered(project, function, algorithms))
    return {alias: to for alias, to in sorted(found.items()) if alias not in algorithms}


def _replaced(function: FunctionNode, option: str, algorithms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for step in function.facts.body.steps:
        match step:
            case facts.Bind(
                target=facts.Attribute(name=name) | facts.Name(id=name),
                value=facts.Constant(value=str(to)),
                guard=guard,
            ) if name == option and to in algorithms:
                for one in function.facts.body.guards_of(guard):
                    if one.test is not None and one.positive and _is_about(one.test, option):
                        yield from ((alias, to) for alias in _texts(one.test))
            case facts.Return(value=facts.Constant(value=str(to)), guard=guard) if to in algorithms:
                for one in function.facts.body.guards_of(guard):
                    if one.kind == "if" and one.test is not None:
                        # what more is asked on the way to this answer makes it the exception, not the alias
                        if one.positive and _is_about(one.test, option):
                            yield from ((alias, to) for alias in _texts(one.test))
                        break
            case _:
                pass


def _answered(project: Project, function: FunctionNode, algorithms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for step in function.facts.body.steps:
        match step:
            case facts.Return(value=facts.Attribute(name=to), guard=guard) if to in algorithms:
                for one in function.facts.body.guards_of(guard):
                    if one.test is not None and one.positive and isinstance(one.test, facts.Compare):
                        for operand in one.test.operands:
                            yield from ((alias, to) for alias in _texts(operand))
                            for symbol in project.symbol(function.module, operand):
                                if isinstance(symbol, Assigned):
                                    yield from ((alias, to) for alias in _texts(symbol.value))
            case _:
                pass


def _is_about(expr: facts.Expr, option: str) -> bool:
    return any(
        (isinstance(part, facts.Attribute) and part.name == option) or part == facts.Name(option)
        for part in facts.walk(expr)
    )


def _texts(expr: facts.Expr) -> Iterator[str]:
    for part in facts.walk(expr):
        if isinstance(part, facts.Constant) and isinstance(part.value, str) and part.value.isidentifier():
            yield part.value
