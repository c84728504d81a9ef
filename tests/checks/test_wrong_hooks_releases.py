"""Known defects of members that are there but wrong, on SGLang as pip delivers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

pytestmark = pytest.mark.release

Analysed = Callable[..., Analysis]


@pytest.fixture(scope="module")
def analysed(release: Callable[[str], Path]) -> Analysed:
    """`analysed("0.5.9", against="0.5.23")`, each once."""
    known: dict[tuple[str, str | None], Analysis] = {}

    def run(version: str, against: str | None = None) -> Analysis:
        if (version, against) not in known:
            other = open_tree(str(release(against))) if against else None
            known[version, against] = analyze(open_tree(str(release(version))), store=Store(None), against=other)
        return known[version, against]

    return run


def names(analysis: Analysis, rule: str) -> set[tuple[str, str]]:
    return {(f.class_.rpartition(".")[2], f.member) for f in analysis.findings if f.rule == rule}


def test_broken_delegation(analysed: Analysed) -> None:
    assert names(analysed("0.5.23"), "spec-broken-delegation") == {
        ("OPTForCausalLM", "get_embed_and_head"),  # only self.model.decoder has the embedding
        ("OPTForCausalLM", "get_input_embeddings"),
        ("DotsOCRForCausalLM", "get_embed_and_head"),  # self.model is the whole text model, one level too few
        ("Qwen3VLForConditionalGeneration", "set_dflash_layers_to_capture"),  # its text model has no such method
        ("Cosmos3ForConditionalGeneration", "set_dflash_layers_to_capture"),  # inherits it
        (
            "Qwen3OmniMoeForConditionalGeneration",
            "get_input_embeddings",
        ),  # the library's getter knows none of its names
    }


def test_signature_mismatch(analysed: Analysed) -> None:
    found = names(analysed("0.5.23"), "spec-signature-mismatch")
    assert ("MiniMaxM2ForCausalLM", "get_input_embeddings") in found
    assert {member for _, member in found} == {"get_input_embeddings"}
    assert names(analysed("0.5.9"), "spec-signature-mismatch") == set()  # nobody calls it there


def test_models_of_an_old_release_against_the_calls_of_a_new_one(analysed: Analysed) -> None:
    found = names(analysed("0.4.8", against="0.5.9"), "spec-signature-mismatch")
    assert ("LlamaForCausalLM", "set_eagle3_layers_to_capture") in found  # takes no layers yet
    found = names(analysed("0.4.9.post6", against="0.5.23"), "spec-signature-mismatch")
    assert ("Qwen3ForCausalLM", "get_input_embeddings") in found


def test_optional_delegate(analysed: Analysed) -> None:
    found = names(analysed("0.5.23"), "spec-optional-delegate")
    assert ("GigaChat35ForCausalLM", "get_embed_and_head") in found
    # None in encoder-only mode alone, in which no worker is made.
    assert not [name for name, _ in found if name.startswith("Qwen2_5_VL")]
    assert not [name for name, _ in found if name.startswith(("MiMoV2", "KimiK25"))]  # they look


@pytest.mark.parametrize("rule", ["spec-wrong-return", "spec-method-outside-class"])
def test_no_false_alarm(analysed: Analysed, rule: str) -> None:
    for version in ("0.5.9", "0.5.23"):
        assert names(analysed(version), rule) == set()
