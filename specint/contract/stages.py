"""Which algorithms refuse a server of several pipeline stages, and which conditions only such a server meets.

The tree refuses by raising while it reads its options. A raise counts that is certain under the algorithm and several
stages, whatever else is set, and isn't without an algorithm: what ends every such server says nothing of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from specint.contract.code import tail
from specint.contract.conditions import Conditions, Side
from specint.contract.settings import Settings
from specint.facts import model as facts
from specint.facts.known import Known, truth_where
from specint.facts.model import Expr
from specint.graph.project import FunctionNode

_CALLERS = 4
"""From a raise, so many callers are followed: the check, what calls it for an algorithm, and what reads the options."""


class Stages:
    """Answers for one tree, from the modules that `rules/contract.toml` names."""

    def __init__(self, conditions: Conditions, settings: Settings) -> None:
        self.conditions = conditions
        self.settings = settings
        self.declared = conditions.roots.declared.stages
        self.option = conditions.roots.declared.algorithm.option
        self.none = conditions.roots.declared.algorithm.none

    def refusing(self, algorithms: Iterable[str]) -> dict[str, str]:
        """The algorithms that are never served by several stages, each with the line that refuses."""
        found: dict[str, str] = {}
        for algorithm in algorithms:
            raised = next((r for r in self._raises if self._certain(r, algorithm)), None)
            if raised is not None:
                function, step = raised
                found[algorithm] = f"{function.module.path}:{step.line}"
        return found

    def needs(self, test: Expr, positive: bool) -> bool:
        """Whether a condition can hold in a server of several stages alone."""
        return truth_where(self.declared.alone, test) is (not positive)

    @cached_property
    def _functions(self) -> list[FunctionNode]:
        project = self.conditions.project
        names = [f"{project.package}.{name}" for name in self.declared.modules]
        modules = [module for name in names if (module := project.module(name)) is not None]
        enum = self.conditions.roots.enum.module
        return [f for module in dict.fromkeys([*modules, enum]) for f in project.functions_of(module)]

    @cached_property
    def _raises(self) -> list[tuple[FunctionNode, facts.Raise]]:
        """What may refuse several stages: the raises of functions that read the option, or are called where it is."""
        option = self.declared.option
        return [
            (function, step)
            for function in self._functions
            for step in function.facts.body.steps
            if isinstance(step, facts.Raise) and step.guard >= 0 and self._reads(function, step, option)
        ]

    def _reads(self, function: FunctionNode, step: facts.Step, option: str, hops: int = _CALLERS) -> bool:
        guards = function.facts.body.guards_of(step.guard)
        if any(
            isinstance(part, facts.Attribute) and part.name == option
            for guard in guards
            if guard.test is not None
            for part in facts.walk(guard.test)
        ):
            return True
        return hops > 0 and any(
            caller is not function and self._reads(caller, at, option, hops - 1)
            for caller, at in self._callers.get(function.name, ())
        )

    @cached_property
    def _callers(self) -> dict[str, list[tuple[FunctionNode, facts.Step]]]:
        found: dict[str, list[tuple[FunctionNode, facts.Step]]] = {}
        names = {function.name for function in self._functions}
        for function in self._functions:
            for step in function.facts.body.steps:
                value = getattr(step, "value", None)
                for part in facts.walk(value) if isinstance(value, facts.Node) else ():  # type: ignore[arg-type]
                    if isinstance(part, facts.Call) and (called := tail(part.func)) in names:
                        found.setdefault(called or "", []).append((function, step))
        return found

    def _certain(self, raised: tuple[FunctionNode, facts.Raise], algorithm: str) -> bool:
        function, step = raised
        several: dict[str, object] = {self.declared.option: self.declared.several}
        return self._ends(function, step, {**several, self.option: algorithm}, algorithm) and not self._ends(
            function, step, {**several, self.option: None}, self.none
        )

    def _ends(self, function: FunctionNode, step: facts.Step, known: Known, algorithm: str) -> bool:
        """Whether a step certainly runs: every condition in its function holds, and some caller comes by."""
        return all(
            self._truth(guard.test, function, step, known, algorithm) is guard.positive
            for guard in _conditions(function, step)
            if guard.test is not None
        ) and self._comes_by(function, known, algorithm, _CALLERS)

    def _comes_by(self, function: FunctionNode, known: Known, algorithm: str, hops: int) -> bool:
        """Whether a function is called under no condition that fails, or that a setting must be given for."""
        callers = [(f, at) for f, at in self._callers.get(function.name, ()) if f is not function]
        if not callers or not hops:
            return True
        return any(
            all(self._may_hold(guard, caller, at, known, algorithm) for guard in _conditions(caller, at))
            and self._comes_by(caller, known, algorithm, hops - 1)
            for caller, at in callers
        )

    def _may_hold(
        self, guard: facts.Guard, function: FunctionNode, at: facts.Step, known: Known, algorithm: str
    ) -> bool:
        assert guard.test is not None
        truth = self._truth(guard.test, function, at, known, algorithm)
        if truth is None:
            truth = self.settings.truth(guard.test, function)
        return truth is not (not guard.positive)

    def _truth(self, test: Expr, function: FunctionNode, at: facts.Step, known: Known, algorithm: str) -> bool | None:
        truth = truth_where(known, test)
        if truth is None and algorithm:
            truth = self.conditions.truth(test, function, at, Side(algorithm, "target", near=True))
        return truth


def _conditions(function: FunctionNode, step: facts.Step) -> Iterator[facts.Guard]:
    """The conditions on the way to a step. One that another refusal leaves behind is none: it ends the server too."""
    for guard in function.facts.body.guards_of(step.guard):
        if guard.test is not None and guard.kind != "loop" and guard.left_by != "raise":
            yield guard
