"""The registered model classes by name, read from the models' text without looking at the rest of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from specint.contract.declared import declared
from specint.errors import SpecintError
from specint.parsing import Unparsable, parsed_module
from specint.source.tree import Tree


def registered_classes(tree: Tree) -> dict[str, tuple[str, str]]:
    """Each registered class's name, with its module and itself."""
    code = declared().code
    found: dict[str, tuple[str, str]] = {}
    start = re.compile(rf"^[ \t]*{re.escape(code.registry_attribute)}\b[^=\n]*\+?=", re.MULTILINE)
    for file in tree.files(f"{tree.package}.{code.models}"):
        try:
            data = tree.read(file)
        except SpecintError:
            continue
        if code.registry_attribute.encode() not in data:
            continue
        text = data.decode("utf-8", errors="replace")
        for match in start.finditer(text):
            for name in _names(text, match.start()):
                found[name] = (file.module, name)
    return found


def _names(text: str, at: int) -> Iterator[str]:
    """The names that the assignment at a place lists."""
    rest = text[at:].lstrip()
    lines = rest.splitlines(keepends=True)
    piece = ""
    for line in lines[:200]:
        piece += line
        try:
            tree = parsed_module(piece)
        except Unparsable:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
        return
