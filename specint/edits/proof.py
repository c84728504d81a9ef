"""The proof that additions are nothing but additions: the new members taken out again give the old text."""

from __future__ import annotations

from collections.abc import Sequence

from specint.edits.model import Edit
from specint.errors import SpecintError


def prove_additions(before: bytes, after: bytes, path: str, edits: Sequence[Edit]) -> None:
    """Take the members that were added out of the parsed file, and compare what is left with the file as it was.

    Raises:
        SpecintError: something else has changed, or the file can't be parsed.
    """
    import libcst

    added = {(edit.class_.rpartition(".")[2], edit.member) for edit in edits}

    class _Without(libcst.CSTTransformer):
        def __init__(self) -> None:
            super().__init__()
            self.taken: list[tuple[str, str]] = []

        def leave_ClassDef(self, original_node: libcst.ClassDef, updated_node: libcst.ClassDef) -> libcst.ClassDef:
            body = list(updated_node.body.body)
            while body and (name := _defined(body[-1])) and (original_node.name.value, name) in added:
                self.taken.append((original_node.name.value, name))
                body.pop()
            return updated_node.with_changes(body=updated_node.body.with_changes(body=body)) if body else updated_node

    def _defined(statement: libcst.CSTNode) -> str:
        return statement.name.value if isinstance(statement, libcst.FunctionDef) else ""

    try:
        was, made = libcst.parse_module(before), libcst.parse_module(after)
    except (libcst.ParserSyntaxError, UnicodeError, RecursionError) as error:
        raise SpecintError(f"can't be parsed back: {' '.join(str(error).split())[:200]}", path) from None
    without = _Without()
    rest = made.visit(without)
    if rest.code.rstrip("\r\n") != was.code.rstrip("\r\n") or set(without.taken) != added:
        raise SpecintError("would not have been changed by additions alone", path, "please report it")
