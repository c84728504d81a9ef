"""Edits of code that is there already: a function moves into its class, a parameter gets a default."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from specint.edits.model import Splice
from specint.edits.placing import added, end_of_class, source_lines
from specint.facts import model as facts
from specint.parsing import Unparsable, parsed_module, strings

Function = ast.FunctionDef | ast.AsyncFunctionDef


def moved(data: bytes, path: str, line: int, into: facts.Class) -> tuple[Splice, ...] | None:
    """What takes the function that is defined on a line, with the remarks above it, to the end of a class.

    None where the class has no body to take it.
    """
    lines = source_lines(data, path)
    spot, function = end_of_class(lines, into), _function_at(data, line)
    if spot is None or function is None:
        return None
    start, end = _extent(lines, function)
    texts = _bare(lines[start:end])
    inside = _lines_within_strings(function, _bare(lines), start)
    code = [text if number in inside or not text.strip() else spot.indent + text for number, text in enumerate(texts)]
    while start and not lines[start - 1].strip():
        start -= 1
    return added(spot.after, code), Splice(start, tuple(_bare(lines[start:end])))


def with_defaults(
    data: bytes, path: str, line: int, names: Sequence[str]
) -> tuple[tuple[Splice, ...], tuple[str, ...]] | None:
    """What gives these parameters of the function on a line the default None, and those that can't be None in its body.

    A body gets along with None where it never uses the parameter, or asks whether it is None. The answer is None where
    no function is defined on the line.
    """
    function = _function_at(data, line)
    if function is None:
        return None
    splices = tuple(_defaults(source_lines(data, path), function, names))
    return splices, tuple(name for name in names if not _minds_none(function, name))


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _function_at(data: bytes, line: int) -> Function | None:
    try:
        tree = parsed_module(data)
    except Unparsable:  # it was written to meanwhile
        return None
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno == line:
            return node
    return None


def _extent(lines: Sequence[str], function: Function) -> tuple[int, int]:
    """From the remarks right above a function and its decorators to its last line, remarks at its end included."""
    start = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)]) - 1
    while start and lines[start - 1].startswith("#"):
        start -= 1
    end = function.end_lineno or function.lineno
    for number, line in enumerate(lines[end:], end + 1):
        if line[:1] in (" ", "\t") and line.strip().startswith("#"):
            end = number
        elif line.strip():
            break
    return start, end


def _lines_within_strings(function: Function, lines: Sequence[str], start: int) -> set[int]:
    """The lines (from 0 at `start`) that begin within a string: they belong to its value and must not be indented."""
    return {line - start for span in strings(function, lines) for line in range(span.line, span.end_line)}


def _defaults(lines: Sequence[str], function: Function, names: Sequence[str]) -> list[Splice]:
    arguments = function.args
    places: dict[int, list[tuple[int, bytes]]] = {}
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if parameter.arg in names:
            line = parameter.end_lineno or parameter.lineno
            column = parameter.end_col_offset or parameter.col_offset
            places.setdefault(line, []).append((column, b" = None" if parameter.annotation else b"=None"))
    made = []
    for line, inserts in sorted(places.items()):
        text = lines[line - 1].rstrip("\r\n")
        data = text.encode()
        for column, default in sorted(inserts, reverse=True):
            data = data[:column] + default + data[column:]
        made.append(Splice(line - 1, (text,), (data.decode(),)))
    return made


def _minds_none(function: Function, name: str) -> bool:
    """Whether a body gets along with None in a parameter: it never uses it, or asks."""
    used = False
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == name:
                first = node.comparators[0]
                asks = isinstance(node.ops[0], (ast.Is, ast.IsNot))
                if asks and isinstance(first, ast.Constant) and first.value is None:
                    return True
            used = used or (isinstance(node, ast.Name) and node.id == name)
    return not used
