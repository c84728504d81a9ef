from __future__ import annotations

import json
from pathlib import Path

import pytest

from specint.checks.baseline import Comparison, Known, known, read_baseline, without_known, write_baseline
from specint.checks.finding import Finding
from specint.errors import SpecintError

HEADER = '{"schema": "specint.baseline/1"}'
ENTRY = '{"rule": "spec-x", "class": "a.B", "member": "get"}'


def finding(member: str, line: int = 1, class_: str = "a.B") -> Finding:
    return Finding(
        rule="spec-x", id="E7701", class_=class_, member=member, algorithms=(), file="a.py", line=line, message="m"
    )


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_file_is_a_header_and_one_sorted_line_a_finding(tmp_path: Path) -> None:
    entries = [
        known(finding("set")),
        known(finding("get", line=9)),
        known(finding("get")),
        known(finding("a", class_="a.A")),
    ]
    lines = write_baseline(entries).decode().splitlines()
    assert lines == [
        HEADER,
        '{"rule": "spec-x", "class": "a.A", "member": "a"}',
        ENTRY,
        '{"rule": "spec-x", "class": "a.B", "member": "set"}',
    ]
    assert write_baseline(reversed(entries)) == write_baseline(entries)
    path = tmp_path / "baseline"
    path.write_bytes(write_baseline(entries))
    assert read_baseline(path) == set(entries)


def test_two_branches_merge_by_keeping_the_lines_of_both(tmp_path: Path) -> None:
    other = ENTRY.replace("get", "other")
    path = written(tmp_path / "b", HEADER, other, ENTRY, HEADER, "", ENTRY)
    assert read_baseline(path) == {Known("spec-x", "a.B", "get"), Known("spec-x", "a.B", "other")}


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (
            (HEADER.replace("/1", "/2"), ENTRY),
            r"is a baseline of version 2, and this specint reads 1 \(use the specint",
        ),
        ((), "is no baseline of specint"),
        (("[]",), "is no baseline of specint"),
        (('{"schema": "other/1"}',), "is no baseline of specint"),
        ((ENTRY,), "is no baseline of specint"),
        ((HEADER, ENTRY, "<<<<<<< ours"), r"b:3: is no finding: .*keep all lines of findings"),
        ((HEADER, '{"rule": "spec-x"}'), r"b:2: is no finding"),
        ((HEADER, ENTRY.replace('"get"', "3")), r"b:2: is no finding"),
        ((HEADER, ENTRY.replace("}", ', "line": 3}')), r"b:2: is no finding: .*line"),
    ],
)
def test_what_is_no_baseline_is_an_error_that_names_the_line(
    tmp_path: Path, lines: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(SpecintError, match=complaint):
        read_baseline(written(tmp_path / "b", *lines))


def test_missing_and_binary_files_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SpecintError, match=r"no such baseline \(.*--update-baseline"):
        read_baseline(tmp_path / "b")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecintError, match="is no baseline"):
        read_baseline(tmp_path / "b")
    with pytest.raises(SpecintError, match="can't be read"):
        read_baseline(tmp_path)


def test_known_findings_are_left_out_and_counted() -> None:
    baseline = frozenset({Known("spec-x", "a.B", "get"), Known("spec-x", "a.B", "gone")})
    new, comparison = without_known([finding("get", 3), finding("get", 4), finding("set")], baseline, [max(baseline)])
    assert new == (finding("set"),)
    assert comparison == Comparison(new=1, known=2, fixed=(Known("spec-x", "a.B", "gone"),))
    assert str(comparison) == "1 new, 2 in the baseline, 1 fixed since"


def test_any_text_survives(tmp_path: Path) -> None:
    odd = Known('sp"ec', "a.\u00e9\u2028B", "a|b\n\\")
    path = tmp_path / "b"
    path.write_bytes(write_baseline([odd]))
    assert len(path.read_bytes().split(b"\n")) == 3
    assert read_baseline(path) == {odd}
    assert json.loads(path.read_text(encoding="utf-8").split("\n")[1])["member"] == "a|b\n\\"
