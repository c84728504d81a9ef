"""A comment behind a line, so that a finding is silenced and the code stays what it was."""

from __future__ import annotations

import pytest

from specint.checks.finding import Finding
from specint.fix.ignores import with_ignores
from specint.source.tree import Origin, TextTree

FILE = "sglang/srt/models/kumo.py"


def found(line: int, rule: str = "spec-missing-delegation", id_: str = "E7701") -> Finding:
    return Finding(rule=rule, id=id_, class_="Kumo", member="m", algorithms=(), file=FILE, line=line, message="lacks m")


def written(text: str, *findings: Finding) -> tuple[str, int]:
    tree = TextTree({FILE: text.encode()}, Origin(version="1", source=""))
    after, silenced = with_ignores(tree, FILE, findings)
    return after.decode(), len(silenced)


def test_comment_stands_behind_the_line() -> None:
    assert written("class Kumo:\n    pass\n", found(1)) == (
        "class Kumo:  # pylint: disable=spec-missing-delegation\n    pass\n",
        1,
    )


def test_two_rules_of_a_line_share_a_comment_and_one_rule_stands_once() -> None:
    text, silenced = written("class Kumo:\n    pass\n", found(1), found(1), found(1, "spec-partial-interface", "E7702"))
    assert text.splitlines()[0] == "class Kumo:  # pylint: disable=spec-missing-delegation,spec-partial-interface"
    assert silenced == 3


def test_comment_that_is_there_stays() -> None:
    text, _ = written("class Kumo:  # pylint: disable=too-few-public-methods\n    pass\n", found(1))
    assert text.splitlines()[0].endswith("# pylint: disable=too-few-public-methods,spec-missing-delegation")


def test_line_endings_stay() -> None:
    text, _ = written("class Kumo:\r\n    pass\r\n", found(1))
    assert text == "class Kumo:  # pylint: disable=spec-missing-delegation\r\n    pass\r\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [("x = 1 + \\\n    2\n", 1), ('x = """\na\n"""\n', 2), ("x = 1\n", 9)],
    ids=["a backslash", "within a text", "no such line"],
)
def test_where_no_comment_can_stand_nothing_is_written(text: str, line: int) -> None:
    assert written(text, found(line)) == (text, 0)
