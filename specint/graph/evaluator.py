"""What an expression can be: a small abstract evaluation over linked facts, on demand.

An answer is a set of values, because branches assign differently. Whoever asks from outside gets at least one: what
can't be followed is an `Unknown` with its reason. (Within an evaluation nothing at all means "nothing yet": see
`questions`.) The contract uses it to follow a model object through workers and runners, the composition graph to find
what a wrapper's attribute holds.

A new form of expression is a case of `form`. What is no form by itself has a file of its own: `calls` (what a call
runs and gives back), `lookup` (what an attribute is), `names`, `loops` (what is taken apart), `containers` (Python's
own functions and containers), and `evaluation` what all of them stand on.
"""

from __future__ import annotations

from specint.facts import model as facts
from specint.facts.model import Expr
from specint.graph.calls import Calls
from specint.graph.containers import (
    elements,
    item,
    sliced,
    table,
    union,
)
from specint.graph.evaluation import Frame
from specint.graph.loops import MOST_ROUNDS
from specint.graph.value import (
    EITHER,
    NOTHING,
    ConstantValue,
    ElementsOf,
    FunctionValue,
    SequenceValue,
    TableValue,
    Unknown,
    Value,
    Values,
    flat,
)

_WRITTEN_OUT = (facts.Display, facts.Comprehension)


class Evaluator(Calls):
    """Answers for every form of expression; what it is made of stands beside it (see `evaluation`)."""

    def form(self, expr: Expr, frame: Frame, at: facts.Step | None) -> Values:
        """What an expression can be by its form."""
        match expr:
            case facts.Name(id=name):
                return self.name(name, frame, at)
            case facts.Attribute():
                return self._attribute(expr, frame, at)
            case facts.Call():
                return self.call(expr, frame, at)
            case facts.Constant(value=value):
                return frozenset({ConstantValue(value)})
            case facts.Display() | facts.DictDisplay() | facts.Comprehension():
                return frozenset({self._container(expr, frame, at)})
            case facts.Item(base=base, index=facts.Slice()):
                return sliced(self.evaluate(base, frame, at))
            case facts.Item(base=base, index=index):
                return self._item(self.evaluate(base, frame, at), index, frame, at)
            case facts.Choice(then=then, otherwise=otherwise):
                return self.evaluate(then, frame, at) | self.evaluate(otherwise, frame, at)
            case facts.Boolean(values=values):
                return union([self.evaluate(value, frame, at) for value in values])
            case facts.Walrus(value=value):
                return self.evaluate(value, frame, at)
            case facts.Starred(value=value):
                return elements(self.evaluate(value, frame, at))
            case facts.Lambda():
                node = self.project.lambda_node(frame.module, expr, frame.function, at)
                return frozenset({FunctionValue(node, frame.receiver)})
            case facts.Not() | facts.Compare():
                return EITHER
            case facts.Text(parts=parts):
                return self._text(parts, frame, at)
            case facts.Other(parts=(one,)):  # an await
                return self.evaluate(one, frame, at)
            case facts.Other(parts=parts) if any(
                isinstance(one, _WRITTEN_OUT) for one in parts
            ):  # lists that are added
                return sliced(union([self.evaluate(one, frame, at) for one in parts]))
            case facts.Slice() | facts.Yield() | facts.Other():  # numbers, tensors, what is sent in
                return NOTHING

    def _attribute(self, expr: facts.Attribute, frame: Frame, at: facts.Step | None) -> Values:
        if (above := facts.super_call(expr.base)) is not None:
            return self.above(above, expr.name, frame)
        return union([self.attribute(value, expr.name) for value in self.evaluate(expr.base, frame, at)])

    def _item(self, values: Values, index: Expr, frame: Frame, at: facts.Step | None) -> Values:
        values = self.as_rows(values)
        matters = any(isinstance(value, (SequenceValue, TableValue)) for value in values)
        return item(values, self.evaluate(index, frame, at) if matters else NOTHING)

    def _container(
        self, expr: facts.Display | facts.DictDisplay | facts.Comprehension, frame: Frame, at: facts.Step | None
    ) -> Value:
        match expr:
            case facts.Display(items=items):
                held = [flat(self.evaluate(one, frame, at)) for one in items]
                if any(isinstance(one, facts.Starred) for one in items):
                    return ElementsOf(union(held))
                return SequenceValue(tuple(held))
            case facts.DictDisplay(keys=keys, values=values):
                held = [flat(self.evaluate(one, frame, at)) for one in values]
                named = [self.evaluate(key, frame, at) if key is not None else None for key in keys]
                return table(zip(named, held, strict=True))
            case facts.Comprehension(element=element, loops=loops, is_table=is_table):
                frames = self.rounds_within(loops, frame, at)
                whole = len(frames) > 1 and not any(loop.conditions for loop in loops)
                if is_table and isinstance(element, facts.DictDisplay):
                    (key,), (value,) = element.keys, element.values
                    if whole and key is not None:
                        pairs = [(self.evaluate(key, one, at), self.evaluate(value, one, at)) for one in frames]
                        return table(pairs)
                    element = value
                held = [flat(self.evaluate(element, one, at)) for one in frames]
                return SequenceValue(tuple(held)) if whole else ElementsOf(union(held))

    def _text(self, parts: tuple[Expr, ...], frame: Frame, at: facts.Step | None) -> Values:
        """Every text that the parts can make together, where each of them is written out somewhere."""
        texts = [""]
        for part in parts:
            values = self.evaluate(part, frame, at)
            constants = sorted(str(one.value) for one in values if isinstance(one, ConstantValue))
            if len(constants) != len(values) or not 0 < len(constants) * len(texts) <= MOST_ROUNDS:
                return frozenset({Unknown("a text that is put together when it runs")})
            texts = [text + more for text in texts for more in constants]
        return frozenset(map(ConstantValue, texts))
