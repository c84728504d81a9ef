"""Where in a file new members of a class go, and what a file is with them: text alone."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from specint.edits.model import Splice
from specint.errors import SpecintError
from specint.facts import model as facts
from specint.parsing import Unparsable, parsed_module
from specint.source.tree import encoding_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
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
    outer = indent_of(lines[node.line - 1])
    unit = indent.removeprefix(outer) if indent.startswith(outer) else indent
    after = node.end_line
    for number, line in enumerate(lines[node.end_line :], node.end_line + 1):
        text = line.strip()
        if text.startswith("#") and indent_of(line).startswith(indent) and len(indent_of(line)) > len(indent):
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


def added(after: int, code: Sequence[str]) -> Splice:
    """Some code with an empty line before it, behind line `after`."""
    return Splice(after, (), ("", *code))


def spliced(lines: Sequence[str], splices: Iterable[Splice]) -> list[str]:
    """The lines of a file after the splices, which name lines of the file before.

    Several at one place come in their order. A file that doesn't end in a new line goes on not doing so.
    """
    made: list[str] = []
    position = 0
    for change in changes(lines, splices):
        made += [*lines[position : change.start], *change.lines]
        position = change.end
    return [*made, *lines[position:]]


def newline_of(lines: Sequence[str]) -> str:
    """How the file ends its lines: as it ends its first."""
    first = lines[0] if lines else "\n"
    return first[len(first.rstrip("\r\n")) :] or "\n"


@dataclass
class Change:
    """Lines `start` up to `end` of a file (counted from 0) and what comes in their place."""

    start: int
    end: int
    lines: list[str]


def changes(lines: Sequence[str], splices: Iterable[Splice]) -> list[Change]:
    """The splices in the order of the file, those at one place as one, with the endings that its lines have."""
    newline = newline_of(lines)
    found: list[Change] = []
    for splice in sorted(splices, key=lambda one: one.after):
        made = [line + newline for line in splice.lines]
        if found and found[-1].end == splice.after:
            found[-1].lines += made
            found[-1].end = splice.end
        else:
            found.append(Change(splice.after, splice.end, made))
    if found and found[-1].end == len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
        last = found[-1]
        if last.start == last.end:  # what was the last line gets an ending
            last.start -= 1
            last.lines.insert(0, lines[-1] + newline)
        if last.lines:
            last.lines[-1] = last.lines[-1].removesuffix(newline)
    return found


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
        found = parsed_module(text).body[0]
    except (Unparsable, IndexError):
        return None
    if not isinstance(found, ast.ClassDef) or found.body[0].lineno == 1:
        return None
    first = found.body[0]
    before = _LINE.findall(text)[first.lineno - 1].encode()[: first.col_offset]
    return None if before.strip() else indent_of(lines[node.line + first.lineno - 2])


def indent_of(line: str) -> str:
    """The blanks and tabs that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]
