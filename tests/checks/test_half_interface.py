"""Half of one of the runner's other interfaces is a partial interface too, where that interface is selected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
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


EPLB = {
    "sglang.srt.model_loader.utils": "def get_model_architecture(model_config):\n    return None, None\n",
    "sglang.srt.eplb.expert_location": """
from sglang.srt.model_loader.utils import get_model_architecture


def layout(model_config):
    model_class, _ = get_model_architecture(model_config)
    if hasattr(model_class, "get_layout_of_experts"):
        return model_class.get_layout_of_experts(model_config)
    return None
""",
    "sglang.srt.eplb.eplb_manager": """
from sglang.srt.model_executor.model_runner import ModelRunner


class EPLBManager:
    def __init__(self, model_runner: ModelRunner):
        self.model_runner = model_runner

    def rebalance(self):
        return self.model_runner.model.weights_of_experts

    def again(self):
        return self.model_runner.model.weights_of_experts, getattr(self.model_runner.model, "names_of_experts", None)
""",
}
LAYOUT = "\n    @classmethod\n    def get_layout_of_experts(cls, config):\n        return 1\n"
WEIGHTS = "\n    @property\n    def weights_of_experts(self):\n        return 1\n"


def halves(analysed: Callable[..., Analysis], body: str, heir: str = "") -> list[Finding]:
    text = f"from torch import nn\n\n\nclass Mid(nn.Module):\n    size = 1\n{body}\n{heir}\n"
    text += f"EntryClass = [Mid{', Heir' if heir else ''}]\n"
    found = analysed({"sglang.srt.models.mid": text} | EPLB, interfaces=("speculative", "eplb")).findings
    return [one for one in found if one.rule == "spec-partial-interface" and one.file.endswith("mid.py")]


def test_a_layout_without_the_weights_is_told_once(analysed: Callable[..., Analysis]) -> None:
    (found,) = halves(analysed, LAYOUT)
    assert (found.member, found.algorithms) == ("weights_of_experts", ())
    assert found.message == (
        "Mid offers get_layout_of_experts, by which it takes part in eplb, but not weights_of_experts, which is read "
        "without a guard at sglang/srt/eplb/eplb_manager.py:10"
    )
    assert [(one.file.rpartition("/")[2], one.line, one.what) for one in found.evidence] == [
        ("mid.py", 8, "get_layout_of_experts is offered here"),
        ("eplb_manager.py", 10, "read here, in EPLBManager.rebalance"),
        ("eplb_manager.py", 13, "read here, in EPLBManager.again"),
    ]


@pytest.mark.parametrize(
    ("body", "heir"),
    [("", ""), (WEIGHTS, ""), (LAYOUT + WEIGHTS, ""), (LAYOUT + WEIGHTS, "\nclass Heir(Mid):\n    pass\n")],
)
def test_what_offers_both_or_neither_is_left_alone(analysed: Callable[..., Analysis], body: str, heir: str) -> None:
    assert halves(analysed, body, heir) == []


def test_an_heir_is_told_with_the_class_that_offers_it(analysed: Callable[..., Analysis]) -> None:
    found = halves(analysed, LAYOUT, "\nclass Heir(Mid):\n    pass\n")
    assert [one.class_.rpartition(".")[2] for one in found] == ["Mid"]
