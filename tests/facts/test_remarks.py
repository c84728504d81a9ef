"""Comments for pylint are facts, found in the tree that all facts are made of, and bounded in number."""

from __future__ import annotations

import pytest

from specint.errors import SpecintError
from specint.facts.bounds import LONGEST_REMARK, MOST_REMARKS
from specint.facts.extract import extract
from specint.facts.model import Remark

OFF = "# pylint: disable=spec-missing-delegation"


def remarks(text: str) -> tuple[Remark, ...]:
    return extract(text, name="m", path="m.py").remarks


def test_a_comment_knows_what_it_is_about_and_whose() -> None:
    text = f"import a\n\n\nclass A:\n    def f(self):\n        x = (  {OFF}\n            1)\n\n    {OFF}\n    y = 1\n"
    in_statement, in_class = remarks(text)
    assert (in_statement.line, in_statement.start, in_statement.end, in_statement.owner) == (6, 6, 6, "A")
    assert (in_class.line, in_class.first, in_class.start, in_class.end) == (9, 5, 4, 10)
    assert not in_class.whole


@pytest.mark.parametrize(
    "text",
    [
        f"x = '''\n{OFF}\n'''\n",
        f'x = "{OFF}"\n',
        f"x = (f'a {OFF}'\n 'b')\n",
        "# pylint is a tool\n",
        "x = 1  # PYLINT: disable=E7701\n",
    ],
)
def test_what_is_no_comment_for_pylint(text: str) -> None:
    assert remarks(text) == ()


def test_between_the_pieces_of_one_string_a_comment_is_one() -> None:
    assert [one.line for one in remarks(f"x = ('a'  {OFF}\n     'b'\n     'c'  {OFF}\n)\n")] == [1, 3]


def test_a_long_sum_over_many_lines_is_gone_through_without_recursion() -> None:
    text = "x = (a\n" + "".join(f"  + a{i}\n" for i in range(990)) + f"  + b  {OFF}\n)\n"
    assert [one.start for one in remarks(text)] == [992]


@pytest.mark.parametrize(
    "text",
    [f"{OFF}\n" * (MOST_REMARKS + 1), f"def f():\n{f'    {OFF}' + chr(10)}" + f"    pass {OFF}\n" * MOST_REMARKS],
)
def test_more_than_anybody_writes_are_too_many(text: str) -> None:
    with pytest.raises(SpecintError, match="comments for pylint"):
        remarks(text)


def test_a_comment_without_end_is_too_long() -> None:
    with pytest.raises(SpecintError, match="a comment for pylint of more than"):
        remarks("# pylint: disable=" + "a," * LONGEST_REMARK + "\n")


def test_a_thousand_comments_cost_no_more_than_lines_do(work) -> None:
    def cost(classes: int) -> int:
        text = "".join(f"class A{i}:  {OFF}\n    def f(self):\n        return 1\n" for i in range(classes))
        return work(remarks, text)

    assert cost(800) < 6 * cost(200)
