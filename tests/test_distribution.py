"""What is shipped: the package, its rules beside it, and nothing of what only a checkout needs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def built(target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = (path for path in folder.iterdir() if path.suffix in {".whl", ".gz"})
    return path


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    with zipfile.ZipFile(built("wheel", tmp_path_factory.mktemp("wheel"))) as archive:
        return set(archive.namelist())


def test_wheel_has_every_rule_inside_the_package(wheel: set[str]) -> None:
    rules = files_below(ROOT / "rules")
    assert any(name.endswith("/rule.toml") for name in rules)
    assert rules == {name.removeprefix("specint/_rules/") for name in wheel if name.startswith("specint/_rules/")}


def test_wheel_has_the_package_and_no_tests_fixtures_or_benchmarks(wheel: set[str]) -> None:
    assert {"specint/__init__.py", "specint/py.typed", "specint/pipeline.py"} <= wheel
    assert {name.split("/")[0] for name in wheel if ".dist-info/" not in name} == {"specint"}


def test_source_distribution_has_what_its_tests_need(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "Makefile", "LICENSE", "README.md", "tests/conftest.py"} <= names
    assert {f"rules/{name}" for name in files_below(ROOT / "rules")} <= names
    assert {f"fixtures/{name}" for name in files_below(ROOT / "fixtures")} <= names
