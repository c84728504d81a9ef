"""Facts of many modules: each is read once, from the cache where its text is known, and what can't be read is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from specint.facts.load import Loader
from specint.facts.store import Store
from specint.source.tree import Origin, SourceFile, TextTree, Tree


def tree(**modules: str | bytes) -> Tree:
    contents = {f"pack/{name}.py": text if isinstance(text, bytes) else text.encode() for name, text in modules.items()}
    return TextTree(contents, Origin(version="", source="memory"), "pack")


def loader(source: Tree, store: Store | None = None, **more: object) -> Loader:
    return Loader(source, store or Store(None), version="1", **{"jobs": 1, **more})  # type: ignore[arg-type]


def test_module_is_found_by_its_dotted_name() -> None:
    found = loader(tree(a="x = 1\n")).module("pack.a")
    assert found is not None
    assert (found.name, found.path) == ("pack.a", "pack/a.py")


def test_unknown_module_is_none_and_remembered_as_asked_for() -> None:
    one = loader(tree(a=""))
    assert one.module("pack.nothing") is None
    assert one.module("elsewhere") is None
    assert one.asked() == ("pack.nothing", "elsewhere")
    assert not one.diagnostics


def test_file_that_does_not_parse_is_one_diagnostic_and_the_rest_is_read() -> None:
    source = tree(bad="x = 1\ndef f(:\n", good="y = 2\n")
    one = loader(source)
    assert [module.name for module in one.load(source.files("pack"))] == ["pack.good"]
    (told,) = one.diagnostics.values()
    assert (told.file, told.line, told.severity) == ("pack/bad.py", 2, "error")
    assert one.module("pack.bad") is None


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ("x = 'é'\n".encode("utf-8-sig"), "é"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "é"),
        ("# coding: gbk\nx = '模型'\n".encode("gbk"), "模型"),
        ("x = 'é'\r\ny = 1\r\n".encode(), "é"),
    ],
    ids=["byte-order mark", "latin-1", "gbk", "CRLF"],
)
def test_files_of_other_encodings_are_read_as_python_does(data: bytes, value: str) -> None:
    found = loader(tree(a=data)).module("pack.a")
    assert found is not None
    assert found.body.steps[0].value.value == value


def test_file_in_an_unnamed_encoding_is_one_diagnostic() -> None:
    one = loader(tree(a="x = 'é'\n".encode("latin-1")))
    assert one.module("pack.a") is None
    assert "utf-8" in one.diagnostics["pack/a.py"].what


def test_second_run_reads_the_cache_and_a_changed_text_does_not(tmp_path: Path) -> None:
    told: list[int] = []
    count = lambda *progress: told.append(progress[2])  # noqa: E731
    first, second = tree(a="x = 1\n", b="y = 1\n"), tree(a="x = 1\n", b="y = 2\n")
    loader(first, Store(tmp_path), progress=count).load(first.files("pack"))
    assert told == [2, 2]
    told.clear()
    one = loader(second, Store(tmp_path), progress=count)
    one.load(second.files("pack"))
    assert told == [1]
    assert one.module("pack.b").body.steps[0].value.value == 2  # type: ignore[union-attr]


def test_another_version_of_the_extractor_meets_no_old_entry(tmp_path: Path) -> None:
    told: list[str] = []
    source = tree(a="x = 1\n")
    for version in ("1", "1", "2"):
        Loader(source, Store(tmp_path), version=version, jobs=1, progress=lambda *_: told.append("read")).load(
            source.files("pack")
        )
    assert len(told) == 2


def test_same_text_under_two_names_keeps_its_own_relative_imports(tmp_path: Path) -> None:
    text = b"from .near import x\n"
    contents = {"pack/one/mod.py": text, "pack/two/mod.py": text}
    source = TextTree(contents, Origin(version="", source="memory"), "pack")
    one = loader(source, Store(tmp_path))
    modules = one.load(source.files("pack"))
    assert [module.body.steps[0].module for module in modules] == ["pack.one.near", "pack.two.near"]


def test_damaged_entry_is_read_anew(tmp_path: Path) -> None:
    source = tree(a="x = 1\n")
    loader(source, Store(tmp_path)).load(source.files("pack"))
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.parent.parent != tmp_path.parent:
            path.write_bytes(path.read_bytes()[:-3] + b"???")
    assert loader(source, Store(tmp_path)).module("pack.a") is not None


def test_two_processes_answer_as_one_does() -> None:
    modules = {f"m{i}": f"class C{i}:\n    x = {i}\n" for i in range(60)} | {"m30": "def f(:\n"}
    source = tree(**modules)
    alone, together = loader(source), loader(source, jobs=2)
    assert together.load(source.files("pack")) == alone.load(source.files("pack"))
    assert together.diagnostics == alone.diagnostics
    assert len(alone.diagnostics) == 1


class Changing(TextTree):
    """A tree whose one file is another text each time it is read."""

    def read(self, file: SourceFile) -> bytes:  # noqa: ARG002
        self.reads = getattr(self, "reads", 0) + 1
        return f"x = {self.reads}\n".encode()


def test_file_that_changes_while_it_is_read_leaves_no_entry_under_its_old_text(tmp_path: Path) -> None:
    changing = Changing({"pack/a.py": b""}, Origin(version="", source="memory"), "pack")
    one = loader(changing, Store(tmp_path))
    found = one.module("pack.a")
    assert found is not None
    assert found.body.steps[0].value.value == 2, "the second read"
    assert one.source("pack.a") is None, "the third one gives another text"
    assert not [path for path in tmp_path.rglob("facts/*/*") if path.is_file()]


def test_source_is_the_text_that_the_facts_are_of() -> None:
    one = loader(tree(a="x = 1\n"))
    assert one.source("pack.a") is None, "not read yet"
    one.module("pack.a")
    assert one.source("pack.a") == (SourceFile.at("pack/a.py"), b"x = 1\n")
    assert one.source("pack.nothing") is None
