from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.graph.questions import Circles

Edges = dict[str, tuple[str, ...]]
EDGES: Edges = {"a": ("b",), "b": ("c", "d"), "c": ("a", "e"), "d": ("d", "c"), "e": ("f",), "f": ()}


def reached(circles: Circles, edges: Edges, computed: list[str]) -> Callable[[str], frozenset[str]]:
    """For each name all names that its edges lead to, itself included."""

    def ask(name: str) -> frozenset[str]:
        def answer() -> frozenset[str]:
            computed.append(name)
            return frozenset({name}).union(*(ask(other) for other in edges[name]))

        return circles.ask(name, answer, frozenset())

    return ask


@pytest.mark.parametrize("first", sorted(EDGES))
@pytest.mark.parametrize("deep", [1, 2, 20])
def test_the_answer_does_not_depend_on_what_was_asked_first_or_how_deep(first: str, deep: int) -> None:
    ask = reached(Circles(deep), EDGES, [])
    ask(first)
    circle = frozenset("abcdef")
    assert {name: ask(name) for name in EDGES} == {
        **dict.fromkeys("abcd", circle),
        "e": frozenset("ef"),
        "f": frozenset("f"),
    }


def test_a_whole_circle_is_settled_at_once() -> None:
    computed: list[str] = []
    ask = reached(Circles(20), EDGES, computed)
    ask("a")
    computed.clear()
    for name in EDGES:
        ask(name)
    assert computed == []


def test_what_leads_into_a_circle_but_is_not_in_it_is_worked_out_once() -> None:
    computed: list[str] = []
    ask = reached(Circles(20), {**EDGES, "top": ("a", "side"), "side": ("a",)}, computed)
    assert ask("top") == frozenset({"top", "side", *"abcdef"})
    assert computed.count("top") == computed.count("side") == computed.count("f") == 1


def test_a_long_chain_is_followed_to_its_end() -> None:
    edges: Edges = {str(i): (str(i + 1),) for i in range(60)} | {"60": ()}
    assert reached(Circles(8), edges, [])("0") == frozenset(map(str, range(61)))


def test_after_an_error_the_rest_can_still_be_asked() -> None:
    circles = Circles(20)

    def inner() -> int:
        raise KeyError

    with pytest.raises(KeyError):
        circles.ask("a", lambda: circles.ask("b", inner, 0), 0)
    assert circles.ask("b", lambda: 2, 0) == 2


def swinging(circles: Circles) -> Callable[[], frozenset[str]]:
    """Two questions, of which one finds the one thing where the other was guessed to be the other thing."""

    def first() -> frozenset[str]:
        return circles.ask("first", lambda: frozenset({"right" if "left" in second() else "left"}), frozenset())

    def second() -> frozenset[str]:
        return circles.ask("second", first, frozenset())

    return first


def test_answers_that_swing_come_to_rest_as_one() -> None:
    ask = swinging(Circles(20, joined=lambda before, found: before | found))
    assert ask() == frozenset({"left", "right"})


def test_an_answer_that_does_not_come_to_rest_says_so() -> None:
    circles = Circles(20, unsettled=lambda found: found | {"unsettled"})
    assert "unsettled" in swinging(circles)()
    assert "unsettled" in swinging(circles)(), "and says it when it is asked again"


def test_an_answer_that_comes_to_rest_is_left_as_it_is() -> None:
    circles = Circles(20, unsettled=lambda found: found | {"unsettled"})
    assert "unsettled" not in reached(circles, EDGES, [])("a")
