"""A case of a `match`: the names that it gives, and the conditions under which its body stands."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract

CASES = {
    "case found:": (["found = a"], ""),
    "case Kind() as found:": (["found = a"], "isinstance(a, Kind)"),
    "case Kind(b=found):": (["found = a.b"], "isinstance(a, Kind)"),
    "case (found, 1):": (["found = a[0]"], "a[1] == 1 and …"),
    "case (first, *rest, last):": (["first = a[0]", "rest = a", "last = a[-1]"], "…"),
    "case {'b': found}:": (["found = a['b']"], "…"),
    "case None:": ([], "a is None"),
    "case 1 | 2:": ([], "a == 1 or a == 2"),
    "case found if found.b:": (["found = a"], "found.b"),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    scope = extract(f"match a:\n    {case}\n        inside()\n", name="m", path="m.py").body
    names, test = CASES[case]
    bound = [f"{facts.spell(s.target)} = {facts.spell(s.value)}" for s in scope.steps if isinstance(s, facts.Bind)]
    assert bound == names
    inside = next(s for s in scope.steps if isinstance(s, facts.Evaluate) and facts.spell(s.value) == "inside()")
    assert (facts.spell(scope.guards[inside.guard].test) if inside.guard >= 0 else "") == test


def test_case_behind_one_that_is_told_by_its_test_stands_in_its_other_branch() -> None:
    scope = extract("match a:\n    case None:\n        x = 1\n    case _:\n        x = 2\n", name="m", path="m.py").body
    guards = [scope.guards[s.guard] for s in scope.steps if isinstance(s, facts.Bind)]
    assert [(facts.spell(one.test), one.positive) for one in guards] == [("a is None", True), ("a is None", False)]


def test_last_case_behind_one_that_is_not_told_is_not_certain() -> None:
    scope = extract(
        "match a:\n    case (1, b):\n        x = 1\n    case _:\n        x = 2\n", name="m", path="m.py"
    ).body
    last = [s for s in scope.steps if isinstance(s, facts.Bind)][-1]
    assert last.guard >= 0
