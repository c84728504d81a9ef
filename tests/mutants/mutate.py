"""Small changes to a module, one at a time, each of which a test should notice.

Left alone is what no answer hangs on:

- annotations and the words of a `Literal`: no program reads them;
- decorators and the keywords of a class: whether it is frozen, how it is stored;
- docstrings, and messages that are put together (f-strings, what is raised): told to people, and held by the outputs;
- asserts, imports and `__all__`;
- the numbers at module level, which bound what an analysis may cost, and whether a comparison with one of them takes in
  the bound itself: the same change, written elsewhere;
- the word that begins a memo's key (`key = ("possible", …)`, `ask(("flag", …), …)`): it tells one question from
  another, and any other word does so too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
WORD = re.compile(r"\.?\w+|[=!<>*]+|")
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Mutant(NamedTuple):
    """One change: `file` is relative to the checkout; offsets count bytes, as `ast` does."""

    file: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def title(self) -> str:
        """Where it is and what it changes, on one line."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}:{self.line}: {old[:70]!r} -> {new[:70]!r}"

    def applied(self, text: bytes) -> bytes:
        """The module's text with the change."""
        return text[: self.start] + self.new.encode() + text[self.end :]


def mutants(file: str, text: bytes) -> list[Mutant]:
    """All changes to one module, in the order of its text; a few of them don't compile."""
    return sorted(dict.fromkeys(_Mutations(file, text).all()), key=lambda one: (one.start, one.end, one.new))


