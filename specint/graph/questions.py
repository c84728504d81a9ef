"""Answers that are computed once, for questions that may lead back to themselves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class Questions:
    """A memo for recursive questions.

    A question that comes up while it is being answered gets the answer `meanwhile`. What was concluded from such an
    answer holds only until the question that was asked first is settled; after that it is asked anew.
    """

    def __init__(self) -> None:
        self._settled: dict[Hashable, Any] = {}
        self._provisional: dict[Hashable, Any] = {}
        self._open: set[Hashable] = set()
        self._leaned_on: set[Hashable] = set()
        self._depth = 0

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to the question `key`, computed by `answer` where it isn't known yet."""
        if key in self._settled:
            return self._settled[key]  # type: ignore[no-any-return]
        if key in self._provisional:
            return self._provisional[key]  # type: ignore[no-any-return]
        if key in self._open:
            self._leaned_on.add(key)
            return meanwhile
        self._open.add(key)
        try:
            found = answer()
        finally:
            self._open.discard(key)
        self._leaned_on.discard(key)
        if not self._leaned_on:
            self._settled[key] = found
        elif self._open:
            self._provisional[key] = found
        if not self._open:
            self._provisional.clear()
            self._leaned_on.clear()
        return found

    def is_begun(self, key: Hashable) -> bool:
        """Whether a question is being answered, or has an answer that isn't final."""
        return key in self._open or key in self._provisional

    def ask_within(
        self, deepest: int, key: Hashable, answer: Callable[[], Answer], *, meanwhile: Answer, beyond: Answer
    ) -> Answer:
        """The same, but `beyond` where more than `deepest` such questions are open; nothing above is settled then."""
        if self._depth > deepest:
            if self._open:
                self._leaned_on.add(deepest)
            return beyond
        self._depth += 1
        try:
            return self.ask(key, answer, meanwhile)
        finally:
            self._depth -= 1


_MOST_ROUNDS = 8


class Circles:
    """A memo for questions that lead back to themselves all the time, and whose answers only grow.

    Questions that depend on each other are answered in rounds, each from what the round before found, until nothing
    changes; then all of them are settled at once. So an answer doesn't depend on which question came first. A question
    that comes up `deep` in others is put off: it is answered when they are done, and they are asked again.
    """

    def __init__(self, deep: int) -> None:
        self._deep = deep
        self._settled: dict[Hashable, Any] = {}
        self._guesses: dict[Hashable, Any] = {}
        self._depths: dict[Hashable, int] = {}
        self._lows: list[int] = []  # for each open question, the outermost one that its answer leans on
        self._tied: dict[Hashable, tuple[Any, int]] = {}  # answered, but leaning on a question that is still open
        self._order: list[Hashable] = []
        self._put_off: dict[Hashable, tuple[Callable[[], Any], Any]] = {}
        self._tainted: set[Hashable] = set()

    @property
    def depth(self) -> int:
        """How many questions are open."""
        return len(self._lows)

    def taint(self, floor: int) -> None:
        """Let no question be settled that is open now and was opened after the first `floor` ones: what it just heard
        from somewhere else is not final."""
        self._tainted.update(key for key, depth in self._depths.items() if depth >= floor)

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to the question `key`, computed by `answer` where it isn't known yet."""
        if key in self._settled:
            return self._settled[key]  # type: ignore[no-any-return]
        lows = self._lows
        if key in self._tied:
            found, low = self._tied[key]
            lows[-1] = min(lows[-1], low)
            if key in self._tainted:
                self.taint(0)
            return found  # type: ignore[no-any-return]
        depth = len(lows)
        if key in self._depths or depth > self._deep:
            if key not in self._depths:
                self._put_off[key] = (answer, meanwhile)
            lows[-1] = min(lows[-1], self._depths.get(key, 0))
            return self._guesses.get(key, meanwhile)  # type: ignore[no-any-return]
        self._depths[key] = depth
        lows.append(depth)
        self._tainted.discard(key)
        try:
            found = self._answered(key, answer, depth, meanwhile)
            for _ in range(_MOST_ROUNDS):
                if depth or key not in self._tainted:
                    break
                self._tainted.clear()  # what it heard may be final by now
                found = self._answered(key, answer, depth, meanwhile)
            return found  # type: ignore[no-any-return]
        finally:
            del lows[depth:], self._depths[key]
            if not lows:
                self._tied.clear()
                self._order.clear()
                self._guesses.clear()
                self._put_off.clear()

    def _answered(self, key: Hashable, answer: Callable[[], Any], depth: int, meanwhile: Any) -> Any:  # noqa: ANN401
        before = len(self._order)
        guesses = self._guesses
        found = meanwhile
        for _ in range(_MOST_ROUNDS):
            found = answer()
            while depth == 0 and self._put_off:
                late, (its_answer, its_meanwhile) = self._put_off.popitem()
                self.ask(late, its_answer, its_meanwhile)
            if self._lows[depth] < depth:  # going round is for the question that this one leans on
                self._tied[key] = (found, self._lows[depth])
                self._order.append(key)
                self._lows[depth - 1] = min(self._lows[depth - 1], self._lows[depth])
                return found
            circle = self._order[before:]
            if all(guesses.get(one, meanwhile) == self._tied[one][0] for one in circle) and (
                not circle or guesses.get(key, meanwhile) == found
            ):
                break
            guesses[key] = found
            for one in circle:
                guesses[one] = self._tied.pop(one)[0]
            del self._order[before:]
        if key not in self._tainted:
            self._settled[key] = found
        for one in self._order[before:]:
            its = self._tied.pop(one)[0]
            if one not in self._tainted:
                self._settled[one] = its
        del self._order[before:]
        return found
