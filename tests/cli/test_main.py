from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specint.checks.catalog import all_rules


def test_version_loads_nothing_heavy(specint) -> None:
    done = specint("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("specint ")
    heavy = ("rich", "networkx", "pylint", "libcst", "specint.facts", "specint.pipeline")
    code = f"import specint.cli.commands, sys; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["report", "check", "explain", "rules"])
def test_help_of_each_command(specint, command: str) -> None:
    done = specint(command, "--help")
    assert done.returncode == 0
    assert f"Usage: specint {command}" in done.stdout


def test_rules_are_listed_one_a_line_in_a_pipe(specint) -> None:
    lines = specint("rules").stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.id, rule.symbol] for rule in all_rules()]
    assert json.loads(specint("rules", "--format", "json").stdout)["schema"] == "specint.rules/1"


@pytest.mark.parametrize("name", ["spec-missing-delegation", "E7701", "e7701"])
def test_rule_is_explained_by_symbol_and_id(specint, name: str) -> None:
    done = specint("explain", name)
    assert done.returncode == 0
    assert done.stdout.startswith("# spec-missing-delegation (E7701)")
    assert done.stdout == specint("explain", name, "--format", "markdown").stdout


def test_model_is_explained_with_call_site_and_provider(specint, small) -> None:
    name = "KumoK2ForConditionalGeneration"
    done = specint("explain", name, "--algorithm", "EAGLE3", "--sglang", small)
    assert done.returncode == 0, done.stderr
    assert "EAGLE3: ✗ missing" in done.stdout
    assert "holds language_model → OakV2ForCausalLM" in done.stdout
    assert "asked in sglang/srt/speculative/eagle_worker" in done.stdout
    document = json.loads(
        specint("explain", name, "--algorithm", "EAGLE3", "--sglang", small, "--format", "json").stdout
    )
    assert document["schema"] == "specint.explanation/1"
    assert document["model"]["name"] == name


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["chek"], "no such command: chek, did you mean check"),
        (["report", "--frmat", "json"], "--format"),
        (["explain", "spec-missing-delegatio"], "did you mean spec-missing-delegation"),
        (["explain", "E7799"], "did you mean"),
        (["report", "--sglang", "not/there"], "not/there"),
        (["rules", "--output", "no/folder/x"], "no/folder/x"),
    ],
)
def test_wrong_use_is_one_line_on_stderr(specint, arguments: list[str], complaint: str) -> None:
    done = specint(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("specint: error: ")
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr


def test_report_fits_the_columns_and_ends_in_a_summary(specint, small) -> None:
    done = specint("report", "--sglang", small, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert lines[-1].startswith("13 models, ")
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("command", ["report", "contract", "check"])
@pytest.mark.parametrize("into_a_file", [False, True])
def test_names_stay_whole_where_no_terminal_is(specint, small, tmp_path: Path, command: str, into_a_file: bool) -> None:
    long = "VeryLongNameOfAModelThatSomebodyGaveToItBecauseTheConfigurationSaysSoForCausalLM"
    hook = "hook_with_a_name_that_is_longer_than_any_column_of_a_table_on_a_terminal_with_eighty_columns"
    copied = Path(shutil.copytree(small, tmp_path / "sglang"))
    kumo = copied / "srt/models/kumo_k2.py"
    kumo.write_text(kumo.read_text().replace("KumoK2ForConditionalGeneration", long))
    (tmp_path / "worker.py").write_text(
        "from sglang.srt.managers.tp_worker import TpModelWorker\n"
        "from sglang.srt.speculative.spec_info import SpeculativeAlgorithm\n"
        '@SpeculativeAlgorithm.register("OWNALGO")\nclass W:\n'
        f"    def __init__(self, target_worker: TpModelWorker):\n        target_worker.model_runner.model.{hook}()\n"
    )
    output = ["-o", "out.txt"] if into_a_file else []
    done = specint(command, "--sglang", "sglang", "--callers", "worker.py", *output)
    text = (tmp_path / "out.txt").read_text() if into_a_file else done.stdout
    assert (hook if command == "contract" else long) in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_report_of_one_model_and_one_algorithm(specint, small) -> None:
    arguments = ("report", "--sglang", small, "--model", "OakForCausalLM", "--algorithm", "eagle", "--format", "json")
    document = json.loads(specint(*arguments).stdout)
    assert [model["name"] for model in document["models"]] == ["OakForCausalLM"]
    assert list(document["models"][0]["algorithms"]) == ["EAGLE"]


def test_colour_is_forced_forbidden_and_overruled(specint, small) -> None:
    report = ("report", "--sglang", small)
    assert "\x1b[" in specint(*report, "--color", "always").stdout
    assert "\x1b[" in specint(*report, "--color", "always", NO_COLOR="1").stdout
    assert "\x1b[" not in specint(*report, "--color", "never").stdout


def test_terminal_without_the_signs_gets_ascii(specint, small) -> None:
    done = specint("report", "--sglang", small, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "> one step" in done.stdout
    assert done.stdout.isascii()


def test_output_goes_to_a_file_and_replaces_it(specint, small, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    done = specint("report", "--sglang", small, "--format", "json", "-o", "out.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(target.read_text())["schema"] == "specint.report/1"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_fault_of_ours_is_one_line_and_a_traceback_only_when_asked(clean_environment, tmp_path: Path) -> None:
    code = (
        "import specint.checks.catalog as c\n"
        "def broken(): raise ZeroDivisionError('oops')\n"
        "c.all_rules = broken\n"
        "from specint.cli import main\nmain(['rules'])\n"
    )
    run = lambda **more: subprocess.run(  # noqa: E731
        [sys.executable, "-c", code], env={**clean_environment, **more}, capture_output=True, text=True, cwd=tmp_path
    )
    quiet, loud = run(), run(SPECINT_DEBUG="1")
    assert (quiet.returncode, quiet.stderr.count("\n")) == (2, 1)
    assert quiet.stderr.startswith("specint: error: internal error: ZeroDivisionError: oops (please report it")
    assert "Traceback" in loud.stderr


def test_reader_that_goes_away_is_no_error(small, clean_environment, tmp_path: Path) -> None:
    command = f"{sys.executable} -m specint report --sglang {small} --format json | head -1"
    shell = ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"]
    done = subprocess.run(shell, env=clean_environment, capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("{\n", "")
    assert done.returncode in (0, 141), "0 where the pipe took everything before the reader left"


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_interrupt_is_quiet(clean_environment, hears_ctrl_c: None, tmp_path: Path) -> None:
    fifo = tmp_path / "pyproject.toml"
    os.mkfifo(fifo)  # reading the configuration waits until somebody writes: time enough for Ctrl-C
    process = subprocess.Popen(
        [sys.executable, "-m", "specint", "report", "--config", str(fifo)],
        env=clean_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")
