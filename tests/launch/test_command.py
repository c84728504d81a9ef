"""Launch commands as people have them."""

import pytest

from specint.errors import SpecintError
from specint.launch.command import command_of

FLAGS = ("--model-path", "org/model", "--tp", "8")


@pytest.mark.parametrize(
    "words",
    [
        ["python", "-m", "sglang.launch_server", *FLAGS],
        ["python3", "-u", "-m", "sglang.launch_server", *FLAGS],
        ["sglang", "serve", *FLAGS],
        ["nohup", "/usr/bin/python3", "-m", "sglang.launch_server", *FLAGS],
        [*FLAGS],
        ["python -m sglang.launch_server --model-path org/model --tp 8  # a comment"],
    ],
)
def test_words(words):
    assert command_of(words).argv == FLAGS


def test_variables_before_it():
    found = command_of(["env", "A=1", "B=x y", "python", "-m", "sglang.launch_server", *FLAGS])
    assert (found.argv, dict(found.environment)) == (FLAGS, {"A": "1", "B": "x y"})


SCRIPT = """#!/bin/bash
set -e
export SGLANG_X=1
MODEL=org/model  # which
python -m sglang.launch_server \\
    --model-path "$MODEL" \\
    --tp ${TP:-8} > log 2>&1 &
"""
COMPOSE = """
services:
  sglang:
    image: lmsysorg/sglang
    entrypoint: python3 -m sglang.launch_server
    command: --model-path org/model --tp 8
    environment: {SGLANG_X: "1"}
"""
KUBERNETES = """
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: sglang
          command: [python3, -m, sglang.launch_server]
          args: ["--model-path", "org/model", "--tp", "8"]
          env: [{name: SGLANG_X, value: "1"}]
"""


@pytest.mark.parametrize(("name", "text"), [("s.sh", SCRIPT), ("c.yaml", COMPOSE), ("k.yml", KUBERNETES)])
def test_a_file_that_holds_it(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    found = command_of([name], relative_to=tmp_path)
    assert (found.argv, dict(found.environment)) == (FLAGS, {"SGLANG_X": "1"})


def test_local_folders_become_absolute(tmp_path):
    (tmp_path / "m").mkdir()
    found = command_of(["--model-path", "./m", "--draft=./m", "--other", "./none"], relative_to=tmp_path)
    assert found.argv == ("--model-path", str(tmp_path / "m"), f"--draft={tmp_path / 'm'}", "--other", "./none")
    assert set(found.folders) == {str(tmp_path / "m")}


@pytest.mark.parametrize("words", [["echo", "hello"], ["'unclosed quote"]])
def test_what_is_no_launch_is_one_clear_error(words):
    with pytest.raises(SpecintError):
        command_of(words)
