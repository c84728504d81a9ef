"""Which members a wrapper is told to hand on, and for which of them the lines are offered: variants of each kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.checks.once import told_once

Told = Callable[[str], list[Finding]]

HEAD = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.models.birch import BirchForCausalLM
from sglang.srt.models.pine import PineForCausalLM


class Outer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = {inner}(config)
        {more}

    def forward(self, input_ids, positions, forward_batch):
        {forward}


EntryClass = Outer
"""
CALLS = "return self.inner(input_ids, positions, forward_batch)"


@pytest.fixture
def told(analysed: Callable[..., Analysis]) -> Told:
    """`told(text)`: what is shown about the classes of a model file over the small tree."""

    def run(text: str) -> list[Finding]:
        analysis = analysed({"sglang.srt.models.trial": text})
        return [one for one in told_once(analysis.findings, analysis.models) if one.file.endswith("trial.py")]

    return run


def outer(inner: str = "OakForCausalLM", more: str = "pass", forward: str = CALLS) -> str:
    return HEAD.format(inner=inner, more=more, forward=forward.replace("\n", "\n        "))


def gained(findings: list[Finding]) -> dict[str, tuple[str, ...]]:
    return {one.member: one.algorithms for one in findings if one.id == "E7701"}


def test_a_whole_inner_model_gives_every_algorithm(told: Told) -> None:
    found = gained(told(outer()))
    assert found["get_embed_and_head"] == ("EAGLE", "EAGLE3")
    assert found["lm_head"] == found["get_input_embeddings"] == ("DFLASH", "DSPARK")


@pytest.mark.parametrize("inner", ["PineForCausalLM", "BirchForCausalLM"])
def test_nothing_is_gained_where_the_inner_model_lacks_a_part_of_each(told: Told, inner: str) -> None:
    assert told(outer(inner)) == []


def test_an_algorithm_that_the_inner_model_cannot_do_is_left_out(told: Told) -> None:
    inner = "class Half(PineForCausalLM):\n    def get_embed_and_head(self):\n        return 1, 2\n\n\nclass Outer"
    assert gained(told(outer("Half").replace("class Outer", inner))) == {"get_embed_and_head": ("EAGLE",)}


def test_a_member_that_breaks_in_the_inner_model_gains_nothing(told: Told) -> None:
    inner = (
        "class Off(OakForCausalLM):\n    def set_dflash_layers_to_capture(self, layer_ids):\n"
        "        self.model.tell_layers(layer_ids)\n\n\nclass Outer"
    )
    found = gained(told(outer("Off").replace("class Outer", inner)))
    assert set(found) == {"get_embed_and_head", "set_eagle3_layers_to_capture"}


def test_an_heir_is_told_with_its_parent(told: Told) -> None:
    heir = "class Heir(Outer):\n    pass\n\n\nEntryClass = [Outer, Heir]"
    found = [one for one in told(outer().replace("EntryClass = Outer", heir)) if one.id == "E7701"]
    assert {one.class_.rpartition(".")[2] for one in found} == {"Outer"}
    assert all("; Heir inherits the gap" in one.message for one in found)


def test_an_heir_whose_inner_model_can_do_no_algorithm_inherits_what_it_could_hand_on(told: Told) -> None:
    heir = (
        "class Heir(Outer):\n    def __init__(self, config):\n        super().__init__(config, BirchForCausalLM)\n\n\n"
        "EntryClass = [Outer, Heir]"
    )
    text = outer("kind").replace("(self, config)", "(self, config, kind=OakForCausalLM)")
    found = {one.member: one.message for one in told(text.replace("EntryClass = Outer", heir)) if one.id == "E7701"}
    assert "; Heir inherits the gap" in found["lm_head"]
    assert "Heir" not in found["get_embed_and_head"], "its inner model has none"


