from __future__ import annotations

import msgspec
import pytest

from specint.checks.baseline import Comparison, Known
from specint.outputs.findings_text import concise_plain, print_findings, print_statistics
from specint.outputs.outcome import Outcome, placed
from specint.outputs.terminal import rendered


def text(outcome: Outcome, width: int = 80) -> list[str]:
    return rendered("never", width, lambda console: print_findings(console, outcome)).splitlines()


def test_each_finding_is_one_clickable_line_however_narrow_the_terminal(outcome: Outcome) -> None:
    assert (
        "sglang/srt/models/kumo.py:12:0: E7701 Kumo lacks get_embed_and_head, which its language_model has "
        "[spec-missing-delegation]" in text(outcome, 40)
    )


def test_what_all_findings_of_a_class_share_is_told_once(outcome: Outcome) -> None:
    lines = text(outcome)
    shared = "    sglang/srt/models/kumo.py:18 language_model is an OakV2"
    assert lines.count(shared) == 1
    assert lines[lines.index(shared) - 1] == "  for both:"
    assert "    sglang/srt/speculative/worker.py:31 called here" in lines


def test_the_lines_to_add_follow_without_their_indentation(outcome: Outcome) -> None:
    lines = text(outcome)
    start = lines.index("  pass the call on to the inner model, in class Kumo:")
    assert lines[start + 1 : start + 6] == [
        "      def set_eagle3_layers_to_capture(self, layer_ids=None):",
        "          return self.language_model.set_eagle3_layers_to_capture(layer_ids)",
        "",
        "      def get_embed_and_head(self):",
        "          return self.language_model.get_embed_and_head()",
    ]


def test_summary_counts_rules_and_says_against_what(outcome: Outcome) -> None:
    assert text(outcome)[-1] == "2 findings in 1 class (E7701 2); 4 models checked against SGLang 0.5.9"


def test_clean_run_says_what_was_looked_at(outcome: Outcome) -> None:
    clean = msgspec.structs.replace(outcome, findings=())
    assert text(clean) == ["no findings; 4 models checked against SGLang 0.5.9"]


def test_places_are_shown_as_the_reader_can_open_them(outcome: Outcome) -> None:
    lines = text(msgspec.structs.replace(outcome, shown=lambda file: f"lib/{file}"))
    assert lines[0].startswith("lib/sglang/srt/models/kumo.py:12:0: E7701 ")
    assert "    lib/sglang/srt/speculative/worker.py:31 called here" in lines


def test_markup_in_a_message_is_text(outcome: Outcome) -> None:
    odd = msgspec.structs.replace(outcome.findings[0], message="lacks [bold]x[/bold] :smile:")
    lines = text(msgspec.structs.replace(outcome, findings=(odd,)))
    assert "E7701 lacks [bold]x[/bold] :smile: [spec-missing-delegation]" in lines[0]


def test_comparison_with_a_baseline_is_the_last_line(outcome: Outcome) -> None:
    comparison = Comparison(new=2, known=41, fixed=(Known("spec-x", "a.B", "c"), Known("spec-x", "a.B", "d")))
    compared = msgspec.structs.replace(outcome, baseline=comparison)
    assert text(compared)[-1] == "2 new, 41 in the baseline, 2 fixed since"


def test_message_names_files_as_the_evidence_does() -> None:
    assert placed("A fails at sglang/a.py:7, not in b.py", lambda file: f"tree/{file}") == (
        "A fails at tree/sglang/a.py:7, not in b.py"
    )


def test_line_is_shown_once_with_carets_under_the_class(outcome: Outcome) -> None:
    lines = text(outcome)
    assert lines[1:3] == ["  12 | class Kumo(nn.Module):", "     |       ^^^^"]
    assert sum(" | class Kumo" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("line", "column", "carets"),
    [
        ("    def get_embed_and_head(self):", 4, "    ^^^^^^^^^^^^^^^^^^"),
        ("    x = other()", 8, "    ^^^^^^^"),
        ("    x = Kumonga()", 4, "^^^^^^^^^^^^^"),
    ],
    ids=["under the member", "from the column", "a longer name is another"],
)
def test_carets_stand_under_what_the_finding_is_about(outcome: Outcome, line: str, column: int, carets: str) -> None:
    finding = msgspec.structs.replace(outcome.findings[1], column=column)
    shown = text(msgspec.structs.replace(outcome, findings=(finding,), source=lambda _file, _line: line))
    assert shown[1:3] == [f"  12 | {line.strip()}", f"     | {carets}"]


def test_concise_is_a_line_a_finding_and_the_summary(outcome: Outcome) -> None:
    lines = concise_plain(outcome).decode().splitlines()
    assert [line.partition(" Kumo")[0] for line in lines[:-1]] == ["sglang/srt/models/kumo.py:12:0: E7701"] * 2
    assert lines[-1] == text(outcome)[-1]


def test_statistics_count_rules_the_most_frequent_first(outcome: Outcome) -> None:
    other = msgspec.structs.replace(outcome.findings[0], rule="spec-unresolved", id="I7799", patch=None)
    many = msgspec.structs.replace(outcome, findings=(other, *outcome.findings))
    lines = rendered("never", 80, lambda console: print_statistics(console, many)).splitlines()
    assert lines[:-1] == ["2  E7701  spec-missing-delegation  2 with lines to add", "1  I7799  spec-unresolved"]
    assert lines[-1].startswith("3 findings in 1 class")
