"""What one step of a function reads and gives a value, as written."""

from __future__ import annotations

from collections.abc import Iterator

from specint.facts import model as facts

_HARMLESS = frozenset(
    {
        "len",
        "list",
        "tuple",
        "set",
        "sorted",
        "max",
        "min",
        "range",
        "enumerate",
        "isinstance",
        "print",
        "setattr",
        "vars",
    }
)
_MUTATES = frozenset({"append", "extend", "add", "update", "insert", "copy_", "fill_"})
REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
"""Methods of a module that set an attribute of it by name."""
_LOGS = frozenset({"debug", "info", "warning", "error", "log_info_on_rank0", "warning_once"})


def expressions(step: facts.Step) -> Iterator[facts.Expr]:
    """What a step evaluates: its value, and what its target reaches through."""
    match step:
        case facts.Bind(target=target, value=value):
            if value is not None:
                yield value
            yield from _through(target)
        case facts.Evaluate(value=value):
            yield value
        case facts.Return(value=value) | facts.Raise(value=value):
            if value is not None:
                yield value
        case facts.Delete(target=target):
            yield from _through(target)
        case _:
            pass


def _through(target: facts.Expr) -> Iterator[facts.Expr]:
    for one in facts.targets(target):
        if isinstance(one, facts.Attribute):
            yield one.base
        elif isinstance(one, facts.Item):
            yield one


def read_names(expr: facts.Expr) -> Iterator[tuple[str, int]]:
    """The attribute names that an expression reads, `getattr` and `hasattr` counted, each with its line."""
    for part in facts.walk(expr):
        match part:
            case facts.Attribute(name=name, line=at):
                yield name, at
            case facts.Call(
                func=facts.Name(id="getattr" | "hasattr"), args=(_, facts.Constant(value=str(name)), *_), line=at
            ):
                yield name, at
            case _:
                pass


def assigned(step: facts.Step) -> Iterator[tuple[facts.Expr, facts.Expr | None]]:
    """What a step gives a value, with the value as far as it is written out: targets, and what a module registers."""
    match step:
        case facts.Bind(target=target, value=value, how=how) if how != "declare":
            whole = not isinstance(target, (facts.Display, facts.Starred))
            yield from ((one, value if whole else None) for one in facts.targets(target))
        case facts.Evaluate(
            value=facts.Call(
                func=facts.Attribute(base=base, name=method), args=(facts.Constant(value=str(name)), *rest), line=line
            )
        ) if method in REGISTERS:
            yield facts.Attribute(base, name, line), rest[0] if rest else None
        case _:
            pass


def computed(step: facts.Step) -> tuple[facts.Expr, facts.Expr, facts.Expr | None] | None:
    """The object, the name and the value, where a step sets an attribute whose name isn't written out there."""
    # hardly any does, and this is asked of every step
    plain = not isinstance(step.value, facts.Call) if isinstance(step, facts.Evaluate) else not _sets_item(step)
    if plain:
        return None
    match step:
        case facts.Evaluate(value=facts.Call(func=facts.Name(id="setattr"), args=(base, name, value))):
            return base, name, value
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(name="__setattr__"), args=(base, name, value))):
            return base, name, value
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(base=base, name=called), args=(name, *rest))) if (
            called in REGISTERS and not isinstance(name, facts.Constant)
        ):
            return base, name, rest[0] if rest else None
        case facts.Bind(target=facts.Item(base=facts.Attribute(base=base, name="__dict__"), index=name), value=value):
            return base, name, value
        case facts.Bind(
            target=facts.Item(base=facts.Call(func=facts.Name(id="vars"), args=(base,)), index=name), value=value
        ):
            return base, name, value
        case _:
            return None


def _sets_item(step: facts.Step) -> bool:
    return isinstance(step, facts.Bind) and isinstance(step.target, facts.Item)


def written(step: facts.Step) -> Iterator[tuple[facts.Expr, facts.Expr | None]]:
    """What a step writes, with what it is written from: `assigned`, and changes of a container's content."""
    match step:
        case facts.Bind(value=value):
            for one, its in assigned(step):
                yield (one.base if isinstance(one, facts.Item) else one), its if its is not None else value
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(base=base, name="insert"), args=(_, value))):
            yield base, value
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(base=base, name=method), args=(value, *_))) if (
            method in _MUTATES
        ):
            yield base, value
        case _:
            yield from assigned(step)


def gives(step: facts.Step, attribute: str) -> bool:
    """Whether a step gives a value to an attribute of that name, of whatever object."""
    return any(isinstance(target, facts.Attribute) and target.name == attribute for target, _ in written(step))


def bound_names(target: facts.Expr) -> Iterator[str]:
    """The local names that a target binds, and the attributes as `.name`."""
    for one in facts.targets(target):
        if isinstance(one, facts.Name):
            yield one.id
        elif isinstance(one, facts.Attribute):
            yield f".{one.name}"


def is_harmless(call: facts.Call) -> bool:
    """Whether a call keeps nothing of its arguments that matters later."""
    match call.func:
        case facts.Name(id=name):
            return name in _HARMLESS
        case facts.Attribute(name=name):
            return name in _LOGS or name in _MUTATES
        case _:
            return False


def asks_for_member(test: facts.Expr | None) -> bool:
    """Whether a condition asks an object for a member by `hasattr`."""
    parts = facts.walk(test) if test is not None else ()
    return any(isinstance(part, facts.Call) and part.func == facts.Name("hasattr") for part in parts)
