"""The speculative algorithms of a tree, and the other names that a user may give them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Assigned, FunctionNode, Project


@dataclass(frozen=True)
class Registration:
    """An algorithm that is registered by a call, not written into the enum.

    Attributes:
        aliases: other names given in the call.
        words: every other word of the call, which the algorithm's predicates may look up; its own name is one.
        made_by: what the call hands over that can be a worker class or make one, each with the module it stands in.
        file, line: where the call is.
    """

    name: str
    aliases: tuple[str, ...]
    words: frozenset[str]
    made_by: tuple[tuple[facts.Expr, facts.Module], ...]
    file: str
    line: int


_CALLABLE = (facts.Name, facts.Attribute, facts.Lambda)


def members(hierarchy: Hierarchy, roots: Roots) -> tuple[str, ...]:
    """The members of the enum, in its order, the one for no algorithm included."""
    own = hierarchy.own(roots.enum)
    found = (name for name, member in own.items() if member.kind == "attribute" and not name.startswith("_"))
    return tuple(name for name in found if name.isupper())


def registrations(project: Project, roots: Roots, modules: Iterable[facts.Module]) -> dict[str, Registration]:
    """The algorithms that modules register when they are imported, by call or as a decorator."""
    found: dict[str, Registration] = {}
    for module in modules:
        for step in module.body.steps:
            match step:
                case facts.Evaluate(value=facts.Call() as call) | facts.Bind(value=facts.Call() as call):
                    _register(project, roots, module, call, (), found)
                case facts.Define(index=index):
                    function = module.body.functions[index]
                    for decorator in function.decorators:
                        if isinstance(decorator, facts.Call):
                            made_by = ((facts.Name(function.name), module),)
                            _register(project, roots, module, decorator, made_by, found)
                case facts.DefineClass(index=index):
                    node = module.body.classes[index]
                    for decorator in node.decorators:
                        if isinstance(decorator, facts.Call):
                            _register(project, roots, module, decorator, ((facts.Name(node.name), module),), found)
                case _:
                    pass
    return found


def _register(
    project: Project,
    roots: Roots,
    module: facts.Module,
    call: facts.Call,
    made_by: tuple[tuple[facts.Expr, facts.Module], ...],
    found: dict[str, Registration],
) -> None:
    name = _registered_name(call)
    if name is None or not _registers(project, roots, module, call.func):
        return
    handed = [*call.args[1:], *(k.value for k in call.keywords if k.name != "aliases")]
    aliases = tuple(t for k in call.keywords if k.name == "aliases" for t in _texts(k.value))
    found[name] = Registration(
        name=name,
        aliases=aliases,
        words=frozenset({name, *(text.upper() for one in handed for text in _texts(one))}),
        made_by=(*made_by, *((one, module) for one in handed if isinstance(one, _CALLABLE))),
        file=module.path,
        line=call.line,
    )


def _registered_name(call: facts.Call) -> str | None:
    given = call.args[0] if call.args else next((k.value for k in call.keywords if k.name == "name"), None)
    text = given.value if isinstance(given, facts.Constant) else None
    return text.upper() if isinstance(text, str) and text.isidentifier() else None


def _registers(project: Project, roots: Roots, module: facts.Module, func: facts.Expr) -> bool:
    """Whether a call goes to the enum's own registering method, or to a function beside the enum that registers."""
    if isinstance(func, facts.Attribute) and func.name.startswith("register"):
        return roots.enum in project.symbol(module, func.base)
    return any(
        isinstance(symbol, FunctionNode) and symbol.module is roots.enum.module and symbol.name.startswith("register")
        for symbol in project.symbol(module, func)
    )


def aliases(project: Project, roots: Roots, algorithms: tuple[str, ...]) -> dict[str, str]:
    """Names that the tree turns into an algorithm: where an option is compared with one name and set to another, or
    where the enum's own reading of a name answers a collection of names with one member."""
    found: dict[str, str] = {}
    option = roots.declared.algorithm.option
    for name in ("srt.server_args", "srt.arg_groups.speculative_hook"):
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
