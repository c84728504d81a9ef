"""Which findings a change can touch, on analyses written by hand."""

from __future__ import annotations

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.analysis.touched import touched
from specint.compliance.model import Wrap

GET, SETTER = "get_embed_and_head", "set_eagle3_layers_to_capture"


def members(analysis: Analysis, *changed: str) -> set[str]:
    return {finding.member for finding in touched(analysis, analysis.findings, frozenset(changed))}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("sglang/srt/models/kumo.py", {GET, SETTER}),
        ("sglang/srt/models/oak.py", {GET, SETTER}),  # the inner class, and who provides the member
        ("sglang/srt/models/draft.py", set()),
        ("sglang/srt/speculative/worker.py", {GET, SETTER}),  # evidence of both
        ("sglang/srt/runner.py", {SETTER}),  # it alone is asked for there
        ("sglang/srt/layers/other.py", set()),
        ("docs/conf.py", set()),
    ],
)
def test_change_touches(analysis: Analysis, changed: str, found: set[str]) -> None:
    assert members(analysis, changed) == found


def test_parents_of_inner_models_count_and_cycles_end(analysis: Analysis) -> None:
    draft, kumo, *rest = analysis.models
    far = "sglang.srt.layers.far"
    inner = msgspec.structs.replace(
        draft,
        class_="sglang.srt.models.oak.OakV2",
        mro=("sglang.srt.models.oak.OakV2", f"{far}.Outer.Far"),
        wraps=(Wrap(attribute="back", classes=(kumo.class_,)),),
    )
    linked = msgspec.structs.replace(analysis, models=(inner, kumo, *rest))
    assert members(linked, "sglang/srt/layers/far.py") == {GET, SETTER}
    assert members(linked, "sglang/srt/layers/far/__init__.py") == {GET, SETTER}
    assert members(linked, "sglang/srt/layers/farther.py") == set()


def test_change_beside_the_workers_touches_all(analysis: Analysis) -> None:
    contract = msgspec.structs.replace(analysis.contract, workers={"EAGLE": ("sglang.srt.speculative.worker.Worker",)})
    linked = msgspec.structs.replace(analysis, contract=contract)
    assert members(linked, "sglang/srt/speculative/algorithms.py") == {GET, SETTER}
    assert members(linked, "sglang/srt/managers/other.py") == set()
