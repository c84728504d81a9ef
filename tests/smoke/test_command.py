"""The command where there is no SGLang to run: what it refuses, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from specint.cli.smoke import command
from specint.smoke.model import Ready
from specint.smoke.place import mismatches
from specint.source.locate import open_tree


@pytest.fixture
def sglang(fixture_tree: Callable[[str], Path]) -> str:
    return str(fixture_tree("sglang_small") / "sglang")


def smoke(sglang: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    words = [
        sys.executable,
        "-m",
        "specint",
        "smoke",
        *arguments,
        "--sglang",
        sglang,
        "--python",
        str(folder / "python"),
    ]
    variables = {"SPECINT_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(folder)}
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **variables}
    )


def python(folder: Path, script: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["OakForCausalLM", "--draft", "Nope"], "no registered model class is called `Nope`"),
        (["OakForCausalLM", "--device", "tpu"], "'tpu' is none of auto, cpu, cuda, cuda:N and meta"),
        (["OakForCausalLM", "--algorithm", "NOPE"], "NOPE"),
        (["OakForCausalLM", "--set", "hidden_size"], "--set takes KEY=VALUE"),
    ],
)
def test_what_is_not_there_is_refused(sglang: str, tmp_path: Path, arguments: list[str], said: str) -> None:
    python(tmp_path, "exit 1")
    done = smoke(sglang, tmp_path, *arguments)
    assert said in done.communicate()[1]
    assert done.returncode == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_what_was_started_and_leaves_no_folder(
    sglang: str, tmp_path: Path, number: signal.Signals
) -> None:
    os.mkfifo(tmp_path / "pid")
    python(tmp_path, f"echo $$ > {tmp_path}/pid\nexec sleep 60")
    done = smoke(sglang, tmp_path, "OakForCausalLM", "--device", "cpu")
    pid = int((tmp_path / "pid").read_text())  # waits until it is written
    done.send_signal(number)
    done.communicate(timeout=30)
    assert done.returncode == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "pid", "python"]


def ready(transformers: str) -> Ready:
    return Ready(sglang="0.5.9", sglang_at="", torch="2.13", transformers=transformers, device="cpu", registered=1)


def test_another_transformers_than_the_tree_asks_for_is_named(tmp_path: Path) -> None:
    package = tmp_path / "python/sglang"
    (package / "srt/models").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "srt/server_args.py").touch()
    (tmp_path / "python/pyproject.toml").write_text('[project]\ndependencies = ["transformers==4.57.1", "torch"]\n')
    tree = open_tree(str(package))
    (note,) = mismatches(tree, ready("5.19.0"))
    assert "asks for transformers 4.57.1, the environment has 5.19.0" in note
    assert mismatches(tree, ready("4.57.1")) == ()
    (tmp_path / "python/pyproject.toml").write_text('[project]\ndependencies = ["transformers>=4"]\n')
    assert mismatches(tree, ready("5.19.0")) == ()


@pytest.mark.parametrize("option", [("--overlap",), ("--topk", "4"), ("--kernels", "none")])
def test_an_option_of_schedulers_is_refused_where_none_is_run(option):
    done = CliRunner().invoke(command, ["TextModel", "--python", sys.executable, *option])
    assert done.exit_code == 2
    assert "give --serve too" in done.output
