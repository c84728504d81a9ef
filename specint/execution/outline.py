"""A module's text without the bodies of its functions: what importing it runs. Bodies are parsed when they are called.

Nine tenths of a module are bodies that no launch runs. A body is found by its indentation; where that is not certain
(a string or a bracket that goes on at a smaller indentation) the text is left as it is, or parsed whole.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from specint.parsing import parsed_module

_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+\w+", re.MULTILINE)
LONGEST_HEADER = 80
SHORTEST_BODY = 3
MARK = "_body_is_elsewhere_"


def outlined(text: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text with bodies blanked, and for each blanked function's `def` line its first and last line."""
    lines = text.split("\n")
    bodies: dict[int, tuple[int, int]] = {}
    n = counted = at = 0
    quotes = dict.fromkeys(('"""', "'''"), 0)
    for match in _DEFINITION.finditer(text):
        counted += text.count("\n", at, match.start())
        for quote in quotes:
            quotes[quote] += text.count(quote, at, match.start())
        at = match.start()
        if any(count % 2 for count in quotes.values()):
            continue  # an example inside of a string, which has to stay what it is
        start = counted
        if start < n:
            continue
        indent = len(match[1])
        first = _after_header(lines, start)
        if first is None:
            continue
        last = _end_of_body(lines, first, indent)
        n = last
        if last - first < SHORTEST_BODY:
            continue
        body = "\n".join(lines[first:last])
        if body.count('"""') % 2 or body.count("'''") % 2:
            n = first
            continue
        bodies[start + 1] = (start + 1, last)
        lines[first:last] = [f"{match[1]} {MARK}", *[""] * (last - first - 1)]
    return "\n".join(lines), bodies


def _after_header(lines: list[str], start: int) -> int | None:
    """The line after a definition's colon; None where the body is on the same line or the end is not found."""
    depth = 0
    for n in range(start, min(start + LONGEST_HEADER, len(lines))):
        line = lines[n].split("#")[0].rstrip()
        depth += sum(line.count(sign) for sign in "([{") - sum(line.count(sign) for sign in ")]}")
        if depth <= 0:
            return n + 1 if line.endswith(":") and depth == 0 else None
    return None


def _end_of_body(lines: list[str], first: int, indent: int) -> int:
    end = first
    for n in range(first, len(lines)):
        line = lines[n]
        stripped = line.lstrip(" \t")
        if not stripped or stripped[0] == "#":
            continue
        if len(line) - len(stripped) <= indent:
            break
        end = n + 1
    return end


def body_of(text: str, first: int, last: int) -> Any:
    """The function at these lines (from 1), parsed, with its line numbers in the whole text."""
    lines = text.split("\n")[first - 1 : last]
    indented = lines[0][:1] in " \t"
    piece = "\n".join(["if 1:", *lines] if indented else lines)
    node: Any = parsed_module(piece).body[0]
    if isinstance(node, ast.If):
        node = node.body[0]
    ast.increment_lineno(node, first - 1 - indented)
    return node
