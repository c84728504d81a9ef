"""Constructors that a part of a model skips, and what its inherited methods read: variants of the kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis

Unset = Callable[..., dict[str, tuple[str, ...]]]

TEXT = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.settings import exchange_is_on


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate = nn.Linear(8, 8)
        self.shared = config.shared
        self.scales = False
        self.scale = config.scale

    def scaled(self, states):
        return states * self.scale

    def forward(self, states):
        {block}


class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(8, 8)
        self.layers = nn.ModuleList([Block(config) for _ in range(2)])
        self.layers_to_capture = []
        self.first_dense = config.first_dense

    def forward(self, input_ids, positions, forward_batch, input_embeds=None):
        states, seen = self.embed_tokens(input_ids), []
        for index, layer in enumerate(self.layers):
            if index in self.layers_to_capture:
                seen.append(states)
            {body}
            states = layer(states)
        return (states, seen) if seen else states


class OwnBlock(Block):
    def __init__(self, config):
        {own_block}


class OwnBody(Body):
    def __init__(self, config, quant_config=None, prefix=""):
        {own_body}


class Own(OakForCausalLM):
    model_cls = OwnBody


EntryClass = Own
"""
SUPER = "super().__init__(config)"
SKIPS = "nn.Module.__init__(self)\nself.gate = nn.Linear(8, 8)"
BARE = (
    "nn.Module.__init__(self)\nself.embed_tokens = nn.Embedding(8, 8)\n"
    "self.layers = nn.ModuleList([OwnBlock(config) for _ in range(2)])\nself.layers_to_capture = []"
)


@pytest.fixture
def unset(analysed: Callable[..., Analysis]) -> Unset:
    """`unset(block=…, body=…, own_block=…, own_body=…)`: what E7710 says `Own` lacks, and for which algorithms."""

    def run(**parts: str) -> dict[str, tuple[str, ...]]:
        filled = {"block": "return self.gate(states)", "body": "pass", "own_block": SUPER, "own_body": BARE} | parts
        deep = {"body": 12}
        text = TEXT.format(**{k: v.replace("\n", "\n" + " " * deep.get(k, 8)) for k, v in filled.items()})
        settings = "def exchange_is_on():\n    return False\n"
        found = analysed({"sglang.srt.models.trial": text, "sglang.srt.settings": settings}).findings
        return {one.member: one.algorithms for one in found if one.id == "E7710" and one.file.endswith("trial.py")}

    return run


CAPTURING = ("EAGLE3", "DFLASH", "DSPARK")


@pytest.mark.parametrize(
    "body",
    [
        "if index in self.layers_to_capture and index > self.first_dense:\n    seen.append(states)",
        "if index in self.layers_to_capture:\n    if index > self.first_dense:\n        seen.append(states)",
        "if index in self.layers_to_capture:\n    seen.append(self.first_dense)",
    ],
)
def test_what_is_read_while_capturing_stops_what_captures(unset: Unset, body: str) -> None:
    (algorithms,) = unset(body=body).values()
    assert sorted(algorithms) == sorted(CAPTURING)


@pytest.mark.parametrize(
    "body",
    [
        "states = states + self.first_dense",
        "if index > self.first_dense:\n    states = states + 1",
        "if not exchange_is_on():\n    states = states + self.first_dense",
        "states = self.first_dense if self.first_dense is not None else states",
    ],
)
def test_what_every_forward_reads_stops_all(unset: Unset, body: str) -> None:
    assert unset(body=body) == {"first_dense": ()}


@pytest.mark.parametrize(
    "body",
    [
        "if exchange_is_on():\n    states = states + self.first_dense",
        "if forward_batch.overlaps:\n    states = states + self.first_dense",
        "if hasattr(self, 'first_dense'):\n    states = states + self.first_dense",
        "states = states + getattr(self, 'first_dense', 0)",
        "if exchange_is_on() and index > self.first_dense:\n    states = states + 1",
    ],
)
def test_what_may_never_be_read_is_left_alone(unset: Unset, body: str) -> None:
    assert unset(body=body) == {}


def test_layers_in_a_list_are_parts_too(unset: Unset) -> None:
    assert unset(block="return self.gate(states) if self.shared else states", own_block=SKIPS) == {"shared": ()}


def test_a_switch_that_the_part_itself_turns_off(unset: Unset) -> None:
    block = "return states * (self.scale if self.scales else 1)"
    assert unset(block=block, own_block=SKIPS + "\nself.scales = False") == {}
    assert set(unset(block=block, own_block=SKIPS)) == {"scales", "scale"}


