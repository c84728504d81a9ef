"""spec-missing-delegation: what it shows lies in the file that it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

ABOVE = """from torch import nn

from sglang.srt.models.oak_nextn import OakForCausalLMNextN


class Above(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.first = OakForCausalLMNextN(config)
        self.other = None
"""
BELOW = """from sglang.srt.models.above import Above
from sglang.srt.models.oak import OakForCausalLM


class Below(Above):
    def __init__(self, config):
        super().__init__(config)
        #
        #
        #
        self.{attribute} = OakForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        return self.{attribute}(input_ids, positions, forward_batch)


EntryClass = Below
"""


def places(tree: Path, above: str, below: str) -> set[tuple[str, int]]:
    """Where the attribute is set, as each finding of the rule shows it."""
    trial = open_tree(str(tree)).overlay({"sglang.srt.models.above": above, "sglang.srt.models.below": below})
    return {
        (one.file.rpartition("/")[2], one.line)
        for finding in analyze(trial, store=Store(None)).findings
        if finding.rule == "spec-missing-delegation" and finding.class_.endswith("Below")
        for one in finding.evidence
        if one.what.endswith("is set here")
    }


def test_attribute_is_shown_where_it_is_set_beside_others_of_a_base(fixture_tree: Callable[[str], Path]) -> None:
    tree = fixture_tree("sglang_small") / "sglang"
    assert places(tree, ABOVE, BELOW.format(attribute="model")) == {("below.py", 11)}
    assert places(tree, ABOVE, BELOW.format(attribute="other")) == {("below.py", 11)}


def test_attribute_that_a_base_sets_is_shown_in_the_file_of_the_base(fixture_tree: Callable[[str], Path]) -> None:
    tree = fixture_tree("sglang_small") / "sglang"
    above = ABOVE.replace("OakForCausalLMNextN", "OakForCausalLM").replace("oak_nextn", "oak")
    below = BELOW.format(attribute="spare").replace("self.spare = OakForCausalLM(config)", "self.spare = None")
    assert places(tree, above, below.replace("self.spare(", "self.first(")) == {("above.py", 9)}
