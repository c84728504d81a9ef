"""What can go wrong, as data: only the edge (`specint.cli`, the pylint plugin) prints it and chooses an exit code."""

from __future__ import annotations

import re

import msgspec

_LONGEST_LINE = 2000

COMMAND = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))")
"""What GitHub's older commands, Azure's and TeamCity's begin with, anywhere in a line of a log."""


def printable(text: str) -> str:
    """A text as one line that can only be read: whatever could steer a terminal or a CI log is spelled out."""
    line = " ".join(text.split())
    if len(line) > _LONGEST_LINE:
        line = f"{line[: _LONGEST_LINE // 2]}…{line[-_LONGEST_LINE // 2 :]}"
    return COMMAND.sub(r"\\x23", spelled(line))


def spelled(text: str) -> str:
    """A text in which what is not printable, the ends of lines too, is written as Python writes it in a literal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class SpecintError(Exception):
    """Something specint was asked for can't be done; nothing was analysed.

    Attributes:
        what: what is wrong, in a few words.
        where: the path, option or configuration key it is about.
        hint: what the user can do.
    """

    def __init__(self, what: str, where: str = "", hint: str = "") -> None:
        super().__init__(what, where, hint)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head} ({self.hint})" if self.hint else head


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that could not be read or followed while the rest was checked.

    A diagnostic of severity `error` makes a command exit with 2 after its findings are printed: nothing is lost,
    and nothing is called clean that was not looked at.
    """

    file: str
    line: int = 0
    column: int = 0
    what: str
    hint: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{place}: {self.what}" if place else self.what
        return f"{text} ({self.hint})" if self.hint else text
