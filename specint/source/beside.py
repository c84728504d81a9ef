"""A user's own files, laid beside an SGLang or into it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from specint.source.models import open_models
from specint.source.package import is_sglang
from specint.source.tree import SourceFile, Tree


class Laid(msgspec.Struct, frozen=True, kw_only=True):
    """A tree with a user's own files in it.

    Attributes:
        files: every file that the paths mean.
        outside: those that lie outside of any SGLang: the registry of this one doesn't look there.
        singled_out: those that were named one by one, or lie outside.
    """

    tree: Tree
    files: tuple[SourceFile, ...] = ()
    outside: tuple[SourceFile, ...] = ()
    singled_out: tuple[SourceFile, ...] = ()


def laid(tree: Tree, paths: Iterable[Path]) -> Laid:
    """Put what lies at the paths into the tree.

    A file of this SGLang stays where it is; one of another SGLang replaces the file of the same name, so that it is
    checked against this one; anything else comes beside SGLang under the name by which Python would import it. That it
    is there already, because another path named it too or its package came with another file, changes nothing.
    """
    files: dict[SourceFile, None] = {}
    outside: dict[SourceFile, None] = {}
    singled_out: dict[SourceFile, None] = {}
    for path in paths:
        models = open_models(path)
        for source in models.trees:
            own = [file for file in models.files if source.find(file.module) == file]
            if not all(_lies_in(tree, source.location(file)) for file in own):
                tree = tree.beside(source)
            files.update(dict.fromkeys(own))
            lies_outside = not any(is_sglang(folder) for folder in (source.root, *source.root.parents))
            outside.update(dict.fromkeys(own if lies_outside else ()))
            singled_out.update(dict.fromkeys(own if lies_outside or path.is_file() else ()))
    return Laid(tree=tree, files=tuple(files), outside=tuple(outside), singled_out=tuple(singled_out))


def _lies_in(tree: Tree, place: Path | None) -> bool:
    return place is not None and tree.file_at(place) is not None
