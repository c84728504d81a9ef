"""Files that aren't under scan, by what they define: told by their text, since reading them all would take long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from functools import cached_property
from typing import TYPE_CHECKING

from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree, decode

if TYPE_CHECKING:
    from specint.facts.model import Module

_DEFINED = re.compile(r"def (\w+)\(")


class Unscanned:
    """The functions that some files of a tree define.

    Args:
        fetch: reads modules by their names.
    """

    def __init__(self, tree: Tree, files: Iterable[SourceFile], fetch: Callable[[Iterable[str]], list[Module]]) -> None:
        self._tree = tree
        self._files = tuple(files)
        self._fetch = fetch

    @cached_property
    def _defined(self) -> dict[str, frozenset[str]]:
        read = ((file.module, text_or_nothing(self._tree, file)) for file in self._files)
        return {module: frozenset(_DEFINED.findall(text)) for module, text in read}

    def names(self) -> Set[str]:
        """The names of all functions that they define."""
        return frozenset().union(*self._defined.values())

    def defining(self, methods: Iterable[str]) -> list[Module]:
        """Reads the modules that define one of some methods."""
        asked = frozenset(methods)
        return self._fetch([module for module, names in self._defined.items() if not names.isdisjoint(asked)])


def text_or_nothing(tree: Tree, file: SourceFile) -> str:
    """A file's text; nothing where it is gone or can't be decoded, which is said where it is read for its facts."""
    try:
        return decode(tree.read(file), file.path)
    except SpecintError:
        return ""
