"""What the pages in docs/ci tell people to paste fits the schemas of those who read it, and names what exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from specint.cli.commands import group

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCHEMAS = {
    "github": "vendor.github-workflows",
    "releasing": "vendor.github-workflows",
    "gitlab": "vendor.gitlab-ci",
}
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def snippets(page: str) -> list[str]:
    found = BLOCK.findall((ROOT / "docs" / "ci" / f"{page}.md").read_text(encoding="utf-8"))
    assert found
    return found


def accepted(*command: object) -> None:
    done = subprocess.run([sys.executable, "-m", *map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", SCHEMAS)
def test_snippet_fits_the_schema(page: str, tmp_path: Path) -> None:
    for number, text in enumerate(snippets(page)):
        # YAML 1.1 reads `on` as true. Only the first workflow on the page says when it runs.
        only_jobs = page == "github" and True not in yaml.safe_load(text)
        file = tmp_path / f"{number}.yml"
        file.write_text(f"on: push\n{text}" if only_jobs else text)
        accepted("check_jsonschema", "--builtin-schema", SCHEMAS[page], file)


def test_pre_commit_accepts_its_snippets_and_our_hooks(tmp_path: Path) -> None:
    for number, text in enumerate(snippets("pre-commit")):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text)
        accepted("pre_commit", "validate-config", file)
    accepted("pre_commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml")


def test_action_fits_its_schema() -> None:
    accepted("check_jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml")


@pytest.mark.parametrize("file", ["action.yml", "docs/ci/github.md", "docs/ci/releasing.md"])
def test_what_others_wrote_is_named_by_a_commit(file: str) -> None:
    used = re.findall(r"uses: (.+)", (ROOT / file).read_text(encoding="utf-8"))
    assert used
    assert [one for one in used if not one.startswith("OWNER/specint@") and not PINNED.fullmatch(one)] == []


@pytest.mark.parametrize("page", ["github", "releasing"])
def test_workflows_have_no_rights_but_those_that_they_name(page: str) -> None:
    for text in snippets(page):
        workflow = yaml.safe_load(text)
        assert "write" not in str(workflow.get("permissions", {}))
        assert "pull_request_target" not in text
        for job in workflow["jobs"].values():
            assert "permissions" in job
            assert all(step["with"]["persist-credentials"] is False for step in job["steps"] if "checkout" in str(step))


def test_what_ci_installs_is_named_to_the_version() -> None:
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    locked = {re.split("[= ;]", line)[0] for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = {re.split(r"[<>=~;\[ ]", one)[0].lower().replace("_", "-") for one in wanted}
    assert names - {project["name"]} <= locked
    assert all(re.fullmatch(r"[a-z0-9._-]+==[\w.+!]+( ;.*)?", line) for line in lines)


def test_workflows_hand_the_action_inputs_that_it_has() -> None:
    known = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"].keys()
    used: list[dict[str, Any]] = [
        step["with"]
        for text in snippets("github")
        for job in yaml.safe_load(text)["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "").startswith("OWNER/specint@")
    ]
    assert used
    assert all(inputs.keys() <= known for inputs in used)


def test_hooks_are_those_that_exist() -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    for text in snippets("pre-commit"):
        for repository in yaml.safe_load(text)["repos"]:
            for hook in repository["hooks"]:
                assert hook["id"] in hooks
                assert_options_exist([*shlex.split(hooks[hook["id"]]["entry"]), *hook["args"]])


def test_commands_have_the_options_that_the_pages_use() -> None:
    commands = [
        step["run"]
        for text in snippets("github")
        for job in yaml.safe_load(text)["jobs"].values()
        for step in job["steps"]
        if step.get("run", "").startswith("specint ")
    ]
    commands += [line for text in snippets("gitlab") for line in yaml.safe_load(text)["specint"]["script"]]
    used = [shlex.split(command) for command in commands if command.startswith("specint ")]
    assert len(used) >= 2
    for words in used:
        assert_options_exist(words)


def assert_options_exist(words: list[str]) -> None:
    shown = CliRunner().invoke(group, [words[1], "--help"]).output
    for word in words[2:]:
        if word.startswith("--"):
            assert re.search(rf"{re.escape(word.partition('=')[0])}\b", shown), word
