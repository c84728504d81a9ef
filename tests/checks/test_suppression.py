"""Pragmas: read as pylint reads them, compared with pylint itself, and reported where they do nothing."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest
from astroid import nodes
from pylint.checkers import BaseChecker
from pylint.lint import PyLinter
from pylint.reporters import CollectingReporter

from specint.checks.finding import Finding
from specint.checks.suppression import Pragmas, read_pragmas, state, without_suppressed
from specint.facts.extract import extract
from specint.source.tree import Origin, TextTree

RULE = "spec-missing-delegation"
FILE = "sglang/srt/models/m.py"
MODULE = '''\
"""Models."""
{before}
import os

{module}
X = 1


{above}
class A(Base):{head}
    """A model."""
    {first}
    limit = 3

    def method(self, a,
               b):{on_def}
        {in_method}
        return a

    {late}
    def other(self):
        if a:
            {in_if}
            return 1
        return 2


class B:{head_b}
    pass
{after}
'''
PLACES = list(MODULE.replace("}", "{").split("{")[1::2])
PRAGMAS = (
    "# pylint: disable=spec-missing-delegation",
    "# pylint: disable=E7701",
    "# pylint: disable-next=spec-missing-delegation",
    "# pylint: disable=invalid-name, spec-missing-delegation",
    "# why not; pylint: disable=spec-missing-delegation # because",
    "# pylint: disable=spec-missing-delegation; it is known",
    "# pylint: disable=E",
    "# pylint: disable=specint",
    "# pylint: skip-file",
    "# pylint: disable=all",
    "# pylint: enable=spec-missing-delegation",
    "# pylint: disable=spec-partial-interface",
    "# pylint:disable = spec-missing-delegation",
    "# PYLINT: disable=spec-missing-delegation",
    "# noqa",
)


def module(**pragmas: str) -> str:
    texts = dict.fromkeys(PLACES, "")
    for name, pragma in pragmas.items():
        texts[name] = f"  {pragma}" if name.startswith(("head", "on_")) else pragma
    return MODULE.format(**texts)


class Everywhere(BaseChecker):
    """Raises the message on every line, as if each had a finding."""

    name = "specint"
    msgs = {"E7701": ("%s", RULE, "A message."), "E7702": ("%s", "spec-partial-interface", "Another.")}  # noqa: RUF012

    def visit_module(self, node: nodes.Module) -> None:
        for line in range(1, node.tolineno + 1):
            self.add_message(RULE, line=line, node=node, args=("x",))


def silent_under_pylint(path: Path) -> set[int]:
    """The lines on which pylint doesn't let the message through."""
    linter = PyLinter(reporter=CollectingReporter())
    linter.register_checker(Everywhere(linter))
    linter.disable("all")
    linter.enable(RULE)
    linter.check([str(path)])
    spoken = {message.line for message in linter.reporter.messages if message.symbol == RULE}
    return set(range(1, last_line(path.read_text()) + 1)) - spoken


def last_line(text: str) -> int:
    """The last line that belongs to a statement: a message stands on no other."""
    return max(number for number, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#"))


def silent_here(text: str) -> set[int]:
    pragmas = pragmas_of(text)
    every = range(1, last_line(text) + 1)
    if pragmas.skips:
        return set(every)
    return {line for line in every if not state(pragmas.each, RULE, line)[0]}


def pragmas_of(text: str) -> Pragmas:
    return read_pragmas(extract(text, name="m", path="m.py").remarks)


@pytest.mark.parametrize("place", PLACES)
def test_every_pragma_silences_the_lines_that_it_silences_under_pylint(place: str, tmp_path: Path) -> None:
    for number, pragma in enumerate(PRAGMAS):
        path = tmp_path / f"m{number}.py"
        path.write_text(module(**{place: pragma}))
        assert silent_here(path.read_text()) == silent_under_pylint(path), pragma


@pytest.mark.parametrize("on", ["module", "first", "late", "in_method", "after", "head"])
def test_switching_on_again_is_what_it_is_under_pylint(on: str, tmp_path: Path) -> None:
    for number, off in enumerate(("before", "module", "above", "head", "first", "late")):
        if off == on:
            continue
        path = tmp_path / f"m{number}.py"
        path.write_text(module(**{off: PRAGMAS[0], on: PRAGMAS[10]}))
        assert silent_here(path.read_text()) == silent_under_pylint(path), off


def finding(line: int, rule: str = RULE, id_: str = "E7701", name: str = "A") -> Finding:
    return Finding(
        rule=rule,
        id=id_,
        class_=f"sglang.srt.models.m.{name}",
        member="get",
        algorithms=("EAGLE",),
        file=FILE,
        line=line,
        message="m",
    )


def tree(text: str) -> TextTree:
    return TextTree({FILE: text.encode()}, Origin(version="1", source="test"))


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(start))


