"""Files written so that nothing can be lost: beside the old one, which is replaced at once if it is still the same."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from specint.errors import SpecintError


def write_protected(path: Path) -> str:
    """Why a file must not be written, "" where it may be.

    A read-only file could be replaced by another, but it means what it says.
    """
    try:
        if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
            return "it is read-only"
        if not os.access(path.resolve().parent, os.W_OK):
            return "its folder is read-only"
    except OSError as error:
        return error.strerror or str(error)
    return ""


def replace(path: Path, before: bytes, after: bytes) -> None:
    """Put `after` in the place of `before`.

    Raises:
        SpecintError: the file holds something else by now, or can't be written; it is as it was.
    """
    if why := write_protected(path):
        raise SpecintError(f"not written: {why}", str(path))
    try:
        target = path.resolve()  # a link stays one
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".specint")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(after)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(target.stat().st_mode & 0o7777)
            if target.read_bytes() != before:
                raise SpecintError("not written: it has changed meanwhile", str(path), "run it again")
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SpecintError(f"not written: {error.strerror or error}", str(path)) from error
