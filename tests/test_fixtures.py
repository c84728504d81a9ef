"""The small trees have the shape that the tests rely on."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path


def test_small_tree_has_no_init_files_below_srt(fixture_tree: Callable[[str], Path]) -> None:
    tree = fixture_tree("sglang_small") / "sglang"
    assert (tree / "__init__.py").is_file()
    assert list((tree / "srt").rglob("*.py"))
    assert not list((tree / "srt").rglob("__init__.py"))


def test_every_registered_class_of_the_small_tree_is_in_its_expectations(fixture_tree: Callable[[str], Path]) -> None:
    folder = fixture_tree("sglang_small")
    expected = set(re.findall(r"^\| `(\w+\.\w+)` \| (?:target|draft) \|", (folder / "expected.md").read_text(), re.M))
    registered = set()
    for path in (folder / "sglang" / "srt" / "models").glob("*.py"):
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "EntryClass":
                registered |= {f"{path.stem}.{n.id}" for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    assert registered == expected
