"""The calls that Python's own functions make of what they are handed: `map(ask, models)` calls `ask` on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specint.facts.model import Call, Constant, DictDisplay, Display, Expr, Keyword, Name


def calls_of(call: Call) -> tuple[Call, ...]:
    """The calls that a call makes by itself, by what it is called: an element of what is gone through is written
    `next(iter(…))`."""
    func = call.func
    name = func.id if isinstance(func, Name) else getattr(func, "name", "")
    found = _HANDED.get(name)
    return tuple(found(call)) if found is not None else ()


def _element(of: Expr, line: int) -> Expr:
    return Call(Name("next"), (Call(Name("iter"), (of,), (), line),), (), line)


def _each(call: Call) -> Iterator[Call]:
    if len(call.args) > 1:
        callee, *rows = call.args
        yield Call(callee, tuple(_element(one, call.line) for one in rows), (), call.line)


def _each_row(call: Call) -> Iterator[Call]:
    match call.args:
        case (callee, Display(items=rows)):
            yield from (Call(callee, row.items, (), call.line) for row in rows if isinstance(row, Display))
        case _:
            pass


def _by_key(call: Call) -> Iterator[Call]:
    of = call.args[0] if call.args else getattr(call.func, "base", None)
    for keyword in call.keywords:
        if keyword.name == "key" and of is not None:
            yield Call(keyword.value, (_element(of, call.line),), (), call.line)


def _fold(call: Call) -> Iterator[Call]:
    if len(call.args) > 1:
        callee, rows, *first = call.args
        element = _element(rows, call.line)
        yield Call(callee, (first[0] if first else element, element), (), call.line)


def _after(skipped: int) -> Callable[[Call], Iterator[Call]]:
    """What is called with all that stands behind it."""

    def handed(call: Call) -> Iterator[Call]:
        if len(call.args) > skipped:
            callee, *args = call.args[skipped:]
            yield Call(callee, tuple(args), call.keywords, call.line)

    return handed


def _started(call: Call) -> Iterator[Call]:
    """`Thread(target=ask, args=(model,), kwargs={…})`, `Timer(1, ask, args)`."""
    given = {one.name: one.value for one in call.keywords}
    positional = call.args[1:] if len(call.args) > 1 else ()  # before it the group, or the time
    callee = given.get("target") or given.get("function") or (positional[0] if positional else None)
    args = given.get("args") or (positional[1] if len(positional) > 1 else None)
    named = given.get("kwargs")
    if callee is None:
        return
    keywords: tuple[Keyword, ...] = ()
    if isinstance(named, DictDisplay):
        pairs = zip(named.keys, named.values, strict=True)
        keywords = tuple(
            Keyword(key.value, value)
            for key, value in pairs
            if isinstance(key, Constant) and isinstance(key.value, str)
        )
    yield Call(callee, args.items if isinstance(args, Display) else (), keywords, call.line)


_HANDED: dict[str, Callable[[Call], Iterator[Call]]] = {
    "map": _each,
    "filter": _each,
    "starmap": _each_row,
    "sorted": _by_key,
    "sort": _by_key,
    "max": _by_key,
    "min": _by_key,
    "reduce": _fold,
    "submit": _after(0),
    "to_thread": _after(0),
    "call_soon": _after(0),
    "call_soon_threadsafe": _after(0),
    "callback": _after(0),
    "run_in_executor": _after(1),
    "call_later": _after(1),
    "Thread": _started,
    "Process": _started,
    "Timer": _started,
}
