"""One spelling for a callable that Python's own library makes: the lambda that does the same.

`operator.attrgetter("b")` becomes `lambda x: x.b`, `methodcaller("b", 1)` `lambda x: x.b(1)`, `itemgetter(0)`
`lambda x: x[0]`, `partial(getattr, a, "b")` `lambda: a.b`, and `weakref.ref(a)` `lambda: a`. So whoever follows lambdas
follows these.
"""

from __future__ import annotations

from collections.abc import Callable

from specint.facts.model import Attribute, Call, Constant, Display, Expr, Item, Lambda, Name, Param
from specint.facts.spelling import plain_lookup

_LOOKUPS = {"getattr": 2, "setattr": 3, "hasattr": 2}
"""What asks an object for a member by name, and how many arguments it takes at least."""


def plain_callable(call: Call) -> Expr:
    """The lambda in place of a call that makes a callable; any other call as it is."""
    func = call.func
    name = func.name if isinstance(func, Attribute) else func.id if isinstance(func, Name) else ""
    made = _MADE.get(name)
    return (made(call) or call) if made is not None else call


def _param(number: int) -> Param:
    # no name that can be written, so it hides none that the arguments read
    return Param(f"<{number}>", "positional", None, None)


def _attrgetter(call: Call) -> Lambda | None:
    if not _is_of(call.func, "operator"):
        return None
    names = [one.value for one in call.args if isinstance(one, Constant) and isinstance(one.value, str)]
    if not names or len(names) != len(call.args) or call.keywords:
        return None
    param = _param(0)
    found: list[Expr] = []
    for dotted in names:
        one: Expr = Name(param.name)
        for name in dotted.split("."):
            one = Attribute(one, name, call.line)
        found.append(one)
    return Lambda((param,), found[0] if len(found) == 1 else Display(tuple(found)))


def _methodcaller(call: Call) -> Lambda | None:
    match call.args:
        case (Constant(value=str(name)), *rest) if _is_of(call.func, "operator"):
            param = _param(0)
            method = Attribute(Name(param.name), name, call.line)
            return Lambda((param,), Call(method, tuple(rest), call.keywords, call.line))
        case _:
            return None


def _itemgetter(call: Call) -> Lambda | None:
    if not call.args or call.keywords or not _is_of(call.func, "operator"):
        return None
    param = _param(0)
    items = tuple(Item(Name(param.name), one) for one in call.args)
    return Lambda((param,), items[0] if len(items) == 1 else Display(items))


def _partial(call: Call) -> Lambda | None:
    match call.args:
        case (Name(id=lookup), *given) if lookup in _LOOKUPS and not call.keywords:
            params = tuple(map(_param, range(max(0, _LOOKUPS[lookup] - len(given)))))
            args = (*given, *(Name(one.name) for one in params))
            return Lambda(params, plain_lookup(Call(Name(lookup), args, (), call.line)))
        case _:
            return None


def _reference(call: Call) -> Lambda | None:
    return Lambda((), call.args[0]) if call.args and _is_of(call.func, "weakref", plain=False) else None


def _is_of(func: Expr, module: str, *, plain: bool = True) -> bool:
    """Whether a function is read from a module of that name, or (`plain`) imported under its own."""
    return func.base == Name(module) if isinstance(func, Attribute) else plain


_MADE: dict[str, Callable[[Call], Lambda | None]] = {
    "attrgetter": _attrgetter,
    "methodcaller": _methodcaller,
    "itemgetter": _itemgetter,
    "partial": _partial,
    "ref": _reference,
    "WeakMethod": _reference,
}
