"""A tree inside a wheel or another zip file, read in place: nothing is unpacked."""

from __future__ import annotations

import os
import stat
import threading
import zipfile
import zlib
from collections.abc import Iterable
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any

from specint.errors import Diagnostic, SpecintError
from specint.reading import LARGEST_FILE
from specint.source.tree import EMPTY, Folder, Origin, SourceFile, Tree, listing

LARGEST_WHOLE = 1 << 30
"""All the sources of an archive together, in bytes: members may overlap, so that a small file claims any number."""


MOST_LEVELS = 100
"""The most folders in each other; SGLang 0.5.23 has 8. A folder is made known for each, so that names of 64 KB make
millions of them."""

LARGEST_LIST = 64 << 20
"""The list of an archive's members, in bytes; that of SGLang 0.5.23 has 0.6 MB."""

MOST_TOLD = 20
"""So many members with odd names are listed."""


class ArchiveTree(Tree):
    """The files below `inside` ("", or a folder of the archive that ends in "/"), which holds the package."""

    def __init__(self, path: Path, package: str, origin: Origin, *, inside: str = "") -> None:
        super().__init__(origin, package)
        self.path = path
        self._inside = inside
        self._opened: tuple[int, zipfile.ZipFile] | None = None
        self._lock = threading.Lock()
        top = package.replace(".", "/") + "/"
        start = len(inside)
        with open_archive(path) as archive:
            there = [one for one in archive.infolist() if one.filename.startswith(inside + top)]
        self._members = {info.filename[start:]: info for info in there if is_source(info)}
        refused = ((name, why) for one in there if (why := _refused(name := one.filename)))
        for name, why in islice(refused, MOST_TOLD):
            what = f"a file here has {why}, and was not read: {name[:200]!a}"
            self.problems.append(Diagnostic(file=path.name, what=what, hint="build the wheel anew"))
        if sum(info.file_size for info in self._members.values()) > LARGEST_WHOLE:
            raise SpecintError(f"unpacks to more than {LARGEST_WHOLE >> 30} GiB", str(path), "is it a real wheel?")
        self._folders = listing(self._members)

    def folder(self, path: str) -> Folder:
        """As `Tree.folder`."""
        return self._folders.get(path, EMPTY)

    def read(self, file: SourceFile) -> bytes:
        """As `Tree.read`."""
        try:
            info = self._members[file.path]
            if info.file_size > LARGEST_FILE:
                raise SpecintError(f"can't be read: larger than {LARGEST_FILE >> 20} MiB", file.path, "remove it")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                # wheels have no others, and those of zipfile can't be told to stop
                raise SpecintError("is compressed in a way that wheels are not", file.path, "build the wheel anew")
            with self._archive().open(info) as member:
                # Not `ZipFile.read`: that unpacks everything, and only then cuts it to the size that was declared.
                return _whole(member, info)
        except KeyError:
            raise SpecintError(f"no such file in {self.path.name}", file.path) from None
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
            # RuntimeError: encrypted; its subclass NotImplementedError: a compression that zipfile doesn't know.
            raise SpecintError(f"can't be read from {self.path.name}: {error}", file.path) from None

    def digest_all(self, prefixes: Iterable[str]) -> str:
        """As `Tree.digest_all`, from the archive's list of checksums, which `read` verifies: nothing is unpacked."""
        total = blake2b(digest_size=16)
        for path in sorted({file.path for prefix in prefixes for file in self.files(prefix)}):
            info = self._members[path]
            total.update(f"{path}\0{info.CRC}\0{info.file_size}\0".encode())
        return total.hexdigest()

    def _archive(self) -> zipfile.ZipFile:
        """The open archive of this process: a child must not share the parent's place in the file."""
        opened = self._opened
        if opened is None or opened[0] != os.getpid():
            with self._lock:
                opened = self._opened
                if opened is None or opened[0] != os.getpid():
                    opened = self._opened = (os.getpid(), open_archive(self.path))
        return opened[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _whole(member: IO[bytes], info: zipfile.ZipInfo) -> bytes:
    """All of a member, unpacked in small steps; what is longer or shorter than declared fails its checksum."""
    parts = []
    while part := member.read(1 << 16):
        parts.append(part)
    data = b"".join(parts)
    if len(data) != info.file_size:
        raise zipfile.BadZipFile(f"it holds {len(data)} bytes and declares {info.file_size}")
    return data


def _refused(name: str) -> str:
    """Why a Python file of an archive is not read though a folder might hold it; "" for the others."""
    if not name.endswith(".py"):
        return ""
    if not name.isprintable():
        return "a name that can't be printed"
    return f"a name of more than {MOST_LEVELS} levels" if name.count("/") > MOST_LEVELS else ""


def _size_of_list(path: Path) -> int:
    """How large an archive says that its list of members is; 0 where it says nothing."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 16) - 22))
        end = file.read()
    at = end.rfind(b"PK\5\6")
    return int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0


def open_archive(path: Path) -> zipfile.ZipFile:
    """The zip file, or a SpecintError that says why it is none."""
    try:
        if _size_of_list(path) > LARGEST_LIST:
            what = f"has a list of members of more than {LARGEST_LIST >> 20} MiB"
            raise SpecintError(what, str(path), "is it a real wheel?")
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise SpecintError("is not a wheel or zip file", str(path), "was it downloaded completely?") from None
    except (OSError, ValueError, NotImplementedError) as error:
        raise SpecintError(f"can't be opened: {getattr(error, 'strerror', None) or error}", str(path)) from None


def is_source(info: zipfile.ZipInfo) -> bool:
    """Whether a member is a Python file under a plain relative name: no link, no `..`, no absolute path."""
    name = info.filename
    if not name.endswith(".py") or _refused(name) or "\\" in name or ":" in name:
        return False
    kind = stat.S_IFMT(info.external_attr >> 16)
    parts = name.removesuffix(".py").split("/")
    return (
        kind in (0, stat.S_IFREG)
        and all(part and "." not in part for part in parts[1:])
        and parts[0]
        not in (
            "",
            ".",
            "..",
        )
    )
