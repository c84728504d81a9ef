"""What arrives of the two things that an inner model returns while it captures: the output, and the captured states.

A function that runs on the way gives back a pair, one thing, or what can't be known; so whoever unpacks can be held
against what really reaches it. Only unpacking and whole numbers take a pair apart: any other index picks rows of a
tensor, and fails on a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from specint.facts import model as facts
from specint.graph.effects import Effects, Held, Place, Run
from specint.graph.project import ClassNode
from specint.graph.steps import expressions

Shape = Literal["pair", "one", "?"]
Shapes = frozenset[Shape]

UNKNOWN: Shapes = frozenset({"?"})
ONE: Shapes = frozenset({"one"})
PAIR: Shapes = frozenset({"pair"})
_PAIRS = frozenset({"tuple", "list", "Sequence"})
_DEPTH = 12


def results(flow: Effects, run: Run, holder: Held) -> tuple[frozenset[str], Place | None]:
    """The local names that hold what the inner model returned, and where it is called."""
    names: set[str] = set()
    place = None
    for step in flow.steps(run):
        match step:
            case facts.Bind(target=facts.Name(id=name), value=value) if value is not None:
                if is_result(flow, value, run, holder, names):
                    names.add(name)
            case _:
                pass
        if place is None:
            calls = (part for expr in expressions(step) for part in facts.within(expr, facts.Call))
            if any(is_result(flow, call, run, holder, names) for call in calls):
                place = Place(run.function, step.line)
    return frozenset(names), place


def is_result(flow: Effects, expr: facts.Expr, run: Run, holder: Held, names: set[str] | frozenset[str]) -> bool:
    """Whether an expression is what the inner model returned, or what somebody made of it who was handed the model."""
    match expr:
        case facts.Name(id=name):
            return name in names
        case facts.Call():
            for _, held, _ in flow.callees(expr, run):
                if held is not None and held.path and held.leads_to(holder.path):
                    return True
                if held is not None and held == run.receiver:  # another method of the same object, or super()
                    return True
            given = (*expr.args, *(k.value for k in expr.keywords))
            return any(held.path and held.leads_to(holder.path) for one in given for held in flow.objects(one, run))
        case _:
            return False


def takes_apart(flow: Effects, step: facts.Step, run: Run, holder: Held, names: frozenset[str]) -> bool:
    """Whether a step unpacks what the inner model returned, takes one of its items, or asks whether it is a pair."""
    if unpacks(step) and isinstance(step, facts.Bind) and step.value is not None:
        return is_result(flow, step.value, run, holder, names)
    for expr in expressions(step):
        for part in facts.walk(expr):
            match part:
                case facts.Call(func=facts.Name(id="len" | "type"), args=(facts.Name(id=name), *_)) if name in names:
                    return True
                case facts.Call(func=facts.Name(id="isinstance"), args=(facts.Name(id=name), kind)) if name in names:
                    if _is_pair(kind):
                        return True
                case facts.Item(base=base, index=facts.Constant(value=int())) | facts.Starred(value=base):
                    if is_result(flow, base, run, holder, names):
                        return True
                case _:
                    pass
    return False


def unpacks(step: facts.Step) -> bool:
    """Whether a step binds several names at once."""
    return isinstance(step, facts.Bind) and isinstance(step.target, facts.Display) and len(step.target.items) > 1


def _is_pair(kind: facts.Expr) -> bool:
    return any(isinstance(part, facts.Name) and part.id in _PAIRS for part in facts.walk(kind))


class Arrival:
    """What functions give back, memoised for one model.

    Args:
        flow: the engine that knows what runs.
    """

    def __init__(self, flow: Effects) -> None:
        self.flow = flow
        self._returned: dict[tuple[object, ...], Shapes] = {}

    def returned(self, run: Run, depth: int = 0) -> Shapes:
        """What a function that runs can give back."""
        key = run.key()
        if key not in self._returned:
            self._returned[key] = UNKNOWN  # what it gives back of itself
            self._returned[key] = self._find(run, depth)
        return self._returned[key]

    def _find(self, run: Run, depth: int) -> Shapes:
        if depth > _DEPTH or run.function.facts.is_generator:
            return UNKNOWN
        found: set[Shape] = set()
        for step in self.flow.steps(run):
            if isinstance(step, facts.Return):
                found |= self.shape(step.value, run, step, depth)
        return frozenset(found) or ONE

    def shape(self, expr: facts.Expr | None, run: Run, step: facts.Step, depth: int = 0) -> Shapes:
        """What an expression can be at a step."""
        match expr:
            case facts.Display(items=items):
                if any(isinstance(item, facts.Starred) for item in items):
                    return UNKNOWN
                return PAIR if len(items) > 1 else ONE
            case facts.Choice(then=then, otherwise=otherwise):
                return self.shape(then, run, step, depth) | self.shape(otherwise, run, step, depth)
            case facts.Name(id=name):
                return self._name(name, run, step, depth)
            case facts.Call():
                return self._call(expr, run, depth)
            case facts.Item(base=base, index=facts.Constant(value=int())):
                return ONE if "pair" in self.shape(base, run, step, depth + 1) else UNKNOWN
            case facts.Walrus(value=value):
                return self.shape(value, run, step, depth)
            case facts.Attribute() | facts.Item() | facts.Boolean():
                return UNKNOWN
            case _:
                return ONE

    def _name(self, name: str, run: Run, step: facts.Step, depth: int) -> Shapes:
        if depth > _DEPTH:
            return UNKNOWN
        found: set[Shape] = set()
        for bind in run.function.binds.get(name, ()):
            if bind.line >= step.line:
                continue
            match bind:
                case facts.Bind(target=facts.Name(), how="=", value=value) if value is not None:
                    found |= self.shape(value, run, bind, depth + 1)
                case facts.Bind(target=facts.Display(), how="="):
                    found |= ONE  # a part of what was taken apart
                case facts.Bind(target=facts.Name(), how="augment"):
                    pass
                case _:
                    found |= UNKNOWN
        if any(param.name == name for param in run.function.facts.params):
            found |= UNKNOWN
        return self._narrowed(name, frozenset(found) or UNKNOWN, run, step)

    @staticmethod
    def _narrowed(name: str, shapes: Shapes, run: Run, step: facts.Step) -> Shapes:
        """What is left of a name's shapes where the conditions on the way ask for its type."""
        for guard in run.function.facts.body.guards_of(step.guard):
            test, positive = guard.test, guard.positive
            while isinstance(test, facts.Not):
                test, positive = test.operand, not positive
            match test:
                case facts.Call(func=facts.Name(id="isinstance"), args=(facts.Name(id=found), kind)) if found == name:
                    is_pair = _is_pair(kind)
                    if positive:
                        return PAIR if is_pair else ONE
                    if is_pair:
                        return ONE
                case _:
                    pass
        return shapes

    def _call(self, call: facts.Call, run: Run, depth: int) -> Shapes:
        runs = list(self.flow.called(call, run))
        if not runs:
            symbols = self.flow.project.symbol(run.function.module, call.func)
            return ONE if any(isinstance(one, ClassNode) for one in symbols) else UNKNOWN
        return frozenset(shape for one in runs for shape in self.returned(one, depth + 1))

    # -- who gets what ---------------------------------------------------------------------------------------------

    def in_vain(self, runs: list[Run], holder: Held) -> Iterator[tuple[Run, facts.Step]]:
        """The places that unpack what comes from the inner model although one thing alone can arrive there."""
        for run in runs:
            names, _ = results(self.flow, run, holder)
            for step in self.flow.steps(run):
                if not unpacks(step) or not isinstance(step, facts.Bind) or step.value is None:
                    continue
                arrives = is_result(self.flow, step.value, run, holder, names)
                if arrives and self.shape(step.value, run, step) == ONE:
                    yield run, step

    def keeps_to_itself(self, runs: list[Run]) -> Place | None:
        """Where a function takes a pair apart and gives back one thing alone."""
        for run in reversed(runs):
            for step in self.flow.steps(run):
                opened = any("pair" in self.shape(one, run, step) for one in _opened(step))
                if opened and self.returned(run) == ONE:
                    return Place(run.function, step.line)
        return None


def _opened(step: facts.Step) -> Iterator[facts.Expr]:
    """What a step unpacks, or takes one item of."""
    if unpacks(step) and isinstance(step, facts.Bind) and step.value is not None:
        yield step.value
    for expr in expressions(step):
        for part in facts.walk(expr):
            if isinstance(part, facts.Item) and isinstance(part.index, facts.Constant):
                yield part.base
