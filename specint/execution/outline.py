"""A module's text without the bodies of its functions: what importing it runs. Bodies are parsed when they are called.

Nine tenths of a module are bodies that no launch runs. A body is found by its indentation; where that is not certain
(a string or a bracket that goes on at a smaller indentation) the text is left as it is, or parsed whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from specint.parsing import parsed_module

_DEFINITION = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]+\w+")
DEF = "def "
LONGEST_HEADER = 80
SHORTEST_BODY = 3
MARK = "_body_is_elsewhere_"
QUOTES = ('"""', "'''")


def outlined(text: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text with bodies blanked, and for each blanked function's `def` line its first and last line."""
    pieces: list[str] = []
    bodies: dict[int, tuple[int, int]] = {}
    written = after = at = line = 0  # `line` is that of `at`, from 0; bodies before `after` were looked at
    quotes = dict.fromkeys(QUOTES, 0)
    for match in _definitions(text):
        start = match.start()
        line += text.count("\n", at, start)
        for quote in QUOTES:
            quotes[quote] += text.count(quote, at, start)
        at = start
        if any(count % 2 for count in quotes.values()):
            continue  # an example inside of a string, which has to stay what it is
        if start < after:
            continue
        first = _after_header(text, start)
        if first is None:
            continue
        after = _end_of_body(text, first, len(match[1]))
        end = after - text.endswith("\n", first, after)
        header, lines = text.count("\n", start, first), text.count("\n", first, end) + 1
        if lines < SHORTEST_BODY or after <= first:
            continue
        if any(text.count(quote, first, end) % 2 for quote in QUOTES):
            after = first
            continue
        bodies[line + 1] = (line + 1, line + header + lines)
        pieces += [text[written:first], match[1], " ", MARK, "\n" * (lines - 1)]
        written = end
    return "".join([*pieces, text[written:]]), bodies


def _definitions(text: str) -> Iterator[re.Match[str]]:
    """The lines that begin a function; searching for the word takes a tenth of what the pattern does."""
    at = text.find(DEF)
    while at >= 0:
        match = _DEFINITION.match(text, text.rfind("\n", 0, at) + 1)
        if match is not None and match.start() <= at < match.end():
            yield match
        at = text.find(DEF, at + len(DEF))


def _after_header(text: str, at: int) -> int | None:
    """Where the line after a definition's colon begins; None where the body is on the same line or the end is not
    found."""
    depth = 0
    for _ in range(LONGEST_HEADER):
        end = text.find("\n", at)
        whole = text[at:] if end < 0 else text[at:end]
        line = whole.split("#")[0].rstrip()
        depth += line.count("(") - line.count(")") + line.count("[") - line.count("]")
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            return end + 1 if line.endswith(":") and depth == 0 and end >= 0 else None
        if end < 0:
            return None
        at = end + 1
    return None


def _end_of_body(text: str, first: int, indent: int) -> int:
    """Where the line after a body begins; comments and empty lines at its end are none of it."""
    outer = _outer(indent).search(text, first)
    end = outer.start() if outer is not None else len(text)
    while end > first:
        start = text.rfind("\n", first, end - 1) + 1 or first
        line = text[start:end].lstrip(" \t")
        if line not in ("", "\n") and line[0] != "#":
            break
        end = start
    return end


@cache
def _outer(indent: int) -> re.Pattern[str]:
    """A line of code that is indented as far as a definition at most."""
    return re.compile(rf"^[ \t]{{0,{indent}}}[^ \t\n#]", re.MULTILINE)


def body_of(text: str, first: int, last: int) -> Any:
    """The function at these lines (from 1), parsed, with its line numbers in the whole text."""
    lines = text.split("\n")[first - 1 : last]
    indented = lines[0][:1] in " \t"
    piece = "\n".join(["if 1:", *lines] if indented else lines)
    node: Any = parsed_module(piece).body[0]
    if isinstance(node, ast.If):
        node = node.body[0]
    _moved(node, first - 1 - indented)
    return node


def _moved(top: ast.AST, lines: int) -> None:
    """Move a tree of nodes down; what `ast.increment_lineno` does takes four times as long."""
    waiting: list[ast.AST] = [top]
    while waiting:
        fields = vars(waiting.pop())
        if "lineno" in fields:
            fields["lineno"] += lines
            if fields["end_lineno"] is not None:
                fields["end_lineno"] += lines
        for value in fields.values():
            if isinstance(value, list):
                waiting += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST):
                waiting.append(value)
