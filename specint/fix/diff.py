"""What `git apply` takes, in the bytes of the files themselves."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from specint.checks.edit import Splice
from specint.checks.placing import finished, hunks, source_lines
from specint.source.tree import encoding_of

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
"""Where git divides lines."""


def git_patch(path: str, before: bytes, after: bytes, splices: Sequence[Splice]) -> bytes:
    """A patch of one file, which `path` names from the top of the repository."""
    old, new = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    lines = source_lines(before, path)
    if any(line.endswith("\r") for line in lines):
        body = b"".join(_by_comparison(before, after))
    else:
        mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
        encoding = "utf-8" if mark else encoding_of(before)
        parts = [part.encode(encoding) for part in hunks(lines, splices)]
        if mark and parts and parts[0].startswith(b"@@ -1,"):  # the mark is a part of the first line
            head, _, rest = parts[0].partition(b"\n")
            parts[0] = head + b"\n" + rest[:1] + mark + rest[1:]
        body = b"".join(parts)
    return f"diff --git {old} {new}\n--- {old}\n+++ {new}\n".encode() + body


def _by_comparison(before: bytes, after: bytes) -> Iterable[bytes]:
    old, new = ([part.decode("latin-1") for part in _LINE.findall(data)] for data in (before, after))
    for number, line in enumerate(difflib.unified_diff(old, new)):
        if number > 1:  # behind the names of the files
            yield finished(line).encode("latin-1")


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes where something in it needs them."""
    data = path.encode(errors="surrogateescape")
    if all(32 < byte < 127 and byte not in b'"\\' for byte in data):
        return path
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in data)
    return f'"{"".join(plain)}"'
