"""A user's own models get the names under which Python would import them."""

from __future__ import annotations

from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.source.models import open_models
from specint.source.tree import Origin, SourceFile, TextTree

RELEASE = TextTree(
    {"sglang/__init__.py": b"", "sglang/srt/models/llama.py": b"old", "sglang/srt/models/qwen.py": b"old"},
    Origin(version="0.5.9", source="a release"),
)


def write(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"name = {name!r}\n")
    return root


def modules(path: str | Path, **options: Path) -> list[str]:
    return [file.module for file in open_models(path, **options).files]


def test_a_bare_folder_is_a_package_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "my_models/a.py", "my_models/deep/b.py")
    assert modules(tmp_path / "my_models") == ["my_models.a", "my_models.deep.b"]


def test_names_start_at_the_topmost_init(tmp_path: Path) -> None:
    write(tmp_path, "top/__init__.py", "top/models/__init__.py", "top/models/a.py", "top/base.py", "outside.py")
    assert modules(tmp_path / "top/models") == ["top.models", "top.models.a"]
    assert modules(tmp_path / "top/models/a.py") == ["top.models.a"]
    tree = RELEASE.beside(*open_models(tmp_path / "top/models/a.py").trees)
    assert tree.find("top.base") is not None  # what it may import
    assert tree.packages == ("sglang", "top")


def test_a_folder_without_init_belongs_to_the_package_right_above(tmp_path: Path) -> None:
    write(tmp_path, "top/__init__.py", "top/models/a.py", "top/project/pyproject.toml", "top/project/mine/b.py")
    assert modules(tmp_path / "top/models") == ["top.models.a"]
    assert modules(tmp_path / "top/models/a.py") == ["top.models.a"]
    assert modules(tmp_path / "top/project") == ["mine.b"]


def test_a_file_in_a_bare_folder_is_named_as_with_its_folder(tmp_path: Path) -> None:
    write(tmp_path, "my_models/a.py", "my_models/b.py", "my_models/deep/c.py")
    models = open_models(tmp_path / "my_models/a.py")
    assert [file.module for file in models.files] == ["my_models.a"]
    assert RELEASE.beside(*models.trees).find("my_models.b") is not None


def test_a_project_root_only_holds_packages(tmp_path: Path) -> None:
    write(tmp_path, "setup.py", "src/pack/__init__.py", "src/pack/models/a.py", "tools/run.py")
    write(tmp_path, ".git/x.py", ".venv/y.py", "env/lib/z.py", "node_modules/w.py")
    (tmp_path / "env/pyvenv.cfg").touch()
    assert modules(tmp_path) == [f"{tmp_path.name.replace('.', '_')}.setup", "pack", "pack.models.a", "tools.run"]


def test_the_working_directory_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, "v1.5/a.py") / "v1.5")
    assert modules(".") == ["v1_5.a"]
    assert modules("a.py") == ["v1_5.a"]


def test_a_relative_path_starts_at_the_folder_given(tmp_path: Path) -> None:
    write(tmp_path, "mine/a.py")
    assert modules("mine", relative_to=tmp_path) == ["mine.a"]


def test_files_of_another_sglang_stand_for_those_of_the_release(tmp_path: Path) -> None:
    write(tmp_path, "python/sglang/srt/models/llama.py", "python/sglang/srt/models/new.py", "python/sglang/srt/x.py")
    models = tmp_path / "python/sglang/srt/models"
    one = RELEASE.beside(*open_models(models / "llama.py").trees)
    assert [file.module for file in one.files()] == ["sglang", "sglang.srt.models.llama", "sglang.srt.models.qwen"]
    assert b"python/sglang" in one.read(SourceFile.at("sglang/srt/models/llama.py"))
    assert one.file_at(models / "llama.py") == SourceFile.at("sglang/srt/models/llama.py")
    every = RELEASE.beside(*open_models(models).trees)
    assert [file.module for file in every.files("sglang.srt")] == [
        "sglang.srt.models.llama",
        "sglang.srt.models.new",
        "sglang.srt.models.qwen",
    ]


def test_the_digest_sees_the_added_models(tmp_path: Path) -> None:
    write(tmp_path, "mine/a.py")
    before = RELEASE.beside(*open_models(tmp_path / "mine").trees).digest_all(["sglang"])
    (tmp_path / "mine/a.py").write_text("changed")
    assert RELEASE.beside(*open_models(tmp_path / "mine").trees).digest_all(["sglang"]) != before


def test_an_importable_package_is_found_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "plug_x/__init__.py", "plug_x/models/a.py", "plug_x/one.py")
    (tmp_path / "plug_x/__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert modules("plug_x.models") == ["plug_x.models.a"]
    assert modules("plug_x.one") == ["plug_x.one"]
    write(tmp_path, "space_x/deep/more/b.py")
    assert modules("space_x.deep.more") == ["space_x.deep.more.b"]
    assert modules("plug_x") == ["plug_x", "plug_x.models.a", "plug_x.one"]


@pytest.mark.parametrize("spec", ["nowhere/at/all", "no_such_package_x", "json.nothing", "json.decoder.deeper", ""])
def test_what_is_not_there(spec: str, tmp_path: Path) -> None:
    with pytest.raises(SpecintError, match=r"no such file, folder or package|no Python files here"):
        open_models(spec, relative_to=tmp_path)


def test_what_holds_no_source(tmp_path: Path) -> None:
    write(tmp_path, "data/a.txt")
    with pytest.raises(SpecintError, match="no Python files here"):
        open_models(tmp_path / "data")
    with pytest.raises(SpecintError, match="is not a Python file"):
        open_models(tmp_path / "data/a.txt")
