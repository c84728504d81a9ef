"""Python text as Python's own parser reads it: one way in, one kind of refusal, and not a word on stderr."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

TOO_DEEP = "nested too deeply to be read"

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_PIECE = re.compile(
    rb"[A-Za-z]{0,2}"
    rb'(?:"""(?:[^\\"]|\\.|"(?!""))*+"""'
    rb"|'''(?:[^\\']|\\.|'(?!''))*+'''"
    rb'|"(?:[^\\"\n]|\\.)*+"'
    rb"|'(?:[^\\'\n]|\\.)*+')",
    re.DOTALL,
)
_BETWEEN = re.compile(rb"(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*)*+")


class Unparsable(Exception):
    """A text that the running Python does not take, or can't: why, and where (0 where nobody knows)."""

    def __init__(self, what: str, line: int = 0, column: int = 0) -> None:
        super().__init__(what, line, column)
        self.what = what
        self.line = line
        self.column = column

    @property
    def too_deep(self) -> bool:
        """It may be Python: the parser ran out of stack or memory."""
        return self.what == TOO_DEEP


def parsed(text: str | bytes, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """The tree of a text. What Python would warn of in somebody else's code is not our affair, under `-W error` either.

    Raises:
        Unparsable: whatever the reason. No other error comes out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ast.parse(text, mode=mode)
            assert isinstance(found, ast.Module | ast.Expression)
            return found
    except SyntaxError as error:
        raise Unparsable(str(error.msg), error.lineno or 1, max((error.offset or 1) - 1, 0)) from None
    except (RecursionError, MemoryError):
        raise Unparsable(TOO_DEEP) from None
    except (ValueError, OverflowError, SystemError) as error:  # NUL, a lone surrogate, more lines than it can count
        raise Unparsable(str(error)) from None


def parsed_module(text: str | bytes) -> ast.Module:
    """As `parsed`, of a module."""
    found = parsed(text)
    assert isinstance(found, ast.Module)
    return found


def parsed_expression(text: str) -> ast.expr:
    """As `parsed`, of one expression."""
    found = parsed(text, "eval")
    assert isinstance(found, ast.Expression)
    return found.body


class Span(NamedTuple):
    """From where to where one string stands: lines from 1, columns in bytes of UTF-8, the end excluded."""

    line: int
    column: int
    end_line: int
    end_column: int


def strings(tree: ast.AST, lines: Sequence[str]) -> list[Span]:
    """Where the strings of a tree stand, in their order; `lines` are those of the text, without their ends.

    They are read off the tree, so that there is no second opinion (`tokenize` is one) on what a text holds.
    """
    found: list[Span] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))):
            # What stands within an f-string has no place of its own that could be relied on, before 3.12.
            end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            found += _pieces(Span(node.lineno, node.col_offset, end_line, end_column), lines)
        elif type(node).__name__ == "TemplateStr":
            found.append(Span(*(getattr(node, name) for name in _PLACE)))
        else:
            waiting += ast.iter_child_nodes(node)
    return sorted(found)


def within(spans: Sequence[Span], line: int, column: int) -> bool:
    """Whether a place is inside one of the strings."""
    at = bisect_right(spans, (line, column, float("inf"), float("inf"))) - 1
    return at >= 0 and (spans[at].end_line, spans[at].end_column) > (line, column)


def _pieces(whole: Span, lines: Sequence[str]) -> Iterator[Span]:
    """The literals that one value is written as: between two of them may be comments, and the ends of lines."""
    if whole.line == whole.end_line:
        yield whole
        return
    parts = [line.encode("utf-8", "surrogatepass") for line in lines[whole.line - 1 : whole.end_line]]
    parts[-1] = parts[-1][: whole.end_column]
    text = b"\n".join(parts)
    pieces, at = [], whole.column
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:  # quotes of the same kind within an f-string, since 3.12
            yield whole
            return
        pieces.append((at, piece.end()))
        between = _BETWEEN.match(text, piece.end())
        at = between.end() if between else piece.end()
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part) + 1)
    for start, end in pieces:
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end) - 1
        yield Span(whole.line + first, start - starts[first], whole.line + last, end - starts[last])
