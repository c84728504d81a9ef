"""What several touches come to together: call shapes as they stand, no tree."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from specint.contract import shapes
from specint.contract.merging import Asking, Meaning, Meant, meant, requirement, settle
from specint.contract.model import CallShape, Condition, Site

ALGORITHMS = ("A", "B", "NONE")
WORKERS = "workers/"
NUMBERS = itertools.count()


class Function:
    """As much of a function as a site needs."""

    def __init__(self, name: str = "f", path: str = "workers/w.py") -> None:
        self.module = SimpleNamespace(path=path)
        self.facts = SimpleNamespace(qualname=name)


F, G = Function("f"), Function("g")


def touch(
    member: str = "hook", kind: str = "call", line: int = 1, where: Function = F, call: CallShape | None = None
) -> Any:
    return SimpleNamespace(member=member, kind=kind, line=line, function=where, call=call, number=next(NUMBERS))


def asking(algorithm: str = "A", strength: str = "required", **more: Any) -> Asking:
    """Fields of the touch and of its meaning by name."""
    of_touch = {name: more.pop(name) for name in ("member", "kind", "line", "where", "call") if name in more}
    of = more.pop("of", None) or touch(**of_touch)
    return Asking(of, algorithm, Meaning(strength, **more))  # type: ignore[arg-type]


def settled(*askings: Asking, role: str = "target") -> set[tuple[str, str, str, str | None, tuple[str, ...], bool]]:
    """(member, use, strength, group, algorithms, behind a setting) of what is left of them."""
    merged: dict[Meant, list[Asking]] = {}
    for one in askings:
        merged.setdefault(meant(role, one), []).append(one)  # type: ignore[arg-type]
    settle(merged)
    return {
        (key.member, key.use, key.strength, key.group, tuple(one.algorithm for one in found), key.behind_setting)
        for key, found in merged.items()
    }


@pytest.mark.parametrize(
    ("kind", "use"), [("call", "call"), ("write", "write"), ("read", "read"), ("get", "read"), ("probe", "read")]
)
def test_what_a_touch_counts_as(kind: str, use: str) -> None:
    condition = Condition("flag", True)
    found = meant("draft", asking(kind=kind, group="a|b", condition=condition, settings=("x",)))
    assert found == Meant("draft", "hook", use, "required", "a|b", condition, True)  # type: ignore[arg-type]
    assert not meant("draft", asking(kind=kind)).behind_setting


# -- what belongs together ---------------------------------------------------------------------------------------------


def test_sites_behind_a_setting_join_what_the_same_algorithm_asks_anyway() -> None:
    plain, behind = asking("A"), asking("A", settings=("x",))
    assert settled(plain, behind) == {("hook", "call", "required", None, ("A", "A"), False)}
    assert settled(behind) == {("hook", "call", "required", None, ("A",), True)}
    assert settled(plain, behind, asking("B", settings=("x",))) == {
        ("hook", "call", "required", None, ("A", "A"), False),
        ("hook", "call", "required", None, ("B",), True),
    }


CHOICE = {"strength": "any-of", "group": "other|hook"}


def test_a_guarded_touch_is_the_first_choice_of_its_fallback() -> None:
    first = asking(strength="optional", member="other")
    fallback = asking(**CHOICE)
    assert settled(first, fallback) == {
        ("other", "call", "any-of", "other|hook", ("A",), False),
        ("hook", "call", "any-of", "other|hook", ("A",), False),
    }


@pytest.mark.parametrize(
    "first",
    [
        asking("B", "optional", member="other"),
        asking("A", "optional", member="other", where=G),
        asking("A", "optional", member="third"),
        asking("A", "required", member="other"),
    ],
    ids=["of another algorithm", "in another function", "of another member", "asked for in any case"],
)
def test_what_is_no_first_choice_stays_as_it_is(first: Asking) -> None:
    left = {(member, strength) for member, _, strength, *_ in settled(first, asking(**CHOICE))}
    assert (first.touch.member, first.meaning.strength) in left


def test_first_choice_in_the_caller_where_it_was_looked_for() -> None:
    looked = Site("workers/w.py", 7, "g")
    first, fallback = asking(strength="optional", member="other", where=G), asking(decided_by=looked, **CHOICE)
    assert ("other", "call", "any-of", "other|hook", ("A",), False) in settled(first, fallback)


def test_where_one_of_several_is_asked_for_anyway_the_others_are_no_way_round() -> None:
    insisted = asking(member="hook")
    one, other = asking(**CHOICE), asking(member="other", **CHOICE)
    assert settled(insisted, one, other) == {
        ("hook", "call", "required", None, ("A", "A"), False),
        ("other", "call", "optional", None, ("A",), False),
    }


@pytest.mark.parametrize(
    "insisted",
    [
        asking("B"),
        asking(settings=("x",)),
        asking(condition=Condition("flag", True), strength="conditional"),
        asking(strength="optional"),
        asking(member="third"),
    ],
    ids=["by another algorithm", "behind a setting", "under a condition", "not at all", "of another member"],
)
def test_otherwise_either_of_several_will_do(insisted: Asking) -> None:
    other = asking(member="other", **CHOICE)
    assert ("other", "call", "any-of", "other|hook", ("A",), False) in settled(insisted, other)


def test_a_check_before_the_call_is_no_requirement_of_its_own() -> None:
    call, probe = asking(strength="raises", line=2), asking(strength="raises", kind="probe", line=1)
    assert settled(call, probe) == {("hook", "call", "raises", None, ("A",), False)}
    assert settled(call, asking(strength="raises", kind="get")) == settled(call, probe)
    both = ("hook", "call", "raises", None, ("A", "A"), False)
    assert settled(call, asking(strength="raises", kind="probe", where=G)) == {both}, "another function's check"
    assert settled(call, asking(strength="raises", kind="read")) == {both}, "a read is a use"
    write = asking(strength="raises", kind="write")
    assert settled(write, probe) == {("hook", "write", "raises", None, ("A",), False)}
    alone = {("hook", "read", "raises", None, ("A",), False)}
    assert settled(probe) == alone
    required = asking(kind="read")
    assert len(settled(asking(), required)) == 2, "a read that needs it is one"


# -- one requirement of several ----------------------------------------------------------------------------------------


def together(*askings: Asking, role: str = "target") -> Any:
    return requirement(meant(role, askings[0]), list(askings), ALGORITHMS, WORKERS)  # type: ignore[arg-type]


def test_sites_are_told_once_with_all_who_come_by() -> None:
    found = together(
        asking("B", line=2, make_up=3), asking("A", line=2, make_up=1), asking("A", line=1, raised_at=9), asking("B")
    )
    assert found.sites == (
        Site("workers/w.py", 1, "f", ("A", "B"), 0, 9),
        Site("workers/w.py", 2, "f", ("A", "B"), 1, 0),
    )
    assert found.algorithms == ("A", "B")
    assert found.interface == "speculative"


def test_what_every_server_asks_names_no_algorithm() -> None:
    found = together(asking("", where=Function(path="runner.py")), asking("A", where=Function(path="runner.py")))
    assert found.algorithms == ()
    assert [site.algorithms for site in found.sites] == [()]
    assert found.interface != "speculative"
    assert together(asking("")).interface == "speculative", "only a worker asks"


def test_settings_count_where_no_site_does_without() -> None:
    behind, other = asking(settings=("x", "y")), asking(settings=("y", "z"))
    assert together(behind, other).settings == ("x", "y", "z")
    assert together(behind, asking()).settings == ()


def test_one_site_without_a_condition_is_enough() -> None:
    assert together(asking(unconditional=True), asking()).unconditional
    assert not together(asking(), asking()).unconditional


def test_the_line_that_decides_is_that_under_the_fewest_conditions() -> None:
    near, far = Site("a", 1, "f"), Site("b", 2, "f")
    found = together(asking(make_up=2, decided_by=far), asking(make_up=1, decided_by=near))
    assert found.decided_by == near


def test_keywords_that_are_looked_up_are_not_asked_for() -> None:
    call = CallShape(keywords=("a", "b"))
    assert together(asking(call=call, looked_up=frozenset({"a"}))).call == CallShape(keywords=("b",))
    assert together(asking(call=call)).call == call


def test_shapes_together() -> None:
    assert shapes.together([]) is None
    one, other = CallShape(2, ("b",), None, 2), CallShape(1, ("a",), 3, 1, True)
    assert shapes.together([one, other]) == CallShape(2, ("a", "b"), 3, 1, True)
    assert shapes.together([one, one]) == one


ON, OFF, ELSE = ("f", "x", True), ("f", "x", False), ("g", "x", False)
ONE, TWO, SAME = CallShape(1, fewest=1), CallShape(2, fewest=2), CallShape(1, fewest=1)


def world(*said: tuple[str, str, object]) -> dict[str, Any]:
    return {"worlds": (frozenset(said),)}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (asking(call=ONE, **world(ON)), asking(call=TWO, **world(OFF)), True),
        (asking(call=ONE, **world(ON)), asking(call=TWO, **world(ON)), False),
        (asking(call=ONE, **world(ON)), asking(call=TWO, **world(ELSE)), False),
        (asking(call=ONE, **world(ON)), asking(call=SAME, **world(OFF)), False),
        (asking(call=ONE, **world(ON)), asking(call=TWO), True),
        (asking(call=ONE, **world(ON)), asking(call=TWO, **world()), False),
        (asking(call=ONE, **world(ON)), asking("B", call=TWO, **world(OFF)), False),
        (
            asking(call=ONE, worlds=(frozenset({ON}), frozenset({ELSE}))),
            asking(call=TWO, **world(OFF)),
            False,
        ),
        (asking(call=ONE, **world(ON, OFF)), asking(call=TWO, **world(OFF)), False),
    ],
    ids=[
        "one where it is on, one where it is off",
        "both where it is on",
        "asked in two places",
        "alike",
        "on no way",
        "on any way",
        "of two algorithms",
        "on two ways, one of which fits",
        "through callers with both answers",
    ],
)
def test_calls_that_no_server_comes_by_together_are_told_apart(one: Asking, other: Asking, apart: bool) -> None:
    assert together(one, other).calls == ((ONE, TWO) if apart else ())


def test_each_largest_set_of_calls_that_go_together_is_one_shape() -> None:
    on, off = asking(call=ONE, **world(ON)), asking(call=TWO, **world(OFF))
    always = asking(call=CallShape(3, fewest=3), **world())
    assert together(on, off, always).calls == (CallShape(3, fewest=1), CallShape(3, fewest=2))
    no_call = asking(kind="read")
    assert together(on, off, no_call).calls == (ONE, TWO)
