"""A few of the attacks, and whether their judge sees what it is there to see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from attack import Attack
from attacks import every
from run import TABLE, run, verdict, write_counts

KINDS = sorted({one.kind for one in every()})
GOOD = b"sglang/srt/models/kumo_k2.py:16:0: E7701 a finding\n"


@pytest.mark.programs
@pytest.mark.parametrize("kind", KINDS)
def test_the_promise_holds_after_one_of_each_kind(kind: str) -> None:
    chosen = [one for one in every() if one.kind == kind]
    assert run(chosen[len(chosen) // 2], sys.executable) == []


@pytest.mark.parametrize(
    ("code", "out", "err", "said"),
    [
        (1, GOOD + b"Traceback (most recent call last):\n", b"", "Traceback"),
        (2, GOOD, b"specint: error: internal error: KeyError\n", "internal error"),
        (1, GOOD + b"a\x1b[2J\n", b"", "holds"),
        (1, GOOD + b"  ::error ::pwned\n", b"", "a workflow command"),
        (1, GOOD, b"<unknown>:1: SyntaxWarning: odd\n", "a warning of Python's"),
        (2, GOOD, b"", "no word"),
        (0, GOOD, b"", "exit code 0"),
        (1, b"nothing\n", b"", "the other files were not checked"),
        (-11, b"", b"", "exit code -11"),
        (1, b"\xff" + GOOD, b"", "no UTF-8"),
    ],
)
def test_what_breaks_the_promise_is_seen(code: int, out: bytes, err: bytes, said: str) -> None:
    found = verdict(Attack("a", "b"), code, out, err)
    assert [one for one in found if said in one], found


def test_what_keeps_it_is_nothing() -> None:
    assert verdict(Attack("a", "b"), 1, GOOD, b"") == []
    assert verdict(Attack("a", "b"), 2, GOOD, b"specint: error: a/b.py:1: does not parse\n") == []


def test_counts_take_the_place_of_those_of_the_same_python(tmp_path: Path) -> None:
    from collections import Counter

    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{TABLE}| 3.1.0 | 1 | 0 | 2 | x |\n\nafter\n")
    for failures in (1, 0):
        write_counts(page, Counter({"files": 3, "names": 2}), failures, 7.2)
    python = "{}.{}.{}".format(*sys.version_info[:3])
    rows = page.read_text().splitlines()
    assert f"| {python} | 5 | 0 | 7 | files 3, names 2 |" in rows
    assert len([row for row in rows if row.startswith(f"| {python} ")]) == 1
    assert rows[-1] == "after"
