"""Which of the runner's contracts a requirement belongs to."""

from __future__ import annotations

import msgspec
import pytest

from specint.contract.interfaces import classify, names, packages_of
from specint.contract.model import Contract
from specint.facts.store import Store
from specint.outputs.contract_text import contract_markdown, print_contract
from specint.pipeline import analyze, contract_of


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
    assert set(names()) >= {"speculative", "eplb", "lora", "multimodal", "graph", "pipeline", "runtime", "worker"}


SCHEDULER = "sglang.srt.managers.scheduler"
STEP = "\n    def step(self, batch):\n        self.draft_worker.go(batch)\n"


@pytest.fixture(scope="module")
def asking(small_tree):
    """The small tree with a scheduler that asks each worker for what none has."""
    text = small_tree.read(small_tree.find(SCHEDULER)).decode()
    return small_tree.overlay({SCHEDULER: text + STEP})


@pytest.mark.parametrize(
    ("interfaces", "of_models", "of_workers"),
    [(("speculative", "worker"), True, True), (("speculative",), True, False), (("worker",), False, True)],
)
def test_workers_are_an_interface(asking, interfaces: tuple[str, ...], of_models: bool, of_workers: bool) -> None:
    found = analyze(asking, store=Store(None), interfaces=interfaces)
    assert bool(found.contract.requirements) is of_models
    assert any(one.member == "go" for one in found.contract.demands) is of_workers
    assert any(one.rule == "spec-worker-mismatch" for one in found.findings) is of_workers
    assert any(one.rule == "spec-missing-delegation" for one in found.findings) is of_models
    cells = {verdict.verdict for model in found.models for verdict in model.algorithms.values()}
    assert (cells == {"not applicable"}) is not of_models, "nothing is said of models that nobody asks"


def printed(contract: Contract, wanted: tuple[str, ...] = ()) -> str:
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=200)
    print_contract(console, contract, wanted, "1")
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_contract_prints_what_is_asked_of_workers(asking) -> None:
    contract = contract_of(asking, store=Store(None), jobs=1)
    for text in (printed(contract), contract_markdown(contract, (), "1")):
        (line,) = [line for line in text.splitlines() if "go()" in line]
        assert "scheduler.py:" in line
        assert "EAGLE, EAGLE3" in line
        assert "has no go" in text
    only = msgspec.structs.replace(contract, demands=())
    assert "Workers" not in printed(only)
