"""The few lines of source around every place that the page names, taken from the tree when the report is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.analysis.result import Result

_BEFORE, _AFTER = 2, 4
_LONGEST = 180


class Numbers:
    """Texts by number, so that a long one stands once in the page."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def of(self, text: str) -> int:
        """The number of a text, a new one for a new text."""
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]


class Excerpts:
    """Collects places, and gives the lines around them."""

    def __init__(self, result: Result, files: Numbers) -> None:
        self._result = result
        self._files = files
        self._wanted: dict[int, set[int]] = {}

    def at(self, file: str, line: int) -> int:
        """The number of the file; the lines around `line` will be in the page."""
        number = self._files.of(file)
        if line:
            self._wanted.setdefault(number, set()).update(range(max(line - _BEFORE, 1), line + _AFTER + 1))
        return number

    def lines(self) -> dict[str, dict[str, str]]:
        """File number -> line number -> text. A file that can't be read has none."""
        found: dict[str, dict[str, str]] = {}
        for number in sorted(self._wanted):
            text = self._result.lines(self._files.texts[number])
            wanted = {
                str(line): text[line - 1][:_LONGEST] for line in sorted(self._wanted[number]) if line <= len(text)
            }
            if wanted:
                found[str(number)] = wanted
        return found
