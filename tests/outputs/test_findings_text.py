from __future__ import annotations

import msgspec

from specint.outputs.findings_text import print_findings
from specint.outputs.terminal import rendered
from specint.pipeline import Analysis


def text(analysis: Analysis, width: int = 80, **more: object) -> list[str]:
    written = rendered("never", width, lambda console: print_findings(console, analysis, analysis.findings, 4, **more))
    return written.splitlines()


def test_each_finding_is_one_clickable_line_however_narrow_the_terminal(analysis: Analysis) -> None:
    assert (
        "sglang/srt/models/kumo.py:12:0: E7701 Kumo lacks get_embed_and_head, which its language_model has "
        "[spec-missing-delegation]" in text(analysis, 40)
    )


def test_what_all_findings_of_a_class_share_is_told_once(analysis: Analysis) -> None:
    lines = text(analysis)
    shared = "    sglang/srt/models/kumo.py:18 language_model is an OakV2"
    assert lines.count(shared) == 1
    assert lines[lines.index(shared) - 1] == "  for all 2:"
    assert "    sglang/srt/speculative/worker.py:31 called here" in lines


def test_the_lines_to_add_follow_without_their_indentation(analysis: Analysis) -> None:
    lines = text(analysis)
    start = lines.index("  pass the call on to the inner model, in class Kumo:")
    assert lines[start + 1 : start + 6] == [
        "      def set_eagle3_layers_to_capture(self, layer_ids=None):",
        "          return self.language_model.set_eagle3_layers_to_capture(layer_ids)",
        "",
        "      def get_embed_and_head(self):",
        "          return self.language_model.get_embed_and_head()",
    ]


def test_summary_counts_rules_and_says_against_what(analysis: Analysis) -> None:
    assert text(analysis)[-1] == "2 findings in 1 class (E7701 2); 4 models checked against SGLang 0.5.9"


def test_clean_run_says_what_was_looked_at(analysis: Analysis) -> None:
    clean = msgspec.structs.replace(analysis, findings=())
    assert text(clean) == ["no findings; 4 models checked against SGLang 0.5.9"]


def test_places_are_shown_as_the_reader_can_open_them(analysis: Analysis) -> None:
    lines = text(analysis, shown=lambda file: f"lib/{file}")
    assert lines[0].startswith("lib/sglang/srt/models/kumo.py:12:0: E7701 ")
    assert "    lib/sglang/srt/speculative/worker.py:31 called here" in lines


def test_markup_in_a_message_is_text(analysis: Analysis) -> None:
    odd = msgspec.structs.replace(analysis.findings[0], message="lacks [bold]x[/bold] :smile:")
    lines = text(msgspec.structs.replace(analysis, findings=(odd,)))
    assert "E7701 lacks [bold]x[/bold] :smile: [spec-missing-delegation]" in lines[0]
