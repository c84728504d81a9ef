"""What is said of every demand that the small tree can be asked: a model by itself, and a target with a draft."""

from __future__ import annotations

import pytest

from specint.analysis.demands import demand
from specint.analysis.model import Analysis
from specint.source.tree import SourceFile

OWN = """
from sglang.srt.models.pine import PineForCausalLM


class OwnForCausalLM(PineForCausalLM):
    pass


EntryClass = OwnForCausalLM
"""


@pytest.fixture(scope="module")
def small(analysed) -> Analysis:
    return analysed({"mine.model": OWN}, models=(SourceFile.at("mine/model.py"),))


def test_what_is_said_of_a_model_by_itself(small: Analysis, told, golden) -> None:
    """`expected.md` beside the tree says by hand which of them are fine; of those nothing is said."""
    lines = [
        "\n".join([f"== {model.name} for {algorithm}: {verdict.verdict}", *map(told, found), ""])
        for model in sorted(small.models, key=lambda one: one.class_)
        for algorithm, verdict in model.algorithms.items()
        if (found := demand(small, model.class_, algorithm)) or verdict.verdict != "ok"
    ]
    assert not [line for line in lines if line.endswith(": ok\n")]
    golden("demands.txt", "\n".join(lines).encode())


def test_nothing_is_said_of_what_is_met(small: Analysis) -> None:
    met = [
        (one.class_, name)
        for one in small.models
        for name, verdict in one.algorithms.items()
        if verdict.verdict == "ok"
    ]
    assert met
    assert not [pair for pair in met if demand(small, *pair)]


PAIRS = [
    ("sglang.srt.models.oak.OakForCausalLM", "sglang.srt.models.oak_eagle3.OakForCausalLMEagle3", "EAGLE3"),
    ("sglang.srt.models.oak.OakForCausalLM", "sglang.srt.models.oak_dflash.OakDFlashDraftModel", "EAGLE3"),
    ("sglang.srt.models.pine.PineForCausalLM", "sglang.srt.models.oak_eagle3.OakForCausalLMEagle3", "EAGLE3"),
    ("sglang.srt.models.oak.OakForCausalLM", "sglang.srt.models.pine.PineForCausalLM", "EAGLE3"),
    ("mine.model.OwnForCausalLM", "sglang.srt.models.oak_nextn.OakForCausalLMNextN", "EAGLE"),
    ("mine.model.OwnForCausalLM", "sglang.srt.models.oak_dflash.OakDFlashDraftModel", "EAGLE"),
    ("sglang.srt.models.mirage.MirageForConditionalGeneration", "mine.model.OwnForCausalLM", "EAGLE"),
]


def test_what_is_said_of_a_target_with_a_draft(small: Analysis, told, golden) -> None:
    lines = []
    for target, draft, algorithm in PAIRS:
        found = demand(small, target, algorithm, draft)
        names = f"{target.rpartition('.')[2]} with {draft.rpartition('.')[2]}"
        lines.append("\n".join([f"== {names} for {algorithm}", *map(told, found), ""]))
    golden("pairs.txt", "\n".join(lines).encode())
