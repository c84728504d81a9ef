"""Known defects of what hooks, setters and forward do to a model, on SGLang as pip delivers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

pytestmark = pytest.mark.release

Find = Callable[[str, str], dict[tuple[str, str], Finding]]


@pytest.fixture(scope="module")
def found(release: Callable[[str], Path]) -> Find:
    """`found("0.5.12", symbol)`: the findings of a rule by class and member; each release is analysed once."""
    known: dict[str, Analysis] = {}

    def find(version: str, symbol: str) -> dict[tuple[str, str], Finding]:
        if version not in known:
            known[version] = analyze(open_tree(str(release(version))), store=Store(None))
        return {(f.class_, f.member): f for f in known[version].findings if f.rule == symbol}

    return find


QWEN = ("sglang.srt.models.qwen3_5.Qwen3_5ForConditionalGeneration", "set_eagle3_layers_to_capture")


def test_hook_that_writes_what_the_inner_model_never_reads(found: Find) -> None:
    finding = found("0.5.12", "spec-unread-capture")[QWEN]
    assert finding.algorithms == ("EAGLE3",)
    assert "_is_layer_to_capture" in finding.message, "the mechanism of the inner model is named"
    lines = {(one.file.rpartition("/")[2], one.line) for one in finding.evidence}
    assert ("qwen3_vl.py", 1409) in lines, "which line writes"
    assert ("qwen3_5.py", 1114) in lines, "which line reads"
    assert QWEN not in found("0.5.22", "spec-unread-capture")


VISION = ("sglang.srt.models.qwen2_5_vl.Qwen2_5_VLForConditionalGeneration", "forward")


def test_forward_that_drops_the_captured_states(found: Find) -> None:
    findings = found("0.5.5.post3", "spec-aux-dropped")
    assert set(findings) == {VISION}
    assert "EAGLE3" in findings[VISION].algorithms
    assert found("0.5.6", "spec-aux-dropped") == {}


def test_flag_that_a_skipped_constructor_would_have_set(found: Find) -> None:
    moe = ("sglang.srt.models.glm4v_moe.Glm4vMoeForConditionalGeneration", "capture_aux_hidden_states")
    finding = found("0.5.2", "spec-uninitialized-attribute")[moe]
    assert "Glm4vForConditionalGeneration.__init__" in finding.message
    assert [one.line for one in finding.evidence] == [595, 501, 34]
    assert moe not in found("0.5.5", "spec-uninitialized-attribute")


def test_model_that_generates_nothing_meets_no_worker(found: Find) -> None:
    # DFLASH's worker gives its draft an lm_head; this one skips the constructor with its own, and embeds alone
    gemma = ("sglang.srt.models.gemma3_causal.EmbeddingGemmaModel", "lm_head")
    assert gemma not in found("0.5.23", "spec-uninitialized-attribute")


def test_setter_that_deletes_a_tied_weight_twice(found: Find) -> None:
    findings = found("0.5.23", "spec-tied-weight-deletion")
    assert {(class_.rpartition(".")[2], member) for class_, member in findings} == {
        ("LlamaForCausalLMEagle", "set_embed_and_head"),
        ("Qwen2ForCausalLMEagle", "set_embed_and_head"),
    }
