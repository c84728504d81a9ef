"""What was worked out before, kept on disk by content hash: a cache that is never asked whether it is stale."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Literal
from zlib import crc32

from specint.errors import Diagnostic
from specint.reading import named_path

Kind = Literal["facts", "analysis"]

FORMAT = 1
"""The layout of the files here. What is inside an entry is its owner's affair: it belongs into the key."""

LIMIT = 1 << 30
_ANY_FORMAT = b"specint"
MAGIC = _ANY_FORMAT + b"\1"
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# specint can make everything here anew.\n"
DAY = 24 * 3600.0
PRUNE_AFTER_WRITING = LIMIT // 16
LARGEST_ENTRY = 1 << 28
"""No entry of ours is as large, in bytes."""
_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""A folder that others write to may hold pipes, which would be waited for."""
SAFE_KEY = re.compile(r"[A-Za-z0-9_-]{1,120}")
HEAD = len(MAGIC) + 4


def cache_directory() -> Path:
    """Where specint keeps what it can make anew: `SPECINT_CACHE_DIR`, or else the platform's cache directory."""
    if chosen := os.environ.get("SPECINT_CACHE_DIR"):
        return named_path(chosen, "SPECINT_CACHE_DIR")
    import platformdirs

    return Path(platformdirs.user_cache_path("specint", appauthor=False))


def kept_files(directory: Path) -> tuple[list[Path], list[Path]]:
    """What specint wrote below a cache folder: what was read, and the releases that were fetched."""
    entries = [Path(path) for _, _, path in _entries(directory) if _safely_ours(path)]
    return sorted(entries), sorted((directory / "releases").glob("*.whl"))


class Store:
    """Entries of bytes by kind and key, in one folder that any number of processes share.

    Every entry is one file that appears whole or not at all. One that is damaged is a miss. A folder that can't be
    written (read-only, full) is no error: the run goes on without, and says so once in `problems`.
    """

    def __init__(self, directory: Path | None, *, limit: int = LIMIT) -> None:
        self.directory = directory
        self.problems: list[Diagnostic] = []
        self._limit = limit
        self._writable = directory is not None
        self._written = 0
        self._made: set[str] = set()

    def get(self, kind: Kind, key: str) -> bytes | None:
        """The entry's bytes, None if there is none."""
        return self.get_many(kind, [key]).get(key)

    def get_many(self, kind: Kind, keys: Iterable[str]) -> dict[str, bytes]:
        """The entries that there are."""
        found: dict[str, bytes] = {}
        if self.directory is None:
            return found
        top = self._top(kind)
        now = time.time()
        for key in keys:
            data = _read(_path(top, key), key, now)
            if data is not None:
                found[key] = data
        return found

    def put(self, kind: Kind, key: str, data: bytes | bytearray) -> None:
        """Keeps one entry, in the place of an earlier one."""
        self.put_many(kind, {key: data})

    def put_many(self, kind: Kind, entries: Mapping[str, bytes | bytearray]) -> None:
        """Keeps several entries; after the first that can't be written, none is tried again."""
        if not self._writable:
            return
        try:
            top = self._top(kind)
            for key, data in entries.items():
                self._write(_path(top, key), key, data)
            self._prune_sometimes()
        except OSError as error:
            self._writable = False
            what = f"the cache can't be written: {error.strerror or error}"
            hint = "the result is the same, the next run is slower; --cache-dir names another folder"
            self.problems.append(Diagnostic(file=str(self.directory), what=what, hint=hint, severity="warning"))

    def prune(self) -> int:
        """Removes the entries that were not read for longest until the rest is within the limit; how many bytes went.

        Entries of other formats count too, so that those of a version which is gone go first.
        """
        if self.directory is None:
            return 0
        entries = sorted(_entries(self.directory))
        excess = sum(size for _, size, _ in entries) - self._limit
        gone = 0
        for _, size, path in entries:
            if gone >= excess:
                break
            try:
                if not _is_entry(path):  # somebody's own folder `v1`: a project may name any folder as the cache
                    continue
                os.unlink(path)  # noqa: PTH108 - thousands of them
                gone += size
            except OSError:
                continue  # another process was faster
        return gone

    def _top(self, kind: Kind) -> str:
        return os.path.join(str(self.directory), f"v{FORMAT}", kind)  # noqa: PTH118 - some hundred times a run

    def _write(self, path: str, key: str, data: bytes | bytearray) -> None:
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder not in self._made:
            self._make(folder)
        # Not the process's number: containers that share the folder have the same ones, and what was killed left some.
        scratch = f"{path}.{os.urandom(8).hex()}.tmp"
        try:
            handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                for part in (MAGIC + crc32(data, crc32(key.encode())).to_bytes(4, "big"), data):
                    rest = memoryview(part)
                    while rest:
                        rest = rest[os.write(handle, rest) :]
            finally:
                os.close(handle)
            os.replace(scratch, path)  # noqa: PTH105
        except BaseException:
            try:
                os.unlink(scratch)  # noqa: PTH108
            except OSError:
                pass
            raise
        self._written += len(data)

    def _make(self, folder: str) -> None:
        assert self.directory is not None
        if not self._made:
            self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            tag = self.directory / "CACHEDIR.TAG"  # asks programs that make backups to leave this out
            if not tag.exists():
                tag.write_text(TAG, encoding="ascii")
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
        self._made.add(folder)

    def _prune_sometimes(self) -> None:
        """Once a day, and after much was written: to count what is there takes a moment."""
        assert self.directory is not None
        mark = self.directory / ".pruned"
        try:
            recent = time.time() - mark.stat().st_mtime < DAY
        except OSError:
            recent = False
        if recent and self._written < PRUNE_AFTER_WRITING:
            return
        mark.touch()
        self._written = 0
        self.prune()


