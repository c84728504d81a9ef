"""A member that is there and can't work: the model is `broken` for the algorithms that ask for it, never `ok`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis
from specint.compliance.model import ModelCompliance

HEAD = """
from torch import nn


class Trial(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(1, 1)
        self.lm_head = nn.Linear(1, 1)

    def get_embed_and_head(self):
        return {returned}


EntryClass = Trial
"""


@pytest.fixture
def trial(analysed: Callable[..., Analysis]) -> Callable[[str], ModelCompliance]:
    """`trial("expression")`: what is said of a model whose `get_embed_and_head` returns that."""

    def judged(returned: str) -> ModelCompliance:
        text = HEAD.format(returned=returned)
        return next(one for one in analysed({"sglang.srt.models.trial": text}).models if one.name == "Trial")

    return judged


def test_member_that_works_leaves_the_verdict_alone(trial: Callable[[str], ModelCompliance]) -> None:
    model = trial("self.embed_tokens.weight, self.lm_head.weight")
    assert model.algorithms["EAGLE"].verdict == "ok"
    assert model.algorithms["EAGLE"].broken == ()


def test_member_that_reaches_for_nothing_is_broken(trial: Callable[[str], ModelCompliance]) -> None:
    model = trial("self.embed_tokens.weight, self.output_head.weight")
    assert model.members["get_embed_and_head"].status == "present"
    assert model.algorithms["EAGLE"].verdict == "broken"
    assert model.algorithms["EAGLE"].broken == ("get_embed_and_head",)


def test_what_is_missing_as_well_counts_more(trial: Callable[[str], ModelCompliance]) -> None:
    verdict = trial("self.embed_tokens.weight, self.output_head.weight").algorithms["EAGLE3"]
    assert verdict.verdict == "missing"
    assert verdict.missing == ("set_eagle3_layers_to_capture",)
    assert verdict.broken == ("get_embed_and_head",)


def test_algorithm_that_asks_nothing_is_not_touched(trial: Callable[[str], ModelCompliance]) -> None:
    assert trial("self.embed_tokens.weight, self.output_head.weight").algorithms["NGRAM"].verdict == "ok"
