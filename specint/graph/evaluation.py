"""One evaluation: where an expression stands, what is remembered of it, and why it ends.

`Evaluation` is what the parts of the evaluator stand on, each of which knows only the ones before it:

    Evaluation -> Loops -> Names -> Lookup -> Calls -> Evaluator

The language is recursive all the same: a name leads to an expression, an attribute to what a method gives back. These
ways back are the abstract methods here, and there are no others.

It ends because each question is asked through `ask`, whose `Circles` come to rest (see `questions`), because what is
evaluated within one question is bounded (`_DEPTH` levels), and because all that is evaluated for one question from
outside is (`MOST_EVALUATIONS`). What meets a bound is unknown, and says so.

In all of these files lists go into `union` and `tuple`, not generators: those resume from C, whose depth later Pythons
limit by themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import ClassNode, FunctionNode, Project
from specint.graph.questions import Circles
from specint.graph.value import (
    NOTHING,
    UNSETTLED,
    ConstantValue,
    Instance,
    Unknown,
    Value,
    Values,
    together,
)

_DEPTH = 40
"""The most levels of evaluations within one question."""
_DEEP = 24
"""The most questions that are answered within each other; see `questions`."""
MOST_EVALUATIONS = 400_000
"""The most expressions that are evaluated for one question from outside; SGLang 0.5.23 needs 47,000, with all
interfaces 76,000. After each that needs more the bound is halved, down to the next one, so that a file of many such
classes ends as soon."""
FEWEST_EVALUATIONS = 50_000
_NONE: Values = frozenset({ConstantValue(None)})
_TOO_LONG: Values = frozenset({Unknown("the way is too long to follow")})
_ONE_ROUND: Mapping[str, Values] = MappingProxyType({})
Answer = TypeVar("Answer")


class Frame(msgspec.Struct, frozen=True, eq=False, gc=False):
    """Where an expression is evaluated.

    Attributes:
        function: None at module or class level.
        receiver: what `self` (or `cls`) is.
        arguments: what each parameter was called with, where one call is followed; None where any caller may come.
        round: what the names of loops are, where one round of them is looked at.
    """

    module: facts.Module
    function: FunctionNode | None = None
    receiver: Value | None = None
    arguments: Mapping[str, Values] | None = None
    round: Mapping[str, Values] = _ONE_ROUND

    @property
    def scope(self) -> facts.Scope:
        """The steps among which a name is looked up first."""
        return self.function.facts.body if self.function is not None else self.module.body


class ExhaustedError(Exception):
    """A question from outside needs more evaluations than there may be; where it was when it had used them up."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.file = frame.module.path
        self.line = frame.function.facts.line if frame.function is not None else 1


