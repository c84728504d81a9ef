"""How much one file may hold: the bounds past which it is not read, and said to be too much.

Reading takes time and memory in proportion to these, whatever the text. Real code stays far below: what we met last are
the largest numbers of SGLang 0.5.23, transformers 5.24, PyTorch 2.13 and CPython's own tests, 10,800 files together.
"""

from __future__ import annotations

import re
from itertools import islice

DEEPEST = 100
"""The most levels that one expression may have; the deepest that we met has 27. Whatever walks facts relies on it."""

LONGEST = 1000
"""The most terms of one sum: `ast.parse` makes a level of each, and gives up at about three times as many."""

MOST_CONDITIONS = 200
"""The most conditions on the way to one line, those of branches that left before it included; we met 85."""

MOST_WORDS = 500_000
"""The most words and signs in one file. Each costs up to 2 KB while it is read; we met 268,000."""

MOST_REMARKS = 1000
"""The most comments for pylint in one file; we met 41. What each is about is looked up in the file's tree."""

LONGEST_REMARK = 2000
"""The most characters of one of them."""

_WORD = re.compile(r"\w+|[^\w\s]")


class TooMuch(Exception):
    """A bound is passed: what of, and in which line (0: the whole file)."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what, line)
        self.what = what
        self.line = line


def check_amount(text: str) -> None:
    """Raises TooMuch for a text of too many words. Counting is cheap; parsing takes up to a thousand times the size."""
    if len(text) > MOST_WORDS and next(islice(_WORD.finditer(text), MOST_WORDS, None), None) is not None:
        raise TooMuch(f"more than {MOST_WORDS:,} words and signs", 0)
