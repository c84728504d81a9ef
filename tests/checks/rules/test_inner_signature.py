"""What the routine asks that wrappers hand their language model to: only of classes that are held."""

from __future__ import annotations

import pytest

ROUTINE = """
def general_mm_embed_routine(input_ids, forward_batch, language_model):
    embed = language_model.get_input_embeddings()
    kept = language_model.get_later
    kept(input_ids)
    return language_model(input_ids=None, forward_batch=forward_batch, input_embeds=embed(input_ids))
"""
MODELS = """
from torch import nn
from sglang.srt.managers.mm_utils import general_mm_embed_routine


class Inner(nn.Module):
    {member}


class Apart(nn.Module):
    {member}


class Outer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = Inner()

    def forward(self, input_ids, positions, forward_batch):
        return general_mm_embed_routine(input_ids, forward_batch, self.language_model)


EntryClass = [Inner, Apart, Outer]
"""
CASES = {
    "def get_input_embeddings(self, input_ids): ...": (
        "Inner.get_input_embeddings(self, input_ids) doesn't fit how a model inside another is used: it requires "
        "input_ids, but callers pass no arguments; called at sglang/srt/managers/mm_utils.py:3"
    ),
    "def get_input_embeddings(self): ...": "",
    "def get_input_embeddings(self, input_ids=None): ...": "",
    "def other(self, input_ids): ...": "",
    "@wrapped\n    def get_input_embeddings(self, input_ids): ...": "",
    "get_input_embeddings = None": "",
}


@pytest.mark.parametrize("member", CASES)
def test_what_the_routine_calls(analysed, member: str) -> None:
    texts = {"sglang.srt.managers.mm_utils": ROUTINE, "sglang.srt.models.trial": MODELS.replace("{member}", member)}
    found = analysed(texts, interfaces=("speculative", "multimodal")).findings
    mine = [one for one in found if one.rule == "spec-signature-mismatch" and one.file.endswith("trial.py")]
    said = [one.message for one in mine if not one.algorithms]  # what an algorithm's worker calls is told by itself
    assert said == ([CASES[member]] if CASES[member] else [])
