"""What is shipped: the package, its rules beside it, and nothing of what only a checkout needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = {"pylint", "astroid", "networkx", "libcst", "rich", "markdown_it", "asyncio", "multiprocessing", "subprocess"}


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
    assert {"pyproject.toml", "Makefile", "LICENSE", "README.md", "tests/conftest.py", "noxfile.py"} <= names
    assert {"action.yml", ".pre-commit-hooks.yaml"} <= names
    assert {f"rules/{name}" for name in files_below(ROOT / "rules")} <= names
    assert {f"fixtures/{name}" for name in files_below(ROOT / "fixtures")} <= names


def test_wheel_says_what_it_is(wheel: set[str]) -> None:
    (info,) = {name.split("/")[0] for name in wheel if ".dist-info/" in name}
    assert {f"{info}/licenses/LICENSE", f"{info}/entry_points.txt", f"{info}/METADATA"} <= wheel
    assert not [name for name in wheel if name.endswith((".pyc", ".so", ".orig")) or "/." in name]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["wheel", "sdist"])
def test_what_is_built_works_in_an_empty_environment(target: str, tmp_path: Path) -> None:
    """No other requirement than its own, and no checkout around it."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    (tmp_path / "built").mkdir()
    built_file = built(target, tmp_path / "built")
    work = tmp_path / "work"
    shutil.copytree(ROOT / "fixtures/sglang_small/sglang", work / "sglang")

    def run(*command: object) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        return subprocess.run(
            [str(word) for word in command],
            cwd=work,
            env={**environment, "SPECINT_CACHE_DIR": str(tmp_path / "cache"), "PYLINTHOME": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    installed = run(python, "-m", "pip", "install", "--quiet", built_file)
    assert installed.returncode == 0, installed.stderr
    specint = python.parent / "specint"
    assert run(specint, "--version").stdout == f"specint {PROJECT['version']}\n"
    for command in (
        ("report", "--sglang", "sglang"),
        ("report", "--sglang", "sglang", "--format", "html", "-o", "report.html"),
        ("check", "--sglang", "sglang", "--format", "sarif"),
        ("explain", "spec-missing-delegation"),
        ("explain", "KumoK2ForConditionalGeneration", "--sglang", "sglang"),
        ("contract", "--sglang", "sglang"),
        ("graph", "KumoK2ForConditionalGeneration", "--sglang", "sglang"),
        ("fix", "sglang", "--diff"),
    ):
        done = run(specint, *command)
        assert done.returncode in (0, 1), done.stderr
        assert done.stdout or "-o" in command
    linted = run(python.parent / "pylint", "--load-plugins", "specint", "sglang/srt/models/kumo_k2.py")
    assert "spec-missing-delegation" in linted.stdout
    assert run(python, "-c", "import specint; print(len(specint.analyze('sglang').models))").stdout == "13\n"


def loaded(code: str) -> set[str]:
    """What an interpreter has loaded after the code, beyond what it has without."""
    show = "; import sys; sys.stderr.write(chr(10).join(sys.modules))"
    both = [
        subprocess.run([sys.executable, "-c", text + show], capture_output=True, text=True, check=True).stderr
        for text in ("pass", code)
    ]
    return set(both[1].split()) - set(both[0].split())


def test_no_module_of_the_package_escapes_the_linter() -> None:
    """What is left out of ruff by its folder's name could be a folder of the package too."""
    command = [sys.executable, "-m", "ruff", "check", "--show-files", "specint"]
    looked_at = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert sorted(map(Path, looked_at)) == sorted((ROOT / "specint").rglob("*.py"))


def test_importing_the_package_loads_nothing_else() -> None:
    assert loaded("import specint") <= {"specint", "__future__"}


def test_version_loads_neither_rooms_nor_what_is_heavy() -> None:
    code = "from specint.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass\nimport sys"
    modules = loaded(f"exec({code!r})")
    assert "click" in modules
    assert modules & HEAVY == set()
    rooms = {name.split(".")[1] for name in modules if name.startswith("specint.")}
    assert rooms <= {"cli", "errors", "version"}


def test_dependencies_are_those_that_are_imported_and_each_has_its_reason() -> None:
    of_the_server = {*PROJECT["optional-dependencies"]["lsp"], "lsprotocol"}  # which pygls is made of
    declared = {re.split(r"[><=\[]", line)[0] for line in (*PROJECT["dependencies"], *of_the_server)}
    imported = {
        found
        for path in (ROOT / "specint").rglob("*.py")
        if "child" not in path.parts  # runs in the user's environment
        for found in re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    } - sys.stdlib_module_names
    names = packages_distributions()
    used = {name.lower() for module in imported for name in names.get(module, ())} - {"specint", "astroid"}
    assert declared == used, "astroid is pylint's own"
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = text.partition("dependencies = [")[2].partition("\n]")[0].strip().splitlines()
    assert all(line.strip().startswith("#") for line in block[::2]), "a line of reason above each"
