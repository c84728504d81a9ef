"""What stands between findings and an exit code: the change that is judged, and the baseline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from specint.cli import printing
from specint.cli.repository import changed_since
from specint.errors import SpecintError

if TYPE_CHECKING:
    from specint.checks.baseline import Comparison, Known
    from specint.checks.finding import Finding
    from specint.cli.session import Session
    from specint.source.tree import Tree

_SHOWN = 3


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """What a run can say about a class that it doesn't report.

    Attributes:
        whole: nothing limits the run: what isn't found anywhere is gone.
        classes: the classes that were looked at.
        packages: top-level packages of which every model was looked at.
        registered: every class of the tree.
        symbols: the rules that speak.
    """

    whole: bool
    classes: frozenset[str]
    packages: frozenset[str]
    registered: frozenset[str]
    symbols: frozenset[str]

    def judges(self, entry: Known) -> bool:
        """Whether the run would have found this again if it were still there."""
        from specint.checks.catalog import find_rule

        rule = find_rule(entry.rule)
        if rule is not None and rule.symbol not in self.symbols:
            return False
        if self.whole:
            return True
        if rule is not None and rule.on_demand:
            return False
        gone = entry.class_ not in self.registered and entry.class_.partition(".")[0] in self.packages
        return gone or entry.class_ in self.classes


def changed_files(session: Session, reference: str) -> frozenset[str]:
    """What differs from the commit, as files of the tree; one that is gone too, if it lay in SGLang."""
    tree = session.tree
    known = next(iter(tree.files()), None)
    places = [tree.location(file) for file in (*session.opened.models, *([known] if known else []))]
    folders = [Path.cwd(), *(place.parent for place in places if place)]
    return frozenset(_in_tree(tree, changed_since(reference, folders)))


def compared(
    findings: Sequence[Finding], everything: Iterable[Finding], path: Path, scope: Scope, *, or_pipe: bool
) -> tuple[tuple[Finding, ...], Comparison]:
    """The findings that the baseline doesn't know, and how they compare.

    `everything` is what was found, also where the run doesn't report it.
    """
    from specint.checks.baseline import known, read_baseline, without_known

    entries = read_baseline(path, or_pipe=or_pipe)
    there = {known(finding) for finding in everything}
    stale = [entry for entry in entries if entry not in there and scope.judges(entry)]
    return without_known(findings, entries, stale)


def complain_of_stale(stale: Sequence[Known], path: Path) -> None:
    """What is stale, and how to get rid of it."""
    shown = ", ".join(_told(entry) for entry in stale[:_SHOWN])
    more = f" and {len(stale) - _SHOWN} more" if len(stale) > _SHOWN else ""
    what = "1 finding is" if len(stale) == 1 else f"{len(stale)} findings are"
    hint = "the same command with --update-baseline takes them out"
    printing.complain(f"{what} no longer there: {shown}{more}", str(path), hint)


def update(findings: Iterable[Finding], everything: Iterable[Finding], path: Path, scope: Scope) -> str:
    """Write the baseline anew, and say what is in it. What this run doesn't judge stays."""
    from specint.checks.baseline import known, read_baseline, write_baseline

    old = read_baseline(path) if path.exists() else frozenset()
    there = {known(finding) for finding in everything}
    stale = {entry for entry in old if entry not in there and scope.judges(entry)}
    new = (old - stale) | {known(finding) for finding in findings}
    printing.put_bytes(write_baseline(new), path, "json")
    return f"{path}: {len(new)} in the baseline ({len(new - old)} added, {len(stale)} taken out)"


def baseline_path(named: Path | None, configured: Path | None, *, updating: bool) -> Path | None:
    """The baseline's file; an error if one is to be written and none is named."""
    path = named or configured
    if path is None and updating:
        raise SpecintError("there is no baseline to update", "--update-baseline", "name it with --baseline FILE")
    return path


def _told(entry: Known) -> str:
    return f"{entry.rule} {entry.class_.rpartition('.')[2]} {entry.member}".rstrip()


def _in_tree(tree: Tree, changed: Iterable[Path]) -> Iterable[str]:
    mounts = list(dict.fromkeys(_mounts(tree)))
    for path in changed:
        if path.suffix != ".py":
            continue
        if file := tree.file_at(path):
            yield file.path
            continue
        for folder, prefix in mounts:
            if path.is_relative_to(folder):
                yield f"{prefix}/{path.relative_to(folder).as_posix()}"
                break


def _mounts(tree: Tree) -> Iterable[tuple[Path, str]]:
    """Where on disk the folders of the tree begin, with what stands for them in it."""
    for package in tree.packages:
        for file in tree.files(package)[:1]:
            place = tree.location(file)
            if place is not None:
                here, inside = Path(os.path.realpath(place)), Path(file.path)
                while here.name == inside.name and len(inside.parts) > 1:
                    here, inside = here.parent, inside.parent
                yield here, inside.as_posix()
