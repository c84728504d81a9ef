"""How cost grows: releases from small to large, and a tree that is ten times the largest."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from measuring import FLOOR, READ, Row, files_read, lines_of, measure, specint_rows, unpacked

RELEASES = ("0.4.6", "0.5.2", "0.5.9", "0.5.15", "0.5.23")
TIMES = 10


def growth(releases: Iterable[str], trees: dict[str, Path], runs: int) -> str:
    """A table of every release, and of the last one ten times over."""
    lines = [
        "| SGLang | files | lines | ast.parse: s | cold: s | ratio | warm: s | ratio | cold: MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    last = ""
    with tempfile.TemporaryDirectory(prefix="specint-growth-") as scratch:
        for version in releases:
            lines.append(_line(version, trees.get(version) or unpacked(version), Path(scratch), runs))
            last = version
        many = _tenfold(trees.get(last) or unpacked(last), Path(scratch) / "tenfold")
        lines.append(_line(f"{last}, every file {TIMES} times", many, Path(scratch), 1))
    return "\n".join(lines)


def _line(name: str, tree: Path, scratch: Path, runs: int) -> str:
    files = files_read(tree)
    folder = scratch / f"of-{name.replace(' ', '-')}"
    folder.mkdir()
    rows = [row for row in specint_rows(tree, files, folder) if "no-cache" not in row.name]
    measure(rows, folder, runs, runs)
    by_name: dict[str, Row] = {row.name: row for row in rows}
    if problem := next((row.problem for row in rows if not row.runs), ""):
        return f"| {name} | {len(files)} | {problem} | | | | | | |"
    floor, cold, warm = by_name[FLOOR], by_name["specint report, cold cache"], by_name["specint report, warm"]
    count = lines_of(files)
    return (
        f"| {name} | {len(files):,} | {count:,} | {floor.seconds:.2f} | {cold.seconds:.2f} | "
        f"{cold.seconds / floor.seconds:.2f} | {warm.seconds:.2f} | {warm.seconds / floor.seconds:.2f} | "
        f"{cold.megabytes:.0f} |"
    )


def _tenfold(tree: Path, home: Path) -> Path:
    """A copy of a release with every file of the packages that are read several times, under other names."""
    home.mkdir()
    for metadata in tree.parent.glob("*.dist-info"):
        shutil.copytree(metadata, home / metadata.name)
    copied = home / tree.name
    shutil.copytree(tree, copied, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for path in [path for name in READ for path in (copied / "srt" / name).rglob("*.py")]:
        for number in range(1, TIMES if path.stem != "__init__" else 1):
            shutil.copy(path, path.with_name(f"{path.stem}_copy{number}.py"))
    return copied
