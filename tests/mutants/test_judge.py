"""How a mutant gets into functions that are loaded, and how it is known who comes by."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest


@pytest.fixture(scope="module")
def judge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge", Path(__file__).with_name("judge.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["judge"] = module
    spec.loader.exec_module(module)
    return module


TEXT = """import os
LIMIT = 1
TABLE = {"a": lambda x: x + 1}

class C(dict):
    field = 2

    def method(self, x=3):
        if x == 4:
            return [
                one
                for one in (5, 6)
            ]
        elif x == 7:
            return 8
        return (lambda: 9)()

def f(x):
    def inner():
        return x + 10
    return inner()
"""
PATH = Path("m.py")


def names(judge: ModuleType, old: str, new: str) -> list[str] | None:
    """The functions that differ once something is replaced."""
    assert TEXT.count(old) == 1
    before, after = judge.compiled(PATH, TEXT.encode()), judge.compiled(PATH, TEXT.replace(old, new).encode())
    found = judge.changed_functions(before, after)
    return None if found is None else [one.co_name for one, _ in found]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("x == 4", "x != 4", ["method"]),
        ("x + 10", "x - 10", ["f"]),
        ("9", "99", ["method"]),
        ("x + 1}", "x - 1}", ["<lambda>"]),
        ("field = 2", "field = 3", None),
        ("LIMIT = 1", "LIMIT = 2", None),
        ("x=3", "x=4", None),
        ("(dict)", "(list)", None),
        ('"a"', '"b"', None),
    ],
)
def test_functions_that_differ(judge: ModuleType, old: str, new: str, changed: list[str] | None) -> None:
    assert names(judge, old, new) == changed


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        (1, None),
        (3, None),
        (6, None),
        (8, None),
        (9, "If"),
        (10, "Return"),
        (12, "Return"),
        (14, "If"),
        (15, "Return"),
        (18, None),
        (19, "FunctionDef"),
        (20, "Return"),
    ],
)
def test_statement_of_a_function_around_a_line(judge: ModuleType, line: int, statement: str | None) -> None:
    import ast

    found = judge.statement_at(ast.parse(TEXT), line)
    assert (found and type(found[0][found[1]]).__name__) == statement
    assert judge.runs_in_function(TEXT, line) is (statement is not None)


def test_functions_say_which_lines_they_come_by(judge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[int] = []
    monkeypatch.setattr(builtins, judge.PROBE, met.append, raising=False)
    lines = {0: 9, 1: 12, 2: 14, 3: 15, 4: 20, 5: 6}
    scope: dict[str, object] = {}
    exec(judge.probed(PATH, TEXT.encode(), lines), scope)
    made = scope["C"]
    assert isinstance(made, type)
    for value, expected in ((4, [0, 1]), (7, [0, 2, 3]), (1, [0, 2])):
        met.clear()
        made().method(value)
        assert met == expected
    met.clear()
    assert scope["f"](1) == 11
    assert met == [4]


def test_a_loaded_function_is_found_by_its_code_and_takes_another(judge: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    scope: dict[str, object] = {}
    exec(judge.compiled(path, TEXT.encode()), scope)
    loaded = judge.loaded_functions(tmp_path)
    assert sorted(one.co_name for one in loaded) == ["<lambda>", "f", "method"]
    after = judge.compiled(path, TEXT.replace("x + 10", "x - 10").encode())
    ((old, new),) = judge.changed_functions(judge.compiled(path, TEXT.encode()), after)
    (function,) = loaded[old]
    assert isinstance(function, FunctionType)
    assert isinstance(new, CodeType)
    function.__code__ = new
    assert scope["f"](1) == -9
    assert [one.co_name for one in judge.nested(old)] == ["inner"]
