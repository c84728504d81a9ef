"""What callers do with a member's value, and what a body does with what callers hand over: variants of both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis

Spoken = Callable[..., list[str]]

DRAFT = """
from torch import nn
from sglang.srt.models.oak_eagle3 import OakForCausalLMEagle3


class Later:
    def __init__(self, make):
        self.make = make


class Movable(Later):
    def to(self, device):
        return self


class Own(OakForCausalLMEagle3):
    def __init__(self, config):
        super().__init__(config)
        {built}


    def load_weights(self, weights):
        {loaded}


EntryClass = Own
"""
TARGET = """
from sglang.srt.models.oak import OakForCausalLM


class Own(OakForCausalLM):
    def set_dflash_layers_to_capture(self, layer_ids):
        self.capture_aux_hidden_states = True
        {body}


EntryClass = Own
"""


@pytest.fixture
def spoken(analysed: Callable[..., Analysis]) -> Spoken:
    """`spoken(rule, text)`: the members about which a rule speaks."""

    def run(rule: str, text: str) -> list[str]:
        found = analysed({"sglang.srt.models.trial": text}).findings
        return [one.member for one in found if one.id == rule and one.file.endswith("trial.py")]

    return run


@pytest.mark.parametrize(
    ("built", "loaded", "wrong"),
    [
        ("self.hot_token_id = Later(config.read)", "pass", True),
        ("self.hot_token_id = Later(config.read)", "self.hot_token_id = Later(weights)", True),
        ("self.hot_token_id = [1, 2]", "pass", True),
        ("self.hot_token_id = {1: 2}", "pass", True),
        ("self.hot_token_id = Movable(config.read)", "pass", False),
        ("self.hot_token_id = Movable(config.read)", "self.hot_token_id = Later(weights)", False),
        ("self.hot_token_id = config.tokens", "pass", False),
        ("self.hot_token_id = nn.Linear(8, 8)", "pass", False),
        ("pass", "self.hot_token_id = weights", False),
    ],
)
def test_a_value_without_what_callers_read_of_it(spoken: Spoken, built: str, loaded: str, wrong: bool) -> None:
    found = spoken("E7720", DRAFT.format(built=built, loaded=loaded))
    assert found == (["hot_token_id"] if wrong else [])


@pytest.mark.parametrize(
    ("body", "unread"),
    [
        ("self.model.layers_to_capture = [1, 2]", True),
        ("self.model.layers_to_capture = list(self.config.layer_ids)", True),
        ("print('layer_ids')", True),
        ("self.model.layers_to_capture = [one + 1 for one in layer_ids]", False),
        ("self.tell(layer_ids)", False),
        ("if layer_ids:\n            self.model.layers_to_capture = [1]", False),
        ("del layer_ids\n        self.model.layers_to_capture = [1]", False),
        ("run = lambda: layer_ids\n        self.later = run", False),
        ("def later():\n            return layer_ids\n        self.later = later", False),
        ("self.model.tell(**locals())", False),
    ],
)
def test_a_hook_that_takes_what_it_does_not_read(spoken: Spoken, body: str, unread: bool) -> None:
    found = spoken("W7721", TARGET.format(body=body))
    assert found == (["set_dflash_layers_to_capture"] if unread else [])


def test_a_hook_that_refuses_reads_nothing(spoken: Spoken) -> None:
    text = TARGET.replace("        self.capture_aux_hidden_states = True\n", "")
    assert spoken("W7721", text.format(body="raise ValueError('not here')")) == []


def test_what_is_inherited_is_told_where_it_stands(spoken: Spoken) -> None:
    text = TARGET.format(body="self.model.layers_to_capture = [1]")
    heir = "class Heir(Own):\n    pass\n\n\nEntryClass = [Own, Heir]"
    assert spoken("W7721", text.replace("EntryClass = Own", heir)) == ["set_dflash_layers_to_capture"]
