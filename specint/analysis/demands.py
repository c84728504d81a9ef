"""What a configuration asks of findings: demands that it adds, files that it leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from specint.source.tree import SourceFile, Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.checks.finding import Finding
    from specint.config import Config, Demand


class Wanted(NamedTuple):
    """A dotted class that must meet an algorithm, by itself or with a draft (dotted, "" for none)."""

    model: str
    algorithm: str
    draft: str = ""


def required(analysis: Analysis, require: Iterable[Demand], where: str) -> set[Wanted]:
    """The demands of a configuration by dotted classes; an unknown name is an error."""
    from specint.analysis.scope import find_models, resolve_algorithms

    found: set[Wanted] = set()
    for wanted in require:
        names = f"{wanted.model}+{wanted.draft}" if wanted.draft else wanted.model
        place = f"{where}: {names}:{wanted.algorithm}"
        (algorithm,) = resolve_algorithms(analysis.contract, [wanted.algorithm], place)
        drafts = (
            [one.class_ for one in find_models(analysis.models, wanted.draft, place, exact=True)]
            if wanted.draft
            else [""]
        )
        models = find_models(analysis.models, wanted.model, place, exact=True)
        found.update(Wanted(model.class_, algorithm, draft) for model in models for draft in drafts)
    return found


def unmet(analysis: Analysis, wanted: Iterable[Wanted]) -> list[Finding]:
    """What is missing of what is demanded."""
    return [finding for one in sorted(wanted) for finding in demand(analysis, *one)]


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


def demand(analysis: Analysis, model: str, algorithm: str, draft: str = "") -> tuple[Finding, ...]:
    """What a model (by dotted class), or it and its draft, lack for an algorithm that was demanded of them."""
    from specint.checks.rules.unsupported_algorithm import demanded, demanded_pair

    found = {one.class_: one for one in analysis.models}
    if draft:
        return demanded_pair(analysis.contract, found[model], found[draft], algorithm)
    return demanded(analysis.contract, found[model], algorithm)
