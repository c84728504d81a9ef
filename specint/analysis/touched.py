"""Which findings a change can have brought: not only those in the changed files."""

from __future__ import annotations

from collections.abc import Iterable

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.contract.model import Site
from specint.source.tree import SourceFile


def touched(analysis: Analysis, findings: Iterable[Finding], changed: frozenset[str]) -> list[Finding]:
    """The findings whose verdict a change of these files can touch; paths as findings name them.

    A verdict depends on the class's own file, its parents, its inner models and theirs, the places that ask for the
    member, and whatever the finding itself points to. A change in a folder of workers that isn't one of these places
    (which worker serves which algorithm is decided there) can touch every verdict.
    """
    modules = {SourceFile.at(path).module for path in changed}
    asked = _asked(analysis)
    sites = frozenset().union(*asked.values())
    if any(path not in sites and path.rpartition("/")[0] in _worker_folders(analysis) for path in changed):
        return list(findings)
    models = {model.class_: model for model in analysis.models}
    known: dict[str, bool] = {}

    def is_touched(finding: Finding) -> bool:
        files = {finding.file, *(seen.file for seen in finding.evidence)}
        if changed & (files | asked.get(finding.member, frozenset())):
            return True
        if finding.class_ not in known:
            classes = _depends_on(models, finding.class_)
            known[finding.class_] = any(_is_in(class_, modules) for class_ in classes) or _members_in(
                models.get(finding.class_), changed
            )
        return known[finding.class_]

    return [finding for finding in findings if is_touched(finding)]


def _asked(analysis: Analysis) -> dict[str, frozenset[str]]:
    """Member to the files that ask for it."""
    files: dict[str, set[str]] = {}
    for requirement in analysis.contract.requirements:
        sites: tuple[Site | None, ...] = (*requirement.sites, requirement.decided_by)
        for member in (requirement.member, requirement.group or requirement.member):
            files.setdefault(member, set()).update(site.file for site in sites if site)
    return {member: frozenset(found) for member, found in files.items()}


def _worker_folders(analysis: Analysis) -> frozenset[str]:
    classes = (name for workers in analysis.contract.workers.values() for name in workers)
    return frozenset("/".join(name.split(".")[:-2]) for name in classes)


def _depends_on(models: dict[str, ModelCompliance], class_: str) -> set[str]:
    """The class, its parents, its inner models, their parents, and so on."""
    found: set[str] = set()
    waiting = [class_]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if model := models.get(name):
            waiting += [*model.mro, *(inner for wrap in model.wraps for inner in wrap.classes)]
            for status in model.members.values():
                waiting += [inner.holder for inner in status.inners]
                waiting += [inner.provider for inner in status.inners if inner.provider]
    return found


def _is_in(class_: str, modules: set[str]) -> bool:
    """Whether the class is one of a module's: nested ones too, and those of a module that is no longer there."""
    name = class_
    while "." in name:
        name = name.rpartition(".")[0]
        if name in modules:
            return True
    return False


def _members_in(model: ModelCompliance | None, changed: frozenset[str]) -> bool:
    if model is None:
        return False
    return any(
        status.file in changed or any(inner.file in changed for inner in status.inners)
        for status in model.members.values()
    )
