"""How a model is made: what the code that gets a model's class from the registry hands to its constructor.

The class is what the declared function tells, or the registry itself. What stands in the call, or always in the mapping
that it spreads, is handed over by every server; what is put into that mapping under a condition, only where it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specint.contract.code import Code, tail
from specint.contract.interfaces import RUNTIME
from specint.contract.model import CallShape, Requirement
from specint.contract.presence import site_of
from specint.contract.roots import Roots
from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.model import Expr
from specint.graph.binding import bind_arguments
from specint.graph.project import FunctionNode, Project

CONSTRUCTOR = "__init__"
_HOPS = 3

Tests = tuple[str, ...]
"""Conditions as they are written; none: whatever the server is started with."""


@dataclass(frozen=True)
class _Given:
    """What a call hands over by name: each keyword under its conditions; `open` where more may come along."""

    words: tuple[tuple[str, Tests], ...] = ()
    open: bool = False

    def under(self, tests: Tests) -> _Given:
        """The same, where more conditions stand around it."""
        return _Given(tuple((word, (*tests, *own)) for word, own in self.words), self.open)


def constructor(project: Project, code: Code, roots: Roots, makers: Iterable[facts.Module]) -> tuple[Requirement, ...]:
    """What the constructor of a model's class must take: once for what always comes, once for each condition."""
    found: dict[Requirement, None] = {}
    for function in _getters(project, code, roots, makers):
        for name, step, call in _calls(function):
            if _is_told(call.func, function, roots):
                found |= dict.fromkeys(_requirements(function, step, call))
            elif name is not None:
                for at, inner_step, inner in _handed(project, function, call, roots, _HOPS):
                    found |= dict.fromkeys(_requirements(at, inner_step, inner))
    return tuple(found)


def _getters(project: Project, code: Code, roots: Roots, makers: Iterable[facts.Module]) -> list[FunctionNode]:
    """The functions that may get a model's class."""
    tells = roots.declared.architecture.function.rpartition(".")[2]
    asking = [*code.calls.get(tells, ()), *code.accesses.get(roots.declared.code.registry, ())]
    found = {(one.function.module.path, one.function.facts.line): one.function for one in asking}
    for module in makers:
        found |= {(module.path, one.facts.line): one for one in project.functions_of(module)}
    return [found[key] for key in sorted(found)]


def _calls(function: FunctionNode) -> Iterator[tuple[str | None, facts.Step, facts.Call]]:
    for step in function.facts.body.steps:
        value = getattr(step, "value", None)
        for part in facts.walk(value) if isinstance(value, facts.Node) else ():  # type: ignore[arg-type]
            if isinstance(part, facts.Call):
                yield tail(part.func), step, part


def _handed(
    project: Project, function: FunctionNode, call: facts.Call, roots: Roots, hops: int, told: str | None = None
) -> Iterator[tuple[FunctionNode, facts.Step, facts.Call]]:
    """The calls of a class in the functions that it is handed on to."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    if not hops or not any(_is_class(one, function, roots, told) for one in given):
        return
    for symbol in project.symbol(function.module, call.func):
        if not isinstance(symbol, FunctionNode):
            continue
        for param, value in bind_arguments(symbol, call, skip_first=False).items():
            if not _is_class(value, function, roots, told):
                continue
            for _, step, inner in _calls(symbol):
                if inner.func == facts.Name(param):
                    yield symbol, step, inner
                else:
                    yield from _handed(project, symbol, inner, roots, hops - 1, param)


def _is_class(expr: Expr, function: FunctionNode, roots: Roots, told: str | None) -> bool:
    return expr == facts.Name(told) if told is not None else _is_told(expr, function, roots)


def _is_told(expr: Expr, function: FunctionNode, roots: Roots) -> bool:
    """Whether an expression is a model's class: the first of what is told, or the only thing."""
    match expr:
        case facts.Name(id=name):
            steps = [step for step in function.binds.get(name, ()) if isinstance(step, facts.Bind)]
            return any(_gives(step, name, roots) for step in steps)
        case facts.Item(base=facts.Call() as call):
            return _tells(call, roots)
        case _:
            return False


def _gives(step: facts.Bind, name: str, roots: Roots) -> bool:
    value = step.value.base if isinstance(step.value, facts.Item) else step.value
    first = next(iter(facts.targets(step.target)), None)
    return isinstance(value, facts.Call) and first == facts.Name(name) and _tells(value, roots)


def _tells(call: facts.Call, roots: Roots) -> bool:
    if isinstance(call.func, facts.Attribute) and tail(call.func.base) == roots.declared.code.registry:
        return True
    return tail(call.func) == roots.declared.architecture.function.rpartition(".")[2]


# -- what is handed over -----------------------------------------------------------------------------------------------


