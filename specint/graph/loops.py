"""What loops, `with` statements and unpacking take out of what they are given.

One round of a loop is looked at by itself where what it goes through is written out: a frame has what the loop's names
are in it. Otherwise all rounds are one, with any element. It ends because rounds are counted (`MOST_ROUNDS`).
"""

from __future__ import annotations

import msgspec

from specint.facts import model as facts
from specint.facts.guards import guards_around
from specint.facts.model import Expr
from specint.graph.containers import (
    elements,
    item,
    rounds,
    union,
)
from specint.graph.evaluation import Evaluation, Frame
from specint.graph.value import (
    NOTHING,
    ConstantValue,
    ElementsOf,
    Instance,
    SequenceValue,
    Value,
    Values,
    flat,
)

MOST_ROUNDS = 64
"""The most rounds of loops around one line, and texts that one expression can make, that are told apart."""
OPENS = frozenset({"for", "with"})


class Loops(Evaluation):
    """What goes in, taken apart."""

    def rounds(self, step: facts.Step, frame: Frame) -> list[Frame]:
        """A frame for each round of the loops around a step, where what they go through is written out in the tree.

        So `for name, cls in (("a", A), ("b", B)): setattr(self, name, cls())` gives `a` an A and `b` a B.
        """
        frames = [frame]
        scope = frame.scope
        for index in reversed(list(guards_around(scope, step.guard))):
            if scope.guards[index].kind != "loop":
                continue
            loop = next(
                (s for s in scope.steps if isinstance(s, facts.Bind) and s.guard == index and s.how == "for"), None
            )
            if loop is None or loop is step:
                continue
            frames = [
                r for one in frames for r in self._rounds_of(loop.target, self.evaluate(loop.value, one, loop), one)
            ]
            if len(frames) > MOST_ROUNDS:
                return [frame]
        return frames

    def rounds_within(self, loops: tuple[facts.Loop, ...], frame: Frame, at: facts.Step | None) -> list[Frame]:
        """A frame for each round of the loops of a comprehension; one for all where it isn't written out."""
        frames = [frame]
        for loop in loops:
            made: list[Frame] = []
            for one in frames:
                values = self.evaluate(loop.iterable, one, at)
                each = self._rounds_of(loop.target, values, one)
                made += each if each != [one] else [self._in_round(loop.target, elements(values), one)]
            if len(made) > MOST_ROUNDS:
                made = [self._in_round(loop.target, elements(self.evaluate(loop.iterable, frame, at)), frame)]
            frames = made
        return frames

    def _rounds_of(self, target: Expr, values: Values, frame: Frame) -> list[Frame]:
        each = rounds(values)
        return [self._in_round(target, one, frame) for one in each] if each is not None else [frame]

    def _in_round(self, target: Expr, values: Values, frame: Frame) -> Frame:
        """A frame in which the names of a loop are what one round gives them."""
        names = [one.id for one in facts.targets(target) if isinstance(one, facts.Name)]
        given = {name: self.unpack(target, name, values) for name in names}
        return msgspec.structs.replace(frame, round={**frame.round, **given})

    def opened(self, how: str, values: Values) -> Values:
        """What a loop goes through, or what a `with` gives a name: what entering a context manager gives."""
        if how == "for":
            return elements(self.as_rows(values))
        found: set[Value] = set()
        for value in values:
            enter = self.hierarchy.lookup(value.node, "__enter__") if isinstance(value, Instance) else None
            if isinstance(value, ElementsOf):  # what a generator yields
                found |= value.elements
            elif enter is not None and enter.function is not None:
                found |= self.returned(enter.function, value, None)
            else:
                found.add(value)
        return frozenset(found)

    def as_rows(self, values: Values) -> Values:
        """Objects that are tuples of their fields as such."""
        records = [value for value in values if isinstance(value, Instance) and self.hierarchy.is_record(value.node)]
        if not records:
            return values
        rows: set[Value] = set(values.difference(records))
        for one in records:
            names = self.hierarchy.fields(one.node)
            rows.add(SequenceValue(tuple([flat(self.attribute(one, name)) for name in names])))
        return frozenset(rows)

    def unpack(self, target: Expr, name: str, values: Values) -> Values:
        """What a name gets of values that a target takes apart."""
        match target:
            case facts.Name(id=found):
                return values if found == name else NOTHING
            case facts.Display(items=items):
                values = self.as_rows(values)
                parts = (
                    self.unpack(one, name, item(values, frozenset({ConstantValue(index)})))
                    for index, one in enumerate(items)
                )
                return union(parts)
            case _:
                return NOTHING
