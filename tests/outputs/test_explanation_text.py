from __future__ import annotations

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.analysis.scope import requirements_of
from specint.compliance.model import MemberStatus
from specint.contract.model import Site
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


def heads(analysis: Analysis, index: int = 3, **changed: object) -> list[str]:
    """The requirement lines about a model, when the first requirement is another one."""
    first, *rest = analysis.contract.requirements
    contract = msgspec.structs.replace(
        analysis.contract, requirements=(*rest, msgspec.structs.replace(first, **{"member": "extra", **changed}))
    )
    model = msgspec.structs.replace(
        analysis.models[index],
        members={**analysis.models[index].members, "extra": MemberStatus(status="missing")},
    )
    known = msgspec.structs.replace(analysis, contract=contract, models=(model,))
    return [line for line in explained(known, 0, "EAGLE3") if line[:1] in "✓✗!?·"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"strength": "optional"}, "not there, optional"),
        ({"settings": ("enable_dp",)}, "not there, only asked where enable_dp"),
        ({"unconditional": False}, "not there, required under a condition that only a running server decides"),
        ({"use": "write", "call": None}, "not there, and not needed: a module takes any attribute, assigned"),
        (
            {"strength": "any-of", "group": "extra|set_eagle3_layers_to_capture"},
            "not there, one of extra or set_eagle3_layers_to_capture is enough",
        ),
    ],
    ids=["optional", "setting", "condition", "write", "group"],
)
def test_what_a_verdict_of_ok_does_without_is_told_last_and_is_no_fault(
    analysis: Analysis, changed: dict[str, object], said: str
) -> None:
    lines = heads(analysis, **changed)
    assert lines[-1].startswith(f"· extra  {said}")
    assert not any(line.startswith("✗") for line in lines)


def test_caller_that_looks_and_raises_is_told_as_that_with_its_line(analysis: Analysis) -> None:
    first, second, *rest = analysis.contract.requirements
    raised = msgspec.structs.replace(second, decided_by=Site(file="sglang/srt/runner.py", line=9, function="capture"))
    contract = msgspec.structs.replace(analysis.contract, requirements=(first, raised, *rest))
    lines = explained(msgspec.structs.replace(analysis, contract=contract), 1, "EAGLE3")
    at = next(number for number, line in enumerate(lines) if line.startswith("✗ set_eagle3_layers_to_capture"))
    assert "missing, required (the caller looks, and raises)" in lines[at]
    assert "    raises in sglang/srt/runner.py:9 capture" in lines[at:]


def test_what_is_said_alike_of_a_member_is_said_once_with_all_its_sites(analysis: Analysis) -> None:
    first, *rest = analysis.contract.requirements
    twin = msgspec.structs.replace(first, sites=(Site(file="sglang/srt/other.py", line=3, function="other"),))
    contract = msgspec.structs.replace(analysis.contract, requirements=(first, twin, *rest))
    lines = explained(msgspec.structs.replace(analysis, contract=contract), 1, "EAGLE3")
    assert sum(line.startswith("✗ get_embed_and_head") for line in lines) == 1
    assert "    asked in sglang/srt/other.py:3 other" in lines


def test_a_reason_names_the_file_as_it_can_be_opened(analysis: Analysis) -> None:
    model = analysis.models[1]
    why = MemberStatus(status="missing", reason=f"its __getattr__ lacks it too ({model.file}:7)")
    model = msgspec.structs.replace(model, members=dict.fromkeys(model.members, why))
    text = rendered(
        "never", 80, lambda console: print_explanation(console, analysis, model, ["EAGLE3"], (), lambda _: "here.py")
    )
    assert "(here.py:7)" in text
    assert model.file not in text
