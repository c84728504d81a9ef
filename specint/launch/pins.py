"""Which packages a release asks for, and which versions of them: from the wheel's metadata or a pyproject.toml."""

from __future__ import annotations

import re
import tomllib
import zipfile
import zlib
from pathlib import Path

from specint.source.archive import ArchiveTree
from specint.source.tree import JoinedTree, SourceFile, Tree

LONGEST = 1 << 20
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*\(?\s*([^;()]*)\)?\s*(;.*)?")
_EXACT = re.compile(r"===?\s*([\w.+!]+)")


def requirements(tree: Tree) -> dict[str, str | None]:
    """Each package that is installed with this SGLang, with its version where that is pinned; empty where unknown."""
    found: dict[str, str | None] = {}
    for line in _lines(tree):
        parts = _REQUIREMENT.match(line)
        if parts is None or "extra ==" in (parts[3] or "").replace("'", '"'):
            continue
        exact = _EXACT.search(parts[2] or "")
        found[re.sub(r"[-_.]+", "-", parts[1]).lower()] = exact[1] if exact else None
    return found


def _lines(tree: Tree) -> list[str]:
    while isinstance(tree, JoinedTree):
        tree = tree.base
    if isinstance(tree, ArchiveTree):
        return _of_archive(tree.path)
    file = next(iter(tree.files(f"{tree.package}.srt.server_args")), None) or SourceFile.at(
        f"{tree.package}/__init__.py"
    )
    place = tree.location(file)
    if place is None:
        return []
    root = next((parent for parent in place.parents if parent.name == tree.package), place.parent).parent
    for metadata in sorted(root.glob(f"{tree.package}-*.dist-info/METADATA")):
        return _from_metadata(_text(metadata))
    for project in (root / "pyproject.toml", root.parent / "pyproject.toml"):
        if project.is_file():
            try:
                listed = tomllib.loads(_text(project)).get("project", {}).get("dependencies", [])
            except (ValueError, RecursionError):
                return []
            return [one for one in listed if isinstance(one, str)]
    return []


def _text(path: Path) -> str:
    from specint.reading import read_regular

    try:
        return read_regular(path, largest=LONGEST).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _of_archive(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if info.filename.endswith(".dist-info/METADATA") and info.file_size <= LONGEST:
                    return _from_metadata(archive.read(info).decode("utf-8", errors="replace"))
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        pass
    return []


def _from_metadata(text: str) -> list[str]:
    return [line.partition(":")[2] for line in text.splitlines() if line.startswith("Requires-Dist:")]
