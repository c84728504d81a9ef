"""specint's formats under the real pylint, for all that pylint says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

pytestmark = pytest.mark.programs

Lint = Callable[..., subprocess.CompletedProcess[str]]
BOTH = "--enable=spec-missing-delegation,missing-module-docstring,missing-class-docstring"
MODELS = (
    "--recursive=y",
    "sglang/srt/models",
)  # older versions of pylint see no package in a folder without `__init__.py`


@pytest.fixture
def copied(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    return Path(shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "sglang"))


@pytest.fixture
def pylint(tmp_path: Path, copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Lint:
    """`pylint(format, *arguments)` on the small SGLang's models, in the folder that holds it."""
    cache = tmp_path_factory.mktemp("cache")

    def run(output_format: str, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pylint", "--load-plugins=specint", "--disable=all", BOTH]
        done = subprocess.run(
            [*command, f"--output-format={output_format}", *(arguments or MODELS)],
            cwd=tmp_path,
            env={**os.environ, "SPECINT_CACHE_DIR": str(cache), "PYLINTHOME": str(cache)},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def results(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return json.loads(done.stdout)["runs"][0]["results"]


def test_sarif_has_every_message_and_the_evidence_behind_ours(pylint: Lint) -> None:
    text = pylint("text", "--score=n", *MODELS).stdout.splitlines()
    done = pylint("specint-sarif")
    run = json.loads(done.stdout)["runs"][0]
    assert run["tool"]["driver"]["name"] == "pylint"
    assert len(run["results"]) == sum(line.startswith("sglang/") for line in text)
    ours = [one for one in run["results"] if one["ruleId"] == "E7701"]
    other = [one for one in run["results"] if one["ruleId"] == "C0114"]
    assert ours
    assert other
    assert all(len(one["relatedLocations"]) > 1 for one in ours)
    assert any("called here" in seen["message"]["text"] for one in ours for seen in one["relatedLocations"])
    rules = {one["id"]: one for one in run["tool"]["driver"]["rules"]}
    assert "## What it does" in rules["E7701"]["help"]["markdown"]
    assert rules["C0114"]["helpUri"].endswith("/convention/missing-module-docstring.html")
    assert rules["C0114"]["defaultConfiguration"]["level"] == "note"


def test_messages_of_ours_have_the_fingerprints_that_check_gives_them(pylint: Lint, tmp_path: Path) -> None:
    check = subprocess.run(
        [sys.executable, "-m", "specint", "check", "sglang", "--format", "sarif", "--select", "E7701"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    def prints(found: list[dict]) -> list[str]:
        return sorted(one["partialFingerprints"]["specintFinding/v1"] for one in found if one["ruleId"] == "E7701")

    assert prints(results(pylint("specint-sarif"))) == prints(results(check))


def test_two_processes_write_what_one_writes(pylint: Lint) -> None:
    one, two = pylint("specint-sarif"), pylint("specint-sarif", "-j2", *MODELS)
    key = lambda found: json.dumps(found, sort_keys=True)  # noqa: E731
    assert sorted(map(key, results(two))) == sorted(map(key, results(one)))


def test_text_from_stdin_keeps_its_evidence(pylint: Lint, copied: Path) -> None:
    file = copied / "srt/models/kumo_k2.py"
    moved = "# moved\n# moved\n" + file.read_text()
    found = [
        one
        for one in results(pylint("specint-sarif", "--from-stdin", str(file), stdin=moved))
        if one["ruleId"] == "E7701"
    ]
    assert found
    assert found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 18
    assert "called here" in found[0]["relatedLocations"][0]["message"]["text"]


def test_the_other_formats_and_several_at_once(pylint: Lint, tmp_path: Path) -> None:
    (tmp_path / "sglang/srt/models/clean.py").write_text('"""Nothing to say about it."""\n')
    done = pylint("specint-github,specint-gitlab:a.json,specint-junit:b.xml,text:c.txt")
    issues = json.loads((tmp_path / "a.json").read_text())
    suite = xml.parse(tmp_path / "b.xml").getroot()
    commands = [line for line in done.stdout.splitlines() if line.startswith(("::error ", "::notice "))]
    assert len(issues) == int(suite.get("failures")) == len(commands) > 10
    assert int(suite.get("tests")) == len(issues) + 1, "the file without a message passed"
    assert any(
        line.startswith("::error file=sglang/srt/models/kumo_k2.py,line=16,col=1,title=E7701") for line in commands
    )
    assert {one["check_name"] for one in issues} >= {"spec-missing-delegation", "missing-module-docstring"}
    assert "E7701" in (tmp_path / "c.txt").read_text()


def test_files_that_have_nothing_to_do_with_sglang_are_reported_too(pylint: Lint, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("class A:\n    é = 1\n", encoding="utf-8")
    found = results(pylint("specint-sarif", "plain.py"))
    assert [one["ruleId"] for one in found] == ["C0114", "C0115"]
    assert found[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "plain.A"
    (tmp_path / "plain.py").write_text('"""Nothing to say about it."""\n')
    done = pylint("specint-sarif", "plain.py")
    assert results(done) == []
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no bash, or no device that is always full")
@pytest.mark.parametrize(("streams", "said"), [(">/dev/full", "No space left"), (">&-", "Bad file descriptor")])
def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path, streams: str, said: str) -> None:
    (tmp_path / "mine.py").write_text("x = 1\n")
    command = (
        f"{sys.executable} -P -m pylint --load-plugins specint --output-format=specint-sarif --disable=all"
        f" --enable=invalid-name mine.py {streams}"
    )
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"the report can't be written: {said}" in done.stderr