def test_an_heir_around_another_model_is_told_by_itself(told: Told) -> None:
    heir = (
        "class Heir(Outer):\n    def __init__(self, config):\n        nn.Module.__init__(self)\n"
        "        self.text = OakForCausalLM(config)\n\n\nEntryClass = [Outer, Heir]"
    )
    found = told(outer().replace("EntryClass = Outer", heir))
    assert {one.class_.rpartition(".")[2] for one in found if one.id == "E7701"} == {"Outer", "Heir"}


BODY = "states = self.inner.model(input_ids, positions, forward_batch)\n"
APART = [
    ("pass", BODY + "return forward_batch.logits(states, self.inner.lm_head)"),
    ("pass", "run = self.inner.model\nreturn forward_batch.logits(run(input_ids, positions, forward_batch))"),
    ("pass", BODY + "return forward_batch.logits(states[0], self.inner.lm_head)"),
    ("self.head = nn.Linear(8, 8)", "return self.head(self.inner(input_ids, positions, forward_batch))"),
    (
        "self.head = nn.Linear(8, 8)",
        "states = self.inner(input_ids, positions, forward_batch)\nreturn forward_batch.logits(states, self.head)",
    ),
    (
        "self.table = nn.Embedding(8, 8)",
        "start = self.table(input_ids)\nreturn self.inner(None, positions, forward_batch, start)",
    ),
]


@pytest.mark.parametrize(("more", "forward"), APART)
def test_a_wrapper_that_stands_apart_is_told_without_lines(told: Told, more: str, forward: str) -> None:
    found = [one for one in told(outer(more=more, forward=forward)) if one.id == "E7701"]
    assert found, "the absence is told"
    assert {one.edit.kind for one in found} == {"decide"}


@pytest.mark.parametrize(
    ("more", "forward"),
    [
        ("pass", "return self.inner.forward(input_ids, positions, forward_batch)"),
        ("pass", "run = self.inner\nreturn run(input_ids, positions, forward_batch)"),
        ("pass", "return somewhere_else(language_model=self.inner, batch=forward_batch)"),
        ("self.projector = nn.Linear(8, 8)", "self.projector(forward_batch.pictures)\n" + CALLS),
        ("self.embed = self.inner.model.embed_tokens", "x = self.embed(input_ids)\n" + CALLS),
    ],
)
def test_a_wrapper_that_runs_the_inner_model_gets_the_lines(told: Told, more: str, forward: str) -> None:
    found = [one for one in told(outer(more=more, forward=forward)) if one.id == "E7701"]
    assert found
    assert {one.edit.kind for one in found} == {"add"}


BODIES = """

class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.llm = OakForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        {runs}


class Shell(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.body = Body(config)

    def forward(self, *args):
        return self.body(*args)
"""
RUNS = "return self.llm(input_ids, positions, forward_batch)"
FORWARDS = "pass\n\n    def __getattr__(self, name):\n        return getattr(self.inner, name)"


@pytest.mark.parametrize(
    ("inner", "more", "way"),
    [
        ("Body", "pass", "self.inner.llm"),
        ("Body", FORWARDS, "self.inner.llm"),
        ("Shell", "pass", "self.inner.body.llm"),
    ],
)
def test_a_model_within_a_body_is_told_without_lines(told: Told, inner: str, more: str, way: str) -> None:
    found = [one for one in told(outer(inner, more) + BODIES.format(runs=RUNS)) if one.id == "E7701"]
    assert gained(found)["get_embed_and_head"] == ("EAGLE", "EAGLE3")
    assert all(way in one.message for one in found)
    assert {one.edit.kind for one in found} == {"decide"}


@pytest.mark.parametrize(
    ("forward", "runs"), [("return None", RUNS), (CALLS, "return None")], ids=["not the body", "not the model"]
)
def test_a_model_within_a_body_that_nobody_runs_is_none(told: Told, forward: str, runs: str) -> None:
    assert gained(told(outer("Body", forward=forward) + BODIES.format(runs=runs))) == {}