def compiles(text: bytes) -> bool:
    """Whether a text is a module at all; asked of those alone that are tried, as it takes long."""
    try:
        compile(text, "mutant", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


class _Mutations:
    def __init__(self, file: str, text: bytes) -> None:
        self.file = file
        self.text = text
        self.tree = ast.parse(text)
        self.bounds = {
            target.id
            for one in self.tree.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and type(one.value.value) is int
            for target in one.targets
            if isinstance(target, ast.Name)
        }
        self.lines = [0]
        for line in text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def all(self) -> Iterator[Mutant]:
        for statement in self.tree.body:
            if not (isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, ast.Constant)):
                yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise, ast.JoinedStr)):
            return
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
            return
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return
        named = _key(node)
        kind = OPERATORS.get(type(node))
        if kind is not None:
            for start, end, new in kind(self, node):
                old = self.text[start:end].decode()
                yield Mutant(self.file, self.text[:start].count(b"\n") + 1, start, end, old, new)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            if name == "keywords" and isinstance(node, ast.ClassDef):
                continue
            for child in value if isinstance(value, list) else [value]:
                if named is not None and child is named:
                    for part in named.elts[1:]:
                        yield from self._of(part)
                elif isinstance(child, ast.AST) and not _is_text(child):
                    yield from self._of(child)

    # -- where things are ------------------------------------------------------------------------------------------

    def span(self, node: ast.expr | ast.stmt | ast.pattern) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset

    def source(self, node: ast.expr | ast.stmt | ast.pattern) -> str:
        start, end = self.span(node)
        return self.text[start:end].decode()

    def between(self, left: ast.expr, right: ast.expr, word: str) -> tuple[int, int] | None:
        """Where an operator stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(rf"(?<![\w=<>!]){re.escape(word)}(?![\w=<>])", self.text[start:end].decode())
        return (start + found.start(), start + found.end()) if found is not None else None

    # -- the changes -----------------------------------------------------------------------------------------------

    def compare(self, node: ast.Compare) -> Iterator[tuple[int, int, str]]:
        operands = [node.left, *node.comparators]
        for index, op in enumerate(node.ops):
            old, new = COMPARISONS[type(op)]
            sides = operands[index : index + 2]
            if old[0] in "<>" and any(isinstance(one, ast.Name) and one.id in self.bounds for one in sides):
                continue
            if (at := self.between(operands[index], operands[index + 1], old)) is not None:
                yield *at, new

    def boolean(self, node: ast.BoolOp) -> Iterator[tuple[int, int, str]]:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        start, end = self.span(node)
        yield start, end, f" {new} ".join(f"({self.source(value)})" for value in node.values)
        if len(node.values) > 1:
            for left, right in zip(node.values, node.values[1:], strict=False):
                if self.between(left, right, old) is not None:
                    kept = [value for value in node.values if value is not right]
                    yield start, end, f" {old} ".join(f"({self.source(value)})" for value in kept)

    def unary(self, node: ast.UnaryOp) -> Iterator[tuple[int, int, str]]:
        if isinstance(node.op, ast.Not):
            yield *self.span(node), f"({self.source(node.operand)})"

    def arithmetic(self, node: ast.BinOp) -> Iterator[tuple[int, int, str]]:
        for kind, old, new in ((ast.Add, "+", "-"), (ast.Sub, "-", "+"), (ast.BitAnd, "&", "|")):
            at = self.between(node.left, node.right, old) if isinstance(node.op, kind) else None
            if at is not None:
                yield *at, new

    def test(self, node: ast.If | ast.While | ast.IfExp) -> Iterator[tuple[int, int, str]]:
        said = isinstance(node.test, ast.UnaryOp) or (isinstance(node.test, ast.Compare) and len(node.test.ops) == 1)
        if not said:  # what `compare` and `unary` turn round already
            yield *self.span(node.test), f"(not ({self.source(node.test)}))"

    def loop(self, node: ast.comprehension) -> Iterator[tuple[int, int, str]]:
        for condition in node.ifs:
            yield *self.span(condition), "True"

    def case(self, node: ast.match_case) -> Iterator[tuple[int, int, str]]:
        if node.guard is not None:
            yield *self.span(node.guard), "True"
            yield *self.span(node.guard), "False"
        elif not (isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None):
            yield *self.span(node.pattern), f"{self.source(node.pattern)} if False"

    def alternatives(self, node: ast.MatchOr) -> Iterator[tuple[int, int, str]]:
        for left_out in node.patterns:
            kept = [one for one in node.patterns if one is not left_out]
            yield *self.span(node), f"({' | '.join(self.source(one) for one in kept)})"

    def constant(self, node: ast.Constant) -> Iterator[tuple[int, int, str]]:
        match node.value:
            case bool():
                yield *self.span(node), str(not node.value)
            case int():
                yield *self.span(node), str(node.value + 1)
            case str() if WORD.fullmatch(node.value):
                yield *self.span(node), repr(f"{node.value}XX")
            case _:
                pass

    def name(self, node: ast.Call) -> Iterator[tuple[int, int, str]]:
        if isinstance(node.func, ast.Name) and node.func.id in NAMES:
            yield *self.span(node.func), NAMES[node.func.id]

    def leave(self, node: ast.Break | ast.Continue) -> Iterator[tuple[int, int, str]]:
        yield *self.span(node), "continue" if isinstance(node, ast.Break) else "break"

    def returned(self, node: ast.Return) -> Iterator[tuple[int, int, str]]:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            yield *self.span(node), "return None"

    def statement(self, node: ast.Expr | ast.AugAssign | ast.Delete) -> Iterator[tuple[int, int, str]]:
        if not isinstance(node, ast.Expr):
            yield *self.span(node), "pass"
        elif isinstance(node.value, (ast.Yield, ast.YieldFrom)):
            yield *self.span(node), "(yield) if False else None"
        elif not _is_text(node):
            yield *self.span(node), "pass"


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _key(node: ast.AST) -> ast.Tuple | None:
    """The key of a memo that a node gives a name or asks for, where it begins with a word."""
    found: ast.expr | None = None
    match node:
        case ast.Assign(targets=[ast.Name(id="key")], value=value):
            found = value
        case ast.Call(func=ast.Attribute(attr="ask" | "ask_within" | "_once"), args=args):
            found = next((one for one in args if isinstance(one, ast.Tuple)), None)
        case _:
            pass
    match found:
        case ast.Tuple(elts=[ast.Constant(value=str()), *_]):
            return found
        case _:
            return None


OPERATORS: dict[type[ast.AST], Callable[[_Mutations, Any], Iterator[tuple[int, int, str]]]] = {
    ast.Compare: _Mutations.compare,
    ast.BoolOp: _Mutations.boolean,
    ast.UnaryOp: _Mutations.unary,
    ast.BinOp: _Mutations.arithmetic,
    ast.If: _Mutations.test,
    ast.While: _Mutations.test,
    ast.IfExp: _Mutations.test,
    ast.comprehension: _Mutations.loop,
    ast.match_case: _Mutations.case,
    ast.MatchOr: _Mutations.alternatives,
    ast.Constant: _Mutations.constant,
    ast.Call: _Mutations.name,
    ast.Break: _Mutations.leave,
    ast.Continue: _Mutations.leave,
    ast.Return: _Mutations.returned,
    ast.Expr: _Mutations.statement,
    ast.AugAssign: _Mutations.statement,
    ast.Delete: _Mutations.statement,
}
