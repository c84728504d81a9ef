from __future__ import annotations

import random
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


def test_a_round_works_out_anew_only_what_hears_something_else() -> None:
    """Of three rounds, the second finds what all have in common, and the third that nothing changes any more."""
    ring: Edges = {name: (after,) for name, after in zip("abcdef", "bcdefa", strict=True)}
    computed: list[str] = []
    assert reached(Circles(20), ring, computed)("a") == frozenset(ring)
    assert {name: computed.count(name) for name in ring} == dict.fromkeys(ring, 2)


def test_what_a_question_asks_may_depend_on_what_it_heard() -> None:
    """Equations at random, in which a term counts once another has been found: the least answers of all of them."""
    for seed in range(300):
        chance = random.Random(seed)
        names = [f"q{number}" for number in range(chance.randint(2, 9))]
        # of each question: a thing, what it asks, what it must hear for that, and what it asks then
        terms = {
            name: [
                (chance.choice("xyz"), chance.choice(names), chance.choice("wxyz"), chance.choice(names))
                for _ in range(chance.randint(1, 3))
            ]
            for name in names
        }
        assert found(Circles(chance.choice([1, 3, 20])), terms, chance) == least(terms), seed


Terms = dict[str, list[tuple[str, str, str, str]]]


def found(circles: Circles, terms: Terms, chance: random.Random) -> dict[str, frozenset[str]]:
    def ask(name: str) -> frozenset[str]:
        def answer() -> frozenset[str]:
            held: frozenset[str] = frozenset({"w"} if name == "q0" else ())
            for thing, asked, wanted, then in terms[name]:
                if wanted in (heard := ask(asked)):
                    held |= {thing} | ask(then)
                held |= heard
            return held

        return circles.ask(name, answer, frozenset())

    return {name: ask(name) for name in chance.sample(sorted(terms), len(terms))}


def least(terms: Terms) -> dict[str, frozenset[str]]:
    held: dict[str, frozenset[str]] = {name: frozenset({"w"} if name == "q0" else ()) for name in terms}
    for _ in range(100):
        for name, own in terms.items():
            for thing, asked, wanted, then in own:
                held[name] |= held[asked]
                if wanted in held[asked]:
                    held[name] |= {thing} | held[then]
    return held
