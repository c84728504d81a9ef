"""What the key of a kept answer is made of: everything that can change the answer."""

from __future__ import annotations

import sys

import pytest

from specint import answers


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (sys, "version", "3.99.0 (another)"),
        (sys, "get_int_max_str_digits", lambda: 640),
        (answers, "frames", lambda: 200),
    ],
    ids=["another Python", "a bound on numbers", "a small stack"],
)
def test_what_changes_an_answer_changes_the_key(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, value: object
) -> None:
    before = answers.fingerprint()
    assert answers.fingerprint() == before
    monkeypatch.setattr(module, name, value)
    assert answers.fingerprint() != before
