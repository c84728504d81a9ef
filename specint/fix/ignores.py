"""Comments that silence findings, written behind the lines that they are about: `check --add-ignores`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from specint.checks.finding import Finding
from specint.checks.suppression import without_suppressed
from specint.source.tree import SourceFile, Tree

_COMMENT = re.compile(rb"#\s*pylint:\s*disable\s*=\s*([\w\-]+(?:\s*,\s*[\w\-]+)*)\s*$")


def with_ignores(tree: Tree, file: str, findings: Sequence[Finding]) -> tuple[bytes, tuple[Finding, ...]]:
    """A file's bytes with a comment behind each line that one of its findings is about, and the findings that the
    comments silence; of the others nothing is written (a line may end in a backslash, or within a text)."""
    before = tree.read(SourceFile.at(file))
    silenced: tuple[Finding, ...] = ()
    after = before
    for finding in findings:
        tried = _commented(after, finding.line, finding.rule)
        module = SourceFile.at(file).module
        if tried is None or not _silent(tree.overlay({module: tried}), file, (*silenced, finding)):
            continue
        after, silenced = tried, (*silenced, finding)
    return after, silenced


def _silent(tree: Tree, file: str, findings: Iterable[Finding]) -> bool:
    """Whether none of the findings speaks in that tree, and no comment of the file is useless in it."""
    kept, useless = without_suppressed(findings, tree, (file,))
    return not kept and not any(one.file == file for one in useless)


def _commented(text: bytes, line: int, rule: str) -> bytes | None:
    """The text with the rule named in a comment behind a line, in the comment that is there if there is one."""
    lines = text.split(b"\n")
    if not 0 < line <= len(lines):
        return None
    body = lines[line - 1].rstrip(b"\r")
    ending = lines[line - 1][len(body) :]
    body = body.rstrip()
    if body.endswith(b"\\"):
        return None
    if there := _COMMENT.search(body):
        named = [name.strip() for name in there[1].split(b",")]
        if rule.encode() in named:
            return text
        body = body[: there.end(1)] + b"," + rule.encode()
    else:
        body += b"  # pylint: disable=" + rule.encode()
    lines[line - 1] = body + ending
    return b"\n".join(lines)
