"""What evaluating may cost: steps, depth, memory, size of numbers, regular expressions. Past it: `ExhaustedError`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

MOST_STEPS = 6_000_000
"""Statements, calls and turns of loops in one evaluation; SGLang 0.5.23 takes half a million."""
DEEPEST = 170
"""Evaluated calls, modules and class bodies inside each other; SGLang takes about 70."""
LONGEST = 4_000_000
"""Characters of one string, elements of one container."""
MOST_MEMORY = 60_000_000
"""Characters and elements of all large values together."""
MOST_GROWTH = 800 << 20
"""Bytes by which this process may grow in one evaluation; SGLang's takes some 150 MB."""
LOOK_EVERY = 20_000
"""Steps between two looks at that."""
LARGEST_BITS = 20_000
"""Bits of one integer."""
LONGEST_PATTERN = 2_000
LONGEST_MATCHED = 200_000
MOST_MATCHING = 10**9
"""Steps of matching one text in the worst case, some seconds: real texts stay far below."""
LONGEST_LOOKED_ROUND = 2_000
"""Characters that a pattern is matched with that looks ahead or back: each match may hold the whole text once more."""
LARGE_BITS = 4_000
"""An integer with which reckoning counts as more than one step."""
DIGIT_BITS = 30
STEP_DIGITS = 1_000
"""Products of two digits that take as long as a step."""
MOST_DIGITS = 50_000_000
"""Products of two digits in one power, a tenth of a second."""


class ExhaustedError(BaseException):
    """A bound was reached; evaluated code can't catch it."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class HaltedError(ExhaustedError):
    """What evaluating needs isn't here; evaluated code can't catch it."""


class Budget:
    """What is left of the bounds for one evaluation."""

    __slots__ = ("before", "depth", "memory", "next_look", "steps")

    def __init__(self) -> None:
        self.steps = MOST_STEPS
        self.memory = MOST_MEMORY
        self.depth = 0
        self.next_look = max(MOST_STEPS - LOOK_EVERY, 0)
        self.before = resident()

    def look(self) -> None:
        """Called when the steps are below `next_look`: whether some are left, and what the values made so far take.

        Values of few characters or elements are counted by nobody, and millions of them are gigabytes.
        """
        if self.steps < 0:
            raise ExhaustedError("too many steps")
        if resident() - self.before > MOST_GROWTH:
            raise ExhaustedError("too much memory")
        self.next_look = max(self.steps - LOOK_EVERY, 0)

    def built(self, size: int) -> None:
        """A value of so many characters or elements is about to be built."""
        if size > LONGEST:
            raise ExhaustedError(f"a value of {size} elements")
        if size > 1000:
            self.memory -= size
            if self.memory < 0:
                raise ExhaustedError("too much memory")


def resident() -> int:
    """The bytes of memory that this process takes now; 0 where the system doesn't say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


SIZED = (str, bytes, list, tuple, dict, set, frozenset, bytearray)


def check_whole(budget: Budget, *values: Any) -> None:
    """Before Python goes through all of a value (`==`, `hash`, `repr`): what stands in it twice is gone through twice,
    so that sixty lists can be as many as there are atoms."""
    if too_large(*values):
        budget.built(LONGEST + 1)


def too_large(*values: Any) -> bool:
    """Whether there are more elements and characters in all of some values than the bound."""
    left = LONGEST
    waiting = [value for value in values if isinstance(value, NESTING)]
    while waiting:
        value = waiting.pop()
        inside = [*value, *value.values()] if isinstance(value, dict) else value
        left -= len(value)
        for one in inside:
            if isinstance(one, NESTING):
                waiting.append(one)
            elif isinstance(one, str | bytes):
                left -= len(one)
        if left < 0 or len(waiting) > LONGEST:
            return True
    return False


NESTING = (list, tuple, dict, set, frozenset)
_KEYS = (tuple, frozenset)


def check_range(value: range) -> None:
    """Before Python goes through a range."""
    if len(value) > LONGEST:
        raise ExhaustedError(f"a range of {len(value)}")


def check_key(budget: Budget, key: Any) -> None:
    """Before Python asks a key for its hash: of a tuple it is that of all that stands in it, each time anew."""
    if isinstance(key, _KEYS) and any(isinstance(one, _KEYS) for one in key):
        check_whole(budget, key)


def check_alike(budget: Budget, one: Any, other: Any) -> None:
    """Before `one == other`, where both hold other values."""
    if isinstance(one, NESTING) and isinstance(other, NESTING):
        check_whole(budget, one)


def check_product(budget: Budget, left: Any, right: Any) -> None:
    """Before `left * right`."""
    if isinstance(left, int) and isinstance(right, int):
        if left.bit_length() + right.bit_length() > LARGEST_BITS:
            raise ExhaustedError("an integer of too many digits")
    elif isinstance(left, int):
        check_product(budget, right, left)
    elif isinstance(right, int) and isinstance(left, SIZED):
        budget.built(len(left) * max(right, 0))


