from __future__ import annotations

import pytest

from specint.edits.model import Splice
from specint.edits.patch import hunks
from specint.edits.placing import Spot, end_of_class, source_lines, spliced
from specint.facts.extract import extract


def spot(text: str) -> Spot | None:
    module = extract(text, name="m", path="m.py", is_package=False)
    return end_of_class(source_lines(text.encode(), "m.py"), module.body.classes[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A:\n    def f(self):\n        pass\n\n\nx = 1\n", Spot(3, "    ", "    ")),
        ("class A:\n  def f(self):\n    pass\n", Spot(3, "  ", "  ")),
        ("class A:\n\tdef f(self):\n\t\tpass\n", Spot(3, "\t", "\t")),
        ("class A:\n    x = 1\n", Spot(2, "    ", "    ")),
        ("class A:\n    '''Says.'''\n", Spot(2, "    ", "    ")),
        ("class A(\n    B,\n):\n    pass\n", Spot(4, "    ", "    ")),
        ("class A:\n    text = '''\n  odd\n'''\n\nx = 1\n", Spot(4, "    ", "    ")),
        ("class A:\n    if x:\n        def f(self):\n            pass\n", Spot(4, "    ", "    ")),
        ("class A:\n    @property\n    def f(self):\n        pass\n", Spot(4, "    ", "    ")),
        ("class A:\n    def f(self):\n        pass\n        # of f\n\n    # of A\n\nx = 1\n", Spot(4, "    ", "    ")),
        ("class A:\n    def f(self):\n        pass\n\n# of x\nx = 1\n", Spot(3, "    ", "    ")),
        ("class A: pass\n", None),
        ("class A(\n    B\n): pass\n", None),
        ("class A: x = 1; y = 2\n", None),
    ],
)
def test_end_of_a_class_body(text: str, expected: Spot | None) -> None:
    assert spot(text) == expected


def test_class_within_a_branch_counts_its_step_from_its_own_column() -> None:
    text = "if x:\n  class A:\n      def f(self):\n          pass\n"
    module = extract(text, name="m", path="m.py", is_package=False)
    assert end_of_class(source_lines(text.encode(), "m.py"), module.body.classes[0]) == Spot(4, "      ", "    ")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_keep_the_endings_that_they_have(newline: str) -> None:
    lines = source_lines(f"a{newline}b\x0c{newline}c".encode(), "m.py")
    assert lines == [f"a{newline}", f"b\x0c{newline}", "c"]
    assert spliced(lines, [Splice(3, (), ("d",))]) == [f"a{newline}", f"b\x0c{newline}", f"c{newline}", "d"]


def test_lines_go_and_come_at_several_places() -> None:
    lines = [f"{number}\n" for number in range(1, 21)]
    splices = [Splice(20, (), ("end",)), Splice(1, ("2",), ("two",)), Splice(2, (), ("and",)), Splice(10, ("11", "12"))]
    assert spliced(lines, splices) == [
        "1\n", "two\n", "and\n", *lines[2:10], *lines[12:], "end\n",
    ]  # fmt: skip
    heads = [hunk.partition("\n")[0] for hunk in hunks(lines, splices)]
    assert heads == ["@@ -1,5 +1,6 @@", "@@ -8,8 +9,6 @@", "@@ -18,3 +17,4 @@"]


def test_file_of_nothing_gets_its_first_lines() -> None:
    assert list(hunks([], [Splice(0, (), ("a",))])) == ["@@ -0,0 +1,1 @@\n+a\n"]
