"""The classes that a model is built of and whose constructor skips another one above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from specint.checks.flow import engine_of
from specint.compliance.members import Members
from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, FunctionNode
from specint.graph.steps import expressions

_CONSTRUCTOR = "__init__"
_LIMIT = 400


class _Known:
    """What was found out already."""

    def __init__(self, _: Members) -> None:
        self.found: dict[ClassNode, tuple[ClassNode, ...]] = {}
        self.leads: dict[tuple[str, frozenset[str]], bool] = {}
        self.named: dict[tuple[FunctionNode, frozenset[str]], tuple[ClassNode, ...]] = {}


def look_ahead(members: Members, models: Iterable[ClassNode]) -> None:
    """Answer `skipping_parts` for models before there is a contract, on which it doesn't depend."""
    for node in models:
        with suppress(RecursionError):  # whoever asks for it says so
            skipping_parts(members, node)


def skipping_parts(members: Members, node: ClassNode) -> tuple[ClassNode, ...]:
    """The parts of a model, the model itself left out, that may lack what a skipped constructor would have set.

    Which parts there are by name is cheap; whether they are really built is asked only where one of them is suspect.
    """
    known = members.beside(_Known).found
    if node not in known:
        known[node] = tuple(_skipping(members, node))
    return known[node]


def _skipping(members: Members, node: ClassNode) -> Iterator[ClassNode]:
    suspects = {part for part in engine_of(members).parts(node) if _may_skip(members, part)}
    if not suspects:
        return
    packages = frozenset(_package(one) for one in (node, *suspects))
    found: dict[ClassNode, None] = {}
    pending = [node]
    while pending and len(found) < _LIMIT:
        for part in _built(members, pending.pop(), packages):
            if part not in found and part is not node:
                found[part] = None
                if _leads_to(members, part, packages):
                    pending.append(part)
    yield from (part for part in found if part in suspects)


def _may_skip(members: Members, node: ClassNode) -> bool:
    functions = [m.function for m in members.hierarchy.definitions(node, _CONSTRUCTOR) if m.function is not None]
    return any(not _calls_above(function) for function in functions[:-1])


def _calls_above(function: FunctionNode) -> bool:
    """Whether a constructor calls the next one by `super()`."""
    for step in function.facts.body.steps:
        for expr in expressions(step):
            for part in facts.walk(expr):
                match part:
                    case facts.Attribute(base=facts.Call(func=facts.Name(id="super"), args=()), name=name):
                        if name == _CONSTRUCTOR:
                            return True
                    case _:
                        pass
    return False


def _package(node: ClassNode) -> str:
    return node.module.name.rpartition(".")[0]


def _leads_to(members: Members, node: ClassNode, packages: frozenset[str]) -> bool:
    """Whether a class can build one of the packages: it is of one, or its module imports from one. A layer that all
    models share builds none of theirs."""
    known = members.beside(_Known).leads
    key = (node.module.name, packages)
    if key not in known:
        known[key] = any(_is_of(node.module.name, one) for one in packages) or any(
            isinstance(step, facts.Import) and any(_is_of(step.module, one) for one in packages)
            for scope in (node.module.body, *(f.facts.body for f in members.project.functions_of(node.module)))
            for step in scope.steps
        )
    return known[key]


def _is_of(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def _built(members: Members, node: ClassNode, packages: frozenset[str]) -> Iterator[ClassNode]:
    """The classes of the tree that constructing an object keeps, and those of some packages that it names."""
    composition, project = members.composition, members.project
    for assignments in composition.assignments(node).values():
        yield from (one for assignment in assignments if not assignment.late for one in assignment.classes)
    for frame in composition.constructor(node):
        if frame.function is not None:
            yield from _named(members, frame.function, packages)
    for step in node.facts.body.steps:  # a class attribute that says which layers to build
        if isinstance(step, facts.Bind) and isinstance(step.value, facts.Name):
            yield from (one for one in project.symbol(node.module, step.value) if isinstance(one, ClassNode))


def _named(members: Members, function: FunctionNode, packages: frozenset[str]) -> tuple[ClassNode, ...]:
    """The classes that a function names, but for those that it has from outside of the packages."""
    known = members.beside(_Known).named
    key = (function, packages)
    if key not in known:
        table = members.project.table(function.module)
        names = (
            part
            for step in function.facts.body.steps
            for expr in expressions(step)
            for part in facts.walk(expr)
            if isinstance(part, facts.Name) and not _is_foreign(table.get(part.id, ()), packages)
        )
        known[key] = tuple(dict.fromkeys(one for name in names for one in _classes(members, function, name)))
    return known[key]


def _is_foreign(steps: Iterable[object], packages: frozenset[str]) -> bool:
    imports = [step for step in steps if isinstance(step, facts.Import)]
    return bool(imports) and not any(_is_of(step.module, one) for step in imports for one in packages)


def _classes(members: Members, function: FunctionNode, name: facts.Name) -> Iterator[ClassNode]:
    project = members.project
    for symbol in project.symbol(function.module, name):
        if isinstance(symbol, ClassNode):
            yield symbol
        elif isinstance(symbol, Assigned):  # a table of layer classes
            for part in facts.walk(symbol.value):
                if isinstance(part, facts.Name):
                    yield from (one for one in project.symbol(symbol.module, part) if isinstance(one, ClassNode))
