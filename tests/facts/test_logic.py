"""Conditions as a reader would write them: their opposites, and several as one."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.logic import all_of, opposite


def expression(text: str) -> facts.Expr:
    value = extract(f"q = {text}\n", name="m", path="m.py").body.steps[0].value
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("test", "opposed"),
    [
        ("a", "not a"),
        ("not a", "a"),
        ("a == b", "a != b"),
        ("a not in b", "a in b"),
        ("a < b", "not a < b"),
        ("a and b is None", "not a or b is not None"),
        ("a or b and c", "not a and (not b or not c)"),
    ],
)
def test_opposite_is_written_without_a_needless_not(test: str, opposed: str) -> None:
    assert facts.spell(opposite(expression(test))) == opposed


@pytest.mark.parametrize(
    ("tests", "together"),
    [
        (["a", "b or c"], "a and (b or c)"),
        (["a and b", "b", "c"], "a and b and c"),
        (["k != 'x'", "k != 'y'", "k == 'z'"], "k == 'z'"),
        (["k != 'x'", "other == 'z'"], "k != 'x' and other == 'z'"),
        (["k != 'x'", "k == 'x'"], "k != 'x' and k == 'x'"),
        ([], ""),
    ],
)
def test_conditions_that_hold_together_say_nothing_twice(tests: list[str], together: str) -> None:
    assert facts.spell(all_of(map(expression, tests))) == together
