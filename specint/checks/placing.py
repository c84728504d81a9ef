"""Where in a file new members of a class go, and the patch that puts them there: text alone, nothing parsed anew."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.source.tree import encoding_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CONTEXT = 3
_UNIT = "    "


@dataclass(frozen=True)
class Spot:
    """The end of a class body: after so many lines of the file, with the body's indentation and one step of it."""

    after: int
    indent: str
    unit: str


def source_lines(data: bytes, path: str) -> list[str]:
    """The lines of a source file with the endings that they have, as Python counts them."""
    try:
        text = data.decode(encoding_of(data))
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise SpecintError(f"can't be decoded: {error}", path) from None
    return _LINE.findall(text)


def end_of_class(lines: Sequence[str], node: facts.Class) -> Spot | None:
    """Behind the last statement of a class, and what belongs to it; None where the body stands on the class's line."""
    indent = _body_indent(lines, node)
    if indent is None:
        return None
    outer = _indent(lines[node.line - 1])
    unit = indent.removeprefix(outer) if indent.startswith(outer) else indent
    after = node.end_line
    for number, line in enumerate(lines[node.end_line :], node.end_line + 1):
        text = line.strip()
        if text.startswith("#") and _indent(line).startswith(indent) and len(_indent(line)) > len(indent):
            after = number  # a remark at the end of the last method is the method's
        elif text:
            break
    return Spot(after, indent, unit or _UNIT)


def indented(code: Sequence[str], spot: Spot) -> tuple[str, ...]:
    """Lines that were written with four blanks a step, as they stand in the class."""
    made = []
    for line in code:
        steps = (len(line) - len(line.lstrip(" "))) // len(_UNIT)
        made.append(spot.indent + spot.unit * steps + line.lstrip(" "))
    return tuple(made)


def with_added(lines: Sequence[str], after: int, code: Sequence[str]) -> list[str]:
    """The lines of a file with an empty line and some code put behind line `after`.

    A file that doesn't end in a new line goes on not doing so.
    """
    newline = newline_of(lines)
    head, added, rest = list(lines[:after]), [newline, *(line + newline for line in code)], list(lines[after:])
    if head and not head[-1].endswith(("\n", "\r")):
        head[-1] += newline
        added[-1] = added[-1].removesuffix(newline)
    return [*head, *added, *rest]


def newline_of(lines: Sequence[str]) -> str:
    """How the file ends its lines: as it ends its first."""
    first = lines[0] if lines else "\n"
    return first[len(first.rstrip("\r\n")) :] or "\n"


def addition_patch(lines: Sequence[str], file: str, after: int, code: Sequence[str]) -> str:
    """A unified diff of `with_added`."""
    changed = with_added(lines, after, code)
    start = max(after - _CONTEXT, 0)
    end = min(after + _CONTEXT, len(lines))
    grown = len(changed) - len(lines)
    joined = 1 if after and lines[after - 1] != changed[after - 1] else 0
    body = [
        *(" " + line for line in lines[start : after - joined]),
        *("-" + line for line in lines[after - joined : after]),
        *("+" + line for line in changed[after - joined : after + grown]),
        *(" " + line for line in lines[after:end]),
    ]
    head = f"@@ -{start + 1},{end - start} +{start + 1},{end - start + grown} @@\n"
    return f"--- a/{file}\n+++ b/{file}\n{head}{''.join(map(finished, body))}"


def finished(line: str) -> str:
    """A line of a diff; one whose text doesn't end in a new line is followed by a remark that says so."""
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _body_indent(lines: Sequence[str], node: facts.Class) -> str | None:
    scope = node.body
    plain = [step.index for step in scope.steps if isinstance(step, facts.Define) and step.guard == -1]
    for index in plain:
        function = scope.functions[index]
        line = lines[function.line - 1]
        if not line[: function.column].strip() and function.column > node.column:
            return line[: function.column]
    # A class without plain methods is rare and short, so that reading it once more costs nothing.
    text = textwrap.dedent("".join(lines[node.line - 1 : node.end_line]))
    try:
        found = ast.parse(text).body[0]
    except (SyntaxError, ValueError):
        return None
    if not isinstance(found, ast.ClassDef) or found.body[0].lineno == 1:
        return None
    first = found.body[0]
    before = _LINE.findall(text)[first.lineno - 1].encode()[: first.col_offset]
    return None if before.strip() else _indent(lines[node.line + first.lineno - 2])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
