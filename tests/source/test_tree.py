"""Trees on disk, in archives and in memory answer alike, whatever lies in them."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import stat
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.source.archive import ArchiveTree
from specint.source.folder import FolderTree
from specint.source.tree import Origin, SourceFile, TextTree, Tree, decode, encode

ORIGIN = Origin(version="1", source="test")
FILES = {
    "acme/__init__.py": b"",
    "acme/version.py": b"__version__ = '1'\n",
    "acme/srt/models/llama.py": b"class Llama: pass\n",
    "acme/srt/models/deep/__init__.py": b"from .inner import Inner\n",
    "acme/srt/models/deep/inner.py": b"class Inner: pass\n",
    "acme/srt/models/readme.txt": b"no source\n",
    "acme/empty/data.json": b"{}",
    "other/not_ours.py": b"",
}
Build = Callable[[Path], Tree]


def write(root: Path, files: dict[str, bytes] | None = None) -> Path:
    for name, data in (FILES if files is None else files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def on_disk(tmp_path: Path) -> Tree:
    return FolderTree(write(tmp_path) / "acme", "acme", ORIGIN)


def zipped(tmp_path: Path) -> Tree:
    with zipfile.ZipFile(tmp_path / "acme.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in FILES.items():
            archive.writestr(name, data)
    return ArchiveTree(tmp_path / "acme.whl", "acme", ORIGIN)


def in_memory(tmp_path: Path) -> Tree:
    return TextTree({name: data for name, data in FILES.items() if name.endswith(".py") and "acme" in name}, ORIGIN)


def joined(tmp_path: Path) -> Tree:
    return FolderTree(write(tmp_path) / "acme", "acme", ORIGIN).beside(TextTree({}, ORIGIN))


@pytest.fixture(params=[on_disk, zipped, in_memory, joined])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Tree:
    built: Tree = request.param(tmp_path)
    return built


def modules(tree: Tree, prefix: str = "") -> list[str]:
    return [file.module for file in tree.files(prefix)]


def test_names_come_from_the_tree_and_need_no_init(tree: Tree) -> None:
    assert [(file.path, file.module) for file in tree.files()] == [
        ("acme/__init__.py", "acme"),
        ("acme/srt/models/deep/__init__.py", "acme.srt.models.deep"),
        ("acme/srt/models/deep/inner.py", "acme.srt.models.deep.inner"),
        ("acme/srt/models/llama.py", "acme.srt.models.llama"),
        ("acme/version.py", "acme.version"),
    ]
    assert tree.packages == ("acme",)


def test_files_under_a_prefix(tree: Tree) -> None:
    assert modules(tree, "acme.srt.models.deep") == ["acme.srt.models.deep", "acme.srt.models.deep.inner"]
    assert modules(tree, "acme.srt.models.llama") == ["acme.srt.models.llama"]
    assert modules(tree, "acme.srt.model") == []
    assert modules(tree, "other") == []


def test_find_gives_what_an_import_would_run(tree: Tree) -> None:
    found = {
        name: file.path if (file := tree.find(name)) else None
        for name in ("acme", "acme.srt", "acme.srt.models.deep", "acme.version", "acme.nothing", "other.not_ours")
    }
    assert found == {
        "acme": "acme/__init__.py",
        "acme.srt": None,
        "acme.srt.models.deep": "acme/srt/models/deep/__init__.py",
        "acme.version": "acme/version.py",
        "acme.nothing": None,
        "other.not_ours": None,
    }


@pytest.mark.parametrize("name", ["", ".", "..", "acme..srt", ".acme", "acme.__init__", "acme/version", "/etc", "a\0b"])
def test_find_survives_any_text(tree: Tree, name: str) -> None:
    assert tree.find(name) in (None, SourceFile.at("acme/version.py"))


def test_is_package_with_and_without_init(tree: Tree) -> None:
    names = ("acme", "acme.srt", "acme.srt.models", "acme.srt.models.deep", "acme.version", "acme.empty", "other")
    assert [name for name in names if tree.is_package(name)] == list(names[:4])


def test_read_gives_the_bytes_in_any_thread(tree: Tree) -> None:
    files = tree.files() * 50
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tree.read, files)) == [FILES[file.path] for file in files]


def test_reading_what_is_not_there_is_a_clear_error(tree: Tree) -> None:
    with pytest.raises(SpecintError) as caught:
        tree.read(SourceFile.at("acme/gone.py"))
    assert caught.value.where == "acme/gone.py"
    assert "\n" not in str(caught.value)


def test_digest_is_the_same_in_every_kind_of_tree(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = in_memory(tmp_path_factory.mktemp("other"))
    assert [tree.digest(file) for file in tree.files()] == [other.digest(file) for file in other.files()]


def test_a_tree_can_be_handed_to_another_process(tree: Tree) -> None:
    tree.read(tree.files()[0])
    again = pickle.loads(pickle.dumps(tree))
    assert [again.read(file) for file in again.files()] == [tree.read(file) for file in tree.files()]


def test_an_archive_read_before_a_fork_is_read_rightly_after_it(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no fork")
    tree = zipped(tmp_path)
    files = tree.files() * 40
    tree.read(files[0])
    with get_context("fork").Pool(2) as pool:
        assert pool.map(tree.read, files, chunksize=7) == [FILES[file.path] for file in files]


@pytest.mark.parametrize("build", [on_disk, zipped, in_memory, joined])
@pytest.mark.parametrize(
    ("name", "data", "changes"),
    [
        ("acme/srt/models/llama.py", FILES["acme/srt/models/llama.py"], False),
        ("acme/version.py", b"another", False),
        ("acme/srt/models/llama.py", b"class Lloma: pass\n", True),
        ("acme/srt/models/llama.py", None, True),
        ("acme/srt/models/new.py", b"", True),
    ],
)
def test_only_content_under_the_prefixes_changes_the_digest(
    build: Build, name: str, data: bytes | None, changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefixes = ["acme.srt.models", "acme.srt.nothing"]
    (tmp_path / "before").mkdir()
    (tmp_path / "after").mkdir()
    before = build(tmp_path / "before").digest_all(prefixes)
    if data is None:
        monkeypatch.delitem(FILES, name)
    else:
        monkeypatch.setitem(FILES, name, data)
    assert (build(tmp_path / "after").digest_all(prefixes) != before) is changes


def test_a_changed_time_changes_no_digest(tmp_path: Path) -> None:
    before = on_disk(tmp_path).digest_all(["acme"])
    os.utime(tmp_path / "acme/version.py", (1, 1))
    assert on_disk(tmp_path).digest_all(["acme"]) == before


def test_a_package_hides_the_module_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"acme/a.py": b"1", "acme/a/__init__.py": b"2", "acme/b.py": b"3", "acme/b/c.py": b"4"})
    tree = FolderTree(tmp_path / "acme", "acme", ORIGIN)
    assert modules(tree) == ["acme.a", "acme.b", "acme.b.c"]
    assert tree.find("acme.a") == SourceFile.at("acme/a/__init__.py")
    assert tree.find("acme.b") == SourceFile.at("acme/b.py")
    assert modules(tree, "acme.b") == ["acme.b", "acme.b.c"]


def test_a_part_of_a_larger_package_keeps_its_full_name(tmp_path: Path) -> None:
    tree = FolderTree(write(tmp_path) / "acme", "big.engine", ORIGIN)
    assert tree.packages == ("big",)
    assert tree.find("big.engine.version") == SourceFile.at("big/engine/version.py")
    assert tree.find("big") is None
    assert tree.read(SourceFile.at("big/engine/version.py")) == FILES["acme/version.py"]
    assert tree.file_at(tmp_path / "acme/version.py") == SourceFile.at("big/engine/version.py")


def test_places_on_disk_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = on_disk(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "acme")
    monkeypatch.chdir(tmp_path / "acme" / "srt")
    file = SourceFile.at("acme/srt/models/llama.py")
    for path in (Path("models/llama.py"), Path("../srt/models/llama.py"), tmp_path / "link/srt/models/llama.py"):
        assert tree.file_at(path) == file
    assert tree.location(file) == tmp_path / "acme/srt/models/llama.py"
    assert tree.file_at(tmp_path / "other/not_ours.py") is None
    assert tree.file_at(tmp_path / "acme/gone.py") is None
    assert zipped(tmp_path).location(file) is None


def test_links_in_circles_end(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "acme/loop").symlink_to(tmp_path / "acme")
    (tmp_path / "acme/srt/up").symlink_to("..")
    (tmp_path / "acme/there").symlink_to(tmp_path / "other")
    (tmp_path / "other/back").symlink_to(tmp_path / "acme")
    (tmp_path / "acme/itself").symlink_to("itself")
    (tmp_path / "acme/itself.py").symlink_to("itself.py")
    assert modules(FolderTree(tmp_path / "acme", "acme", ORIGIN)) == [
        "acme",
        "acme.srt.models.deep",
        "acme.srt.models.deep.inner",
        "acme.srt.models.llama",
        "acme.there.not_ours",
        "acme.version",
    ]


def test_a_tree_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"acme/m{number}.py": b"" for number in range(10)})
    monkeypatch.setattr("specint.source.folder.MOST_FILES", 9)
    with pytest.raises(SpecintError, match="more than 9 Python files"):
        on_disk(tmp_path).files()


def test_what_is_no_regular_file_is_left_out(tmp_path: Path) -> None:
    write(tmp_path)
    os.mkfifo(tmp_path / "acme/pipe.py")
    (tmp_path / "acme/folder.py").mkdir()
    (tmp_path / "acme/dangling.py").symlink_to("nowhere")
    (tmp_path / "acme/a.b.py").touch()
    (tmp_path / "acme/__pycache__").mkdir()
    (tmp_path / "acme/__pycache__/x.py").touch()
    (tmp_path / "acme/.hidden").mkdir()
    (tmp_path / "acme/.hidden/x.py").touch()
    assert modules(FolderTree(tmp_path / "acme", "acme", ORIGIN)) == modules(in_memory(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_cannot_be_printed_is_left_out(tmp_path: Path) -> None:
    """It may be no text at all, or say something to a terminal."""
    write(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/acme/\xff.py")).touch()
    (tmp_path / "acme/\x1b]0;title\x07.py").touch()
    (tmp_path / "acme/two\nlines.py").touch()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/acme/\xff")).mkdir()
    write(tmp_path, {"acme/größe.py": b""})
    assert "acme.größe" in modules(FolderTree(tmp_path / "acme", "acme", ORIGIN))
    assert len(modules(FolderTree(tmp_path / "acme", "acme", ORIGIN))) == 6


def test_a_folder_that_vanishes_is_a_problem_and_not_the_end(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    tree.find("acme.version")
    (tmp_path / "acme/empty/data.json").unlink()
    (tmp_path / "acme/empty").rmdir()
    assert len(tree.files()) == 5
    assert [problem.file for problem in tree.problems] == ["acme/empty"]


def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    (tmp_path / "acme/version.py").chmod(0)
    if os.access(tmp_path / "acme/version.py", os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(SpecintError, match="Permission denied"):
        tree.read(SourceFile.at("acme/version.py"))


def test_a_file_that_vanishes_is_an_error_and_changes_the_digest(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    before = tree.digest_all(["acme"])
    (tmp_path / "acme/version.py").unlink()
    with pytest.raises(SpecintError, match=r"acme/version\.py: can't be read: No such file"):
        tree.read(SourceFile.at("acme/version.py"))
    assert tree.digest_all(["acme"]) != before


def test_a_file_that_became_a_pipe_does_not_hang(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    tree.files()
    (tmp_path / "acme/version.py").unlink()
    os.mkfifo(tmp_path / "acme/version.py")
    with pytest.raises(SpecintError, match="no regular file"):
        tree.read(SourceFile.at("acme/version.py"))


def test_a_giant_file_is_refused(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    with (tmp_path / "acme/version.py").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(SpecintError, match="larger than 4 MiB"):
        tree.read(SourceFile.at("acme/version.py"))


def hostile(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def test_names_in_an_archive_can_not_leave_it(tmp_path: Path) -> None:
    path = tmp_path / "evil.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (
            "/acme/absolute.py",
            "acme/../../outside.py",
            "../acme/up.py",
            "acme/./dot.py",
            "acme//double.py",
            "acme\\back.py",
            "c:/acme/drive.py",
            "acme/c:drive.py",
            "acme/folder.py/",
            "acme/good.py",
        ):
            archive.writestr(hostile(name), b"x = 1\n")
        archive.writestr(hostile("acme/link.py", stat.S_IFLNK | 0o777), b"/etc/passwd")
    assert modules(ArchiveTree(path, "acme", ORIGIN)) == ["acme.good"]


def test_a_bomb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("acme/a.py", "w") as member:
        for _ in range(5):
            member.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(SpecintError, match=r"acme/a\.py: can't be read: larger"):
        ArchiveTree(path, "acme", ORIGIN).read(SourceFile.at("acme/a.py"))


def test_a_member_that_unpacks_to_more_than_it_declares_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "liar.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("acme/a.py", bytes(1 << 28))
        archive.writestr("acme/b.py", b"x = 1\n")
        archive.getinfo("acme/a.py").file_size = 100  # what the list of contents says, which is all that is believed
    tree = ArchiveTree(path, "acme", ORIGIN)
    tracemalloc.start()
    try:
        with pytest.raises(SpecintError, match=r"acme/a\.py: can't be read from liar\.whl"):
            tree.read(SourceFile.at("acme/a.py"))
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
    assert tree.read(SourceFile.at("acme/b.py")) == b"x = 1\n"


def test_members_that_overlap_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "flat.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("acme/a.py", bytes(1 << 22))
        one = archive.getinfo("acme/a.py")
        for number in range(300):  # one run of bytes under many names
            again = copy.copy(one)
            again.filename = again.orig_filename = f"acme/m{number}.py"
            archive.filelist.append(again)
    assert path.stat().st_size < 1 << 16
    with pytest.raises(SpecintError, match=r"flat\.whl: unpacks to more than 1 GiB"):
        ArchiveTree(path, "acme", ORIGIN)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_a_compression_that_wheels_lack_is_refused(tmp_path: Path, method: int) -> None:
    path = tmp_path / "acme.whl"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("acme/a.py", b"x = 1\n")
    with pytest.raises(SpecintError, match=r"acme/a\.py: is compressed in a way"):
        ArchiveTree(path, "acme", ORIGIN).read(SourceFile.at("acme/a.py"))


def test_an_encrypted_member_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "acme.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("acme/a.py", b"x = 1\n")
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag, before the member and in the list of contents
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(SpecintError, match=r"acme/a\.py: can't be read from acme\.whl: .*encrypted"):
        ArchiveTree(path, "acme", ORIGIN).read(SourceFile.at("acme/a.py"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_members_of_one_name_the_last_counts_as_it_does_for_pip(tmp_path: Path) -> None:
    path = tmp_path / "acme.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("acme/a.py", b"first")
        archive.writestr("acme/a.py", b"second")
    tree = ArchiveTree(path, "acme", ORIGIN)
    assert (modules(tree), tree.read(SourceFile.at("acme/a.py"))) == (["acme.a"], b"second")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
@pytest.mark.parametrize("name", ["new\nline", "esc\x1b[2J", "right\u202eleft", "\x7f"])
def test_a_name_that_steers_a_terminal_is_not_read_and_is_said(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"acme/{name}.py": b"", f"acme/in {name}/x.py": b""})
    tree = FolderTree(tmp_path / "acme", "acme", ORIGIN)
    assert not [module for module in modules(tree) if not module.isprintable()]
    problem, beside = sorted(tree.problems, key=lambda one: "folder" in one.what)
    assert "a folder here has a name that can't be printed, and was not read" in beside.what
    assert str(problem).isprintable()
    assert "can't be printed" in problem.what


def test_a_damaged_member_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "acme.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("acme/a.py", b"some content")
        archive.writestr("acme/b.py", b"some other")
    path.write_bytes(path.read_bytes().replace(b"some content", b"same content"))
    tree = ArchiveTree(path, "acme", ORIGIN)
    with pytest.raises(SpecintError, match=r"acme/a\.py: can't be read from acme\.whl: Bad CRC"):
        tree.read(SourceFile.at("acme/a.py"))
    assert tree.read(SourceFile.at("acme/b.py")) == b"some other"


def test_an_archive_that_vanishes_is_one_clear_error(tmp_path: Path) -> None:
    tree = zipped(tmp_path)
    (tmp_path / "acme.whl").unlink()
    with pytest.raises(SpecintError, match=r"acme\.whl: can't be opened: No such file"):
        tree.read(SourceFile.at("acme/version.py"))


def test_overlay_replaces_and_adds(tree: Tree) -> None:
    over = tree.overlay(
        {
            "acme.version": "x = 2\n",
            "acme.srt.models.deep": b"y = 3\n",
            "acme.srt.models.new": "z = 4\n",
            "mine.models.__init__": "",
        }
    )
    assert over.origin == tree.origin
    assert over.package == "acme"
    assert set(modules(over)) - set(modules(tree)) == {"acme.srt.models.new", "mine.models"}
    read = {file.path: over.read(file) for file in over.files()}
    assert read["acme/version.py"] == b"x = 2\n"
    assert read["acme/srt/models/deep/__init__.py"] == b"y = 3\n"
    assert read["acme/srt/models/llama.py"] == FILES["acme/srt/models/llama.py"]
    assert over.packages == ("acme", "mine")
    assert tree.read(SourceFile.at("acme/version.py")) == FILES["acme/version.py"]


def test_overlay_changes_the_digest_by_its_text(tree: Tree) -> None:
    prefixes = ["acme.srt.models"]
    one, same, two = (tree.overlay({"mine.a": text}).digest_all(prefixes) for text in ("1", "1", "2"))
    assert one == same
    assert len({one, two, tree.digest_all(prefixes)}) == 3


def test_overlaid_text_keeps_the_place_of_the_file_below(tmp_path: Path) -> None:
    tree = on_disk(tmp_path)
    over = tree.overlay({"acme.version": "", "acme.new": ""})
    file = SourceFile.at("acme/version.py")
    assert over.location(file) == tmp_path / "acme/version.py"
    assert over.file_at(tmp_path / "acme/version.py") == file
    assert over.location(SourceFile.at("acme/new.py")) is None


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = '\xc3\xa9'\n", "x = 'é'\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", "# coding: latin-1\nx = 'é'\n"),
        (
            b"#!/usr/bin/env python\n# -*- coding: cp1251 -*-\nx = '\xe9'",
            "#!/usr/bin/env python\n# -*- coding: cp1251 -*-\nx = 'й'",
        ),
        (b"x = 1\n\n# coding: latin-1\n'\xc3\xa9'", "x = 1\n\n# coding: latin-1\n'é'"),
        (b"# coding: latin-1 \xa9\nx = 1\n", "# coding: latin-1 ©\nx = 1\n"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"", ""),
    ],
)
def test_decode_reads_as_python_does(data: bytes, text: str) -> None:
    assert decode(data, "a.py") == text
    if data.isascii() or b"x =" in data:
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(data))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"x = 1\ny = '\xe9'\n", r"^a\.py: line 2 is not utf-8: byte 0xe9 \("),
        (b"# coding: klingon\n", r"^a\.py: unknown encoding: klingon \("),
        (b"\xef\xbb\xbf# coding: latin-1\n", r"^a\.py: encoding problem"),
        (b"# coding: rot13\nx\n", r"^a\.py: can't be read as rot13"),
        (b"# coding: utf-16\nx\n", r"^a\.py: "),
        (b"# coding: undefined\nx\n", r"^a\.py: "),
    ],
)
def test_decode_says_what_is_wrong_in_one_line(data: bytes, says: str) -> None:
    with pytest.raises(SpecintError, match=says) as caught:
        decode(data, "a.py")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["x = 'é'\n", "# coding: latin-1\nx = 'é'\n", "# coding: klingon\n", ""])
def test_encode_is_the_way_back(text: str) -> None:
    data = encode(text)
    if "klingon" not in text:
        assert decode(data, "a.py") == text
    assert isinstance(data, bytes)


def test_a_text_with_a_lone_surrogate_is_still_bytes() -> None:
    assert TextTree({}, ORIGIN).overlay({"a": "x = '\ud800'"}).files() == [SourceFile.at("a.py")]


@pytest.mark.release
def test_wheel_and_folder_of_a_release_are_the_same_tree(
    release: Callable[[str], Path], release_wheel: Callable[[str], Path]
) -> None:
    folder = FolderTree(release("0.5.9"), "sglang", ORIGIN)
    wheel = ArchiveTree(release_wheel("0.5.9"), "sglang", ORIGIN)
    files = folder.files("sglang.srt.models")
    assert wheel.files("sglang.srt.models") == files
    assert len(files) > 150
    assert [wheel.digest(file) for file in files] == [folder.digest(file) for file in files]
    assert folder.find("sglang.srt.models") is None
    assert folder.is_package("sglang.srt.models")
    for file in files:
        ast.parse(decode(folder.read(file), file.path))
