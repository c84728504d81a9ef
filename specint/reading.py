"""Files and paths that somebody else named: never more than a bound, never a pipe or a device, never a traceback."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from specint.errors import SpecintError

LARGEST_FILE = 4 * 1024 * 1024
"""No file that we read is larger, in bytes; the largest Python file that we met has a third of it."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)

SHORT = 64 * 1024
"""What is looked for at the start of a file (a version, an import) is looked for in so many bytes."""


def read_regular(path: Path | str, *, largest: int = LARGEST_FILE, or_pipe: bool = False) -> bytes:
    """The content of a regular file; with `or_pipe` also what a pipe or a device gives, where a person named it.

    Raises OSError, with a `strerror` that can be shown, for what can't be read, is no regular file (opening a pipe
    would wait, a device has no end) or is too large.
    """
    handle = _opened(path, or_pipe)
    try:
        size = os.fstat(handle).st_size
        if size > largest:
            raise _too_large(path, largest)
        data = _up_to(handle, largest + 1, size)
    finally:
        os.close(handle)
    if len(data) > largest:  # it grew, or the system doesn't say how large it is
        raise _too_large(path, largest)
    return data


def given(name: str, *, largest: int = LARGEST_FILE) -> bytes:
    """What comes in on standard input for a file of that name; SpecintError where nothing can, or too much does."""
    try:
        if sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        data = _up_to(sys.stdin.fileno(), largest + 1, SHORT)
        if len(data) > largest:
            raise _too_large(name, largest)
    except OSError as error:
        raise SpecintError(f"standard input can't be read: {error.strerror or error}", name) from None
    return data


def head_of(path: Path) -> str:
    """The start of a text file, whatever its encoding; "" where there is none to read."""
    try:
        handle = _opened(path)
        try:
            return _up_to(handle, SHORT, SHORT).decode("utf-8", errors="replace")
        finally:
            os.close(handle)
    except OSError:
        return ""


def named_path(text: str, where: str = "") -> Path:
    """A path as a user wrote it, `~` expanded; SpecintError, with `where` as its place, for what can't be one.

    One that can't be printed is none either: paths are shown, and must not be able to steer a terminal or a CI log.
    """
    if "\0" in text:
        raise SpecintError("a path can't hold a null character", where)
    if not text.isprintable():
        raise SpecintError("the path has a name that can't be printed", where or text[:200], "rename it")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise SpecintError(f"no such user: {text[:80]!r}", where, "write the path without ~") from None


def _opened(path: Path | str, or_pipe: bool = False) -> int:
    # Not `open`: on the warm path some 600 files are read, and this takes half the time.
    try:
        handle = os.open(path, _FLAGS | (0 if or_pipe else getattr(os, "O_NONBLOCK", 0)))
    except ValueError as error:  # a null byte
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not (stat.S_ISREG(mode) or or_pipe):
            raise OSError(errno.EINVAL, "no regular file", str(path))
    except OSError:
        os.close(handle)
        raise
    return handle


def _up_to(handle: int, limit: int, expected: int) -> bytes:
    parts = []
    total = 0
    while total < limit and (part := os.read(handle, min(limit - total, max(expected + 1 - total, 4096)))):
        parts.append(part)
        total += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(path: Path | str, largest: int) -> OSError:
    return OSError(errno.EFBIG, f"larger than {largest >> 20} MiB", str(path))
