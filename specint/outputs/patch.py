"""A finding's patch taken apart: which lines of which file go, and what comes in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


class Change(msgspec.Struct, frozen=True):
    """From line `start` on (counted from 1, in the file as it is) `removed` goes and `text` comes.

    With nothing removed, `text` comes before the line `start`. `at_end` says that the last line removed has no line
    ending, so that it can't be taken away up to the beginning of a next one.
    """

    start: int
    removed: tuple[str, ...]
    text: str
    at_end: bool = False


def changes(patch: str) -> dict[str, list[Change]]:
    """The changes of a unified diff by file, as it names the file after them (without `b/`)."""
    found: dict[str, list[Change]] = {}
    file = ""
    lines = patch.split("\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.startswith("+++ "):
            file = line[4:].partition("\t")[0].removeprefix("b/")
        elif hunk := _HUNK.match(line):
            old = int(hunk[1])
            body = list(_body(lines, position, int(hunk[2] or 1)))
            # An empty range names the line before it.
            found.setdefault(file, []).extend(_changes(body, old if hunk[2] != "0" else old + 1))
            position += len(body)
    return found


def _body(lines: list[str], start: int, old: int) -> Iterator[str]:
    """The lines of a hunk: as many old ones as its head says, and the new ones and remarks around them."""
    for line in lines[start:]:
        if not line.startswith(("+", "\\")):
            if old == 0 or (line and line[0] not in " -"):
                return
            old -= 1
        yield line


def _changes(body: list[str], line: int) -> Iterator[Change]:
    removed: list[str] = []
    added: list[str] = []
    endless = {"-": False, "+": False}
    kind = " "
    for text in [*body, " "]:
        if text.startswith("\\"):  # "\ No newline at end of file", about the line before
            if kind in endless:
                endless[kind] = True
            continue
        kind = text[:1] or " "  # editors strip the blank of an empty line
        if kind == "-":
            removed.append(text[1:])
        elif kind == "+":
            added.append(text[1:])
        else:
            if removed or added:
                end = "" if endless["+"] or not added else "\n"
                yield Change(line, tuple(removed), "\n".join(added) + end, endless["-"])
                line += len(removed)
                removed, added, endless = [], [], {"-": False, "+": False}
            line += 1
