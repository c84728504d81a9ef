"""What `--help` shows can be typed."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from specint.cli.commands import group
from specint.cli.examples import EXAMPLES

LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


def test_every_command_has_examples() -> None:
    assert list(EXAMPLES) == sorted(EXAMPLES, key=list(EXAMPLES).index)
    assert set(EXAMPLES) == set(group.list_commands(click.Context(group)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_ends_with_the_examples(specint, name: str) -> None:
    done = specint(name, "--help", COLUMNS="80")
    assert done.returncode == 0
    assert all(f"  {line}\n" in done.stdout for line in EXAMPLES[name])
    others = [line for line in done.stdout.splitlines() if line.strip() not in EXAMPLES[name]]
    assert max(map(len, others)) <= 80


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_example_parses(name: str, line: str) -> None:
    typed = shlex.split(re.split(r" [|>]", line)[0])
    assert typed[:2] == ["specint", name]
    command = group.get_command(click.Context(group), name)
    assert command is not None
    with command.make_context(name, typed[2:]) as context:
        assert context.params or not command.params


def test_shell_completion_knows_commands_and_choices(specint) -> None:
    done = specint(_SPECINT_COMPLETE="bash_complete", COMP_WORDS="specint ", COMP_CWORD="1")
    assert {line.partition(",")[2] for line in done.stdout.split()} == set(EXAMPLES)
    done = specint(_SPECINT_COMPLETE="bash_complete", COMP_WORDS="specint report --format ", COMP_CWORD="3")
    assert done.stdout.split() == ["plain,text", "plain,json", "plain,markdown", "plain,html"]


def test_html_report_is_written_to_the_file_and_nothing_else_is_said(specint, small, tmp_path) -> None:
    done = specint("report", "--sglang", small, "-o", "r.html", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_graph_needs_one_class(specint, small) -> None:
    named_twice = ("OakForCausalLM", "--inner-of", "OakForCausalLM")
    for arguments, said in (((), "--inner-of CLASS"), (named_twice, "OakForCausalLM: no such file, folder or package")):
        done = specint("graph", *arguments, "--sglang", small)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert said in done.stderr


@pytest.mark.parametrize(("format_", "start"), [("mermaid", "flowchart TD"), ("dot", "digraph"), ("svg", "<svg ")])
def test_graph_in_each_format(specint, small, format_: str, start: str) -> None:
    done = specint("graph", "KumoK2ForConditionalGeneration", "--sglang", small, "--format", format_)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(start)
    assert "OakV2ForCausalLM" in done.stdout
