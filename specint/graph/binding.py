"""Which assignment reaches a line, and which argument meets which parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import FunctionNode
from specint.graph.value import Values


def bind_arguments(function: FunctionNode, call: facts.Call, *, skip_first: bool, ahead: int = 0) -> dict[str, Expr]:
    """Parameter -> argument expression, as Python binds them; starred arguments are not spread.

    Args:
        ahead: how many positional arguments the callee was handed before this call (`functools.partial`).
    """
    params = list(function.facts.params)
    if skip_first and params:
        params = params[1:]
    positional = [p for p in params if p.kind in ("positional-only", "positional")][ahead:]
    bound: dict[str, Expr] = {}
    for param, argument in zip(positional, call.args, strict=False):
        if isinstance(argument, facts.Starred):
            break
        bound[param.name] = argument
    names = {p.name for p in params}
    for keyword in call.keywords:
        if keyword.name is not None and keyword.name in names:
            bound[keyword.name] = keyword.value
    return bound


def bind_values(
    function: FunctionNode, args: list[Values], keywords: dict[str, Values], *, skip_first: bool
) -> dict[str, Values]:
    """Parameter -> value, as Python binds them."""
    params = list(function.facts.params)[1 if skip_first else 0 :]
    positional = [p.name for p in params if p.kind in ("positional-only", "positional")]
    names = {p.name for p in params}
    return {**dict(zip(positional, args, strict=False)), **{k: v for k, v in keywords.items() if k in names}}


def own_binds(step: facts.Step, own_name: str) -> Iterator[tuple[str, facts.Bind]]:
    """The attributes that a step binds on the object itself; what is appended to a list counts too."""
    match step:
        case facts.Bind(target=target):
            for one in facts.targets(target):
                if isinstance(one, facts.Attribute) and one.base == facts.Name(own_name):
                    yield one.name, step
        case facts.Evaluate(
            value=facts.Call(
                func=facts.Attribute(
                    base=facts.Attribute(base=facts.Name(id=found), name=name), name="append" | "add" | "insert"
                ),
                args=(*_, value),
            )
        ) if found == own_name:
            yield name, facts.Bind(step.value, facts.Display((value,)), None, "=", step.guard, step.line)
        case _:
            pass


def reaching(steps: Iterable[facts.Step], at: facts.Step | None, scope: facts.Scope) -> tuple[list[facts.Step], bool]:
    """The steps whose assignment can still hold at a step, and whether one of them always ran before it.

    Going back from `at`, the first step that always runs before it hides what is before that one. An assignment further
    down is met too, in the next round of a loop around `at`, unless the hiding step runs anew in each of its rounds.
    """
    steps = list(steps)
    if at is None:
        return steps, bool(steps) and steps[0].guard == -1 and len(steps) == 1
    around = _chain(scope, at.guard)
    before, late = _parted(steps, at, scope)
    found: list[facts.Step] = []
    hiding: facts.Step | None = None
    for step in reversed(before):
        if not _excludes(scope, step.guard, around):
            found.append(step)
            if step.guard in around:
                hiding = step
                break
    hidden = _chain(scope, hiding.guard) if hiding is not None else frozenset()
    loops = [guard for guard in around if guard >= 0 and scope.guards[guard].kind == "loop" and guard not in hidden]
    found += [step for step in late if not _chain(scope, step.guard).isdisjoint(loops)]
    return found, hiding is not None


def _parted(steps: list[facts.Step], at: facts.Step, scope: facts.Scope) -> tuple[list[facts.Step], list[facts.Step]]:
    """The steps before one, and those behind it. On its own line they are told apart by their order in the scope."""
    before = [step for step in steps if step.line < at.line]
    beside = [step for step in steps if step.line == at.line and step is not at]
    if beside:
        order = {id(step): number for number, step in enumerate(scope.steps)}
        here = order.get(id(at), len(order))
        before += [step for step in beside if order.get(id(step), -1) < here]
    known = set(map(id, before))
    return before, [step for step in steps if id(step) not in known and step is not at]


def _chain(scope: facts.Scope, guard: int) -> frozenset[int]:
    """The guards on the way to a step, the top of the scope among them."""
    found = {-1}
    while guard >= 0:
        found.add(guard)
        guard = scope.guards[guard].parent
    return frozenset(found)


def _excludes(scope: facts.Scope, guard: int, around: frozenset[int]) -> bool:
    """Whether a step stands in another branch than what has these guards, and no loop around both runs it first."""
    chain = _chain(scope, guard)
    if any(scope.guards[one].kind == "loop" for one in chain & around if one >= 0):
        return False
    ours = [scope.guards[one] for one in around if one >= 0]
    theirs = [scope.guards[one] for one in chain - around]
    return any(
        one.kind == other.kind == "if"
        and (one.parent, one.line, one.test) == (other.parent, other.line, other.test)
        and one.positive is not other.positive
        for one in theirs
        for other in ours
    )
