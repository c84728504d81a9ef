"""Which assignment reaches a line, and which argument meets which parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.project import PUTS, FunctionNode
from specint.graph.value import Value, Values


def bind_arguments(function: FunctionNode, call: facts.Call, *, skip_first: bool, ahead: int = 0) -> dict[str, Expr]:
    """Parameter -> argument expression, as Python binds them; what is spread may fill others (see `spread_arguments`).

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
    names = _names(params)
    for keyword in call.keywords:
        if keyword.name is not None and keyword.name in names:
            bound[keyword.name] = keyword.value
    for param in params:
        if param.kind == "*" and not any(isinstance(one, facts.Starred) for one in call.args):
            bound[param.name] = facts.Display(call.args[len(positional) :])
        elif param.kind == "**" and all(one.name is not None for one in call.keywords):
            rest = [one for one in call.keywords if one.name not in names]
            keys = tuple([facts.Constant(one.name) for one in rest])
            bound[param.name] = facts.DictDisplay(keys, tuple([one.value for one in rest]))
    return bound


def spread_arguments(function: FunctionNode, call: facts.Call, *, skip_first: bool, ahead: int = 0) -> dict[str, Expr]:
    """Parameter -> what it gets of what a call spreads, if that holds so much: `pair[0]` for `f(*pair)`, and
    `words.get("x")`, which asks for no key that isn't there, for `f(**words)`."""
    at = next((index for index, one in enumerate(call.args) if isinstance(one, facts.Starred)), None)
    tables = [one.value for one in call.keywords if one.name is None]
    if at is None and not tables:
        return {}
    params = list(function.facts.params)[1 if skip_first and function.facts.params else 0 :]
    positional = [p for p in params if p.kind in ("positional-only", "positional")][ahead:]
    sure = bind_arguments(function, call, skip_first=skip_first, ahead=ahead)
    found: dict[str, Expr] = {}
    for table in tables:
        for param in params:
            if param.kind == "**":
                found[param.name] = table
            elif param.kind in ("positional", "keyword") and param.name not in sure:
                found[param.name] = _under_key(table, param.name, call.line)
    if at is not None:
        starred = call.args[at]
        assert isinstance(starred, facts.Starred)
        for number, param in enumerate(positional[at:]):
            if param.name not in sure:
                one = facts.Item(starred.value, facts.Constant(number))
                either = found.get(param.name)  # where it is none of what goes by place, it may go by name
                found[param.name] = facts.Boolean("or", (one, either)) if either is not None else one
        for param in params:
            if param.kind == "*":
                alone = at == len(positional) and len(call.args) == at + 1
                rest = facts.Item(starred.value, facts.Slice((facts.Constant(0),)))
                found[param.name] = starred.value if alone else rest
    return found


def _under_key(table: Expr, key: str, line: int) -> Expr:
    return facts.Call(facts.Attribute(table, "get", line), (facts.Constant(key),), (), line)


def _names(params: Iterable[facts.Param]) -> set[str]:
    """The names by which a caller can fill parameters."""
    return {p.name for p in params if p.kind in ("positional", "keyword")}


@dataclass(frozen=True)
class Callee:
    """A function that a call runs.

    Attributes:
        receiver: the object or class that it runs on; None where it has none, or it isn't known.
        is_handed: the call hands the receiver over itself: `Base.method(self, …)`.
    """

    function: FunctionNode
    receiver: Value | None
    is_handed: bool = False

    def bound(self, call: facts.Call) -> dict[str, Expr]:
        """Parameter -> what the call hands over, the receiver left out."""
        return self._of_caller(bind_arguments(self.function, call, skip_first=self._skips))

    def spread(self, call: facts.Call) -> dict[str, Expr]:
        """The same of what the call spreads, if that holds so much."""
        return self._of_caller(spread_arguments(self.function, call, skip_first=self._skips))

    @property
    def _skips(self) -> bool:
        return self.function.takes_receiver and self.receiver is not None and not self.is_handed

    def _of_caller(self, bound: dict[str, Expr]) -> dict[str, Expr]:
        if self.is_handed and self.function.takes_receiver and self.receiver is not None:
            bound.pop(self.function.facts.params[0].name, None)
        return bound


def bind_values(
    function: FunctionNode, args: list[Values], keywords: dict[str, Values], *, skip_first: bool
) -> dict[str, Values]:
    """Parameter -> value, as Python binds them."""
    params = list(function.facts.params)[1 if skip_first else 0 :]
    positional = [p.name for p in params if p.kind in ("positional-only", "positional")]
    names = {p.name for p in params}
    return {**dict(zip(positional, args, strict=False)), **{k: v for k, v in keywords.items() if k in names}}


def content(name: str) -> str:
    """What is put under the keys of a container that an attribute holds is noted under this name."""
    return f"{name}[]"


def own_binds(step: facts.Step, own_name: str) -> Iterator[tuple[str, facts.Bind]]:
    """The attributes that a step binds on the object itself; what is appended to a list counts too, and
    what is put under a key (see `content`)."""
    match step:
        case facts.Bind(target=target):
            for one in facts.targets(target):
                if isinstance(one, facts.Attribute) and one.base == facts.Name(own_name):
                    yield one.name, step
                elif one is target and step.value is not None and isinstance(one, facts.Item):
                    held = one.base
                    if isinstance(held, facts.Attribute) and held.base == facts.Name(own_name):
                        put = facts.DictDisplay((one.index,), (step.value,))
                        yield content(held.name), facts.Bind(held, put, None, "put", step.guard, step.line)
        case facts.Evaluate(
            value=facts.Call(
                func=facts.Attribute(base=facts.Attribute(base=facts.Name(id=found), name=name), name=called),
                args=(*_, value),
            )
        ) if found == own_name and called in PUTS:
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
    """The steps before one, and those behind it. On its own line they are told apart by their order in the scope; what
    it names itself by `:=` stands behind it there, and has happened."""
    before = [step for step in steps if step.line < at.line]
    beside = [step for step in steps if step.line == at.line and step is not at]
    if beside:
        order = {id(step): number for number, step in enumerate(scope.steps)}
        here = order.get(id(at), len(order))
        before += [step for step in beside if order.get(id(step), -1) < here or _is_named_in(step, at)]
    known = set(map(id, before))
    return before, [step for step in steps if id(step) not in known and step is not at]


def _is_named_in(step: facts.Step, at: facts.Step) -> bool:
    value = getattr(at, "value", None)
    if not isinstance(step, facts.Bind) or not isinstance(value, facts.Node):
        return False
    named = facts.within(value, facts.Walrus)
    return any(step.target == facts.Name(part.name) and step.value == part.value for part in named)


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
