"""A release is fetched once, by the user's own pip, and what stops that is said in one line.

pip is the real one; its index is a folder of wheels that the tests write.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from specint.errors import SpecintError
from specint.source.locate import open_tree
from specint.source.release import Release, cached, fetch, nearest, release_named, releases_named

pytestmark = pytest.mark.programs


def publish(index: Path, version: str, tag: str = "py3-none-any") -> Path:
    index.mkdir(exist_ok=True)
    path = index / f"sglang-{version}-{tag}.whl"
    info = f"sglang-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("sglang/__init__.py", "")
        archive.writestr("sglang/srt/models/llama.py", "class Llama: pass\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: sglang\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for the only index there is."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "index").mkdir()
    return tmp_path / "index"


def said(release: Release, cache: Path | None, **options: float) -> str:
    with pytest.raises(SpecintError) as caught:
        fetch(release, cache, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("spec", "release"),
    [
        ("0.5.9", ("sglang", "0.5.9")),
        (" v0.5.5.post3 ", ("sglang", "0.5.5.post3")),
        ("sglang==0.5.2rc0", ("sglang", "0.5.2rc0")),
        ("Acme_SGLang == 1.0", ("acme-sglang", "1.0")),
        ("5", None),
        ("./0.5.9", None),
        ("0.5.9/sglang", None),
        ("sglang", None),
        ("sglang>=0.5", None),
        ("sglang==new", None),
        ("0.5.9 --index-url x", None),
        ("-r==1.0", None),
        ("", None),
    ],
)
def test_what_names_a_release(spec: str, release: tuple[str, str] | None) -> None:
    assert release_named(spec) == release


@pytest.mark.parametrize(
    ("spec", "releases"),
    [
        ("latest", ("sglang", "")),
        ("0.5", ("sglang", "==0.5.*")),
        ("v0.5", ("sglang", "==0.5.*")),
        (">=0.5.9", ("sglang", ">=0.5.9")),
        ("~=0.5.3", ("sglang", "~=0.5.3")),
        ("Acme_SGLang >= 1.0, < 2", ("acme-sglang", "<2,>=1.0")),
        ("0.5.9", None),
        ("sglang==0.5.9", ("sglang", "==0.5.9")),
        (">=new", None),
        (">=1 --index-url x", None),
        ("newest", None),
        ("", None),
    ],
)
def test_what_names_several_releases(spec: str, releases: tuple[str, str] | None) -> None:
    assert releases_named(spec) == releases


@pytest.mark.parametrize(
    ("spec", "version"), [("latest", "0.6.0"), ("0.5", "0.5.10"), (">=0.5.9,<0.5.10", "0.5.9.post1"), ("<0.5", "0.4.1")]
)
def test_the_newest_of_several_is_read(index: Path, tmp_path: Path, spec: str, version: str) -> None:
    for one in ("0.5.9", "0.5.9.post1", "0.5.10", "0.4.1", "0.6.0", "0.7.0rc1"):
        publish(index, one)
    words: list[str] = []
    assert open_tree(spec, cache_dir=tmp_path, progress=words.append).origin.source == f"sglang {version}"
    assert words[-1] == f"fetching sglang {version}"


def test_a_range_without_a_release_names_the_newest(index: Path, tmp_path: Path) -> None:
    publish(index, "0.5.9")
    publish(index, "0.5.10")
    with pytest.raises(
        SpecintError, match=r"sglang >=0.6: no such release on the package index \(the newest is 0.5.10\)"
    ):
        open_tree(">=0.6", cache_dir=tmp_path)


def test_a_folder_that_is_called_latest_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latest" / "sglang" / "srt" / "models").mkdir(parents=True)
    (tmp_path / "latest" / "sglang" / "srt" / "models" / "llama.py").write_text("")
    assert open_tree("latest").origin.source == "latest"


def test_a_release_is_fetched_once(index: Path, tmp_path: Path) -> None:
    published = publish(index, "1.0.1")
    words: list[str] = []
    cache = tmp_path / "cache"
    first = open_tree("1.0.1", cache_dir=cache, progress=words.append)
    published.unlink()
    second = open_tree("sglang==1.0.1", cache_dir=cache, progress=words.append)
    for tree in (first, second):
        assert (tree.origin.version, tree.origin.source) == ("1.0.1", "sglang 1.0.1")
        assert tree.find("sglang.srt.models.llama") is not None
    assert words == ["fetching sglang 1.0.1"]
    assert [path.name for path in (cache / "releases").iterdir()] == ["sglang-1.0.1-py3-none-any.whl"]


def test_a_cache_folder_may_be_relative(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(index, "0.5.9")
    monkeypatch.chdir(tmp_path)
    wheel = fetch(Release("sglang", "0.5.9"), Path("kept"))
    assert wheel == tmp_path / "kept/releases" / wheel.name
    assert [path.name for path in wheel.parent.iterdir()] == [wheel.name]


def test_a_neighbour_in_the_cache_is_not_taken_for_it(index: Path, tmp_path: Path) -> None:
    publish(index, "1.0.post1")
    fetch(Release("sglang", "1.0.post1"), tmp_path)
    assert cached(Release("sglang", "1.0"), tmp_path) is None


def test_a_damaged_wheel_in_the_cache_is_fetched_again(index: Path, tmp_path: Path) -> None:
    publish(index, "1.0")
    wheel = fetch(Release("sglang", "1.0"), tmp_path)
    wheel.write_bytes(wheel.read_bytes()[:-40])
    assert zipfile.is_zipfile(fetch(Release("sglang", "1.0"), tmp_path))


@pytest.mark.parametrize(
    "tag", ["cp312-cp312-manylinux_2_34_aarch64", "cp310-abi3-macosx_11_0_arm64", "cp313-none-win_amd64"]
)
def test_a_wheel_of_another_platform_is_readable(tag: str, index: Path, tmp_path: Path) -> None:
    publish(index, "1.0", tag)
    publish(index, "0.9")
    assert open_tree("1.0", cache_dir=tmp_path).origin.version == "1.0"


def test_an_unknown_release_names_its_neighbours(index: Path, tmp_path: Path) -> None:
    for version in ("0.5.8", "0.5.9", "0.5.9.post1", "0.5.10", "0.4.1", "0.6.0"):
        publish(index, version)
    text = said(Release("sglang", "0.5.9.post7"), tmp_path)
    assert text == (
        "sglang 0.5.9.post7: no such release on the package index (the nearest are 0.5.9, 0.5.9.post1, 0.5.10, 0.6.0)"
    )
    assert list((tmp_path / "releases").iterdir()) == []


def test_a_source_distribution_is_never_built(index: Path, tmp_path: Path) -> None:
    project = tmp_path / "sglang-1.0"
    project.mkdir()
    (project / "setup.py").write_text(f"open({str(tmp_path / 'built')!r}, 'w')\n")
    import tarfile

    with tarfile.open(index / "sglang-1.0.tar.gz", "w:gz") as archive:
        archive.add(project, "sglang-1.0")
    publish(index, "0.9")
    assert "no such release" in said(Release("sglang", "1.0"), tmp_path)
    assert not (tmp_path / "built").exists()


def test_an_index_without_sglang(index: Path, tmp_path: Path) -> None:
    assert "the package index has no sglang" in said(Release("sglang", "1.0"), tmp_path)


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    for variable in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(variable, raising=False)
    text = said(Release("sglang", "1.0"), tmp_path)
    assert text.startswith("sglang 1.0: can't be fetched: the package index can't be reached (check the network")


def test_no_pip(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no pip to fetch a release with (install pip" in said(Release("sglang", "1.0"), tmp_path)


def test_pip_on_the_path_will_do(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(index, "1.0")
    pip = tmp_path / "bin/pip"
    pip.parent.mkdir()
    pip.write_text(f'#!/bin/sh\nexec {sys.executable} -m pip "$@"\n')
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", str(pip.parent))
    assert fetch(Release("sglang", "1.0"), tmp_path).exists()


def test_a_pip_in_the_working_directory_is_not_run(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(index, "1.0")
    (tmp_path / "pip.py").write_text("open('was_run', 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert fetch(Release("sglang", "1.0"), tmp_path / "cache").exists()
    assert not (tmp_path / "was_run").exists()


def test_a_fetch_that_hangs_ends(index: Path, tmp_path: Path) -> None:
    assert "pip did not finish within 0.01 s" in said(Release("sglang", "1.0"), tmp_path, timeout=0.01)
    assert list((tmp_path / "releases").iterdir()) == []


def test_pips_own_trouble_is_passed_on(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "gone.txt"))
    complaint = said(Release("sglang", "1.0"), tmp_path)
    assert "pip failed: Could not open" in complaint
    assert "gone.txt" in complaint


@pytest.mark.parametrize("blocked", [True, False])
def test_without_a_cache_folder_it_works_and_leaves_nothing(blocked: bool, index: Path, tmp_path: Path) -> None:
    publish(index, "1.0")
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    cache = f"Path({str(tmp_path / 'file')!r})" if blocked else "None"
    code = f"""
