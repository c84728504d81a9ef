"""SGLang is found under every form that a user may name it by, and what is none is said so."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.source.locate import open_tree

MARK = "import pathlib; pathlib.Path(__file__).with_name('was_run').touch(); raise SystemExit('imported')\n"


def package(folder: Path, name: str = "sglang", version: str = "") -> Path:
    """A small SGLang whose import would leave a mark."""
    own = folder / name
    (own / "srt/models").mkdir(parents=True)
    (own / "srt/speculative").mkdir()
    (own / "__init__.py").write_text(MARK)
    (own / "srt/models/llama.py").write_text(f"from {name}.srt.layers import norm\n")
    if version:
        (own / "version.py").write_text(f'__version__ = "{version}"\n')
    return own


def metadata(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: not this\n")


def wheel(path: Path, folder: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, prefix + file.relative_to(folder).as_posix())
    return path


def said(spec: str | None, **options: Path) -> str:
    with pytest.raises(SpecintError) as caught:
        open_tree(spec, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("below", ["sglang", "", "python/..", "sglang/", "./sglang/../sglang"])
def test_the_package_or_the_folder_that_holds_it(below: str, tmp_path: Path) -> None:
    package(tmp_path, version="1.2")
    (tmp_path / "python").mkdir()
    tree = open_tree(str(tmp_path / below))
    assert (tree.package, tree.origin.version) == ("sglang", "1.2")
    assert [file.module for file in tree.files("sglang.srt")] == ["sglang.srt.models.llama"]
    assert tree.packages == ("sglang",)


@pytest.mark.parametrize("below", ["", "python", "python/sglang"])
def test_a_checkout(below: str, tmp_path: Path) -> None:
    package(tmp_path / "python")
    (tmp_path / "sgl-kernel").mkdir()
    (tmp_path / "python/pyproject.toml").write_text('[project]\nname = "sglang"\nversion = "0.4.6"\n')
    tree = open_tree(str(tmp_path / below))
    assert (tree.origin.version, tree.origin.source) == ("0.4.6", str(tmp_path / below))
    assert tree.find("sglang.srt.models.llama") is not None


def test_a_relative_path_starts_at_the_folder_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "a")
    assert open_tree("a", relative_to=tmp_path).origin.source == "a"
    monkeypatch.chdir(tmp_path / "a/sglang")
    assert open_tree(".").package == "sglang"


def test_an_unpacked_wheel_says_its_version(tmp_path: Path) -> None:
    package(tmp_path, version="not this")
    metadata(tmp_path, "sglang", "0.5.9")
    assert open_tree(str(tmp_path)).origin.version == "0.5.9"


def test_site_packages_are_not_part_of_the_tree(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    package(site)
    (site / "torch").mkdir()
    (site / "torch/__init__.py").touch()
    metadata(site, "sglang", "0.5.9")
    metadata(site, "torch", "2.13")
    for folder in (site, tmp_path):
        tree = open_tree(str(folder))
        assert (tree.origin.version, tree.packages) == ("0.5.9", ("sglang",))
        assert tree.find("torch") is None


def test_a_fork_keeps_its_own_name(tmp_path: Path) -> None:
    package(tmp_path / "fork", "acme_engine", "3.0")
    for spec in ("fork", "fork/acme_engine"):
        tree = open_tree(spec, relative_to=tmp_path)
        assert (tree.package, tree.origin.version) == ("acme_engine", "3.0")


def test_a_renamed_folder_is_called_what_its_imports_say(tmp_path: Path) -> None:
    package(tmp_path).rename(tmp_path / "old-copy")
    tree = open_tree(str(tmp_path / "old-copy"))
    assert tree.package == "sglang"
    assert [file.path for file in tree.files()] == ["sglang/__init__.py", "sglang/srt/models/llama.py"]


def test_a_fork_inside_another_package(tmp_path: Path) -> None:
    own = package(tmp_path / "acme", "engine")
    (own / "srt/models/llama.py").write_text("from acme.engine.srt.layers import norm\n")
    inside = open_tree(str(own))
    zipped = open_tree(str(wheel(tmp_path / "a.whl", tmp_path, "")))
    for tree in (inside, zipped):
        assert (tree.package, tree.packages) == ("acme.engine", ("acme",))
        assert tree.find("acme.engine.srt.models.llama") is not None


def test_the_usual_name_goes_before_a_fork_and_two_forks_are_a_question(tmp_path: Path) -> None:
    package(tmp_path, "fork_a")
    package(tmp_path, "fork_b")
    assert "more than one SGLang in this folder (name one: fork_a, fork_b)" in said(str(tmp_path))
    package(tmp_path)
    assert open_tree(str(tmp_path)).package == "sglang"


@pytest.mark.parametrize("prefix", ["", "sglang-main/python/", "sglang-1.data/purelib/"])
def test_a_zip_is_read_where_it_lies(prefix: str, tmp_path: Path) -> None:
    package(tmp_path / "in", version="1.2")
    path = wheel(tmp_path / "some.zip", tmp_path / "in", prefix)
    tree = open_tree(str(path))
    assert (tree.package, tree.origin.version, tree.origin.source) == ("sglang", "1.2", str(path))
    assert [file.module for file in tree.files("sglang.srt")] == ["sglang.srt.models.llama"]
    assert sorted(child.name for child in tmp_path.iterdir()) == ["in", "some.zip"]


def test_a_wheel_says_its_version(tmp_path: Path) -> None:
    package(tmp_path / "in", version="not this")
    metadata(tmp_path / "in", "sglang", "0.5.5.post3")
    assert open_tree(str(wheel(tmp_path / "a.whl", tmp_path / "in"))).origin.version == "0.5.5.post3"


def test_what_is_not_there(tmp_path: Path) -> None:
    package(tmp_path)
    spec = str(tmp_path / "sglnag")
    assert said(spec) == f"{spec}: no such file or folder (did you mean {tmp_path / 'sglang'}?)"
    assert "give --sglang a release (0.5.9)" in said(str(tmp_path / "quite/elsewhere"))
    assert "give --sglang" in said("banana", relative_to=tmp_path)


def test_what_is_no_sglang(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no SGLang in this folder" in said(str(tmp_path / "empty"))
    (tmp_path / "none.whl").write_bytes(b"PK\3\4 no zip")
    assert "is not a wheel or zip file" in said(str(tmp_path / "none.whl"))
    (tmp_path / "empty.whl").touch()
    assert "is not a wheel or zip file" in said(str(tmp_path / "empty.whl"))
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr("torch/__init__.py", "")
    assert "no SGLang in this file" in said(str(tmp_path / "other.whl"))
    (tmp_path / "a.tar.gz").touch()
    assert "unpack it and give the folder" in said(str(tmp_path / "a.tar.gz"))
    (tmp_path / "a.py").touch()
    assert "is one file, not SGLang" in said(str(tmp_path / "a.py"))


def test_a_folder_inside_the_package_names_the_package(tmp_path: Path) -> None:
    own = package(tmp_path)
    assert f"did you mean {own}?" in said(str(own / "srt/models"))


def test_metadata_that_unpacks_without_end_is_read_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "sglang-1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sglang/srt/models/a.py", b"x = 1\n")
        archive.writestr("sglang-1.2.dist-info/METADATA", b"Version: 1.2\n\n" + bytes(1 << 28))
    tracemalloc.start()
    try:
        assert open_tree(str(path)).origin.version == "1.2"
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(os.name == "nt", reason="no pipes and devices in folders")
def test_a_version_file_that_is_a_pipe_or_has_no_end_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "sglang"
    (folder / "srt/models").mkdir(parents=True)
    os.mkfifo(folder / "_version.py")
    (folder / "version.py").symlink_to("/dev/zero")
    assert open_tree(str(folder)).origin.version == "unknown"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('__version__ = "0.5.9"\n', "0.5.9"),
        ('__version__ = "0.5\n::error::x"\n', "unknown"),
        ('__version__ = "\x1b[2J"\n', "unknown"),
        ("version=\n" * 100_000, "unknown"),
    ],
    ids=["plain", "a line of a CI log", "an escape", "lines to go back over"],
)
def test_a_version_is_a_word(tmp_path: Path, text: str, version: str) -> None:
    folder = tmp_path / "sglang"
    (folder / "srt/models").mkdir(parents=True)
    (folder / "srt/models/a.py").write_text("\n" * 200_000)
    (folder / "version.py").write_text(text)
    assert open_tree(str(folder)).origin.version == version


def test_a_truncated_wheel(tmp_path: Path) -> None:
    package(tmp_path / "in")
    path = wheel(tmp_path / "a.whl", tmp_path / "in")
    path.write_bytes(path.read_bytes()[:-30])
    assert "was it downloaded completely?" in said(str(path))


FIND = """
from specint.errors import SpecintError
from specint.source.locate import open_tree
import sys
try:
    tree = open_tree(None)
    print(tree.origin.version, tree.origin.source)
