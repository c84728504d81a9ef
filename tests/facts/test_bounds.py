"""However a file is made, reading it ends soon: with its facts, or with one line that says which bound it passes."""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.facts.bounds import DEEPEST, LONGEST, MOST_CONDITIONS, MOST_WORDS
from specint.facts.extract import extract

N = 10_000


def read(text: str) -> facts.Module:
    found = extract(text, name="pack.mod", path="pack/mod.py")
    assert facts.decode(facts.encode(found)) == found
    return found


def value(text: str) -> facts.Expr:
    (step,) = read(f"x = {text}\n").body.steps
    assert isinstance(step, facts.Bind)
    assert step.value is not None
    return step.value


def refusal(text: str) -> str:
    with pytest.raises(SpecintError) as raised:
        read(text)
    assert str(raised.value).startswith("pack/mod.py")
    assert raised.value.hint
    return str(raised.value)


DEEP = {
    "parentheses": "(" * N + "1" + ")" * N,
    "lists": "[" * N + "]" * N,
    "attributes": "a" + ".b" * N,
    "calls of calls": "f(" * N + ")" * N,
    "calls left open": "f(" * N,
    "calls in a row": "f" + "()" * N,
    "subscripts": "a" + "[0]" * N,
    "not": "not " * N + "a",
    "signs": "-" * N + "a",
    "powers": "**".join("a" * N),
    "lambdas": "lambda: " * N + "1",
    "conditional expressions": "a if b else " * N + "c",
    "sums": "+".join("a" * N),
    "texts added up": " + ".join(["'a'"] * N),
    "f-strings": 'f"{' * 50 + "1" + '}"' * 50,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_ten_thousand_levels_are_one_clear_line(text: str) -> None:
    assert re.search("nested too deeply|does not parse|levels|terms", refusal(f"x = {text}\n"))


WIDE = {
    "or": " or ".join("a" * N),
    "and in or": " or ".join(["a and b"] * N),
    "comparisons": " < ".join("a" * N),
    "texts side by side": " ".join(["'a'"] * N),
    "a comprehension": "[x" + " for a in b" * N + "]",
    "a tuple": "(" + "a, " * N + ")",
    "arguments": "f(" + "a, " * N + ")",
    "digits": "0x" + "f" * 100_000,
}


@pytest.mark.parametrize("text", WIDE.values(), ids=WIDE)
def test_what_is_wide_and_not_deep_is_read(text: str) -> None:
    value(text)


def test_an_expression_is_as_deep_as_the_bound_and_no_deeper() -> None:
    value("a" + ".b" * (DEEPEST - 1))
    text = refusal("\n\nx = a" + ".b" * DEEPEST + "\n")
    assert text.startswith(f"pack/mod.py:3: has an expression of more than {DEEPEST} levels")


def test_terms_of_a_sum_stand_side_by_side_and_are_bounded() -> None:
    assert value("a + b + 1 + c(d)") == facts.Other(
        (facts.Name("a"), facts.Name("b"), facts.Constant(1), facts.Call(facts.Name("c"), (facts.Name("d"),), (), 1))
    )
    assert value(" + ".join(["a"] * LONGEST)) == facts.Other((facts.Name("a"),) * LONGEST)
    assert f"more than {LONGEST} terms" in refusal("x = " + " + ".join(["a"] * (LONGEST + 2)) + "\n")


def ladder(rungs: int) -> str:
    return "if a0:\n    x0()\n" + "".join(f"elif a{i}:\n    x{i}()\n" for i in range(1, rungs)) + "else:\n    end()\n"


def test_a_long_elif_ladder_is_read_and_each_rung_knows_all_above() -> None:
    scope = read(ladder(MOST_CONDITIONS)).body
    last = scope.steps[-1]
    assert [(guard.positive, facts.spell(guard.test)) for guard in scope.guards_of(last.guard)] == [
        (False, f"a{i}") for i in reversed(range(MOST_CONDITIONS))
    ]


def test_a_ladder_that_leaves_on_every_rung_but_the_last_guards_what_follows() -> None:
    scope = (
        read("def f():\n    if a:\n        return 1\n    elif b:\n        return 2\n    after()\n")
        .body.functions[0]
        .body
    )
    assert [guard.kind for guard in scope.guards_of(scope.steps[-1].guard)] == ["after"]


@pytest.mark.parametrize(
    "text",
    [ladder(MOST_CONDITIONS + 1), "def f():\n" + "    if a: return\n" * (MOST_CONDITIONS + 1)],
    ids=["elif", "early returns"],
)
def test_conditions_on_the_way_to_one_line_are_bounded(text: str) -> None:
    assert f"more than {MOST_CONDITIONS} conditions" in refusal(text)


def test_an_elif_ladder_of_ten_thousand_rungs_is_one_clear_line() -> None:
    assert re.search("nested too deeply|conditions", refusal(ladder(N)))


def test_a_class_with_tens_of_thousands_of_members_is_read() -> None:
    (found,) = read("class A:\n" + "".join(f"    m{i} = {i}\n" for i in range(50_000))).body.classes
    assert len(found.body.steps) == 50_000


def test_too_many_words_are_refused_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ast, "parse", lambda *_, **__: pytest.fail("it was parsed"))
    assert f"more than {MOST_WORDS:,} words" in refusal("a\n" * (MOST_WORDS + 1))


def test_functions_nested_to_the_parsers_end_with_a_deep_expression_in_the_last() -> None:
    text = "".join(" " * i + "def f():\n" for i in range(60)) + " " * 60 + "return a" + ".b" * 90 + "\n"
    scope = read(text).body
    for _ in range(60):
        scope = scope.functions[0].body
    assert len(scope.steps) == 1


@pytest.mark.parametrize(
    "text", ["x = 1\r", "\fx = 1\n", "\ufeffx = 1\n", "x = 1\\\n\n", "x = 1", "\x0c", "# only\r\n"]
)
def test_odd_line_ends_and_marks_are_read_or_said(text: str) -> None:
    try:
        compile(text, "mod.py", "exec")
    except SyntaxError:
        assert "does not parse" in refusal(text)
    else:
        read(text)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures a child by fork")
@pytest.mark.parametrize("unit", ["a\n", "a;", "a=a\n", "[],", "f()\n", "a[:],", "-a\n"])
def test_the_worst_file_within_the_bounds_takes_bounded_memory(unit: str) -> None:
    words = len(re.findall(r"\w+|[^\w\s]", unit))
    body = unit * ((MOST_WORDS - 10) // words)
    text = f"x = ({body})\n" if unit.endswith(",") else body
    before = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
    child = os.fork()  # which begins with as much memory as the tests before have left
    if child == 0:
        try:
            facts.encode(extract(text, name="pack.mod", path="pack/mod.py"))
            os._exit(0)
        finally:
            os._exit(1)
    _, status, usage = os.wait4(child, 0)
    assert status == 0
    assert (usage.ru_maxrss >> 10) - before < 1500, "MB"
