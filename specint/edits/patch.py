"""Edits as unified diffs: as text for documents and readers, and as what `git apply` takes, in the files' own bytes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence

from specint.edits.model import Splice
from specint.edits.placing import Change, changes, source_lines
from specint.source.tree import encoding_of

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
"""Where git divides lines."""
_CONTEXT = 3


def unified(file: str, lines: Sequence[str], splices: Iterable[Splice]) -> str:
    """A unified diff of one file, of the lines that `source_lines` gives."""
    return f"--- a/{file}\n+++ b/{file}\n{''.join(hunks(lines, splices))}"


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


def hunks(lines: Sequence[str], splices: Iterable[Splice]) -> Iterator[str]:
    """The parts of a unified diff, without the lines that name the file."""
    groups: list[list[Change]] = []
    for change in changes(lines, splices):
        if groups and change.start - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    shift = 0
    for group in groups:
        start = max(group[0].start - _CONTEXT, 0)
        end = min(group[-1].end + _CONTEXT, len(lines))
        grown = sum(len(change.lines) - (change.end - change.start) for change in group)
        body: list[str] = []
        position = start
        for change in group:
            body += [" " + line for line in lines[position : change.start]]
            body += ["-" + line for line in lines[change.start : change.end]]
            body += ["+" + line for line in change.lines]
            position = change.end
        body += [" " + line for line in lines[position:end]]
        old, new = end - start, end - start + grown
        yield f"@@ -{_range(start, old)} +{_range(start + shift, new)} @@\n" + "".join(map(_finished, body))
        shift += grown


def _range(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _finished(line: str) -> str:
    """A line of a diff; one whose text doesn't end in a new line is followed by a remark that says so."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _by_comparison(before: bytes, after: bytes) -> Iterable[bytes]:
    old, new = ([part.decode("latin-1") for part in _LINE.findall(data)] for data in (before, after))
    for number, line in enumerate(difflib.unified_diff(old, new)):
        if number > 1:  # behind the names of the files
            yield _finished(line).encode("latin-1")


def _quoted(path: str) -> str:
    """A path as git writes it: in quotes where something in it needs them."""
    data = path.encode(errors="surrogateescape")
    if all(32 < byte < 127 and byte not in b'"\\' for byte in data):
        return path
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in data)
    return f'"{"".join(plain)}"'
