"""Answers that are computed once, for questions that may lead back to themselves.

`Questions` is for answers that something provisional may stand in for. `Circles` is what the evaluator stands on.

**Why the answers of `Circles` don't depend on who asked first.** What an attribute can be may depend on what a method
gives back, which depends on what another attribute is, which is the first one. Such a circle has many consistent
answers, and one that is the least: what is found when everybody begins with nothing (`meanwhile`) and each round adds
only what the round before gives reason for. That least one is computed. A question that comes up again while it is
being answered gets the guess of the round before, and so do all that lean on it; none of their answers is kept for
good then. They are tied to the outermost question of the circle, which goes round again, with the answers of this
round as the guesses of the next, until a round finds exactly what it began with: then all of the circle are settled,
in one stroke. Whichever question of a circle comes first, the others of it are in it too, and the least answers to
all of them are the same.

**Why it ends.** Within a tree there are finitely many classes, functions and constants; containers are told apart to
a depth of three, partials to four, names from outside to a length; and answers mostly only grow from round to round:
what is computed from more is no smaller. So a round that changes nothing comes, in nearly all circles the second.
Some answers do shrink: an annotation counts only until a body tells more. Two such answers can swing for ever, so
after `_FREE_ROUNDS` each is joined with what the round before found, and growing is all that is left. The longest
circle of SGLang 0.5.9 goes 7 rounds, that of 0.5.19 and of 0.5.23 goes 11; one that needs more than `_MOST_ROUNDS`
isn't waited for, and its answer is passed to `unsettled`, which is to say in it that it is none to rely on.

The depth to which questions are answered within each other is bounded too, because Python's stack is: what comes up
deeper is put off, answered when the others are done, and they are asked again, so that the bound changes the order of
the work and no answer.
"""

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
        except BaseException:  # it is not answered, nor is what leaned on it
            self._open.discard(key)
            if not self._open:
                self._provisional.clear()
                self._leaned_on.clear()
            raise
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


_FREE_ROUNDS = 8
"""The rounds of a circle in which an answer may shrink; in those after them it can only grow."""
_MOST_ROUNDS = 24
"""The most rounds of a circle."""


class Circles:
    """A memo for questions that lead back to themselves all the time, and whose answers only grow: see above.

    Args:
        deep: so many questions are answered within each other.
        joined: an answer and what the round before found, as one: for circles that don't come to rest by themselves.
        unsettled: what becomes of an answer that doesn't come to rest even so.
    """

    def __init__(
        self,
        deep: int,
        joined: Callable[[Any, Any], Any] = lambda _, found: found,
        unsettled: Callable[[Any], Any] = lambda found: found,
    ) -> None:
        self._joined = joined
        self._unsettled = unsettled
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

    def settle(self, key: Hashable, answer: Answer) -> Answer:
        """Keep an answer for good that is not one of `ask`'s: nobody gets another."""
        self._settled[key] = answer
        return answer

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
        for number in range(_MOST_ROUNDS):
            found = answer()
            if number >= _FREE_ROUNDS:
                found = self._joined(guesses.get(key, meanwhile), found)
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
        else:
            found = self._unsettled(found)  # the others of the circle are asked anew, and lean on this one
        if key not in self._tainted:
            self._settled[key] = found
        for one in self._order[before:]:
            its = self._tied.pop(one)[0]
            if one not in self._tainted:
                self._settled[one] = its
        del self._order[before:]
        return found
