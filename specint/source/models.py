"""Models of the user's own, beside SGLang: folders, files or packages that are put under their dotted names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from specint.errors import SpecintError
from specint.reading import named_path
from specint.source.folder import FolderTree
from specint.source.package import package_name
from specint.source.tree import Origin, SourceFile

PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
NEVER_SOURCES = ("node_modules", "site-packages", "__pycache__")


class Models(NamedTuple):
    """What a path names: the trees it belongs to (siblings are needed to follow imports), and the files it means."""

    trees: tuple[FolderTree, ...]
    files: tuple[SourceFile, ...]


def open_models(path: str | Path, *, relative_to: Path | None = None) -> Models:
    """The models in a folder, in one file, or in an importable package (dotted, found without importing it).

    Their dotted names are those under which Python would import them: from the topmost folder with an `__init__.py`
    on, or, for a file below some SGLang's `srt/`, from that SGLang on. A folder without `__init__.py` belongs to the
    package right above it, or else is one of its own; a project's root only holds packages. Raises SpecintError if
    nothing is there.
    """
    given = str(path)
    at = (relative_to or Path()) / named_path(given)
    top = None
    if not at.exists() and (found := _importable(given)):
        top, at = found
    at = Path(os.path.abspath(at))  # noqa: PTH100 - `.` needs a name, and links keep theirs
    trees: tuple[FolderTree, ...]
    if top is not None:
        trees = (_tree(top, given),)
    elif at.is_file():
        if at.suffix != ".py":
            raise SpecintError("is not a Python file", given)
        trees = (_tree_of_file(at, given),)
    elif at.is_dir():
        trees = tuple(_trees_in(at, given))
    else:
        raise SpecintError("no such file, folder or package", given)
    files = tuple(file for tree in trees for file in _files_below(tree, at))
    if not files:
        raise SpecintError("no Python files here", given)
    return Models(trees, files)


def _files_below(tree: FolderTree, at: Path) -> list[SourceFile]:
    if at.is_file():
        file = tree.file_at(at)
        return [file] if file else []
    steps = at.relative_to(tree.root).parts if at.is_relative_to(tree.root) else ()
    return tree.files(".".join([tree.package, *steps]))


def _tree_of_file(file: Path, given: str) -> FolderTree:
    folder = file.parent
    if package := _name_in_sglang(folder):
        return FolderTree(folder, package, Origin(version="", source=given), only=file.stem)
    return _tree(_top_package(folder), given) if _in_package(folder) else _tree(folder, given, recursive=False)


def _trees_in(folder: Path, given: str) -> Iterator[FolderTree]:
    if package := _name_in_sglang(folder):
        yield FolderTree(folder, package, Origin(version="", source=given))
    elif _in_package(folder):
        yield _tree(_top_package(folder), given)
    elif _holds_sources(folder):
        yield _tree(folder, given)
    else:
        if any(folder.glob("*.py")):
            yield _tree(folder, given, recursive=False)
        for child in _folders_of(folder):
            yield from _trees_in(child, given)


def _tree(folder: Path, given: str, *, recursive: bool = True) -> FolderTree:
    package = folder.name.replace(".", "_") or "models"
    return FolderTree(folder, package, Origin(version="", source=given), recursive=recursive)


def _name_in_sglang(folder: Path) -> str | None:
    """The dotted name of a folder that is in some SGLang: only what was named is to hide the release's own files."""
    for top in (folder, *folder.parents):
        if (top / "srt" / "models").is_dir():
            return ".".join([package_name(top), *folder.relative_to(top).parts])
    return None


def _top_package(folder: Path) -> Path:
    while _is_package(folder.parent):
        folder = folder.parent
    return folder


def _in_package(folder: Path) -> bool:
    return _is_package(folder) or (_is_package(folder.parent) and not _is_project(folder))


def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").is_file()


def _is_project(folder: Path) -> bool:
    return any((folder / name).exists() for name in PROJECT_FILES)


def _holds_sources(folder: Path) -> bool:
    """Whether a folder without `__init__.py` is a (namespace) package: modules in it, and no project's root."""
    return any(folder.glob("*.py")) and not _is_project(folder)


def _folders_of(folder: Path) -> list[Path]:
    try:
        children = sorted(child for child in folder.iterdir() if child.is_dir() and not child.is_symlink())
    except OSError:
        return []
    return [child for child in children if may_hold_sources(child)]


def may_hold_sources(folder: Path) -> bool:
    """Whether a folder below a project is one of sources, not hidden, an environment or somebody else's packages."""
    name = folder.name
    return not name.startswith(".") and name not in NEVER_SOURCES and not (folder / "pyvenv.cfg").exists()


def _importable(name: str) -> tuple[Path, Path] | None:
    """The top folder of a dotted package, and its own folder or file; nothing is imported to find it."""
    from importlib.util import find_spec

    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name):
        return None
    first, *rest = name.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError, AttributeError):
        return None
    for place in (spec and spec.submodule_search_locations) or ():
        top = Path(place)
        below = top.joinpath(*rest)
        for path in (below, below.with_name(f"{below.name}.py")) if rest else (top,):
            if path.exists():
                return top, path
    return None
