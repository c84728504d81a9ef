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
Some answers do shrink: an annotation counts only until a body tells more. Such answers can swing for ever, so after
`_FREE_ROUNDS` each of the circle is joined with what the round before found, and growing is all that is left. The
longest circle of SGLang 0.5.23 goes 8 rounds; one that needs more than `_MOST_ROUNDS` isn't waited for, and its answer
is passed to `unsettled`, which is to say in it that it is none to rely on.

The depth to which questions are answered within each other is bounded too, because Python's stack is: what comes up
deeper is put off, answered when the others are done, and they are asked again, so that the bound changes the order of
the work and no answer.

**Why a round after the first is cheap.** An answer follows from facts, which don't change, and from the answers to what
it asks, in the order in which it asks: each is chosen by those before it. What a question of a circle asked in the
round before, and heard, is remembered, but for what is settled. Those are asked again in that order. As long as each
gives what it gave, the next is what its own answer would have asked next, so nothing is asked for nothing; where all
give what they gave, its own answer is what it was; and at the first that doesn't, it is worked out anew.
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


_Heard = dict[Hashable, tuple[Callable[[], Any], Any, Any]]
"""What a question asked and may hear differently in another round: how it is answered, what meanwhile, what it was."""


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
        self._open: list[Hashable] = []
        self._lows: list[int] = []  # for each open question, the outermost one that its answer leans on
        # answered, but leaning on another one: that is open, or leans on one itself
        self._tied: dict[Hashable, tuple[Any, Hashable]] = {}
        self._order: list[Hashable] = []
        self._growing: set[int] = set()  # of the open questions, by depth, those whose circle may only grow by now
        self._leaned_on: set[Hashable] = set()  # of the open questions, those that came up again in this round
        self._put_off: dict[Hashable, tuple[Callable[[], Any], Any, list[Any]]] = {}  # with what was heard instead
        self._hearing: list[_Heard | None] = []  # for each open question, what it hears; None: not the same each time
        self._before: dict[Hashable, tuple[_Heard, Any]] = {}  # what was heard in the round before, and concluded

    @property
    def depth(self) -> int:
        """How many questions are open."""
        return len(self._lows)

    def settled(self, key: Hashable) -> Any:  # noqa: ANN401 - whatever was asked
        """The answer to a question that is known for good; None for any other."""
        return self._settled.get(key)

    def settle(self, key: Hashable, answer: Answer) -> Answer:
        """Keep an answer for good that is not one of `ask`'s: nobody gets another."""
        self._settled[key] = answer
        return answer

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to the question `key`, computed by `answer` where it isn't known yet."""
        if key in self._settled:
            return self._settled[key]  # type: ignore[no-any-return]
        found = self._asked(key, answer, meanwhile)
        if self._hearing and key not in self._settled:
            self._hear(key, answer, meanwhile, found)
        return found

    def _hear(self, key: Hashable, answer: Callable[[], Any], meanwhile: Any, found: Any) -> None:  # noqa: ANN401
        heard = self._hearing[-1]
        if heard is None:
            return
        if key not in heard:
            heard[key] = (answer, meanwhile, found)
        elif heard[key][2] != found:
            self._hearing[-1] = None

    def _asked(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        lows = self._lows
        if key in self._tied:
            found, outer = self._tied[key]
            while outer not in self._depths:
                outer = self._tied[outer][1]
            lows[-1] = min(lows[-1], self._depths[outer])
            return found  # type: ignore[no-any-return]
        depth = len(lows)
        if key in self._depths:
            self._leaned_on.add(key)
            lows[-1] = min(lows[-1], self._depths[key])
            return self._guesses.get(key, meanwhile)  # type: ignore[no-any-return]
        if depth > self._deep:
            guess = self._guesses.get(key, meanwhile)
            self._put_off.setdefault(key, (answer, meanwhile, []))[2].append(guess)
            lows[-1] = 0
            return guess  # type: ignore[no-any-return]
        self._depths[key] = depth
        lows.append(depth)
        self._open.append(key)
        self._hearing.append({})
        try:
            return self._answered(key, answer, depth, meanwhile)  # type: ignore[no-any-return]
        finally:
            del lows[depth:], self._open[depth:], self._hearing[depth:], self._depths[key]
            self._growing.discard(depth)
            if not lows:
                self._before.clear()
                self._leaned_on.clear()
                self._tied.clear()
                self._order.clear()
                self._guesses.clear()
                self._put_off.clear()

    def _concluded(self, key: Hashable, answer: Callable[[], Any]) -> Any:  # noqa: ANN401
        """The answer as this round gives it: that of the round before, where all that it was concluded from is so."""
        heard, found = self._before.pop(key, ({}, None))
        if not heard or any(self.ask(one, its, none) != what for one, (its, none, what) in heard.items()):
            self._hearing[-1] = {}
            found = answer()
        now = self._hearing[-1]
        if now:
            self._before[key] = (now, found)
        return found

    def _answered(self, key: Hashable, answer: Callable[[], Any], depth: int, meanwhile: Any) -> Any:  # noqa: ANN401
        before = len(self._order)
        guesses = self._guesses
        found = meanwhile
        for number in range(_MOST_ROUNDS):
            found = self._concluded(key, answer)
            if number >= _FREE_ROUNDS:
                self._growing.add(depth)
            if self._growing:
                found = self._joined(guesses.get(key, meanwhile), found)
            others = False  # whether one that was put off turned out to be what nobody guessed
            while depth == 0 and self._put_off:
                late, (its_answer, its_meanwhile, heard) = self._put_off.popitem()
                its = self.ask(late, its_answer, its_meanwhile)
                others |= any(its != one for one in heard)
            if self._lows[depth] < depth:  # going round is for the question that this one leans on
                self._tied[key] = (found, self._open[self._lows[depth]])
                self._order.append(key)
                self._lows[depth - 1] = min(self._lows[depth - 1], self._lows[depth])
                return found
            circle = self._order[before:]
            leaned_on = key in self._leaned_on
            self._leaned_on.discard(key)
            same = guesses.get(key, meanwhile) == found or not (circle or leaned_on)
            if same and not others and all(guesses.get(one, meanwhile) == self._tied[one][0] for one in circle):
                break
            guesses[key] = found
            for one in circle:
                guesses[one] = self._tied.pop(one)[0]
            del self._order[before:]
        else:
            found = self._unsettled(found)  # the others of the circle are asked anew, and lean on this one
        self._settled[key] = found
        for one in self._order[before:]:
            self._settled[one] = self._tied.pop(one)[0]
        del self._order[before:]
        return found
