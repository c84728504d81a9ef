"""A tree on disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from specint.errors import Diagnostic, SpecintError
from specint.reading import read_regular
from specint.source.tree import EMPTY, Folder, Origin, SourceFile, Tree, digest_of_files

MOST_FOLDERS = 20_000
"""Symbolic links can make a few folders look like millions, and one can lead out of the tree into all of a disk; past
this the tree is refused. SGLang 0.5.23 has 617."""

MOST_FILES = 20_000
"""As many Python files; SGLang 0.5.23 has 4,719."""


class FolderTree(Tree):
    """The files under one folder, which is the package `package` (dotted where it is a part of another).

    Folders are listed when they are first asked for, once. Symbolic links are followed, unless they lead back to a
    folder on the way; what is no regular file is left out. Without `recursive` the folders below don't count, with
    `only` nothing but the file of that stem does.
    """

    def __init__(
        self, folder: Path, package: str, origin: Origin, *, recursive: bool = True, only: str | None = None
    ) -> None:
        if not package.isprintable():  # from the working directory, since a path that is written down was looked at
            raise SpecintError("the folder has a name that can't be printed", str(folder), "rename it")
        super().__init__(origin, package)
        self.root = folder
        self._root = os.path.abspath(folder)  # noqa: PTH100 - keeps links, `resolve` does not
        self._recursive = recursive and only is None
        self._only = only
        self._mount = package.replace(".", "/")
        self._folders: dict[str, Folder] = {}
        self._count = 0
        self._jumps: dict[str, tuple[str, ...]] = {self._mount: (os.path.realpath(self._root),)}
        above, _, name = self._mount.rpartition("/")
        while name:
            self._folders[above] = Folder((), (name,))
            above, _, name = above.rpartition("/")

    def folder(self, path: str) -> Folder:
        """As `Tree.folder`."""
        known = self._folders.get(path)
        if known is None:
            parent, _, name = path.rpartition("/")
            there = path == self._mount or (path != "" and name in self.folder(parent).folders)
            known = self._folders[path] = self._listed(path) if there else EMPTY
        return known

    def read(self, file: SourceFile) -> bytes:
        """As `Tree.read`."""
        try:
            return read_regular(self._disk(file.path))
        except OSError as error:
            raise SpecintError(f"can't be read: {error.strerror or error}", file.path, "mend or remove it") from None

    def location(self, file: SourceFile) -> Path | None:
        """As `Tree.location`."""
        return Path(self._disk(file.path))

    def file_at(self, path: Path) -> SourceFile | None:
        """As `Tree.file_at`; links may be on the way."""
        for root, wanted in (
            (self._root, os.path.abspath(path)),  # noqa: PTH100
            (os.path.realpath(self._root), os.path.realpath(path)),
        ):
            if wanted.startswith(root + os.sep) and wanted.endswith(".py"):
                inside = wanted[len(root) + 1 :].replace(os.sep, "/")
                parent, _, name = f"{self._mount}/{inside}".rpartition("/")
                if name.removesuffix(".py") in self.folder(parent).files:
                    return SourceFile.at(f"{parent}/{name}")
        return None

    def digest_all(self, prefixes: Iterable[str]) -> str:
        """As `Tree.digest_all`, of the files' content."""
        return digest_of_files(self, prefixes)

    def _disk(self, path: str) -> str:
        return self._root + path[len(self._mount) :]

    def _listed(self, path: str) -> Folder:
        files: list[str] = []
        folders: list[str] = []
        if len(self._folders) > MOST_FOLDERS:
            raise SpecintError(f"more than {MOST_FOLDERS} folders", str(self.root), "do symbolic links go in circles?")
        try:
            with os.scandir(self._disk(path)) as entries:
                for entry in entries:
                    stem = entry.name.removesuffix(".py")
                    if "." in stem or stem == "__pycache__":
                        continue  # no import can name it
                    is_source = stem != entry.name
                    if not stem.isprintable():
                        self._unnamed(path, entry, is_source)
                    elif self._counts(path, entry, is_source):
                        (files if is_source else folders).append(stem)
        except OSError as error:
            self.problems.append(Diagnostic(file=path, what=f"folder can't be read: {error.strerror or error}"))
        self._count += len(files)
        if self._count > MOST_FILES:
            hint = "does a symbolic link lead out of it?"
            raise SpecintError(f"more than {MOST_FILES} Python files", str(self.root), hint)
        return Folder(tuple(sorted(files)), tuple(sorted(folders)))

    def _unnamed(self, path: str, entry: os.DirEntry[str], is_source: bool) -> None:
        """A name is printed in many places, and must not be able to steer a terminal or a CI log."""
        kind = "file" if is_source else "folder"
        if is_source or (self._recursive and _holds_sources(entry)):
            what = f"a {kind} here has a name that can't be printed, and was not read: {entry.name!a}"
            self.problems.append(Diagnostic(file=path, what=what, hint="rename or remove it"))

    def _counts(self, path: str, entry: os.DirEntry[str], is_source: bool) -> bool:
        try:
            if is_source:
                return entry.is_file() and self._only in (None, entry.name.removesuffix(".py"))
            return self._recursive and entry.is_dir() and self._leads_on(path, entry)
        except OSError:
            return False  # a link to itself, or gone meanwhile

    def _leads_on(self, path: str, entry: os.DirEntry[str]) -> bool:
        """Whether a folder is a new one; a link to a folder that we are in already is not."""
        below = f"{path}/{entry.name}"
        jumps = self._jumps.get(path, ())
        self._jumps[below] = jumps
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            here = os.path.realpath(self._disk(path))
            if any(f"{place}/".startswith(target.rstrip("/") + "/") for place in (*jumps, here)):
                return False
            self._jumps[below] = (*jumps, target)
        return True


def _holds_sources(entry: os.DirEntry[str]) -> bool:
    """Whether there are Python files in a folder or below it, as far as a look at some hundred folders tells."""
    walk = islice(os.walk(entry.path), 500) if entry.is_dir(follow_symlinks=False) else ()
    return any(name.endswith(".py") for _, _, names in walk for name in names)
