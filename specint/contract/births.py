"""Under which conditions a draft comes into being: they are no conditions on what is asked of one that is there."""

from __future__ import annotations

from collections.abc import Iterator

from specint.contract.code import Code, Occurrence
from specint.contract.presence import Open
from specint.facts import model as facts
from specint.graph.project import FunctionNode

_HOPS = 2
"""A worker makes its draft itself, or calls a function that does."""
_NAMESAKES = 4


class Births:
    """The conditions around every place that makes a draft's worker (`flag` is what marks one)."""

    def __init__(self, code: Code, flag: str) -> None:
        self._found = frozenset(_births(code, flag))

    def implies(self, literal: Open) -> bool:
        """Whether a draft exists only where this holds."""
        return (_home(literal.function), *_plain(literal.expr, literal.positive)) in self._found


def _births(code: Code, flag: str) -> Iterator[tuple[str, str, bool]]:
    front = [one for calls in code.calls.values() for one in calls if _marks(one, flag)]
    for _ in range(_HOPS):
        for one in front:
            for guard in one.function.facts.body.guards_of(one.step.guard):
                if guard.test is not None and guard.kind in ("if", "after"):
                    yield (_home(one.function), *_plain(guard.test, guard.positive))
        names = {one.function.name for one in front}
        front = [
            call
            for name in names
            if len(code.functions.get(name, ())) <= _NAMESAKES
            for call in code.calls.get(name, ())
        ]


def _marks(one: Occurrence, flag: str) -> bool:
    if not isinstance(one.expr, facts.Call):
        return False
    return any(keyword.name == flag and keyword.value == facts.Constant(True) for keyword in one.expr.keywords)


def _home(function: FunctionNode) -> str:
    """Where a name like `self.x` means the same."""
    return function.owner.key if function.owner is not None else function.module.name


def _plain(test: facts.Expr, positive: bool) -> tuple[str, bool]:
    while isinstance(test, facts.Not):
        test, positive = test.operand, not positive
    return facts.spell(test), positive
