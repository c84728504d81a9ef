"""A callable that Python's library makes is the lambda that does the same."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract

ALIKE = {
    "operator.attrgetter('b')": "X.b",
    "attrgetter('b.c')": "X.b.c",
    "attrgetter('b', 'c')": "(X.b, X.c)",
    "methodcaller('b', 1, key=2)": "X.b(1, key=2)",
    "operator.itemgetter(0)": "X[0]",
    "partial(getattr, a, 'b')": "a.b",
    "functools.partial(getattr, a)": "getattr(a, X)",
    "partial(getattr, a, 'b', None)": "getattr(a, 'b', None)",
    "weakref.ref(a)": "a",
}


def value_of(text: str) -> facts.Expr:
    (step,) = extract(f"made = {text}\n", name="m", path="m.py").body.steps
    assert isinstance(step, facts.Bind)
    assert step.value is not None
    return step.value


@pytest.mark.parametrize("text", ALIKE)
def test_made_callable_is_a_lambda(text: str) -> None:
    made = value_of(text)
    assert isinstance(made, facts.Lambda)
    assert facts.spell(made.body).replace("<0>", "X") == ALIKE[text]


@pytest.mark.parametrize(
    "text", ["mine.attrgetter('b')", "attrgetter(name)", "partial(f, a)", "ref(a)", "git.ref(a)", "methodcaller(name)"]
)
def test_another_call_stays_a_call(text: str) -> None:
    made = value_of(text)
    assert not isinstance(made, facts.Lambda)
