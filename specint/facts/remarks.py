"""Comments for pylint, read off the tree that the facts are made of: no second reading may see another file."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from specint.facts import model as facts
from specint.facts.bounds import LONGEST_REMARK, MOST_REMARKS, TooMuch
from specint.parsing import strings, within

MARK = "pylint:"
_COMMENT = re.compile(r"#.*?\bpylint:\s*([^;#\n]+)")


def remarks(text: str, tree: ast.Module) -> tuple[facts.Remark, ...]:
    """The comments that speak to pylint, in their order. Raises TooMuch for more than anybody reads."""
    if MARK not in text:
        return ()
    lines = text.split("\n")
    spoken = [number for number, line in enumerate(lines, 1) if MARK in line and "#" in line]
    if not spoken:
        return ()
    places = strings(tree, lines)
    found: list[facts.Remark] = []
    for number in spoken:
        line = lines[number - 1]
        for sign in re.finditer("#", line):
            column = sign.start()
            if within(places, number, column if line.isascii() else len(line[:column].encode())):
                continue
            if match := _COMMENT.match(line, column):
                first, start, end, whole = _block(tree, number, len(lines))
                found.append(facts.Remark(number, column, match[1], first, start, end, whole, _class(tree, number)))
            break
        if len(found) > MOST_REMARKS:
            raise TooMuch(f"more than {MOST_REMARKS:,} comments for pylint", number)
        if found and len(found[-1].text) > LONGEST_REMARK:
            raise TooMuch(f"a comment for pylint of more than {LONGEST_REMARK:,} characters", number)
    return tuple(found)


def _block(module: ast.Module, line: int, last: int) -> tuple[int, int, int, bool]:
    """What a comment on the line is about: the line of the first statement there, its lines, and whether it is all."""
    node = _innermost(module, line)
    if node is None:
        return _first_statement(module, last), 0, last, True
    end = node.end_lineno or node.lineno
    if isinstance(node, ast.ClassDef):
        return _first_statement(node, end), node.lineno, end, False
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        head = max([node.lineno, *(each.end_lineno or 0 for each in ast.walk(node.args) if isinstance(each, ast.arg))])
        if line <= head:
            return head, line, head, False
        return _first_statement(node, end), node.lineno, end, False
    arms = (getattr(node, name, None) for name in ("body", "handlers", "orelse", "finalbody"))
    ends = [arm[-1].end_lineno for arm in arms if isinstance(arm, list) and arm]
    return end, line, min((each for each in ends if line <= each), default=end), False


def _innermost(node: ast.AST, line: int) -> ast.stmt | ast.expr | None:
    """The smallest thing whose lines hold this one; what stands on one line alone is not looked into."""
    smallest: ast.stmt | ast.expr | None = None
    while isinstance(node, ast.BinOp) and _holds(node.left, line):  # a long sum is as deep as it is long
        smallest = node = node.left
        if node.lineno == node.end_lineno:
            return smallest
    for child in _children(node, line):
        first, end = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
        if first is not None and end is not None and not first <= line <= end:
            continue
        inner = None if first is not None and first == end else _innermost(child, line)
        if inner is not None:
            return inner
        if isinstance(child, ast.stmt | ast.expr):
            return child
    return smallest


def _holds(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _children(node: ast.AST, line: int) -> Iterator[ast.AST]:
    """The parts of a node that may hold the line: of a long row of statements or expressions those around it alone."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield value
        elif isinstance(value, list):
            if len(value) > 20 and all(isinstance(one, (ast.stmt, ast.expr)) for one in (value[0], value[-1])):
                yield from _around(value, line)
            else:
                yield from (one for one in value if isinstance(one, ast.AST))


def _around(row: Sequence[ast.stmt | ast.expr | None], line: int) -> Iterator[ast.AST]:
    known = [one for one in row if one is not None] if None in row else row
    at = bisect_left(known, line, key=lambda one: one.end_lineno or 0)  # type: ignore[union-attr]
    while at < len(known) and (one := known[at]) is not None and one.lineno <= line:
        yield one
        at += 1


def _first_statement(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, otherwise: int) -> int:
    """The line of the first statement behind the docstring."""
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    rest = 1 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0
    return node.body[rest].lineno if len(node.body) > rest else otherwise


def _class(module: ast.Module, line: int) -> str:
    """The class at the top whose lines hold this one, or the one right below; "" for none."""
    below = bisect_left(module.body, line, key=lambda one: one.end_lineno or 0)
    node = module.body[below] if below < len(module.body) else None
    return node.name if isinstance(node, ast.ClassDef) and node.lineno - 1 <= line else ""
