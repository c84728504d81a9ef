"""Which classes are models, as the tree's own registry would find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specint.contract.declared import Declared
from specint.facts import model as facts
from specint.graph.project import Assigned, ClassNode, FunctionNode, Project
from specint.graph.value import Unknown, Values


def registered(project: Project, module: facts.Module, attribute: str) -> tuple[ClassNode, ...]:
    """The classes that a module names in its registry attribute: one class, or a list."""
    found: dict[ClassNode, None] = {}
    for step in project.table(module).get(attribute, ()):
        if step.guard == -1 and not (isinstance(step, facts.Bind) and step.how == "augment"):
            found.clear()
        if isinstance(step, facts.Bind) and step.value is not None and step.how != "augment":
            found.update(dict.fromkeys(_named(project, module, step.value)))
        elif isinstance(step, facts.Import):
            for symbol in project.imported(step):
                if isinstance(symbol, Assigned):
                    found.update(dict.fromkeys(_named(project, symbol.module, symbol.value)))
                elif isinstance(symbol, ClassNode):
                    found[symbol] = None
    for step in module.body.steps:
        match step:
            case facts.Evaluate(
                value=facts.Call(
                    func=facts.Attribute(base=facts.Name(id=name), name="append" | "extend"), args=(argument,)
                )
            ) if name == attribute:
                found.update(dict.fromkeys(_named(project, module, argument)))
            case facts.Bind(target=facts.Name(id=name), value=facts.Other(parts=parts), how="augment") if (
                name == attribute
            ):
                for part in parts:
                    found.update(dict.fromkeys(_named(project, module, part)))
            case _:
                pass
    return tuple(found)


def registered_by_plugin(
    project: Project, module: facts.Module, registry: str, table: str
) -> tuple[tuple[ClassNode, ...], tuple[str, ...]]:
    """What a plugin registers in its functions: classes put into the registry's table, and packages it names."""
    classes: dict[ClassNode, None] = {}
    packages: dict[str, None] = {}
    places = [(module.body, ()), *((f.facts.body, (f.facts.body,)) for f in project.functions_of(module))]
    for body, scopes in places:
        for step in body.steps:
            match step:
                case facts.Bind(target=facts.Item(base=facts.Attribute(base=base, name=found)), value=value) if (
                    found == table and value is not None and facts.spell(base).endswith(registry)
                ):
                    for symbol in project.symbol(module, value, scopes):
                        if isinstance(symbol, ClassNode):
                            classes[symbol] = None
                case facts.Evaluate(
                    value=facts.Call(func=facts.Attribute(base=base, name="register"), args=(given, *_))
                ) if facts.spell(base).endswith(registry):
                    packages.update(dict.fromkeys(_strings(given, module, project)))
                case _:
                    pass
    return tuple(classes), tuple(packages)


def chosen_at_run_time(project: Project, declared: Declared) -> Callable[[FunctionNode], Values | None]:
    """For an evaluator: what the registry's methods give is what a checkpoint names, no value of the tree."""
    registry = declared.code.registry

    def answer(function: FunctionNode) -> Values | None:
        owner = function.owner
        if owner is None:
            return None
        steps = project.table(owner.module).get(registry, ())
        if owner.name != registry and not any(_makes(step, owner) for step in steps):
            return None
        return frozenset({Unknown(f"{registry}.{function.name} chooses it for a checkpoint, while the server starts")})

    return answer


def _makes(step: facts.Step, node: ClassNode) -> bool:
    value = step.value if isinstance(step, facts.Bind) else None
    return isinstance(value, facts.Call) and facts.spell(value.func) == node.name


def _named(project: Project, module: facts.Module, expr: facts.Expr, hops: int = 8) -> Iterator[ClassNode]:
    """The classes that an expression names; `hops`: through so many names, as one may be defined by itself."""
    match expr:
        case facts.Name() | facts.Attribute():
            for symbol in project.symbol(module, expr):
                if isinstance(symbol, ClassNode):
                    yield symbol
                elif isinstance(symbol, Assigned) and hops:
                    yield from _named(project, symbol.module, symbol.value, hops - 1)
        case facts.Display(items=items) | facts.Other(parts=items):
            for item in items:
                yield from _named(project, module, item, hops)
        case facts.Starred(value=value):
            yield from _named(project, module, value, hops)
        case facts.Choice(then=then, otherwise=otherwise):
            yield from _named(project, module, then, hops)
            yield from _named(project, module, otherwise, hops)
        case _:
            pass


def _strings(expr: facts.Expr, module: facts.Module, project: Project) -> Iterator[str]:
    for part in facts.walk(expr):
        match part:
            case facts.Constant(value=str(text)):
                yield text
            case facts.Name(id=name):
                for symbol in project.resolve(module, name):
                    if isinstance(symbol, Assigned):
                        yield from (p.value for p in facts.walk(symbol.value) if _is_text(p))  # type: ignore[union-attr, misc]
            case _:
                pass


def _is_text(expr: facts.Expr) -> bool:
    return isinstance(expr, facts.Constant) and isinstance(expr.value, str)
