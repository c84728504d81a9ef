"""The same input gives the same bytes: in every format, whatever the machine, the order or the number of processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

SCRIPT = Path(__file__).with_name("documents.py")
CLASSES = ["KumoK2ForConditionalGeneration", "OakV2ForCausalLM"]
Made = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """`made(folder)`: every document about the `sglang` there; with other settings, and other environment variables."""

    def run(folder: Path, *, sglang: str = "sglang", cache: Path | None = None, **more: object) -> dict[str, str]:
        variables = {name: more.pop(name) for name in list(more) if name.isupper()}
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        place = {"SPECINT_CACHE_DIR": str(cache or tmp_path_factory.mktemp("cache"))}
        done = subprocess.run(
            [sys.executable, "-P", str(SCRIPT)],
            input=json.dumps({"sglang": sglang, "classes": CLASSES, **more}),
            cwd=folder,
            env={**kept, **place, "PYTHONHASHSEED": "0", **variables},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, fixture_tree: Callable[[str], Path]) -> Path:
    """A folder with the small SGLang, and a configuration that has something to say."""
    return laid_out(tmp_path_factory.mktemp("one"), fixture_tree("sglang_small") / "sglang")


@pytest.fixture(scope="module")
def expected(made: Made, folder: Path) -> dict[str, str]:
    return made(folder, arguments=["--no-cache", "--jobs", "1"])


def laid_out(top: Path, sglang: Path, *, backwards: bool = False) -> Path:
    files = sorted((path for path in sglang.rglob("*.py")), reverse=backwards)
    for file in files:
        target = top / "sglang" / file.relative_to(sglang)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    (top / ".git").mkdir()
    (top / "pyproject.toml").write_text('[tool.specint]\nrequire = ["OakForCausalLM:DFLASH"]\n')
    return top


def assert_equal(found: dict[str, str], expected: dict[str, str]) -> None:
    different = [name for name in expected if found[name] != expected[name]]
    for name in different[:1]:  # pytest shows where
        assert found[name].splitlines() == expected[name].splitlines(), name
    assert different == []


VARIATIONS = {
    "another order of hashes": {"PYTHONHASHSEED": "1"},
    "an order of hashes at random": {"PYTHONHASHSEED": "random"},
    "other processes": {"parallel": True, "arguments": ["--no-cache", "--jobs", "2"]},
    "another order of files": {"order": "reversed"},
    "another order of files and hashes, in other processes": {
        "order": "reversed",
        "parallel": True,
        "PYTHONHASHSEED": "2",
    },
    "another place on the map": {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR", "LANGUAGE": "tr"},
    "another terminal": {"TERM": "dumb", "LINES": "7", "SHELL": "/bin/false"},
}


@pytest.mark.parametrize("name", VARIATIONS)
def test_documents_are_the_same_with(name: str, made: Made, folder: Path, expected: dict[str, str]) -> None:
    assert_equal(made(folder, **VARIATIONS[name]), expected)


def test_documents_are_the_same_from_a_warm_cache(
    made: Made, folder: Path, expected: dict[str, str], tmp_path: Path
) -> None:
    cold = made(folder, cache=tmp_path, PYTHONHASHSEED="3")
    warm = made(folder, cache=tmp_path, PYTHONHASHSEED="4", parallel=True)
    assert_equal(cold, expected)
    assert_equal(warm, expected)


def test_documents_are_the_same_in_another_folder_filled_in_another_order(
    made: Made, expected: dict[str, str], tmp_path: Path, folder: Path
) -> None:
    other = laid_out(tmp_path / "quite another/place", folder / "sglang", backwards=True)
    found = made(other)
    assert_equal(found, expected)
    for name, text in found.items():
        assert str(tmp_path) not in text, name
        assert not re.search(r"20\d\d-\d\d-\d\d[T ]\d\d:", text), "a document has no time"


def test_where_the_command_runs_changes_only_how_the_tree_is_called(
    made: Made, folder: Path, expected: dict[str, str]
) -> None:
    """Paths in reports for machines are relative to the repository."""
    (folder / "below").mkdir(exist_ok=True)
    found = made(folder / "below", sglang="../sglang")
    for name, text in expected.items():
        if name not in ("check text", "fix --diff") and not name.startswith("explain text"):  # paths to click on
            assert found[name].replace("../sglang", "sglang") == text, name


def test_a_wheel_says_what_its_folder_says(made: Made, folder: Path, expected: dict[str, str], tmp_path: Path) -> None:
    wheel = tmp_path / "sglang-1.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in sorted((folder / "sglang").rglob("*.py"), reverse=True):
            archive.write(file, file.relative_to(folder))
    shutil.copy(folder / "pyproject.toml", tmp_path)
    (tmp_path / ".git").mkdir()
    found = made(tmp_path, sglang="sglang-1.whl")
    for name, text in expected.items():
        if name in ("check sarif", "check gitlab", "check of a file", "check of a folder"):
            continue  # what lies in the repository has another place than what lies in a wheel
        assert found[name].replace("sglang-1.whl", "sglang") == text, name


def test_other_pythons_make_the_same_documents(expected: dict[str, str]) -> None:
    """SPECINT_DOCUMENTS is a folder that runs of several interpreters share; `nox` sets it."""
    shared = os.environ.get("SPECINT_DOCUMENTS")
    if not shared:
        pytest.skip("one interpreter alone: `nox` compares several")
    own = Path(shared) / "{}.{}.json".format(*sys.version_info)
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(json.dumps(expected))
    for other in sorted(own.parent.glob("*.json")):
        assert_equal(json.loads(other.read_text()), expected)


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("version", ["0.5.9", "0.5.23"])
def test_documents_of_a_release_are_the_same(
    version: str, made: Made, release_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    names = ["report json", "report html", "check json", "contract json", "fix --diff", "check sarif"]
    chosen = {"classes": ["KimiK25ForConditionalGeneration"], "documents": names}
    home = release_folder(version)
    cold = made(home, cache=tmp_path, arguments=["--jobs", "1"], **chosen)
    assert_equal(made(home, PYTHONHASHSEED="1", order="reversed", arguments=["--jobs", "2"], **chosen), cold)
    assert_equal(made(home, cache=tmp_path, PYTHONHASHSEED="2", **chosen), cold)
