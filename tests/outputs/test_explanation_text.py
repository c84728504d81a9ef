from __future__ import annotations

from specint.analysis.model import Analysis
from specint.analysis.scope import requirements_of
from specint.outputs.explanation_text import print_explanation
from specint.outputs.terminal import rendered


def explained(analysis: Analysis, index: int, *algorithms: str) -> list[str]:
    model = analysis.models[index]
    findings = [finding for finding in analysis.findings if finding.class_ == model.class_]
    text = rendered("never", 80, lambda console: print_explanation(console, analysis, model, algorithms, findings))
    return text.splitlines()


def test_missing_member_tells_call_and_the_way_to_its_provider(analysis: Analysis) -> None:
    lines = explained(analysis, 1, "EAGLE3")
    start = next(number for number, line in enumerate(lines) if line.startswith("✗ get_embed_and_head"))
    assert lines[start : start + 3] == [
        "✗ get_embed_and_head  missing, required, called without arguments, 2 values unpacked",
        "    language_model → OakV2 → inherited from Oak (sglang/srt/models/oak.py:40)",
        "    asked in sglang/srt/speculative/worker.py:31 Worker.__init__",
    ]
    assert "EAGLE3: ✗ missing  get_embed_and_head, set_eagle3_layers_to_capture" in lines
    assert "    def get_embed_and_head(self):" in lines


def test_present_member_names_who_defines_it(analysis: Analysis) -> None:
    lines = explained(analysis, 3, "EAGLE3")
    assert "    defined in Oak (sglang/srt/models/oak.py:40)" in lines
    assert any("called with 0 to 1 arguments" in line for line in lines)


def test_requirements_are_those_of_the_role_and_the_algorithm(analysis: Analysis) -> None:
    target, draft = analysis.models[1], analysis.models[0]
    assert [asked.member for asked in requirements_of(analysis.contract, target, ["EAGLE"])] == ["get_embed_and_head"]
    assert [asked.member for asked in requirements_of(analysis.contract, draft, ["EAGLE3"])] == ["set_embed"]
