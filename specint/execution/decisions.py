"""Tests on unknown values: each is one decision, by its reason, with the place where it was first taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Decision:
    """A test whose value is not known. `arm` is the one that was taken."""

    what: str
    file: str
    line: int
    arm: bool
    times: int = 1
    importing: bool = False  # it was taken while a module was being evaluated, not the launch


class Decisions:
    """The decisions of one evaluation, in their order. Those in `flipped` take the other arm."""

    def __init__(self, flipped: Iterable[str] = ()) -> None:
        self.taken: dict[str, Decision] = {}
        self.flipped = frozenset(flipped)

    def take(self, what: str, file: str, line: int, usual: bool, importing: bool = False) -> bool:
        """The arm of a test. One reason is answered alike wherever it is asked."""
        known = self.taken.get(what)
        if known is not None:
            known.times += 1
            return known.arm
        arm = usual is not (what in self.flipped)
        self.taken[what] = Decision(what, file, line, arm, importing=importing)
        return arm
