"""`# pylint: disable=...` as pylint reads it, so that `specint check` is silent where pylint is.

A pragma counts from its line to the end of the class, function or module that it stands in, and for the head of a
class or function too if it comes before the first statement there. Behind something on the same line it counts for
that line. This follows pylint's own walk over the module; a test compares the two.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from specint.checks.catalog import Rule, all_rules, rule
from specint.checks.finding import Finding
from specint.errors import SpecintError
from specint.source.tree import SourceFile, Tree, decode

USELESS = "spec-useless-suppression"

_MARK = b"pylint:"
_COMMENT = re.compile(r"#.*?\bpylint:\s*([^;#\n]+)")
_ACTION = re.compile(r"([\w-]+)\s*(?:=\s*([\w\-]+(?:\s*,\s*[\w\-]+)*))?")
_CATEGORIES = {"fatal": "F", "error": "E", "warning": "W", "info": "I"}


class Pragma(msgspec.Struct, frozen=True):
    """One rule that a comment switches off or on.

    Attributes:
        comment: the comment's line; `line` is the one that it is about, which `disable-next` puts below.
        enable: it switches the rule on again.
        by_name: the rule's own name or number stands there, not one of a group.
        column: where the comment begins.
    """

    comment: int
    line: int
    symbol: str
    enable: bool
    by_name: bool
    column: int


class Pragmas(msgspec.Struct, frozen=True):
    """All pragmas of a file about rules of ours; `skips`: the line of one that leaves out the whole file, else 0."""

    each: tuple[Pragma, ...] = ()
    skips: int = 0


def without_suppressed(
    findings: Iterable[Finding], tree: Tree, files: Iterable[str] = ()
) -> tuple[list[Finding], list[Finding]]:
    """The findings that no pragma silences, and a finding for each pragma that silences nothing.

    `files` are the ones in which pragmas are judged; those with findings always are. A pragma for a rule that speaks
    on demand alone isn't judged: another run may demand it.
    """
    by_file: dict[str, list[Finding]] = {file: [] for file in files}
    for finding in findings:
        by_file.setdefault(finding.file, []).append(finding)
    kept: list[Finding] = []
    useless: list[Finding] = []
    for file, found in by_file.items():
        source = SourceFile.at(file)
        text = _text(tree, source)
        pragmas = read_pragmas(text) if text else Pragmas()
        if pragmas.skips or not pragmas.each:
            kept += () if pragmas.skips else found
            continue
        states = line_states(text, pragmas.each)
        used: set[tuple[str, int]] = set()
        for finding in found:
            enabled, line = states.get(finding.rule, {}).get(finding.line, (True, 0))
            if enabled:
                kept.append(finding)
            else:
                used.add((finding.rule, line))
        silent = states.get(USELESS, {})
        useless += [one for one in _useless(pragmas.each, used, source, text) if silent.get(one.line, (True, 0))[0]]
    return kept, useless


def read_pragmas(text: str) -> Pragmas:
    """The pragmas of a module's text."""
    found: list[Pragma] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.COMMENT or not (match := _COMMENT.match(token.string)):
                continue
            (line, column) = token.start
            for action, codes in _ACTION.findall(match[1]):
                names = [code.strip() for code in codes.split(",") if code.strip()]
                if action == "skip-file" or (action == "disable" and "all" in names):
                    return Pragmas(skips=line)
                if action in ("disable", "enable", "disable-next"):
                    about = line + 1 if action == "disable-next" else line
                    found += [
                        Pragma(line, about, one.symbol, action == "enable", by_name, column)
                        for name in names
                        for one, by_name in _meant(name)
                    ]
    except (tokenize.TokenError, SyntaxError):  # said elsewhere: the file has no findings either
        return Pragmas()
    return Pragmas(tuple(found))


def line_states(text: str, pragmas: Sequence[Pragma]) -> dict[str, dict[int, tuple[bool, int]]]:
    """For each rule, the lines for which a pragma decides: whether it speaks there, and the pragma's line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    last = text.count("\n") + 1
    states: dict[str, dict[int, tuple[bool, int]]] = {}
    for pragma in pragmas:
        if pragma.line > pragma.comment:  # `disable-next` is about one line, whatever begins there
            states.setdefault(pragma.symbol, {})[pragma.line] = (pragma.enable, pragma.line)
        elif pragma.line <= last:
            first_child, start, end, whole = _block(module, pragma.line, last)
            lines = states.setdefault(pragma.symbol, {})
            head = True if pragma.line > first_child else pragma.enable
            for line in range(start, end + 1):
                if line >= pragma.line:
                    lines[line] = (pragma.enable, pragma.line)
                elif line not in lines or (line == start and not whole):
                    lines[line] = (head, pragma.line)
    return states


def _block(module: ast.Module, line: int, last: int) -> tuple[int, int, int, bool]:
    """What a pragma on the line is about: the line of the first statement there, its lines, and whether it is all."""
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
    for child in ast.iter_child_nodes(node):
        first, end = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
        if first is not None and end is not None and not first <= line <= end:
            continue
        inner = None if first is not None and first == end else _innermost(child, line)
        if inner is not None:
            return inner
        if isinstance(child, ast.stmt | ast.expr):
            return child
    return None


def _first_statement(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, otherwise: int) -> int:
    """The line of the first statement behind the docstring."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return body[0].lineno if body else otherwise


def _meant(name: str) -> Iterator[tuple[Rule, bool]]:
    """The rules that a pragma's name is about, and whether it is about that one alone."""
    folded = name.lower()
    letter = _CATEGORIES.get(folded, name.upper())
    for one in all_rules():
        if folded in (one.symbol, one.id.lower()):
            yield one, True
        elif folded == "specint" or letter == one.id[0]:
            yield one, False


def _useless(pragmas: Sequence[Pragma], used: set[tuple[str, int]], source: SourceFile, text: str) -> Iterator[Finding]:
    about = rule(USELESS)
    for pragma in pragmas:
        named = rule(pragma.symbol)
        judged = pragma.by_name and not (pragma.enable or named.on_demand or pragma.symbol == USELESS)
        if not judged or (pragma.symbol, pragma.line) in used:
            continue
        yield Finding(
            rule=about.symbol,
            id=about.id,
            class_=_class_around(text, pragma.comment, source.module),
            member=pragma.symbol,
            algorithms=(),
            file=source.path,
            line=pragma.comment,
            column=pragma.column,
            message=f"nothing to suppress here: {named.symbol} ({named.id}) finds nothing",
        )


def _class_around(text: str, line: int, module: str) -> str:
    """The dotted class whose lines hold this one, or the one right below; else the module."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.lineno - 1 <= line <= (node.end_lineno or 0):
            return f"{module}.{node.name}"
    return module


def _text(tree: Tree, source: SourceFile) -> str:
    """The file's text if it has a pragma, "" if not, or if it can't be read: that is said elsewhere."""
    try:
        data = tree.read(source)
        return decode(data, source.path) if _MARK in data else ""
    except SpecintError:
        return ""