def _path(top: str, key: str) -> str:
    name = key if SAFE_KEY.fullmatch(key) else "h" + blake2b(key.encode(), digest_size=20).hexdigest()
    # Sixteen folders: with one each folder stays small enough, and few have to be made on a cold run.
    return f"{top}{os.sep}{crc32(name.encode()) % 16:x}{os.sep}{name}"


def _read(path: str, key: str, now: float) -> bytes | None:
    try:
        handle = os.open(path, _READING)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_ENTRY:
            return None
        head = os.read(handle, HEAD)
        if not head.startswith(MAGIC):
            return None
        parts = []
        while part := os.read(handle, found.st_size + 1):
            parts.append(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
    except (OSError, MemoryError):
        return None
    finally:
        os.close(handle)
    if head != MAGIC + crc32(data, crc32(key.encode())).to_bytes(4, "big"):
        return None
    if now - found.st_mtime > DAY:
        try:
            os.utime(path)  # the age that `prune` goes by; to a day is exact enough
        except OSError:
            pass
    return data


def _is_entry(path: str) -> bool:
    """Whether a file begins as ours do, of whatever format; what a run that was killed left may have less than that."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return False
        head = os.read(handle, len(_ANY_FORMAT))
    finally:
        os.close(handle)
    return head == _ANY_FORMAT or (path.endswith(".tmp") and _ANY_FORMAT.startswith(head))


def _safely_ours(path: str) -> bool:
    try:
        return _is_entry(path)
    except OSError:
        return False


def _entries(directory: Path) -> Iterable[tuple[float, int, str]]:
    for top in directory.glob("v[0-9]*"):
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)  # noqa: PTH118
                try:
                    found = os.lstat(path)
                except OSError:
                    continue
                size = found.st_size
                if size > LARGEST_ENTRY:  # none of ours; one with holes takes less of the disk than it says
                    size = min(size, getattr(found, "st_blocks", size) * 512)
                yield found.st_mtime, size, path
