from __future__ import annotations

import msgspec

from specint.analysis.model import Analysis
from specint.checks.catalog import rule
from specint.outputs.markdown import escaped, findings_markdown, report_markdown
from specint.outputs.outcome import Outcome
from specint.outputs.rule_page import rule_page


def test_matrix_is_a_table_with_signs_and_words(analysis: Analysis) -> None:
    lines = report_markdown(analysis, analysis.findings).splitlines()
    assert "| model | EAGLE | EAGLE3 | findings |" in lines
    assert "| Kumo | ◐ half there | » one step | 2 |" in lines
    assert "| » one step away |  | 1 | the lines that it lacks are written: a finding has them |" in lines
    assert "| Draft |  | · n/a |  |  |" in lines
    assert lines[2] == "**4 models, 4 algorithms; 2 findings in 1 class; 1 unknown**", "the answer comes first"


def test_findings_come_with_evidence_and_code(outcome: Outcome) -> None:
    text = findings_markdown(outcome).decode()
    assert "| error | E7701 | Kumo | `get_embed_and_head` | `sglang/srt/models/kumo.py:12` |" in text
    assert "<details><summary>Kumo: 2 findings</summary>" in text
    assert "  - called here: `sglang/srt/speculative/worker.py:31`" in text
    assert "```python\ndef set_eagle3_layers_to_capture(self, layer_ids=None):" in text


def test_summary_of_a_job_stays_below_what_github_shows(outcome: Outcome) -> None:
    many = tuple(
        msgspec.structs.replace(outcome.findings[0], class_=f"sglang.srt.models.m.Model{number}", message="x" * 5000)
        for number in range(300)
    )
    text = findings_markdown(msgspec.structs.replace(outcome, findings=many)).decode()
    assert len(text.encode()) < 1024 * 1024
    shown = text.count("<details>")
    assert 0 < shown < 300
    assert f"And {300 - shown} more classes, for which there is no room here." in text


def test_hostile_text_stays_text(outcome: Outcome) -> None:
    odd = msgspec.structs.replace(outcome.findings[0], message="a | b <script> `x` [l](u)\nnext")
    text = findings_markdown(msgspec.structs.replace(outcome, findings=(odd,))).decode()
    assert r"a \| b \<script\> \`x\` \[l\](u) next" in text
    assert escaped("a*b_c") == r"a\*b\_c"


def test_rule_page_has_the_headings_in_order_and_links_references() -> None:
    page = rule_page(rule("E7701"))
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert headings == [
        "# spec-missing-delegation (E7701)",
        "## What it does",
        "## Why is this bad?",
        "## Example",
        "## Use instead",
        "## References",
    ]
    assert "- [SGLang #19689](https://github.com/sgl-project/sglang/issues/19689)" in page
