"""Files as evaluated code sees them: those below named folders, read-only, and what it wrote itself, in memory."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from pathlib import Path

from specint.reading import read_regular

LARGEST = 64 * 1024 * 1024


class Files:
    """A file system of some real folders and of memory. No path outside of them exists."""

    def __init__(self, folders: Iterable[Path | str] = ()) -> None:
        self.folders = [os.path.abspath(folder) for folder in folders]  # noqa: PTH100 - links are followed by `_real`
        self.written: dict[str, bytes] = {}
        self.made: set[str] = set()
        self.read_from_disk: set[str] = set()
        self.latest = ""

    def fresh(self) -> Files:
        """The same folders, nothing written."""
        return Files(self.folders)

    def real(self, path: str) -> str | None:
        """The real path, if it lies below one of the folders, links followed."""
        full = os.path.abspath(path)  # noqa: PTH100
        for folder in self.folders:
            if full == folder or full.startswith(folder + os.sep):
                target = os.path.realpath(full)
                inside = os.path.realpath(folder)
                if target == inside or target.startswith(inside + os.sep):
                    return full
                # The cache of Hugging Face keeps a snapshot's files as links into a folder beside it.
                if f"{os.sep}blobs{os.sep}" in target and target.startswith(os.path.dirname(os.path.dirname(inside))):  # noqa: PTH120
                    return full
        return None

    def known(self, path: str) -> bool:
        """Whether anything can be said of a path at all."""
        return path in self.written or path in self.made or self.real(path) is not None

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return self.is_file(path) or self.is_folder(path)

    def is_file(self, path: str) -> bool:
        """Whether there is a file."""
        if path in self.written:
            return True
        real = self.real(path)
        return real is not None and Path(real).is_file()

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder."""
        if path in self.made or any(name.startswith(path.rstrip("/") + "/") for name in self.written):
            return True
        real = self.real(path)
        return real is not None and Path(real).is_dir()

    def is_there(self, path: str) -> bool:
        """Whether a named folder has an entry of that name, be it one that is not read: a link out of it, a pipe."""
        full = os.path.abspath(path)  # noqa: PTH100
        return self.real(os.path.dirname(full)) is not None and os.path.lexists(full)  # noqa: PTH120

    def names(self, path: str) -> list[str]:
        """What a folder holds."""
        start = path.rstrip("/") + "/"
        found = {name[len(start) :].partition("/")[0] for name in self.written if name.startswith(start)}
        real = self.real(path)
        if real is not None and Path(real).is_dir():
            found |= {entry.name for entry in os.scandir(real)}
        return sorted(found)

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises OSError where there is none to read."""
        self.latest = path
        if path in self.written:
            return self.written[path]
        real = self.real(path)
        if real is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        self.read_from_disk.add(real)
        return read_regular(real, largest=LARGEST)

    def write(self, path: str, data: bytes) -> None:
        """Keep a file in memory."""
        self.written[posixpath.normpath(path)] = data
