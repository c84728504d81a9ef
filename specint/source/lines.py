"""The lines of a tree's files, as findings name them."""

from __future__ import annotations

from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree, decode


class Lines:
    """Reads a file once, however often its lines are asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, file: str) -> tuple[str, ...]:
        """All of them; none where the file can't be read."""
        if file not in self._known:
            try:
                self._known[file] = tuple(decode(self._tree.read(SourceFile.at(file)), file).split("\n"))
            except SpecintError:
                self._known[file] = ()
        return self._known[file]

    def at(self, file: str, line: int) -> str:
        """One of them, counted from 1; "" where there is none."""
        lines = self.of(file)
        return lines[line - 1] if 0 < line <= len(lines) else ""