@pytest.mark.parametrize("place", ["head", "first", "module", "before"])
def test_finding_on_the_class_is_silent_and_the_pragma_useful(place: str) -> None:
    text = module(**{place: PRAGMAS[0]})
    a, b = finding(line_of(text, "class A")), finding(line_of(text, "class B"), name="B")
    kept, useless = without_suppressed([a, b], tree(text), [FILE])
    assert kept == ([] if place in ("module", "before") else [b])
    assert useless == []


def test_pragma_that_silences_nothing_is_a_finding_where_it_stands() -> None:
    text = module(first=PRAGMAS[0], head_b="# pylint: disable=E7702")
    kept, useless = without_suppressed([], tree(text), [FILE])
    assert kept == []
    assert [(one.id, one.class_, one.member, one.line) for one in useless] == [
        ("W7719", "sglang.srt.models.m.A", RULE, line_of(text, "class A") + 2),
        ("W7719", "sglang.srt.models.m.B", "spec-partial-interface", line_of(text, "class B")),
    ]
    assert useless[0].message == "nothing to suppress here: spec-missing-delegation (E7701) finds nothing"


@pytest.mark.parametrize(
    "pragma",
    [
        "# pylint: disable=spec-unsupported-algorithm",  # another run may demand what this one doesn't
        "# pylint: disable=all",
        "# pylint: disable=E",
        "# pylint: disable=specint",
        "# pylint: disable=invalid-name",
        "# pylint: enable=spec-missing-delegation",
        "# pylint: disable=spec-missing-delegation, spec-useless-suppression",
        "# pylint: disable=spec-not-a-rule",
        "# pylint: disable",
        'text = "# pylint: disable=spec-missing-delegation"',
    ],
)
def test_what_cannot_be_called_useless_is_left_alone(pragma: str) -> None:
    assert without_suppressed([], tree(module(first=pragma)), [FILE]) == ([], [])


def test_useful_for_one_rule_and_useless_for_the_other() -> None:
    text = module(head="# pylint: disable=spec-missing-delegation,spec-partial-interface")
    kept, useless = without_suppressed([finding(line_of(text, "class A"))], tree(text))
    assert kept == []
    assert [one.member for one in useless] == ["spec-partial-interface"]


@pytest.mark.parametrize("text", ["class A(:\n    # pylint: disable=E7701\n", "x = (\n# pylint: disable=E7701\n", ""])
def test_file_that_is_no_python_keeps_its_findings(text: str) -> None:
    one = finding(1)
    kept, useless = without_suppressed([one], tree(text), [FILE, "sglang/not/there.py"])
    assert (kept, useless) == ([one], [])


def test_other_encodings_and_line_endings_are_read() -> None:
    text = "# -*- coding: latin-1 -*-\r\n" + module(head=PRAGMAS[0]).replace("A model", "é").replace("\n", "\r\n")
    data = TextTree({FILE: text.encode("latin-1")}, Origin(version="1", source="test"))
    line = line_of(text, "class A")
    assert without_suppressed([finding(line)], data) == ([], [])
    assert without_suppressed([finding(line + 1)], data)[0] == [finding(line + 1)]


def test_order_of_findings_does_not_matter() -> None:
    text = module(above="# pylint: disable-next=spec-missing-delegation")
    findings = [finding(line_of(text, "class A")), finding(line_of(text, "class B"), name="B")]
    for order in itertools.permutations(findings):
        kept, useless = without_suppressed(order, tree(text))
        assert (kept, useless) == ([findings[1]], [])
    assert msgspec.structs.replace(findings[0]) == findings[0]


def test_a_comment_of_hashes_is_not_gone_over_again_and_again() -> None:
    # going over it from every hash again would be 80,000,000,000 steps: this test would not end
    found = pragmas_of("#" * 400_000 + f"\nx = 1  # pylint: disable={RULE}\n")
    assert [one.line for one in found.each] == [2]


def test_a_pragma_is_a_comment_not_a_string() -> None:
    assert pragmas_of(f'x = "# pylint: disable={RULE}"\n').each == ()
