"""action.yml: what GitHub would run, run here as scripts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.programs

ROOT = Path(__file__).parent.parent.parent
EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
Act = Callable[..., tuple[int, str]]


@pytest.fixture(scope="session")
def action() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


@pytest.fixture
def copied(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> Path:
    return Path(shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "work" / "python" / "sglang"))


@pytest.fixture
def act(action: dict[str, Any], tmp_path: Path, copied: Path) -> Act:
    """`act(**inputs)`: runs the scripts of the steps as a runner does; their exit code and output."""

    def run(python: Path = Path(sys.executable), install: bool = False, **given: str) -> tuple[int, str]:
        named = {key.replace("_", "-"): value for key, value in given.items()}
        assert named.keys() <= action["inputs"].keys()
        values = {f"inputs.{key}": named.get(key, spec["default"]) for key, spec in action["inputs"].items()}
        values["github.action_path"] = str(ROOT)
        log = ""
        for number, step in enumerate(action["runs"]["steps"]):
            if "run" not in step or ("pip install" in step["run"] and not install):
                continue
            output, summary = tmp_path / f"output{number}", tmp_path / "summary.md"
            output.touch()
            environment = {
                **os.environ,
                "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "SPECINT_CACHE_DIR": str(tmp_path / "cache"),
                **{name: replaced(text, values) for name, text in step.get("env", {}).items()},
            }
            assert "${{" not in step["run"], "an input inside a script could become a part of it"
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=tmp_path / "work" / replaced(step.get("working-directory", "."), values),
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            log += done.stdout
            for line in output.read_text().splitlines():
                key, value = line.split("=", 1)
                values[f"steps.{step['id']}.outputs.{key}"] = value
            if done.returncode:
                return done.returncode, log
        return 0, log

    return run


def replaced(text: str, values: dict[str, str]) -> str:
    return EXPRESSION.sub(lambda match: values.get(match[1], ""), text)


def test_findings_are_annotated_summed_up_and_fail_at_the_end(act: Act, tmp_path: Path) -> None:
    code, log = act(sglang="python/sglang")
    assert code == 1
    assert "::error file=python/sglang/srt/models/kumo_k2.py,line=16,col=1,title=E7701" in log
    results = json.loads((tmp_path / "work" / "specint.sarif").read_text())["runs"][0]["results"]
    assert len(results) == len(re.findall("^::(error|warning|notice) ", log, re.MULTILINE))
    assert (tmp_path / "summary.md").read_text().startswith(f"## specint: {len(results)} findings in ")


def test_clean_run_passes(act: Act, tmp_path: Path) -> None:
    code, log = act(paths="python/sglang/srt/models/oak.py\n", summary="false")
    assert code == 0, log
    assert "no findings" in log
    assert not (tmp_path / "summary.md").exists()


def test_inputs_become_options(act: Act, tmp_path: Path, copied: Path) -> None:
    assert act(sglang="sglang", working_directory="python", fail_on="never")[0] == 0
    assert (tmp_path / "work/python/specint.sarif").exists()
    code, log = act(sglang="python/sglang", args="--baseline\nknown file\n--update-baseline\n")
    assert code == 0, log
    assert (tmp_path / "work" / "known file").exists()
    assert act(sglang="python/sglang", baseline="known file")[0] == 0
    code, log = act(sglang="python/sglang", changed_since="HEAD")
    assert code == 2
    assert "outside a git repository" in log


LAUNCH = """
[[tool.specint.launch]]
id = "chat"
gpu = "h200"
command = "python -m sglang.launch_server --model-path ./chat"
"""


def test_launches_are_asked_where_that_is_wanted(act: Act, tmp_path: Path) -> None:
    clean = {"paths": "python/sglang/srt/models/oak.py\n", "sglang": "python/sglang", "summary": "false"}
    code, log = act(**clean, preflight="true")
    assert code == 2
    assert "no launch to look at" in log
    (tmp_path / "work" / "pyproject.toml").write_text(LAUNCH)
    code, log = act(**clean, preflight="true")
    assert code == 2, log
    assert "prepare_server_args" in log


def test_launches_are_left_alone_where_nobody_asks(act: Act, tmp_path: Path) -> None:
    (tmp_path / "work" / "pyproject.toml").write_text(LAUNCH)
    code, log = act(paths="python/sglang/srt/models/oak.py\n", sglang="python/sglang", summary="false")
    assert code == 0, log


def test_what_could_not_be_checked_leaves_no_file_to_upload(act: Act, action: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "work" / "specint.sarif").write_text("of an earlier run")
    code, log = act(sglang="nowhere/at/all")
    assert code == 2
    assert "specint: error: " in log
    assert not (tmp_path / "work" / "specint.sarif").exists()
    (upload,) = [step for step in action["runs"]["steps"] if "upload-sarif" in step.get("uses", "")]
    assert "steps.check.outputs.sarif != ''" in upload["if"]


def test_text_of_an_input_is_never_run(act: Act, tmp_path: Path) -> None:
    hostile = '$(touch hit) `touch hit`; touch hit "'
    code, _ = act(sglang=hostile, paths=hostile, baseline=hostile, args=hostile)
    assert code == 2
    assert not list(tmp_path.rglob("hit"))


def test_inputs_are_all_used_and_all_documented(action: dict[str, Any]) -> None:
    steps = json.dumps(action["runs"]["steps"])
    page = (ROOT / "docs/ci/github.md").read_text(encoding="utf-8")
    for name in action["inputs"]:
        assert f"inputs.{name} " in steps
        assert f"`{name}`" in page


@pytest.mark.slow
def test_installs_itself_into_the_python_of_the_job(act: Act, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    code, log = act(python=tmp_path / "venv" / "bin" / "python", install=True, sglang="python/sglang")
    assert code == 1, log
    assert "::error file=python/sglang/srt/models/kumo_k2.py" in log
    assert (tmp_path / "venv/bin/specint").exists()
