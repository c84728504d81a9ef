"""The README's commands, run as they stand there, in a folder that has what they name."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = [line.strip() for line in re.findall(r"^    (?:\$ )?((?:specint|pylint) .*)$", README, re.MULTILINE)]
TABLE = [
    command
    for row in re.findall(r"^\| .* \| (`.*) \|$", README, re.MULTILINE)
    for command in re.findall(r"`(specint [^`]+|--format html[^`]*)`", row)
]
COMMANDS = [
    command.partition("  #")[0].strip().replace("CLASS", "KimiK25ForConditionalGeneration")
    for command in dict.fromkeys([*BLOCKS, *TABLE])
    if not command.startswith(("--", "specint smoke"))  # a smoke load has an environment of its own (tests/smoke)
]
MODEL = """
from sglang.srt.models.llama import LlamaForCausalLM


class MyModelForCausalLM(LlamaForCausalLM):
    pass


EntryClass = MyModelForCausalLM
"""

LAUNCH = """#!/bin/sh
exec python -m sglang.launch_server --model-path ./target --speculative-algorithm EAGLE3 \\
    --speculative-draft-model-path ./draft --tp 8
"""
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "vocab_size": 128,
    "max_position_embeddings": 2048,
    "torch_dtype": "bfloat16",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, release_wheel: Callable[[str], Path]) -> Path:
    """A project with models and a worker of its own, a checkout and an installed SGLang, and releases in the cache."""
    top = tmp_path_factory.mktemp("project")
    (top / "my_models").mkdir()
    (top / "my_models/mine.py").write_text(MODEL)
    (top / "my_worker.py").write_text("class MyWorker:\n    pass\n")
    (top / "serve.sh").write_text(LAUNCH)
    for name, class_ in (("target", "LlamaForCausalLM"), ("draft", "LlamaForCausalLMEagle3")):
        (top / name).mkdir()
        (top / name / "config.json").write_text(json.dumps({**LLAMA, "architectures": [class_]}))
    (top / ".cache/releases").mkdir(parents=True)
    for version in ("0.5.9", "0.5.23"):
        shutil.copy(release_wheel(version), top / ".cache/releases")
    for folder in ("path/to", "python", "venv/lib/python3.12/site-packages"):
        (top / folder).mkdir(parents=True)
        (top / folder / "sglang").symlink_to(release_wheel("0.5.9").parent / "sglang")
    for words in (["init", "-q"], ["add", "my_models"], ["commit", "-qm", "all"], ["branch", "origin/main"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *words], cwd=top, check=True, capture_output=True)
    return top


@pytest.fixture
def run(project: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    def start(command: str) -> subprocess.CompletedProcess[str]:
        words = shlex.split(command)
        environment = {**os.environ, "SPECINT_CACHE_DIR": str(project / ".cache"), "COLUMNS": "120"}
        return subprocess.run(
            [sys.executable, "-P", "-m", *words],
            cwd=project,
            env={**environment, "VIRTUAL_ENV": str(project / "venv"), "PYLINTHOME": str(project / ".cache")},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
        )

    return start


def test_there_are_commands() -> None:
    assert len(COMMANDS) > 12
    assert any(command.startswith("pylint") for command in COMMANDS)


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("command", COMMANDS)
def test_command_does_what_it_says(command: str, run: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    if "--changed-since" in command:  # the command above it writes the baseline
        assert run(f"{command.partition(' --changed')[0]} --update-baseline").returncode == 0
    done = run(command)
    assert "Traceback" not in done.stderr, done.stderr
    assert "error: " not in done.stderr, done.stderr
    if not command.startswith("pylint"):
        assert done.returncode in (0, 1)
    assert done.stdout or "-o " in command


@pytest.mark.slow
@pytest.mark.release
def test_what_explain_says_is_what_is_shown(run: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    block = re.search(r"^    \$ (specint explain .*)\n((?:    .*\n|\n)+)", README, re.MULTILINE)
    assert block
    said = run(block[1]).stdout
    at = 0
    for part in re.sub(r"^    ", "", block[2], flags=re.MULTILINE).strip().split("...\n"):
        found = said.find(part.strip(), at)
        assert found >= 0, f"{part}\n--- is not in ---\n{said}"
        at = found