def check_power(budget: Budget, left: Any, right: Any, modulus: Any = None) -> None:
    """Before `left ** right`, and `pow(left, right, modulus)`, where every bit of `right` is a product."""
    if isinstance(modulus, int) and isinstance(right, int):
        digits = max(modulus.bit_length(), left.bit_length() if isinstance(left, int) else 0) // DIGIT_BITS + 1
        products = 2 * right.bit_length() * digits * digits
        if products > MOST_DIGITS:
            raise ExhaustedError("a power of too many digits")
        budget.steps -= products // STEP_DIGITS
        return
    large = isinstance(left, int) and isinstance(right, int) and right > 0
    if large and left.bit_length() * right > LARGEST_BITS and abs(left) > 1:
        raise ExhaustedError("an integer of too many digits")


def check_shift(left: Any, right: Any) -> None:
    """Before `left << right`."""
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right > LARGEST_BITS:
        raise ExhaustedError("an integer of too many digits")


def check_sum(budget: Budget, left: Any, right: Any) -> None:
    """Before `left + right` of two containers."""
    if isinstance(left, SIZED) and isinstance(right, SIZED):
        size = len(left) + len(right)
        if size > 1000:
            budget.built(size)


def count_digits(budget: Budget, *values: Any) -> None:
    """Reckoning with large integers takes as many steps as it has products of their digits."""
    for value in values:
        if type(value) is int and value.bit_length() > LARGE_BITS:
            budget.steps -= (value.bit_length() // DIGIT_BITS) ** 2 // STEP_DIGITS


_WIDTH = re.compile(r"\d{5,}|\*")


def check_format(spec: str) -> None:
    """A width in a format: `{x:1000000000}` and `%1000000000d` build what they name."""
    if len(spec) > LONGEST_PATTERN or _WIDTH.search(spec):
        raise ExhaustedError("a format with an excessive width")


def longest_matched(pattern: Any) -> int:
    """How long a text may be that a pattern is matched with: none for one that is not safe; else, with each repeat that
    has no end, matching takes its length once more, and so does a search."""
    if not safe_pattern(pattern):
        return 0
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    written = text if isinstance(text, str) else text.decode("latin-1")
    longest = LONGEST_LOOKED_ROUND if _LOOKS_ROUND.search(written) else LONGEST_MATCHED
    return min(longest, int(MOST_MATCHING ** (1 / (len(_REPEATS.findall(written)) + 1))))


def too_much_matching(pattern: Any, name: str, arguments: Sequence[Any]) -> str | None:
    """Why a text isn't matched with a pattern (`arguments` follow it); None where nothing speaks against it."""
    texts = [argument for argument in arguments if isinstance(argument, str | bytes)]
    longest = max((len(text) for text in texts), default=0)
    if longest > 20 and longest > longest_matched(pattern):
        return "a regular expression that may take too long"
    if name in ("sub", "subn") and len(texts) > 1:
        # Each place takes the replacement, and each group that it names may be what the place is in.
        groups = len(_GROUPS.findall(texts[0] if isinstance(texts[0], str) else texts[0].decode("latin-1")))
        around = len(texts[1]) * groups if longest <= LONGEST_LOOKED_ROUND else groups
        if (len(texts[1]) + 1) * (len(texts[0]) + around) > LONGEST:
            return "a replacement that may be too long"
    return None


_LOOKS_ROUND = re.compile(r"\(\?<?[=!]")
_GROUPS = re.compile(r"\\(?:\d|g<)")


_REPEATS = re.compile(r"[*+]|\{\d*,\d*\}")


def safe_pattern(pattern: Any) -> bool:
    """Whether matching takes no time that grows without bound: no unbounded repeat inside of another."""
    if isinstance(pattern, re.Pattern):
        pattern = pattern.pattern
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    if not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
        return False
    from re import _parser  # type: ignore[attr-defined]

    try:
        return _tame(_parser.parse(pattern), 0)
    except (re.error, RecursionError, OverflowError):
        return True  # compiling it raises what Python raises


def _tame(parsed: Any, inside: int) -> bool:
    for operation, argument in parsed:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _least, most, body = argument
            many = int(most) > 20
            if int(most) > 10_000 and str(most) != "MAXREPEAT":
                return False
            if many and inside and not _single(body):
                return False
            if not _tame(body, inside + many):
                return False
            if many and inside:
                return False
        elif name == "BRANCH":
            # Two ways through the same text, again and again, are as bad as a repeat in a repeat.
            if inside or any(not _tame(branch, inside) for branch in argument[1]):
                return False
        elif name in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT", "GROUPREF_EXISTS"):
            parts = argument if isinstance(argument, tuple | list) else [argument]
            if any(hasattr(part, "data") and not _tame(part, inside) for part in parts):
                return False
    return True


def _single(body: Any) -> bool:
    return len(body) == 1 and str(body[0][0]) in ("IN", "LITERAL", "NOT_LITERAL", "ANY", "CATEGORY")
