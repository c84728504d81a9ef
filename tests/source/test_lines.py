from __future__ import annotations

from pathlib import Path

import pytest

from specint.source.folder import FolderTree
from specint.source.lines import Lines
from specint.source.tree import Origin


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    home = tmp_path / "sglang"
    home.mkdir()
    (home / "a.py").write_text("one\ntwo\n", encoding="utf-8")
    return Lines(FolderTree(home, "sglang", Origin(version="1", source="")))


def test_a_line_is_counted_from_one(lines: Lines) -> None:
    assert lines.at("sglang/a.py", 1) == "one"
    assert lines.at("sglang/a.py", 2) == "two"


@pytest.mark.parametrize(("file", "line"), [("sglang/a.py", 0), ("sglang/a.py", 9), ("sglang/gone.py", 1)])
def test_where_there_is_none_it_is_empty(lines: Lines, file: str, line: int) -> None:
    assert lines.at(file, line) == ""
