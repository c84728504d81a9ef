"""Algorithms that are registered by a call: SGLang 0.5.5's own, and those of somebody's plugin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, FunctionNode, Project, Symbol

Maker = ClassNode | FunctionNode


@dataclass(frozen=True)
class Registration:
    """An algorithm that is registered by a call, not written into the enum.

    Attributes:
        aliases: other names given in the call.
        words: every other word of the call, which the algorithm's predicates may look up; its own name is one.
        makers: the classes and functions that the call hands over: workers, what makes one, and the algorithm's own
            class (`behaves_as`), whose predicates come before those of the enum.
        file, line: where the call is.
    """

    name: str
    aliases: tuple[str, ...]
    words: frozenset[str]
    makers: tuple[Maker, ...]
    behaves_as: tuple[ClassNode, ...]
    file: str
    line: int


@dataclass(frozen=True)
class _Place:
    """A scope in which calls stand, with the scopes around it."""

    module: facts.Module
    body: facts.Scope
    scopes: tuple[facts.Scope, ...]
    functions: tuple[FunctionNode, ...]
    classes: tuple[ClassNode, ...]


def registrations(project: Project, roots: Roots, modules: Iterable[facts.Module]) -> dict[str, Registration]:
    """The algorithms that modules register, when they are imported or in a function that a plugin loader calls."""
    found: dict[str, Registration] = {}
    for module in modules:
        for place in _places(project, module):
            for call, makers in _calls(place):
                one = _registration(project, roots, place, call, makers)
                if one is not None:
                    found.setdefault(one.name, one)
    return found


def _places(project: Project, module: facts.Module) -> Iterator[_Place]:
    own = tuple(project.function_node(module, function) for function in module.body.functions)
    classes = tuple(project.class_node(module, one) for one in module.body.classes)
    yield _Place(module, module.body, (), own, classes)
    for function in project.functions_of(module):
        scopes = []
        outer: FunctionNode | None = function
        while outer is not None:
            scopes.append(outer.facts.body)
            outer = outer.outer
        yield _Place(module, function.facts.body, tuple(scopes), function.nested, ())


def _calls(place: _Place) -> Iterator[tuple[facts.Call, tuple[Maker, ...]]]:
    """The calls of a scope, and what a call that decorates is put on."""
    for step in place.body.steps:
        match step:
            case facts.Evaluate(value=facts.Call() as call) | facts.Bind(value=facts.Call() as call):
                yield call, ()
            case _:
                pass
    decorated: tuple[Maker, ...] = (*place.functions, *place.classes)
    for maker in decorated:
        for decorator in maker.facts.decorators:
            if isinstance(decorator, facts.Call):
                yield decorator, (maker,)


def _registration(
    project: Project, roots: Roots, place: _Place, call: facts.Call, makers: tuple[Maker, ...]
) -> Registration | None:
    if not _registers(project, roots, place, call.func):
        return None
    given = call.args[0] if call.args else next((k.value for k in call.keywords if k.name == "name"), None)
    name = next((t.upper() for t in _texts(project, place, given) if t.isidentifier()), None) if given else None
    if name is None:
        return None
    handed = [*call.args[1:], *(k.value for k in call.keywords if k.name != "aliases")]
    symbols = [s for one in handed for s in _symbols(project, place, one)]
    nodes = tuple(s for s in symbols if isinstance(s, (ClassNode, FunctionNode)))
    enum_members = {member.name for member in project.methods_of(roots.enum)}
    behaves = tuple(
        n for n in nodes if isinstance(n, ClassNode) and enum_members & {m.name for m in project.methods_of(n)}
    )
    return Registration(
        name=name,
        aliases=tuple(t for k in call.keywords if k.name == "aliases" for t in _texts(project, place, k.value)),
        words=frozenset({name, *(text.upper() for one in handed for text in _texts(project, place, one))}),
        makers=(*makers, *(n for n in nodes if n not in behaves)),
        behaves_as=behaves,
        file=place.module.path,
        line=call.line,
    )


def _registers(project: Project, roots: Roots, place: _Place, func: facts.Expr) -> bool:
    """Whether a call goes to the enum's own registering method, or to a function beside the enum that registers."""
    if isinstance(func, facts.Attribute) and func.name.startswith("register"):
        return roots.enum in project.symbol(place.module, func.base, place.scopes)
    if not isinstance(func, facts.Name) or "register" not in func.id:
        return False
    return any(
        isinstance(symbol, FunctionNode) and symbol.module is roots.enum.module
        for symbol in _symbols(project, place, func)
    )


def _symbols(project: Project, place: _Place, expr: facts.Expr) -> tuple[Symbol, ...]:
    if not isinstance(expr, (facts.Name, facts.Attribute)):
        return ()
    return project.symbol(place.module, expr, place.scopes)


def _texts(project: Project, place: _Place, expr: facts.Expr) -> Iterator[str]:
    """The strings in an expression, also behind a name for one."""
    for part in facts.walk(expr):
        match part:
            case facts.Constant(value=str(text)):
                yield text
            case facts.Name() | facts.Attribute():
                values = (s.value for s in _symbols(project, place, part) if isinstance(s, Assigned))
                for value in values:
                    if isinstance(value, facts.Constant) and isinstance(value.value, str):
                        yield value.value
            case _:
                pass
