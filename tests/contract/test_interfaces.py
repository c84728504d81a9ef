"""Which of the runner's contracts a requirement belongs to."""

from __future__ import annotations

import pytest

from specint.contract.interfaces import classify, names, packages_of


@pytest.mark.parametrize(
    ("member", "files", "interface"),
    [
        ("anything", ["sglang/srt/eplb/eplb_manager.py"], "eplb"),
        ("routed_experts_of", ["sglang/srt/model_executor/model_runner.py"], "eplb"),
        ("apply_lora", ["sglang/srt/model_executor/model_runner.py"], "lora"),
        ("anything", ["sglang/srt/managers/mm_utils.py"], "multimodal"),
        ("start_layer", ["sglang/srt/model_executor/model_runner.py"], "pipeline"),
        ("anything", ["sglang/srt/model_executor/cuda_graph_runner.py"], "graph"),
        ("forward", ["sglang/srt/model_executor/cuda_graph_runner.py", "sglang/srt/managers/x.py"], "runtime"),
    ],
)
def test_what_no_algorithm_decides_goes_by_member_and_by_where_all_callers_are(
    member: str, files: list[str], interface: str
) -> None:
    assert classify(member, files, decided=False) == interface


def test_what_an_algorithm_decides_is_speculative_wherever_it_is_asked() -> None:
    assert classify("anything", ["sglang/srt/eplb/eplb_manager.py"], decided=True) == "speculative"


def test_packages_are_read_for_the_interfaces_asked_for_alone() -> None:
    assert packages_of(("speculative",)) == ()
    assert packages_of(("eplb",)) == ("srt.eplb",)
    assert set(names()) >= {"speculative", "eplb", "lora", "multimodal", "graph", "pipeline", "runtime"}
