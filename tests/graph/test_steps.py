"""What one statement reads and writes, as written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract
from specint.graph.binding import own_binds
from specint.graph.steps import (
    asks_for_member,
    assigned,
    bound_names,
    computed,
    expressions,
    gives,
    is_harmless,
    read_names,
    written,
)

Pair = tuple[facts.Expr, facts.Expr | None]


def steps(text: str) -> tuple[facts.Step, ...]:
    module = extract(f"def f(self, x, y):\n    {text}\n", name="m", path="m.py")
    return module.body.functions[0].body.steps


def spelled(pairs: Iterable[Pair]) -> list[str]:
    return [f"{facts.spell(one)} = {facts.spell(value) if value is not None else '?'}" for one, value in pairs]


EXPRESSIONS = {
    "x = y": ["y"],
    "x.a = y": ["y", "x"],
    "x.a.b = y": ["y", "x.a"],
    "x[0] = y": ["y", "x[0]"],
    "x, y.a = self": ["self", "y"],
    "x()": ["x()"],
    "return y": ["y"],
    "return": [],
    "raise y": ["y"],
    "del x.a": ["x"],
    "del x[0]": ["x[0]"],
    "import x": [],
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_what_a_step_evaluates(text: str) -> None:
    assert [facts.spell(one) for step in steps(text) for one in expressions(step)] == EXPRESSIONS[text]


READ = {
    "x.a": ["a"],
    "x.a.b": ["b", "a"],
    "x.a()": ["a"],
    "getattr(x, 'a')": ["a"],
    "getattr(x, 'a', y.b)": ["a", "b"],
    "hasattr(x, 'a')": ["a"],
    "getattr(x, y)": [],
    "setattr(x, 'a', 1)": [],
    "x": [],
}


@pytest.mark.parametrize("text", READ)
def test_attribute_names_that_are_read(text: str) -> None:
    (step,) = steps(f"return {text}")
    assert [name for name, line in read_names(step.value) if line == 2] == READ[text]


# Statement -> what `assigned` says, and what `written` says where that is more or less.
GIVEN: dict[str, tuple[list[str], list[str] | None]] = {
    "x.a = y": (["x.a = y"], None),
    "x = y": (["x = y"], None),
    "x.a = self.b = y": (["x.a = y", "self.b = y"], None),
    "x.a, self.b = y": (["x.a = ?", "self.b = ?"], ["x.a = y", "self.b = y"]),
    "x.a: int = y": (["x.a = y"], None),
    "x.a: int": ([], []),
    "x.a += y": (["x.a = …"], None),
    "x[0] = y": (["x[0] = y"], ["x = y"]),
    "x.register_buffer('a', y)": (["x.a = y"], None),
    "x.register_parameter('a', y)": (["x.a = y"], None),
    "x.register_module('a', y)": (["x.a = y"], None),
    "x.add_module('a', y)": (["x.a = y"], None),
    "x.register_buffer('a')": (["x.a = ?"], None),
    "x.register_hook('a', y)": ([], []),
    "x.append(y)": ([], ["x = y"]),
    "x.extend(y)": ([], ["x = y"]),
    "x.add(y)": ([], ["x = y"]),
    "x.update(y)": ([], ["x = y"]),
    "x.insert(0, y)": ([], ["x = y"]),
    "x.copy_(y)": ([], ["x = y"]),
    "x.fill_(y)": ([], ["x = y"]),
    "x.append()": ([], []),
    "x.index(y)": ([], []),
    "x(y)": ([], []),
    "return x": ([], []),
}


@pytest.mark.parametrize("text", GIVEN)
def test_what_a_statement_gives_a_value(text: str) -> None:
    plain, more = GIVEN[text]
    assert [one for step in steps(text) for one in spelled(assigned(step))] == plain
    assert [one for step in steps(text) for one in spelled(written(step))] == (plain if more is None else more)


COMPUTED = {
    "setattr(x, y, 1)": "x, y, 1",
    "object.__setattr__(x, y, 1)": "x, y, 1",
    "x.register_buffer(y, 1)": "x, y, 1",
    "x.register_buffer(y)": "x, y, None",
    "x.add_module(y, 1)": "x, y, 1",
    "x.__dict__[y] = 1": "x, y, 1",
    "vars(x)[y] = 1": "x, y, 1",
    "x.register_buffer('a', 1)": None,
    "x.register_hook(y, 1)": None,
    "x[y] = 1": None,
    "x.y = 1": None,
    "f(x)[y] = 1": None,
    "setattr(x, y)": None,
}


@pytest.mark.parametrize("text", COMPUTED)
def test_attribute_whose_name_is_computed(text: str) -> None:
    (found,) = [computed(step) for step in steps(text)]
    assert (found and ", ".join("None" if one is None else facts.spell(one) for one in found)) == COMPUTED[text]


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("x.a = 1", True),
        ("self.x.a = 1", True),
        ("x.a.append(1)", True),
        ("x.a[0] = 1", True),
        ("x.b = x.a", False),
        ("a = 1", False),
    ],
)
def test_whether_a_statement_gives_an_attribute_a_value(text: str, there: bool) -> None:
    assert any(gives(step, "a") for step in steps(text)) is there


@pytest.mark.parametrize(
    ("text", "names"),
    [("x = 1", ["x"]), ("x, y = 1", ["x", "y"]), ("x.a = 1", [".a"]), ("x, (y.b, self) = 1", ["x", ".b", "self"])],
)
def test_names_that_a_target_binds(text: str, names: list[str]) -> None:
    assert [name for step in steps(text) for name in bound_names(step.target)] == names


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        *(
            (f"{name}(x)", True)
            for name in ("len", "list", "tuple", "set", "sorted", "max", "min", "range", "enumerate")
        ),
        *((f"{name}(x)", True) for name in ("isinstance", "print", "setattr", "vars")),
        *((f"x.{name}(y)", True) for name in ("append", "extend", "add", "update", "insert", "copy_", "fill_")),
        *((f"x.{name}(y)", True) for name in ("debug", "info", "warning", "error", "warning_once")),
        ("x.log_info_on_rank0(y)", True),
        ("unknown(x)", False),
        ("x.unknown(y)", False),
        ("x()(y)", False),
    ],
)
def test_call_that_keeps_nothing(text: str, harmless: bool) -> None:
    (step,) = steps(text)
    assert is_harmless(step.value) is harmless


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("hasattr(x, 'a')", True),
        ("not hasattr(x, 'a')", True),
        ("x and hasattr(x, 'a')", True),
        ("getattr(x, 'a')", False),
        ("x.hasattr('a')", False),
        ("x", False),
    ],
)
def test_condition_that_asks_for_a_member(text: str, asks: bool) -> None:
    (step,) = steps(f"return {text}")
    assert asks_for_member(step.value) is asks
    assert not asks_for_member(None)


OWN = {
    "self.a = x": ["a"],
    "self.a, self.b = x": ["a", "b"],
    "x.a = self.b": [],
    "self.a.b = x": [],
    "self.a.append(x)": ["a"],
    "self.a.add(x)": ["a"],
    "self.a.insert(0, x)": ["a"],
    "self.a.index(x)": [],
    "x.a.append(y)": [],
    "self.append(x)": [],
}


@pytest.mark.parametrize("text", OWN)
def test_attributes_that_a_step_binds_on_its_object(text: str) -> None:
    ask: Callable[..., Any] = own_binds
    assert [name for step in steps(text) for name, _ in ask(step, "self")] == OWN[text]