from pathlib import Path
from specint.source.locate import open_tree
tree = open_tree("1.0", cache_dir={cache})
print(len(tree.files()), tree.path.exists())
"""
    root = Path(__file__).parent.parent.parent
    import os

    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("2 True\n", "")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_two_at_once_end_with_one_whole_wheel(index: Path, tmp_path: Path) -> None:
    publish(index, "1.0")
    wheels: list[Path] = []
    threads = [
        threading.Thread(target=lambda: wheels.append(fetch(Release("sglang", "1.0"), tmp_path))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wheels) == 3
    assert [path.name for path in (tmp_path / "releases").iterdir()] == ["sglang-1.0-py3-none-any.whl"]
    assert zipfile.is_zipfile(wheels[0])


def test_neighbours_at_either_end() -> None:
    offered = ["0.1", "0.2rc1", "0.2", "0.2.post1", "0.10", "0.9"]
    assert nearest("0.0.1", offered, 2) == ["0.1", "0.2rc1"]
    assert nearest("9", offered, 2) == ["0.9", "0.10"]
    assert nearest("0.2.1", offered) == ["0.2", "0.2.post1", "0.9", "0.10"]
    assert nearest("1", []) == []


@pytest.mark.release
def test_the_real_index_delivers_a_release(tmp_path: Path) -> None:
    try:
        tree = open_tree("0.5.9", cache_dir=tmp_path)
    except SpecintError as error:
        if "can't be reached" in error.what:
            pytest.skip(str(error))
        raise
    assert (tree.origin.version, tree.package) == ("0.5.9", "sglang")
    assert tree.find("sglang.srt.models.llama") is not None
    assert len(tree.files("sglang.srt.models")) > 150
