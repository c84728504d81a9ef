"""An attribute that is set, read or deleted by a call is the same fact as one that is written with a dot."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract


def steps(text: str) -> list[facts.Step]:
    lines = "\n".join(f"        {line}" for line in text.splitlines())
    module = extract(f"class A:\n    def f(self, a, c, name):\n{lines}\n", name="m", path="m.py")
    return list(module.body.classes[0].body.functions[0].body.steps)


def told(text: str) -> list[str]:
    """Each step as `target = value`, `del target` or the expression."""
    found = []
    for step in steps(text):
        match step:
            case facts.Bind(target=target, value=value):
                found.append(f"{facts.spell(target)} = {facts.spell(value)}")
            case facts.Delete(target=target):
                found.append(f"del {facts.spell(target)}")
            case facts.Evaluate(value=value) | facts.Return(value=value):
                found.append(facts.spell(value))
            case _:
                found.append("?")
    return found


@pytest.mark.parametrize(
    "text",
    [
        "a.b = c",
        "setattr(a, 'b', c)",
        "object.__setattr__(a, 'b', c)",
        "a.__setattr__('b', c)",
        "a.__dict__['b'] = c",
        "vars(a)['b'] = c",
        "a.__dict__.update(b=c)",
        "vars(a).update({'b': c})",
    ],
)
def test_attribute_is_set(text: str) -> None:
    assert told(text) == ["a.b = c"]
    assert steps(text) == steps("a.b = c")


def test_super_sets_an_attribute_of_the_object() -> None:
    assert told("super().__setattr__('b', c)") == ["self.b = c"]
    assert told("def inner(x):\n    super().__delattr__('b')\n") == ["?"]


def test_several_are_set_at_once() -> None:
    assert told("self.__dict__.update({'x': a}, y=c)") == ["self.x = a", "self.y = c"]


def test_pair_is_taken_apart_in_any_spelling() -> None:
    assert told("a.__dict__['x'], vars(a)['y'] = c, None") == ["a.x = c", "a.y = None"]


@pytest.mark.parametrize("text", ["del a.b", "delattr(a, 'b')", "del a.__dict__['b']", "object.__delattr__(a, 'b')"])
def test_attribute_is_deleted(text: str) -> None:
    assert told(text) == ["del a.b"]


@pytest.mark.parametrize("text", ["a.b", "getattr(a, 'b')", "a.__dict__['b']", "vars(a)['b']"])
def test_attribute_is_read(text: str) -> None:
    assert told(f"return {text}") == ["a.b"]


@pytest.mark.parametrize(
    "text",
    [
        "setattr(a, name, c)",
        "getattr(a, name)",
        "getattr(a, 'b', None)",
        "a.__dict__.update(c)",
        "a.__dict__.update(**c)",
        "a.__dict__.update({name: c})",
        "a.update(b=c)",
        "object.__setattr__(a, name, c)",
        "hasattr(a, 'b')",
    ],
)
def test_what_is_computed_or_asks_something_else_stays_a_call(text: str) -> None:
    (step,) = steps(text)
    assert isinstance(step, facts.Evaluate)
    assert isinstance(step.value, facts.Call)
