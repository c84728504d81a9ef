"""Files as evaluated code sees them: those below named folders, read-only, and what it wrote itself, in memory."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import Iterable
from pathlib import Path

from specint.reading import read_regular
from specint.source.tree import content_digest

LARGEST = 64 * 1024 * 1024


START = "start "
NAMES = "names "


def _start(path: str, length: int) -> tuple[bytes, int]:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode):
            raise OSError(errno.EINVAL, "is no regular file", path)
        parts = []
        while length > 0 and (part := os.read(handle, min(length, 1 << 20))):
            parts.append(part)
            length -= len(part)
        return b"".join(parts), known.st_size
    finally:
        os.close(handle)


class Files:
    """A file system of some real folders and of memory. No path outside of them exists."""

    def __init__(self, folders: Iterable[Path | str] = (), asked: dict[str, set[str]] | None = None) -> None:
        self.folders = [os.path.abspath(folder) for folder in folders]  # noqa: PTH100 - links are followed by `_real`
        self.written: dict[str, bytes] = {}
        self.made: set[str] = set()
        self.latest = ""
        self.asked: dict[str, set[str]] = {} if asked is None else asked
        """Each path that was asked about, and what was asked: whether it is there, what is in it."""

    def real(self, path: str) -> str | None:
        """The real path, if it lies below one of the folders, links followed."""
        full = os.path.abspath(path)  # noqa: PTH100
        self._note(full, "there")
        return self._below(full)

    def _note(self, path: str, what: str) -> None:
        self.asked.setdefault(path, set()).add(what)

    def state(self, path: str, asked: Iterable[str]) -> str:
        """What a path is, as far as was asked of it: two equal answers mean that nothing changed."""
        above, real = self._below(os.path.dirname(path)), self._below(path)  # noqa: PTH120
        said = [str(above is not None and os.path.lexists(path)), str(real is not None)]
        if real is not None:
            said += [str(Path(real).is_file()), str(Path(real).is_dir())]
            for one in sorted(asked):
                if one.startswith(NAMES):
                    said += [name for name in self.names(path) if name.endswith(one.removeprefix(NAMES))]
            if "text" in asked:
                try:
                    said.append(content_digest(read_regular(real, largest=LARGEST)))
                except OSError as error:
                    said.append(str(error.errno))
            for length in sorted(int(one.removeprefix(START)) for one in asked if one.startswith(START)):
                try:
                    data, size = _start(real, length)
                    said.append(f"{size} {content_digest(data)}")
                except OSError as error:
                    said.append(str(error.errno))
        return content_digest("\0".join(said).encode("utf-8", "surrogateescape"))

    def _below(self, full: str) -> str | None:
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
        self._note(full, "there")
        return self.real(os.path.dirname(full)) is not None and os.path.lexists(full)  # noqa: PTH120

    def names(self, path: str, ending: str = "") -> list[str]:
        """What a folder holds, of names that end so."""
        start = path.rstrip("/") + "/"
        found = {name[len(start) :].partition("/")[0] for name in self.written if name.startswith(start)}
        real = self.real(path)
        if real is not None and Path(real).is_dir():
            self._note(real, f"{NAMES}{ending}")
            found |= {entry.name for entry in os.scandir(real)}
        return sorted(name for name in found if name.endswith(ending))

    def read(self, path: str) -> bytes:
        """A file's bytes. Raises OSError where there is none to read."""
        self.latest = path
        if path in self.written:
            return self.written[path]
        real = self.real(path)
        if real is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        self._note(real, "text")
        return read_regular(real, largest=LARGEST)

    def start(self, path: str, length: int) -> tuple[bytes, int]:
        """The first bytes of a file that may be large, and its size. Raises OSError where there is none to read."""
        real = self.real(path)
        if real is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        self._note(real, f"{START}{length}")
        return _start(real, length)

    def write(self, path: str, data: bytes) -> None:
        """Keep a file in memory."""
        self.written[posixpath.normpath(path)] = data
