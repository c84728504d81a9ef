"""One spelling for what Python lets people write in several ways: an attribute that is read, set or deleted.

`setattr(a, "b", c)`, `object.__setattr__(a, "b", c)`, `super().__setattr__("b", c)`, `a.__dict__["b"] = c`,
`vars(a)["b"] = c` and `a.__dict__.update(b=c)` all become the step `a.b = c`; `getattr(a, "b")` becomes `a.b`. Only
names that are written out count: with a computed one the call stays what it is. `f(*(a, b))` and `f(**{"c": d})`
become `f(a, b)` and `f(c=d)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specint.facts.model import (
    Attribute,
    Call,
    Constant,
    DictDisplay,
    Display,
    Expr,
    Item,
    Keyword,
    Name,
    Starred,
)

_OBJECTS = Name("vars")


def attribute_changes(expr: Expr, first: str) -> list[tuple[Expr, Expr | None]]:
    """The attributes that a statement sets by a call, each with its value; None where it is deleted.

    Args:
        first: what `super()` means by the object in the function at hand.
    """
    match expr:
        case Call(func=Name(id="setattr"), args=(base, Constant(value=str(name)), value), keywords=()):
            return [(Attribute(base, name, expr.line), value)]
        case Call(func=Name(id="delattr"), args=(base, Constant(value=str(name))), keywords=()):
            return [(Attribute(base, name, expr.line), None)]
        case Call(func=Attribute(base=base, name="__setattr__"), args=(*of, Constant(value=str(name)), value)):
            whose = _whose(base, of, first)
            return [(Attribute(whose, name, expr.line), value)] if whose is not None else []
        case Call(func=Attribute(base=base, name="__delattr__"), args=(*of, Constant(value=str(name)))):
            whose = _whose(base, of, first)
            return [(Attribute(whose, name, expr.line), None)] if whose is not None else []
        case Call(func=Attribute(base=table, name="update"), args=args, keywords=keywords):
            whose = _whose_table(table)
            given = _named_values(args)
            if whose is None or given is None or any(keyword.name is None for keyword in keywords):
                return []
            given += [(keyword.name, keyword.value) for keyword in keywords if keyword.name is not None]
            return [(Attribute(whose, name, expr.line), value) for name, value in given]
        case _:
            return []


def plain_lookup(call: Call) -> Expr:
    """`a.b` for `getattr(a, "b")`; a default makes another question of it."""
    match call:
        case Call(func=Name(id="getattr"), args=(base, Constant(value=str(name))), keywords=()):
            return Attribute(base, name, call.line)
        case _:
            return call


def plain_item(item: Item, line: int) -> Expr:
    """`a.b` for `a.__dict__["b"]` and `vars(a)["b"]`."""
    whose = _whose_table(item.base)
    if whose is None or not isinstance(item.index, Constant) or not isinstance(item.index.value, str):
        return item
    return Attribute(whose, item.index.value, line)


def spread(call: Call) -> Call:
    """A call with what it spreads put where it goes, as far as that is written out."""
    if not _spreads(call):
        return call
    return Call(call.func, tuple(_spread(call.args)), tuple(_spread_words(call.keywords)), call.line)


def _spreads(call: Call) -> bool:
    for arg in call.args:  # no generator: this is asked of every call
        if type(arg) is Starred:
            return True
    for keyword in call.keywords:  # noqa: SIM110
        if not keyword.name:
            return True
    return False


def _spread(args: Iterable[Expr]) -> Iterator[Expr]:
    for one in args:
        match one:
            case Starred(value=Display(items=items)):
                yield from _spread(items)
            case _:
                yield one


def _spread_words(keywords: Iterable[Keyword]) -> Iterator[Keyword]:
    for one in keywords:
        match one:
            case Keyword(name=None, value=DictDisplay(keys=keys, values=values)) if all(map(_is_word, keys)):
                pairs = zip(keys, values, strict=True)
                words = [Keyword(key.value if isinstance(key, Constant) else None, value) for key, value in pairs]  # type: ignore[arg-type]
                yield from _spread_words(words)
            case Keyword(name=None, value=Call(func=Name(id="dict"), args=(), keywords=inner)):
                yield from _spread_words(inner)
            case _:
                yield one


def _is_word(key: Expr | None) -> bool:
    """Whether a key can be a keyword: a text, or what stands for another dict that goes in."""
    return key is None or (isinstance(key, Constant) and isinstance(key.value, str))


def _whose(base: Expr, of: list[Expr], first: str) -> Expr | None:
    """The object of which a `__setattr__` sets an attribute: the one that is passed, or that it is reached through."""
    if len(of) == 1:
        return of[0]
    if isinstance(base, Call) and base.func == Name("super"):
        return Name(first) if first else None
    return base if not of else None


def _whose_table(table: Expr) -> Expr | None:
    """Whose attributes a dict holds; None for a dict of something else."""
    match table:
        case Attribute(base=base, name="__dict__"):
            return base
        case Call(func=func, args=(base,), keywords=()) if func == _OBJECTS:
            return base
        case _:
            return None


def _named_values(args: tuple[Expr, ...]) -> list[tuple[str, Expr]] | None:
    """The names and values of a dict that is written out; None where a name is computed."""
    match args:
        case ():
            return []
        case (DictDisplay(keys=keys, values=values),):
            named = [(key.value, value) for key, value in zip(keys, values, strict=True) if isinstance(key, Constant)]
            return [(n, v) for n, v in named if isinstance(n, str)] if len(named) == len(keys) else None
        case _:
            return None
