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

    def ask(self, key: Hashable, answer: Callable[[], Answer], meanwhile: Answer) -> Answer:
        """The answer to a question, from memory or worked out now."""
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

    def lean(self, reason: Hashable) -> None:
        """Say that the answer under way was cut short, so that nothing above it is settled."""
        if self._open:
            self._leaned_on.add(reason)
