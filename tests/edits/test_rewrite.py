from __future__ import annotations

import pytest

from specint.edits.model import Edit, Splice
from specint.edits.proof import prove_additions
from specint.edits.rewrite import rewritten
from specint.errors import SpecintError
from specint.source.tree import content_digest

BEFORE = b"class A:\n    x = 1  # one\n\n\ny = A\n"


def adding(data: bytes, *lines: str, after: int = 2, member: str = "m") -> Edit:
    splice = Splice(after, (), ("", *lines))
    return Edit(kind="add", class_="a.A", member=member, file="a.py", digest=content_digest(data), splices=(splice,))


def test_two_edits_at_one_place_come_in_their_order() -> None:
    first = adding(BEFORE, "    def m(self):", "        return 1")
    second = adding(BEFORE, "    def n(self):", "        return 2", member="n")
    made = rewritten(BEFORE, "a.py", [first, second])
    assert made.decode() == (
        "class A:\n    x = 1  # one\n\n    def m(self):\n        return 1\n"
        "\n    def n(self):\n        return 2\n\n\ny = A\n"
    )


def test_text_that_was_not_analysed_is_refused() -> None:
    edit = adding(BEFORE, "    def m(self):", "        return 1")
    with pytest.raises(SpecintError, match="changed since"):
        rewritten(BEFORE + b"# more\n", "a.py", [edit])


def test_what_would_not_parse_is_refused() -> None:
    with pytest.raises(SpecintError, match="not parse"):
        rewritten(BEFORE, "a.py", [adding(BEFORE, "    def m(self:", "        return 1")])


def test_member_that_the_encoding_lacks_is_refused() -> None:
    data = b"# coding: ascii\n" + BEFORE
    with pytest.raises(SpecintError, match="ascii"):
        rewritten(data, "a.py", [adding(data, "    def m\u00e9(self):", "        return 1", after=3)])


@pytest.mark.parametrize(
    "after",
    [
        b"class A:\n    x = 2  # one\n\n    def m(self):\n        return 1\n\n\ny = A\n",
        b"class A:\n    x = 1  # two\n\n    def m(self):\n        return 1\n\n\ny = A\n",
        b"class A:\n    x = 1  # one\n\n\ny = A\n",
        b"class A:\n    x = 1  # one\n\n\nclass B:\n    def m(self):\n        return 1\n\n\ny = A\n",
    ],
    ids=["a value changed", "a remark changed", "nothing added", "added elsewhere"],
)
def test_proof_sees_whatever_is_no_addition(after: bytes) -> None:
    with pytest.raises(SpecintError, match="additions alone"):
        prove_additions(BEFORE, after, "a.py", [adding(BEFORE, "    def m(self):", "        return 1")])


def test_proof_holds_for_what_is_one() -> None:
    edit = adding(BEFORE, "    def m(self):", "        return 1")
    after = rewritten(BEFORE, "a.py", [edit])
    prove_additions(BEFORE, after, "a.py", [edit])  # raises where it is none
    assert len(after) > len(BEFORE)
