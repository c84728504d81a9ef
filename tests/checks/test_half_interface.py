"""Half of one of the runner's other interfaces is a partial interface too, where that interface is selected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree


@pytest.mark.release
def test_a_layout_of_experts_without_their_weights_is_found_with_the_interface_selected_alone(
    release: Callable[[str], Path],
) -> None:
    tree = open_tree(str(release("0.5.9")))
    told = [
        finding
        for finding in analyze(tree, store=Store(None), interfaces=("eplb",)).findings
        if finding.rule == "spec-partial-interface"
    ]
    halves = {finding.class_.rpartition(".")[2]: finding for finding in told}
    assert len(halves) == len(told), "one gap, one finding: not the member and once more its part"
    found = halves["MiniMaxM2ForCausalLM"]
    assert found.member == "routed_experts_weights_of_layer"
    assert any(place.file == "sglang/srt/eplb/eplb_manager.py" for place in found.evidence)
    assert "DeepseekV2ForCausalLM" not in halves
