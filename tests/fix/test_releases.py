"""Everything that can be fixed in a release, at once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.edits.model import Edit
from specint.edits.patch import git_patch
from specint.facts.store import Store
from specint.fix.plan import plan
from specint.fix.writing import replace
from specint.pipeline import analyze
from specint.source.locate import open_tree
from specint.source.tree import SourceFile, Tree

Key = tuple[str, str, str]


def keys(analysis: Analysis) -> set[Key]:
    return {(one.rule, one.class_, one.member) for one in analysis.findings}


def is_subsequence(lines: list[bytes], of: list[bytes]) -> bool:
    rest = iter(of)
    return all(any(line == other for other in rest) for line in lines)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("version", ["0.5.9", "0.5.23"])
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_all_fixable_findings_at_once(
    release: Callable[[str], Path], tmp_path: Path, version: str, unsafe: bool
) -> None:
    root = Path(
        shutil.copytree(release(version), tmp_path / "sglang", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    )
    store = Store(tmp_path / "cache")

    def analyse(tree: Tree) -> Analysis:
        return analyze(tree, store=store)

    tree = open_tree(str(root))
    before = analyse(tree)
    made = plan(tree, before, before.findings, analyse, unsafe=unsafe)
    assert len(made.changes) > 15
    offered = [
        (left.finding.class_, left.finding.member, left.why)
        for left in made.left
        if isinstance(left.finding.edit, Edit) and left.finding.edit.splices and (unsafe or not left.finding.edit.doubt)
    ]
    assert offered == [], "what `specint check` shows as a patch is what `specint fix` writes"
    patch = b""
    for change in made.changes:
        compile(change.after, change.file, "exec")
        if all(edit.kind == "add" for edit in change.edits):
            assert is_subsequence(change.before.splitlines(keepends=True), change.after.splitlines(keepends=True))
        splices = [splice for edit in change.edits for splice in edit.splices]
        patch += git_patch(change.file, change.before, change.after, splices)
        place = tree.location(SourceFile.at(change.file))
        assert place is not None
        replace(place, change.before, change.after)

    fixed = open_tree(str(root))
    after = analyse(fixed)
    assert keys(after) - keys(before) == set(), "a fix brought something new"
    settled = {(one.rule, one.class_, one.member) for one in made.settled}
    assert keys(after) == keys(before) - settled
    again = plan(fixed, after, after.findings, analyse, unsafe=unsafe)
    assert again.changes == (), "a second run changes something"

    reverted = subprocess.run(
        ["git", "apply", "--reverse", "-"], cwd=tmp_path, input=patch, capture_output=True, check=False
    )
    assert reverted.returncode == 0, reverted.stderr.decode()
    for change in made.changes:
        assert (tmp_path / change.file).read_bytes() == change.before


@pytest.mark.release
def test_patch_of_a_class_adds_the_lines_of_all_its_edits(release: Callable[[str], Path], tmp_path: Path) -> None:
    analysis = analyze(open_tree(str(release("0.5.9"))), store=Store(None))
    edits: dict[tuple[str, str | None], list[Edit]] = {}
    for one in analysis.findings:
        if one.id == "E7701" and one.edit.splices:
            edits.setdefault((one.class_, one.patch), []).append(one.edit)
    assert sum(map(len, edits.values())) > 25
    assert len({class_ for class_, _ in edits}) == len(edits)
    for (_, patch), made in edits.items():
        assert patch is not None
        lines = [line[1:] for line in patch.splitlines() if line.startswith("+") and not line.startswith("+++")]
        for line in [line for edit in made for splice in edit.splices for line in splice.lines]:
            lines.remove(line)
