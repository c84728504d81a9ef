"""Where a file lies, as someone who reads a report in another place finds it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from specint.source.tree import SourceFile, Tree


class Place(msgspec.Struct, frozen=True):
    """A file in a report.

    `base` says what the path is relative to: the repository that is checked, or the folder that holds SGLang where that
    is somewhere else (installed, or inside a wheel). `nothing`: the path is absolute, since it lies in neither.
    """

    path: str
    base: Literal["repository", "sglang", "nothing"] = "repository"


def repository_of(folder: Path) -> Path | None:
    """The top of the git repository that a folder lies in, None if it lies in none. Runs nothing."""
    here = Path(os.path.realpath(folder))
    # In a work tree of its own, and in a submodule, `.git` is a file.
    return next((above for above in (here, *here.parents) if (above / ".git").exists()), None)


def reporting_folder() -> Path:
    """What paths in reports are relative to: the repository around the working directory, else that itself."""
    here = Path.cwd()
    return repository_of(here) or here.resolve()


def place_in_tree(tree: Tree, file: str, top: Path) -> Place:
    """A file of a tree: relative to `top` if it lies there, else as findings name it."""
    where = tree.location(SourceFile.at(file))
    found = None if where is None else place_on_disk(where, top)
    return found if found and found.base == "repository" else Place(file, "sglang")


def place_on_disk(path: Path, top: Path) -> Place:
    """A file on disk: relative to `top` if it lies there."""
    try:
        resolved = path.resolve()
    except OSError:
        resolved = path.absolute()
    if resolved.is_relative_to(top):
        return Place(resolved.relative_to(top).as_posix())
    return Place(resolved.as_posix(), "nothing")
