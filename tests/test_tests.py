"""What is true of every test: it asserts something that can fail, and nothing of how long it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "process_time_ns"}
FILES = sorted(path for path in HERE.rglob("*.py") if "golden" not in path.parts)
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def called(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def asserts(function: ast.FunctionDef, asserting: set[str]) -> bool:
    """Whether a function can fail: by itself, by what pytest asks, or in a function of the tests that can."""
    return any(isinstance(node, (ast.Assert, ast.Raise)) for node in ast.walk(function)) or any(
        name_of(call) in asserting or any(keyword.arg == "check" for keyword in call.keywords)
        for call in called(function)
    )


@pytest.fixture(scope="module")
def asserting() -> set[str]:
    """The names of the functions beside the tests that can fail."""
    found = {"raises", "fail"}
    grown = True
    while grown:
        more = {f.name for tree in TREES.values() for f in functions(tree) if asserts(f, found)} - found
        more = {name for name in more if not name.startswith("test_")}
        grown = bool(more)
        found |= more
    return found


def test_every_test_asserts_something(asserting: set[str]) -> None:
    silent = [
        f"{path.relative_to(HERE)}::{function.name}"
        for path, tree in TREES.items()
        for function in functions(tree)
        if function.name.startswith("test_") and not asserts(function, asserting)
    ]
    assert silent == []


def test_no_test_asserts_a_clock() -> None:
    clocks = [
        f"{path.relative_to(HERE)}:{call.lineno}"
        for path, tree in TREES.items()
        if path.parent.name not in ("attacks", "mutants")  # no tests, but what runs them
        for function in functions(tree)
        for call in called(function)
        if name_of(call) in CLOCKS
    ]
    assert clocks == []
