"""Where a tree's code still reads a name, told by its text: what can't be followed is not gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from specint.contract.declared import declared
from specint.contract.model import Contract
from specint.facts.unscanned import text_or_nothing
from specint.source.tree import SourceFile, Tree


class Spoken:
    """The reads of names in a tree: `x.name`, and `"name"`, by which a `getattr` may read it. What an object reads of
    itself is none, and neither is what a comment says.

    Of the models' own code only those files are read that asked something in an earlier contract: a draft may ask its
    target.
    """

    def __init__(self, tree: Tree, earlier: Contract) -> None:
        self._tree = tree
        self._asking = {site.file for one in earlier.requirements for site in one.sites}
        self._texts: list[tuple[str, str]] | None = None

    def place(self, name: str) -> str:
        """The first place that reads a name, as `file:line`; "" where none does."""
        if not name.isidentifier():
            return ""
        reads = re.compile(rf"(?<!\bself)(?<!\bcls)\.{name}\b(?!\s*=[^=])|([\"']){name}\1")
        for path, text in self._read():
            if name not in text:
                continue
            for number, line in enumerate(text.splitlines(), start=1):
                if name in line and reads.search(line.partition("#")[0]):
                    return f"{path}:{number}"
        return ""

    def _read(self) -> Iterable[tuple[str, str]]:
        if self._texts is None:
            files = sorted(self._files(), key=lambda file: (file.path not in self._asking, not self._is_code(file)))
            self._texts = [(file.path, text_or_nothing(self._tree, file)) for file in files]
        return self._texts

    def _is_code(self, file: SourceFile) -> bool:
        """Whether a file is in the packages in which callers are looked for: what it reads is likelier meant."""
        return file.module.startswith(tuple(f"{self._tree.package}.{one}." for one in declared().code.packages))

    def _files(self) -> Iterator[SourceFile]:
        code, package = declared().code, self._tree.package
        models = f"{package}.{code.models}."
        for file in self._tree.files(f"{package}.{code.models.partition('.')[0]}"):
            if not file.module.startswith(models) or file.path in self._asking:
                yield file
