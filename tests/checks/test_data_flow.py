"""Rules about what hooks, setters and forward do: variants of their kinds, over the small tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.data import rules_folder
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

Run = Callable[..., list[str]]


@pytest.fixture
def findings(fixture_tree: Callable[[str], Path]) -> Run:
    """`findings(symbol, (old, new), …)`: classes that a rule reports in its own bad example after replacements."""

    def run(symbol: str, *changes: tuple[str, str]) -> list[str]:
        text = (Path(str(rules_folder())) / symbol / "bad.py").read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        tree = open_tree(str(fixture_tree("sglang_small") / "sglang")).overlay({"sglang.srt.models.trial": text})
        found = analyze(tree, store=Store(None)).findings
        return [
            f"{one.class_.rpartition('.')[2]}.{one.member}"
            for one in found
            if one.rule == symbol and one.file.endswith("trial.py")
        ]

    return run


UNREAD = "spec-unread-capture"


def test_layers_that_go_where_nobody_can_follow_are_left_alone(findings: Run) -> None:
    setter = "self.model.layers_to_capture = layer_ids or [1, 2, 3]"
    assert findings(UNREAD, (setter, setter + "\n        self.registry.tell(layer_ids)")) == []


def test_a_read_by_the_layers_themselves_counts(findings: Run) -> None:
    layer = "class Layer(nn.Linear):\n    def forward(self, x):\n        return self.layers_to_capture\n\n\n"
    change = [("class ListModel", layer + "class ListModel"), ("nn.Linear(8, 8)", "Layer(8, 8)")]
    assert findings(UNREAD, *change) == []


DROPPED = "spec-aux-dropped"


def test_states_under_another_name_arrive(findings: Run) -> None:
    change = ("self.output_head, None)", "self.output_head, *kept)")
    assert (
        findings(
            DROPPED,
            (
                "hidden_states, captured = hidden_states\n",
                "hidden_states, captured = hidden_states\n        kept = [captured]\n",
            ),
            change,
        )
        == []
    )


def test_a_test_for_none_is_no_use(findings: Run) -> None:
    change = ("        return forward_batch", "        assert captured is not None\n        return forward_batch")
    assert findings(DROPPED, change) == ["CaptureForCausalLM.forward"]


def test_nobody_takes_the_states_apart(findings: Run) -> None:
    unpack = "        if self.capture:\n            hidden_states, captured = hidden_states\n"
    call = (
        "hidden_states, captured = self.model(input_ids, positions, forward_batch), None",
        "hidden_states = self.model(input_ids, positions, forward_batch)",
    )
    assert findings(DROPPED, (unpack, ""), call) == ["CaptureForCausalLM.forward"]


def test_an_inner_model_that_returns_one_thing_alone(findings: Run) -> None:
    change = ("return (hidden_states, captured) if captured else hidden_states", "return hidden_states")
    handed = ("self.output_head, None", "self.output_head, captured")
    assert findings(DROPPED, change, handed) == ["CaptureForCausalLM.forward"]


UNSET = "spec-uninitialized-attribute"


@pytest.mark.parametrize(
    "test", ['getattr(self, "scaled", False)', 'hasattr(self, "scaled") and self.scaled'], ids=["getattr", "hasattr"]
)
def test_a_careful_read_is_left_alone(findings: Run, test: str) -> None:
    assert findings(UNSET, ("if self.scaled:", f"if {test}:")) == []


def test_the_parent_constructor_runs(findings: Run) -> None:
    assert findings(UNSET, ("nn.Module.__init__(self)", "super().__init__(config)")) == []


def test_a_class_attribute_is_enough(findings: Run) -> None:
    change = ("class ParentForCausalLM(nn.Module):", "class ParentForCausalLM(nn.Module):\n    scaled = False\n")
    assert findings(UNSET, change) == []


def test_a_branch_that_a_parameter_keeps_off(findings: Run) -> None:
    change = (
        "def forward(self, input_ids, positions, forward_batch):",
        "def forward(self, input_ids, positions, forward_batch, special=False):",
    )
    assert findings(UNSET, change, ("if self.scaled:", "if special and self.scaled:")) == ["ChildForCausalLM.scaled"]
    nested = (
        "if self.scaled:\n            hidden_states = hidden_states * 2",
        "if special:\n            hidden_states = hidden_states * self.scaled",
    )
    assert findings(UNSET, change, nested) == []


TIED = "spec-tied-weight-deletion"


@pytest.mark.parametrize(
    "guard",
    ["not self.config.tie_word_embeddings", "self.output_head is not self.model.embed_tokens"],
)
def test_a_setter_that_asks_first(findings: Run, guard: str) -> None:
    change = (
        "        del self.output_head.weight\n",
        f"        if {guard}:\n            del self.output_head.weight\n",
    )
    assert findings(TIED, change) == []


def test_a_weight_given_anew_in_between(findings: Run) -> None:
    swapped = (
        "        del self.output_head.weight\n        self.model.embed_tokens.weight = embed\n",
        "        self.model.embed_tokens.weight = embed\n        del self.output_head.weight\n",
    )
    assert findings(TIED, swapped) == []


def test_an_embedding_that_is_replaced_after_it_was_tied(findings: Run) -> None:
    change = (
        "    def forward(self, input_ids, positions, forward_batch):\n        return forward_batch",
        "    def nothing(self): ...\n\n"
        "    def forward(self, input_ids, positions, forward_batch):\n        return forward_batch",
    )
    assert findings(TIED, change) == ["TiedDraftForCausalLM.set_embed_and_head"]
    again = (
        "hidden_size, config.vocab_size)\n\n    def forward",
        "hidden_size, config.vocab_size)\n        self.model = DraftModel(config)\n\n    def forward",
    )
    assert findings(TIED, again) == []


SIBLING = "spec-sibling-gap"


def test_a_twin_whose_forward_is_not_ready_is_left_alone(findings: Run) -> None:
    assert findings(SIBLING) == ["CaptureVLForCausalLM.set_eagle3_layers_to_capture"]
    text = (Path(str(rules_folder())) / SIBLING / "bad.py").read_text(encoding="utf-8")
    twin = text[text.index("class CaptureVLForCausalLM") :]
    assert findings(SIBLING, (twin, twin.replace("if self.capture:", "if False:"))) == []
