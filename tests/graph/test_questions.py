from __future__ import annotations

from collections.abc import Callable

from specint.graph.questions import Questions


def test_answer_is_worked_out_once() -> None:
    questions, asked = Questions(), []
    for _ in range(3):
        assert questions.ask("a", lambda: asked.append(1) or 7, 0) == 7
    assert asked == [1]


def test_question_that_leads_to_itself_gets_the_answer_meanwhile() -> None:
    questions = Questions()
    assert questions.ask("a", lambda: questions.ask("a", lambda: 1 // 0, 5) + 1, 0) == 6


def test_what_was_concluded_inside_a_circle_is_not_kept_after_it() -> None:
    """b was asked while a was open and got a's answer meanwhile: asked alone, b's answer is another."""
    questions = Questions()

    def a() -> frozenset[str]:
        return frozenset({"a"}) | questions.ask("b", b, frozenset())

    def b() -> frozenset[str]:
        return frozenset({"b"}) | questions.ask("a", a, frozenset())

    assert questions.ask("a", a, frozenset()) == {"a", "b"}
    assert questions.ask("b", b, frozenset()) == {"a", "b"}


def test_answer_cut_short_is_asked_anew() -> None:
    questions, asked = Questions(), []

    def within(key: str, answer: Callable[[], int]) -> int:
        return questions.ask_within(0, key, answer, meanwhile=0, beyond=-1)

    def outer() -> int:
        asked.append("outer")
        return within("inner", lambda: 1)

    assert within("outer", outer) == -1, "a question within the only one that may be open"
    assert within("inner", lambda: 1) == 1
    assert within("outer", outer) == -1
    assert asked == ["outer", "outer"], "an answer that was cut short isn't kept"


def test_answer_that_fails_is_open_again() -> None:
    questions = Questions()

    def fails() -> int:
        raise ValueError

    try:
        questions.ask("a", fails, 0)
    except ValueError:
        pass
    assert questions.ask("a", lambda: 3, 0) == 3
