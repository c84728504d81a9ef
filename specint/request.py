"""What a user asks for, made into an analysis and findings: the same for the command line and the pylint plugin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.checks.finding import Finding
    from specint.config import Config, Demand
    from specint.pipeline import Analysis


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A tree with the user's own models in it.

    Attributes:
        outside: the files that lie outside SGLang, whose models are registered all the same.
        named: the files that were named, to which findings are limited.
        singled_out: those of them that were named one by one or lie outside SGLang.
    """

    tree: Tree
    outside: tuple[SourceFile, ...] = ()
    named: frozenset[str] = frozenset()
    singled_out: frozenset[str] = frozenset()


def placed(tree: Tree, named: Sequence[Path] = (), beside: Sequence[Path] = ()) -> Placed:
    """Put what lies at the paths into the tree.

    A file of this SGLang stays where it is; one of another SGLang replaces the file of the same name, so that it is
    checked against this one; anything else comes beside SGLang under the name by which Python would import it.
    """
    from specint.source.models import open_models
    from specint.source.package import is_sglang

    outside: dict[SourceFile, None] = {}
    files: set[str] = set()
    singled_out: set[str] = set()
    for path, is_named in [*((path, False) for path in beside), *((path, True) for path in named)]:
        models = open_models(path)
        for source in models.trees:
            found = [file for file in models.files if source.find(file.module) == file]
            of_sglang = any(is_sglang(folder) for folder in (source.root, *source.root.parents))
            if not all(_lies_in(tree, source.location(file)) for file in found):
                tree = tree.beside(source)
                outside.update({} if of_sglang else dict.fromkeys(found))
            if is_named:
                files.update(file.path for file in found)
                if path.is_file() or not of_sglang:
                    singled_out.update(file.path for file in found)
    return Placed(tree=tree, outside=tuple(outside), named=frozenset(files), singled_out=frozenset(singled_out))


def required(analysis: Analysis, require: Iterable[Demand], where: str) -> set[tuple[str, str]]:
    """The demands of a configuration as pairs of dotted class and algorithm; an unknown name is an error."""
    from specint.outputs.scope import find_models, resolve_algorithms

    pairs: set[tuple[str, str]] = set()
    for wanted in require:
        place = f"{where}: {wanted.model}:{wanted.algorithm}"
        (algorithm,) = resolve_algorithms(analysis.contract, [wanted.algorithm], place)
        pairs.update((model.class_, algorithm) for model in find_models(analysis.models, wanted.model, place))
    return pairs


def unmet(analysis: Analysis, pairs: Iterable[tuple[str, str]]) -> list[Finding]:
    """What is missing of what the pairs of class and algorithm demand."""
    from specint.checks import demand

    return [finding for class_, algorithm in sorted(pairs) for finding in demand(analysis, class_, algorithm)]


def without_excluded(findings: Iterable[Finding], config: Config, tree: Tree) -> list[Finding]:
    """The findings that don't stand in a file which the configuration excludes."""
    if not config.exclude:
        return list(findings)
    known: dict[str, bool] = {}
    kept = []
    for finding in findings:
        if finding.file not in known:
            known[finding.file] = _excluded(finding.file, config, tree)
        if not known[finding.file]:
            kept.append(finding)
    return kept


def _excluded(file: str, config: Config, tree: Tree) -> bool:
    names = [file]
    place = tree.location(SourceFile.at(file))
    if place is not None and place.absolute().is_relative_to(config.folder.absolute()):
        names.append(place.absolute().relative_to(config.folder.absolute()).as_posix())
    patterns = [pattern.removeprefix("./").rstrip("/") for pattern in config.exclude]
    return any(
        fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}/*") for name in names for pattern in patterns
    )


def _lies_in(tree: Tree, place: Path | None) -> bool:
    return place is not None and tree.file_at(place) is not None


def sglang_around(paths: Sequence[Path]) -> Path | None:
    """The SGLang that all the paths lie in, are, or hold (a checkout); None where there is none, or not the same.

    A path that doesn't exist is an error: it must not be taken for one that holds no models.
    """
    from specint.source.package import USUAL_NAME, is_sglang

    found = set()
    for path in paths:
        here = path.absolute()
        if not here.exists() and len(path.parts) > 1:
            raise SpecintError("no such file or folder", str(path))
        places = (here, *here.parents, here / USUAL_NAME, here / "python" / USUAL_NAME)
        found.add(next((folder for folder in places if is_sglang(folder)), None))
    return found.pop() if len(found) == 1 else None


def called(folder: Path, paths: Sequence[Path]) -> str:
    """The SGLang around paths as its user would call it: a report says the same on every machine."""
    from specint.source.release import release_named

    if all(path.is_absolute() for path in paths):
        return str(folder)
    name = os.path.relpath(folder)
    return f"./{name}" if release_named(name) else name