except SpecintError as error:
    print(error)
print("sglang" in sys.modules)
"""


def installed(path: Path | None, **environment: str) -> list[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    root = Path(__file__).parent.parent.parent
    paths = os.pathsep.join(map(str, [path, root] if path else [root]))
    done = subprocess.run(
        [sys.executable, "-c", FIND],
        env={**clean, "PYTHONPATH": paths, **environment},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_the_installed_one_is_found_and_not_imported(tmp_path: Path) -> None:
    own = package(tmp_path)
    metadata(tmp_path, "sglang", "0.5.9")
    assert installed(tmp_path) == [f"0.5.9 {own}", "False"]
    assert not (own / "was_run").exists()


def test_a_folder_of_that_name_that_is_no_sglang_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "sglang").mkdir()
    first, imported = installed(tmp_path)
    assert first.startswith("no installed sglang found (give --sglang a release")
    assert imported == "False"


def test_the_active_environment_counts_if_ours_has_none(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    own = package(tmp_path / "checkout", version="9.9")
    (site / "__editable__.sglang.pth").write_text(
        f"# a comment\nimport os; raise SystemExit\n{tmp_path / 'checkout'}\n"
    )
    assert installed(None, VIRTUAL_ENV=str(tmp_path)) == [f"9.9 {own}", "False"]


def test_an_editable_finder_is_asked(tmp_path: Path) -> None:
    own = package(tmp_path / "code", version="7.7")
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook/sitecustomize.py").write_text(
        "import sys\nfrom importlib.machinery import PathFinder\n"
        "class Finder:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        return PathFinder.find_spec(name, [{str(tmp_path / 'code')!r}]) if name == 'sglang' else None\n"
        "sys.meta_path.append(Finder)\n"
    )
    assert installed(tmp_path / "hook") == [f"7.7 {own}", "False"]


def test_finding_sources_starts_fast() -> None:
    """What is slow to import is imported by what needs it."""
    heavy = (
        "networkx",
        "rich",
        "pylint",
        "astroid",
        "libcst",
        "subprocess",
        "zipfile",
        "importlib.metadata",
        "asyncio",
    )
    code = f"import sys, specint.source.locate, specint.config; print([m for m in {heavy} if m in sys.modules])"
    root = Path(__file__).parent.parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
