"""A library's getter that looks for names: it works where the object has one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis

TEXT = """
from torch import nn
from transformers import PreTrainedModel
from sglang.srt.models.oak import OakForCausalLM, OakModel


class Speaker(PreTrainedModel):
    {body}

    def __init__(self, config):
        super().__init__(config)
        {built}

    def set_dflash_layers_to_capture(self, layer_ids):
        pass


EntryClass = Speaker
"""


@pytest.mark.parametrize(
    ("built", "body", "fails"),
    [
        ("self.thinker = OakForCausalLM(config)", "pass", True),
        ("self.model = nn.Linear(8, 8)", "base_model_prefix = 'thinker'", False),
        ("self.model = OakForCausalLM(config)", "pass", True),
        ("self.model = OakModel(config)", "pass", False),
        ("self.language_model = OakForCausalLM(config)", "pass", False),
        ("self.embed_tokens = nn.Embedding(8, 8)", "pass", False),
        ("self.thinker = OakForCausalLM(config)", "base_model_prefix = 'thinker'", False),
        ("self.thinker = OakForCausalLM(config)", "base_model_prefix = ''", True),
        ("self.thinker = OakForCausalLM(config)", "base_model_prefix = NAME", False),
        ("self.wte = nn.Embedding(8, 8)", "_input_embed_layer = 'wte'", False),
        ("self.thinker = None", "def get_input_embeddings(self):\n        return self.thinker", False),
    ],
)
def test_a_getter_that_finds_nothing_cannot_work(
    analysed: Callable[..., Analysis], built: str, body: str, fails: bool
) -> None:
    analysis = analysed({"sglang.srt.models.trial": TEXT.format(built=built, body=body)})
    found = [one for one in analysis.findings if one.file.endswith("trial.py")]
    assert any(one.id == "E7704" and one.member == "get_input_embeddings" for one in found) is fails
