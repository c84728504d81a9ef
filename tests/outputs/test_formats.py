"""Every format: what it looks like (golden files), and that it is quick."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from specint.checks.baseline import Comparison, Known
from specint.cli.options import CHECK_FORMATS
from specint.outputs.formats import FORMATS
from specint.outputs.outcome import OWN_TOOL, Outcome, own_rules
from specint.pylint_plugin.reporters import REPORTERS


@pytest.mark.parametrize("name", FORMATS)
def test_findings_look_as_in_the_golden_file(name: str, outcome: Outcome, golden: Callable[[str, bytes], None]) -> None:
    golden(f"{name}.{FORMATS[name].suffix}", FORMATS[name].write(outcome))


@pytest.mark.parametrize("name", ["text", "json", "markdown", "github", "junit"])
def test_comparison_with_a_baseline_is_told(name: str, outcome: Outcome) -> None:
    comparison = Comparison(new=2, known=41, fixed=(Known("spec-x", "a.B", "c"),))
    written = FORMATS[name].write(msgspec.structs.replace(outcome, baseline=comparison)).decode()
    if name == "json":
        assert msgspec.json.decode(written)["baseline"] == {
            "new": 2,
            "known": 41,
            "fixed": [{"rule": "spec-x", "class": "a.B", "member": "c"}],
        }
    else:
        assert "2 new, 41 in the baseline, 1 fixed since" in written


@pytest.mark.parametrize("name", FORMATS)
def test_many_findings_cost_what_there_is_of_them(name: str, outcome: Outcome, work) -> None:
    def of(count: int) -> Outcome:
        many = (
            msgspec.structs.replace(
                outcome.findings[number % 2], class_=f"sglang.srt.models.m{number // 3}.Model{number // 3}"
            )
            for number in range(count)
        )
        return msgspec.structs.replace(outcome, findings=tuple(many))

    assert FORMATS[name].write(of(200)).count(b"kumo") >= 200  # and what is imported or kept is paid for
    assert work(FORMATS[name].write, of(200)) < 3 * work(FORMATS[name].write, of(100)), "pairs are four times the work"


def test_command_line_and_pylint_offer_the_formats_there_are() -> None:
    assert tuple(FORMATS) == CHECK_FORMATS
    assert {reporter.name for reporter in REPORTERS} == {f"specint-{reporter.format}" for reporter in REPORTERS}
    assert {reporter.extension for reporter in REPORTERS} == {"sarif", "txt", "json", "xml"}


def test_names_of_formats_cost_no_import_of_what_writes_them() -> None:
    listing = "import sys, specint.outputs.formats; print(*sorted(n for n in sys.modules if n.startswith('specint.')))"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["specint.outputs", "specint.outputs.formats"]


def test_no_document_names_an_address_that_nobody_has_given() -> None:
    """Where specint is hosted is for its host to say: a rule's text travels with the report."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "urls" not in project
    assert OWN_TOOL.uri == ""
    for rule in own_rules().values():
        assert rule.uri == ""
        assert rule.help