def _requirements(function: FunctionNode, step: facts.Step, call: facts.Call) -> Iterator[Requirement]:
    around = _tests(function, step.guard, -1)
    given = _keywords(function, step, call)
    always = tuple(word for word, tests in given.words if not tests)
    positional = sum(not isinstance(one, facts.Starred) for one in call.args)
    starred = given.open or positional < len(call.args)
    for tests in dict.fromkeys(((), *(tests for _, tests in given.words))):
        words = {word for word, own in given.words if own == tests}
        site = site_of(function, call.line)
        settings = tuple(dict.fromkeys((*around, *tests)))
        yield Requirement(
            role="class",
            member=CONSTRUCTOR,
            use="call",
            algorithms=(),
            strength="required",
            sites=(site,),
            decided_by=site,
            call=CallShape(positional, tuple(sorted({*always, *words})), None, positional, starred),
            interface=RUNTIME,
            settings=settings,
            unconditional=not settings,
        )


def _tests(function: FunctionNode, guard: int, outer: int) -> Tests:
    """The conditions on the way to a guard that don't stand around another one as well, as written."""
    scope = function.facts.body
    shared = set(guards_around(scope, outer))
    guards = [scope.guards[index] for index in guards_around(scope, guard) if index not in shared]
    return tuple(
        _said(one.test, one.positive)
        for one in reversed(guards)
        if one.test is not None and one.kind != "loop" and one.left_by != "raise"
    )


def _said(test: Expr, positive: bool) -> str:
    match test:
        case facts.Not(operand=operand):
            return _said(operand, not positive)
        case facts.Boolean() | facts.Compare() if not positive:
            return f"not ({facts.spell(test)})"
        case _:
            return f"{'' if positive else 'not '}{facts.spell(test)}"


def _keywords(function: FunctionNode, step: facts.Step, call: facts.Call) -> _Given:
    """What a call hands over by name."""
    found: list[_Given] = []
    for keyword in call.keywords:
        if keyword.name is not None:
            found.append(_Given(((keyword.name, ()),)))
        else:
            found.append(_mapping(function, step, keyword.value))
    return _joined(found)


def _joined(given: Iterable[_Given]) -> _Given:
    parts = tuple(given)
    words = [pair for one in parts for pair in one.words]
    sure = {word for word, tests in words if not tests}
    kept = (pair for pair in words if not pair[1] or pair[0] not in sure)
    return _Given(tuple(dict.fromkeys(kept)), any(one.open for one in parts))


def _mapping(function: FunctionNode, step: facts.Step, expr: Expr) -> _Given:
    """The keys of a mapping that is spread into a call."""
    match expr:
        case facts.DictDisplay(keys=keys, values=values):
            parts = []
            for key, value in zip(keys, values, strict=True):
                if key is None:
                    parts.append(_mapping(function, step, value))
                else:
                    parts.append(_key(key))
            return _joined(parts)
        case facts.Call(func=facts.Name(id="dict"), args=args):
            return _joined([*(_mapping(function, step, one) for one in args), _keywords(function, step, expr)])
        case facts.Choice(test=test, then=then, otherwise=otherwise):
            yes, no = _mapping(function, step, then), _mapping(function, step, otherwise)
            return _joined([yes.under((_said(test, True),)), no.under((_said(test, False),))])
        case facts.Boolean(op="or", values=values):
            return _joined(_mapping(function, step, one) for one in values)
        case facts.Name(id=name):
            return _named(function, step, name)
        case _:
            return _Given(open=True)


def _key(key: Expr) -> _Given:
    if isinstance(key, facts.Constant) and isinstance(key.value, str):
        return _Given(((key.value, ()),))
    return _Given(open=True)


def _named(function: FunctionNode, step: facts.Step, name: str) -> _Given:
    """The keys that a local mapping has where it is spread, each under the conditions under which it is put there."""
    found: list[_Given] = []
    if all(param.name != name for param in function.facts.params):
        known = False
    else:
        known, found = True, [_Given(open=True)]  # its caller may put anything there
    for one in function.facts.body.steps:
        if one is step or one.line > step.line:
            break
        if (put := _put(function, one, name)) is not None:
            known = True
            found.append(put.under(_tests(function, one.guard, step.guard)))
    return _joined(found) if known else _Given(open=True)


def _put(function: FunctionNode, step: facts.Step, name: str) -> _Given | None:
    """What a step puts into a mapping; None where it has nothing to do with it."""
    own = facts.Name(name)
    match step:
        case facts.Bind(target=facts.Item(base=base, index=key)) if base == own:
            return _key(key)
        case facts.Bind(target=target, value=value) if target == own and value is not None:
            return _mapping(function, step, value)
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(base=base, name="update"), args=args) as call) if (
            base == own
        ):
            return _joined([*(_mapping(function, step, one) for one in args), _keywords(function, step, call)])
        case facts.Evaluate(value=facts.Call(func=facts.Attribute(base=base, name="setdefault"), args=(key, *_))) if (
            base == own
        ):
            return _key(key)
        case _:
            return None
