"""Whether the pair that an inner model returns while it captures arrives: variants of taking apart, and of keeping."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding

Lost = Callable[..., list[Finding]]

TEXT = """
import torch
from torch import nn
from sglang.srt.models.oak import OakModel, OakForCausalLM


class Mid(OakModel):
    def forward(self, input_ids, positions, forward_batch, input_embeds=None):
        {mid}


class Heir(OakForCausalLM):
    model_cls = Mid

    def forward(self, input_ids, positions, forward_batch):
        {forward}


EntryClass = Heir
"""
CALL = "out = self.model(input_ids, positions, forward_batch)\n"
WHOLE = "return super().forward(input_ids, positions, forward_batch, input_embeds)"
LOGITS = "return forward_batch.logits(out, self.lm_head)"
GOOD = CALL + (
    "kept = None\nif self.capture_aux_hidden_states:\n    out, kept = out\n"
    "return forward_batch.logits(out, self.lm_head, kept)"
)


@pytest.fixture
def lost(analysed: Callable[..., Analysis]) -> Lost:
    """`lost(forward, mid)`: what E7709 says of a class whose forward, and whose body's, are these."""

    def run(forward: str, mid: str = WHOLE) -> list[Finding]:
        text = TEXT.format(forward=forward.replace("\n", "\n        "), mid=mid.replace("\n", "\n        "))
        found = analysed({"sglang.srt.models.trial": text}).findings
        return [one for one in found if one.rule == "spec-aux-dropped" and one.file.endswith("trial.py")]

    return run


@pytest.mark.parametrize(
    "index",
    ["torch.cumsum(forward_batch.lens, 0) - 1", "forward_batch.last", "rows", ":-1", "..., 0", "input_ids > 0", "None"],
)
def test_an_index_that_is_no_number_takes_no_pair_apart(lost: Lost, index: str) -> None:
    assert lost(CALL + f"out = out[{index}]\n" + LOGITS)
    assert lost(CALL + f"return forward_batch.logits(out[{index}], self.lm_head)")


def test_an_index_on_the_call_itself(lost: Lost) -> None:
    call = "self.model(input_ids, positions, forward_batch)"
    assert lost(f"out = {call}[forward_batch.last]\n" + LOGITS)
    assert lost(f"return forward_batch.logits({call}[0], self.lm_head)") == []


def test_asking_for_another_type_takes_nothing_apart(lost: Lost) -> None:
    assert lost(CALL + "if isinstance(out, Proxy):\n    return out\n" + LOGITS)


@pytest.mark.parametrize(
    "apart",
    [
        "if self.capture_aux_hidden_states:\n    out, kept = out\n",
        "kept = None\nif isinstance(out, tuple):\n    out, kept = out\n",
        "kept = None\nif isinstance(out, (tuple, list)):\n    out, kept = out\n",
        "kept = out[1] if self.capture_aux_hidden_states else None\nout = out[0]\n",
        "if len(out) == 2:\n    out, kept = out[0], out[-1]\n",
        "out, *kept = out\n",
    ],
)
def test_a_pair_that_is_taken_apart_arrives(lost: Lost, apart: str) -> None:
    assert lost(CALL + apart + "return forward_batch.logits(out, self.lm_head, kept)") == []


def test_rows_of_what_was_taken_apart(lost: Lost) -> None:
    picked = "out = out[forward_batch.last]\nreturn forward_batch.logits(out, self.lm_head, kept)"
    assert lost(CALL + "kept = None\nif self.capture_aux_hidden_states:\n    out, kept = out\n" + picked) == []


SUPER = "out = super().forward(input_ids, positions, forward_batch, input_embeds)\n"


@pytest.mark.parametrize(
    "mid",
    [
        SUPER + "if isinstance(out, tuple):\n    states, self.kept = out\n    return states\nreturn out",
        SUPER + "if isinstance(out, tuple):\n    return out[0]\nreturn out",
        SUPER + "if not isinstance(out, tuple):\n    return out\nstates, rest = out\nself.kept = rest\nreturn states",
        "states, rest = super().forward(input_ids, positions, forward_batch, input_embeds)\nreturn states",
    ],
)
def test_a_body_that_keeps_the_states(lost: Lost, mid: str) -> None:
    (one,) = lost(GOOD, mid)
    assert "Mid.forward takes the captured states out" in one.message
    assert "fail at the first forward" in one.message


@pytest.mark.parametrize(
    "mid",
    [
        WHOLE,
        SUPER + "return out",
        SUPER + "if isinstance(out, Proxy):\n    return out\nreturn out",
        SUPER + "if isinstance(out, tuple):\n    states, rest = out\n    return states * 2, rest\nreturn out",
        SUPER + "if isinstance(out, tuple):\n    out = self.scaled(out)\nreturn out",
        SUPER + "states, rest = out\nreturn self.joined(states, rest)",
    ],
)
def test_a_body_that_hands_the_pair_on(lost: Lost, mid: str) -> None:
    assert lost(GOOD, mid) == []
