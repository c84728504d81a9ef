"""Whether a line of the workers can run at all, under one algorithm and on one side."""

from __future__ import annotations

from collections.abc import Mapping

from specint.contract.code import Occurrence
from specint.contract.conditions import DEPTH, MANY_CALLERS, Conditions, Side
from specint.contract.receivers import Receivers
from specint.contract.registrations import Registration
from specint.contract.workers import Workers
from specint.graph.project import FunctionNode


class Reach:
    """Answers, memoised, whether code runs on a side: its conditions may hold, and something living calls it."""

    def __init__(
        self,
        receivers: Receivers,
        registrations: Mapping[str, Registration] | None = None,
        outside: frozenset[str] = frozenset(),
    ) -> None:
        self.receivers = receivers
        self.roots = receivers.roots
        self.conditions = Conditions(receivers, registrations or {}, self)
        self.workers = Workers(self.conditions, outside)

    def occurs(self, occurrence: Occurrence, side: Side) -> bool:
        """Whether one expression can be evaluated on a side: its function is reached, its conditions may hold."""
        return (
            self.conditions.stands(occurrence, side.nearby)
            and self.reachable(occurrence.function, side.nearby)
            and self.conditions.stands(occurrence, side)
            and (side.near or self._called_under(occurrence.function, side))
        )

    def _called_under(self, function: FunctionNode, side: Side) -> bool:
        """Whether some caller's own conditions, flags included, may hold on a side."""
        if function.owner is not None and (function.name.startswith("__") or self.workers.is_worker_code(function)):
            return True
        callers = self.callers(function)
        stands = self.conditions.stands
        return not callers or any(self.occurs(one, side.nearby) and stands(one, side) for one in callers)

    def reachable(self, function: FunctionNode, side: Side) -> bool:
        """Whether a function can run on a side. Workers run where the algorithm creates them; code that nobody under
        scan calls is taken to run always."""
        key = ("reachable", id(function), side)

        def answer() -> bool:
            return self._is_reachable(function, side)

        # a function that only calls itself never runs
        return self.conditions.questions.ask_within(DEPTH, key, answer, meanwhile=False, beyond=True)

    def _is_reachable(self, function: FunctionNode, side: Side) -> bool:
        if function.outer is not None:
            return self.reachable(function.outer, side)
        if self.workers.is_worker_code(function):
            if id(function) in self.workers.live(side.algorithm, plain=side.plain):
                return True
            if function.owner is not None:
                return False
        if function.owner is not None and function.name.startswith("__"):
            return True
        callers = self.callers(function)
        return not callers or any(self.occurs(caller, side.nearby) for caller in callers)

    def callers(self, function: FunctionNode) -> tuple[Occurrence, ...]:
        """Who calls a function; nobody where its name is called so often that the answer would say nothing."""
        few = len(self.receivers.code.calls.get(function.name, ())) <= MANY_CALLERS
        return self.receivers.callers(function) if few else ()