@pytest.mark.parametrize(
    ("block", "lacks"),
    [
        ("return self.scaled(states)", {"scale": ()}),
        ("if exchange_is_on():\n    return self.scaled(states)\nreturn states", {}),
        ("if exchange_is_on():\n    return states\nreturn self.scaled(states)", {"scale": ()}),
        ("return self.gate(states)", {}),
    ],
)
def test_a_method_on_the_way(unset: Unset, block: str, lacks: dict[str, tuple[str, ...]]) -> None:
    assert unset(block=block, own_block=SKIPS) == lacks


@pytest.mark.parametrize("own", [SUPER, BARE + "\nself.first_dense = 0", "super(OwnBody, self).__init__(config)"])
def test_what_is_set_is_not_missed(unset: Unset, own: str) -> None:
    assert unset(body="states = states + self.first_dense", own_body=own) == {}


def test_a_part_that_only_the_skipped_constructor_builds(unset: Unset) -> None:
    plain = BARE.replace("OwnBlock(config)", "nn.Linear(8, 8)")
    assert unset(block="return states * self.scale", own_block=SKIPS, own_body=plain) == {}


READ = "states = states + self.first_dense"
TAKEN = {
    "of its own attribute": "if self.layers:",
    "of its own attribute, turned round": "if not self.layers:",
    "of what a batch brings, turned round": "if not forward_batch.overlaps:",
    "of a size": "if index > 3:",
    "of None": "if states is not None:",
    "of two of its own": "if self.layers and states is None:",
    "in the other branch": "if forward_batch.overlaps:\n    pass\nelse:",
    "in a loop": "for _ in forward_batch.steps:",
    "of a parameter that is None by default, turned round": "if not input_embeds:",
    "of a switch that is on": "if self.on:",
    "of a switch that a setting decides": "if self.layers_to_capture or self.either:",
}
KEPT_OFF = {
    "of what a batch brings": "if forward_batch.overlaps:",
    "of a call": "if exchange_is_on():",
    "of the result of a call": "if len(states) > 3:",
    "of its own and of a call": "if self.layers and exchange_is_on():",
    "of another object's attribute": "if forward_batch.spec.on:",
    "behind a return": "if not exchange_is_on():\n    return states\nif exchange_is_on():",
    "of a switch that is off": "if self.off:",
    "of a switch that is on, turned round": "if not self.on:",
    "of a switch that is off, and more": "if self.layers and self.off:",
    "of a parameter that is None by default": "if input_embeds:",
}
SWITCHES = "\nself.off = False\nself.on = True\nself.either = config.either"


@pytest.mark.parametrize("name", TAKEN)
def test_a_test_that_a_server_meets(unset: Unset, name: str) -> None:
    body = f"{TAKEN[name]}\n    {READ}"
    assert set(unset(body=body, own_body=BARE + SWITCHES)) == {"first_dense"}


@pytest.mark.parametrize("name", KEPT_OFF)
def test_a_test_that_may_keep_a_read_off(unset: Unset, name: str) -> None:
    body = f"{KEPT_OFF[name]}\n    {READ}"
    assert unset(body=body, own_body=BARE + SWITCHES) == {}


@pytest.mark.parametrize(
    ("line", "lacks"),
    [
        ("self.kept = setattr(self, config.name, 1)", False),
        ("setattr(self, 'other', 1)", True),
        ("setattr(config, config.name, 1)", True),
        ("self.__dict__.update(config.all)", False),
        ("config.__dict__.update(config.all)", True),
        ("config.fill(self)", False),
        ("config.fill(config)", True),
        ("self.other = config.other", True),
    ],
)
def test_constructor_that_may_fill_the_object(unset: Unset, line: str, lacks: bool) -> None:
    assert bool(unset(body=READ, own_body=f"{BARE}\n{line}")) is lacks


CAPTURE_LAST = {
    "a test of what is captured, then the read": ("if index in self.layers_to_capture and self.first_dense:", True),
    "the read, then the test": ("if self.first_dense and index in self.layers_to_capture:", False),
    "the read in another statement": ("if index in self.layers_to_capture:\n    pass\nif self.first_dense:", False),
}


@pytest.mark.parametrize("name", CAPTURE_LAST)
def test_only_what_stands_behind_the_test_is_read_while_capturing(unset: Unset, name: str) -> None:
    line, capturing = CAPTURE_LAST[name]
    (algorithms,) = unset(body=f"{line}\n    pass").values()
    assert sorted(algorithms) == (sorted(CAPTURING) if capturing else [])
