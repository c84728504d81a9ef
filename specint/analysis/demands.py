"""What a configuration asks of findings: demands that it adds, files that it leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.checks.finding import Finding
    from specint.config import Config, Demand


def required(analysis: Analysis, require: Iterable[Demand], where: str) -> set[tuple[str, str]]:
    """The demands of a configuration as pairs of dotted class and algorithm; an unknown name is an error."""
    from specint.analysis.scope import find_models, resolve_algorithms

    pairs: set[tuple[str, str]] = set()
    for wanted in require:
        place = f"{where}: {wanted.model}:{wanted.algorithm}"
        (algorithm,) = resolve_algorithms(analysis.contract, [wanted.algorithm], place)
        pairs.update((model.class_, algorithm) for model in find_models(analysis.models, wanted.model, place))
    return pairs


def unmet(analysis: Analysis, pairs: Iterable[tuple[str, str]]) -> list[Finding]:
    """What is missing of what the pairs of class and algorithm demand."""
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


def demand(analysis: Analysis, model: str, algorithm: str) -> tuple[Finding, ...]:
    """What a model (by dotted class) lacks for an algorithm that was demanded of it."""
    from specint.checks.rules.unsupported_algorithm import demanded

    found = next(one for one in analysis.models if one.class_ == model)
    return demanded(analysis.contract, found, algorithm)
