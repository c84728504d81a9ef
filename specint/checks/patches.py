"""One patch for all findings about a class: applied as a whole it settles what can be settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from specint.checks.finding import Finding
from specint.edits.model import Edit, Splice
from specint.edits.patch import unified
from specint.edits.placing import source_lines
from specint.source.tree import SourceFile

Source = Callable[[str], tuple[SourceFile, bytes] | None]


def with_patches(findings: Sequence[Finding], source: Source) -> Iterator[Finding]:
    """The findings with their class's patch. Several patches of one class would not apply one after the other.

    Args:
        source: the file of a module and its text; None where it is gone or has changed.
    """
    by_class: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.edit and finding.edit.splices:
            by_class.setdefault(finding.class_, []).append(finding.edit)
    patches = {class_: _patch(edits, source) for class_, edits in by_class.items()}
    for finding in findings:
        if finding.edit and finding.edit.splices:
            yield msgspec.structs.replace(finding, patch=patches[finding.class_] or None)
        else:
            yield finding


def _patch(edits: Iterable[Edit], source: Source) -> str:
    by_file: dict[str, list[Splice]] = {}
    for edit in edits:
        splices = by_file.setdefault(edit.file, [])
        if not any(_overlap(new, old) for new in edit.splices for old in splices):
            splices += edit.splices
    parts = []
    for file, splices in by_file.items():
        if (found := source(SourceFile.at(file).module)) is not None:
            parts.append(unified(file, source_lines(found[1], file), splices))
    return "".join(parts)


def _overlap(one: Splice, other: Splice) -> bool:
    """Whether both take away a same line, or one adds what the other adds."""
    return max(one.after, other.after) < min(one.end, other.end) or one == other