@dataclass
class Evaluation(ABC):
    """Evaluates expressions of a project.

    Args:
        attribute_hook: asked first for an attribute of an instance; None lets the usual rules answer.
        parameter_hook: what a parameter can be when no call is being followed (annotations come first).
        construct_hook: what calling a class gives, so that roles can be read from arguments.
        result_hook: what calling a function gives, where that is declared; None lets its body answer.
        outside_binds: where other objects set an attribute of a class; asked where its own lines tell nothing.
        role_of: on which side of speculative decoding an object stands by its class alone.
        worth_keeping: whether what is put into a container one by one is followed out of it again; None: never.
    """

    project: Project
    hierarchy: Hierarchy
    attribute_hook: Callable[[Value, str], Values | None] | None = None
    parameter_hook: Callable[[Frame, facts.Param], Values | None] | None = None
    construct_hook: Callable[[ClassNode, facts.Call, Frame], Values | None] | None = None
    result_hook: Callable[[FunctionNode], Values | None] | None = None
    outside_binds: Callable[[ClassNode, str], Iterable[tuple[Frame, facts.Bind]]] | None = None
    role_of: Callable[[ClassNode], str] | None = None
    worth_keeping: Callable[[Expr], bool] | None = None
    _questions: Circles = field(default_factory=lambda: Circles(_DEEP, _joined, _unsettled))
    _depth: int = 0
    _bound: int = MOST_EVALUATIONS
    _left: int = MOST_EVALUATIONS

    # -- the ways back ---------------------------------------------------------------------------------------------

    @abstractmethod
    def form(self, expr: Expr, frame: Frame, at: facts.Step | None) -> Values:
        """What an expression can be by its form; `evaluate` bounds it. (Evaluator)"""

    @abstractmethod
    def attribute(self, value: Value, name: str) -> Values:
        """What an attribute of a value can be. (Lookup)"""

    @abstractmethod
    def returned(
        self, function: FunctionNode, receiver: Value | None, arguments: Mapping[str, Values] | None
    ) -> Values:
        """What a function can give back, its return annotation where the body tells nothing. (Calls)"""

    # -- questions -------------------------------------------------------------------------------------------------

    def once(self, key: Hashable, compute: Callable[[], Values]) -> Values:
        """`ask` for values, of which there are none yet meanwhile."""
        known: Values | None = self._questions.settled(key)
        return known if known is not None else self.ask(key, compute, NOTHING)

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to a question that leads to values, and to which values may lead: a hook that remembers what it
        found asks here, so that what is found in the middle of a circle isn't kept."""
        depth, self._depth = self._depth, 0
        outermost = self._questions.depth == 0
        if outermost:
            self._left = self._bound
        try:
            return self._questions.ask(key, answer, meanwhile)
        except ExhaustedError as error:
            if not outermost or self._questions.depth:
                raise
            self.project.exhausted[error.file, error.line] = self._bound
            reason = f"following it takes more than {self._bound:,} steps"
            self._bound = max(FEWEST_EVALUATIONS, self._bound // 2)
            return self._questions.settle(key, frozenset({Unknown(reason)}))  # type: ignore[return-value]
        finally:
            self._depth = depth

    # -- expressions -----------------------------------------------------------------------------------------------

    def evaluate(self, expr: Expr | None, frame: Frame, at: facts.Step | None = None) -> Values:
        """Everything an expression can be in a frame.

        Args:
            at: the step in which the expression stands; assignments that another one on the way there hides are left
                out. None: any assignment may have happened.
        """
        if expr is None:
            return _NONE
        if self._depth > _DEPTH:
            return _TOO_LONG
        self._depth += 1
        self._left -= 1
        try:
            if self._left < 0 and self._questions.depth:
                raise ExhaustedError(frame)
            found = self.form(expr, frame, at)
        finally:
            self._depth -= 1
        if found or self._depth or self._questions.depth:
            return found
        return frozenset({Unknown(_untold(expr), is_object=False)})

    def texts(self, expr: Expr, frame: Frame, at: facts.Step | None = None) -> frozenset[str] | None:
        """The texts that an expression can be: the names that a `getattr` asks for. None where they can't be known."""
        values = self.evaluate(expr, frame, at)
        found = frozenset(one.value for one in values if isinstance(one, ConstantValue) and isinstance(one.value, str))
        return found if found and len(found) == len(values) else None

    def instance(self, node: ClassNode) -> Instance:
        """An object of a class, on the side of speculative decoding that its class alone tells."""
        return Instance(node, self.role_of(node) if self.role_of is not None else "")


def _untold(expr: Expr) -> str:
    """Why nothing is known of an expression."""
    match expr:
        case facts.Name() | facts.Attribute() | facts.Item():
            return f"nothing in the tree says what {facts.spell(expr)} is"
        case facts.Call(func=func):
            return f"what {facts.spell(func)}(…) gives can't be followed"
        case _:
            return "it is computed when it runs"


def _joined(before: Any, found: Any) -> Any:  # noqa: ANN401 - whatever was asked
    return together(before | found)


def _unsettled(found: Any) -> Any:  # noqa: ANN401
    return found | {UNSETTLED}
