"""Words of facts are kept once, whatever the cache or another process hands over."""

from __future__ import annotations

import msgspec
import pytest

from specint.facts import model as facts
from specint.facts.extract import extract

TEXT = (
    "class A:\n    def f(self, x=None):\n        return self.x < x\n\n    def g(self, x):\n        return self.x < x\n"
)


def test_words_are_the_same_objects_in_all_modules() -> None:
    one, other = (facts.decode(facts.encode(extract(TEXT, name=name, path="a.py"))) for name in ("a", "b"))
    methods = [*one.body.classes[0].body.functions, *other.body.classes[0].body.functions]
    assert len({id(method.params[0].name) for method in methods}) == 1
    assert len({id(method.params[1].kind) for method in methods}) == 1
    assert {type(method.name) for method in methods} == {str}


@pytest.mark.parametrize("odd", [5, None, b"x", [], {}, 1.5, True])
def test_what_is_no_word_is_no_facts(odd: object) -> None:
    assert facts.decode(facts.encode(extract("import x\n", name="a", path="a.py")))
    known = msgspec.msgpack.decode(facts.encode(extract("import x\n", name="a", path="a.py")))
    scope = known[3]
    steps = next(part for part in scope if part and isinstance(part, list) and isinstance(part[0], list))
    steps[0][1] = odd
    with pytest.raises(msgspec.ValidationError):
        facts.decode(msgspec.msgpack.encode(known))


def test_words_are_forgotten_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_MOST_WORDS", 10)
    text = "\n".join(f"a{number} = b" for number in range(50))
    for _ in range(3):
        facts.decode(facts.encode(extract(text, name="a", path="a.py")))
    assert len(facts._words) < 110, "50 names, 50 lines"


def test_numbers_of_lines_are_the_same_objects_in_all_modules() -> None:
    text = "\n" * 3000 + TEXT
    one, other = (facts.decode(facts.encode(extract(text, name=name, path="a.py"))) for name in ("a", "b"))
    assert one.body.classes[0].line == 3001
    assert one.body.classes[0].line is other.body.classes[0].line


@pytest.mark.parametrize("odd", ["5", None, 1.5, True, []])
def test_what_is_no_number_is_no_line(odd: object) -> None:
    known = msgspec.msgpack.decode(facts.encode(extract("import x\n", name="a", path="a.py")))
    step = next(part for part in known[3] if part and isinstance(part, list) and isinstance(part[0], list))[0]
    step[step.index(1)] = odd
    with pytest.raises(msgspec.ValidationError):
        facts.decode(msgspec.msgpack.encode(known))
