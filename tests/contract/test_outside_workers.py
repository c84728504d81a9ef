"""A worker outside of SGLang with an algorithm of its own: its contract is inferred, and applied to SGLang's models."""

from __future__ import annotations

import pytest

from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.tree import Origin, TextTree

WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

from plugin.access import embedding_of


@SpeculativeAlgorithm.register("SKIM", aliases=("SKIMMING",))
class SkimWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.draft_worker = TpModelWorker(server_args=server_args, gpu_id=gpu_id, is_draft_worker=True)
        self.deep = False
        if server_args.device == "deep":
            self.deep = True
        self.embedding = embedding_of(source=self.target_worker.model_runner.model)
        self.tell()

    def tell(self):
        target = self.target_worker.model_runner.model
        if self.deep:
            target.set_depth(3)
        if hasattr(target, "set_skim_layers"):
            target.set_skim_layers([1])
        elif hasattr(target, "set_dflash_layers_to_capture"):
            target.set_dflash_layers_to_capture([1])
        else:
            raise ValueError("this target can't be skimmed")
        self.draft_worker.model_runner.model.take(self.embedding)
"""
ACCESS = """
def embedding_of(*, source):
    first, second = source.get_embed_and_head()
    return first
"""
MODEL = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM

class MyWrapper(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = OakForCausalLM(config)

    def forward(self, input_ids, positions, forward_batch):
        return self.language_model(input_ids, positions, forward_batch)

EntryClass = MyWrapper
"""


@pytest.fixture(scope="module")
def analysis(small_tree):
    files = {"plugin/worker.py": WORKER, "plugin/access.py": ACCESS, "plugin/models.py": MODEL}
    plugin = TextTree({path: text.encode() for path, text in files.items()}, Origin(version="", source=""), "plugin")
    tree = small_tree.beside(plugin)
    callers = tuple(plugin.files("plugin.worker")) + tuple(plugin.files("plugin.access"))
    models = tuple(plugin.files("plugin.models"))
    return analyze(tree, store=Store(None), jobs=1, callers=callers, models=models)


def asked(analysis, role: str) -> dict[str, tuple[str, str | None, tuple[str, ...]]]:
    return {
        one.member: (one.strength, one.group, one.settings)
        for one in analysis.contract.requirements
        if "SKIM" in one.algorithms and one.role == role
    }


def test_algorithm_its_alias_and_its_worker_are_known(analysis) -> None:
    assert "SKIM" in analysis.contract.algorithms
    assert analysis.contract.aliases["SKIMMING"] == "SKIM"
    assert analysis.contract.workers["SKIM"] == ("plugin.worker.SkimWorker",)


def test_its_contract_is_that_of_its_own_lines(analysis) -> None:
    group = "set_skim_layers|set_dflash_layers_to_capture"
    assert asked(analysis, "target") == {
        "get_embed_and_head": ("required", None, ()),
        "set_depth": ("required", None, ("self.deep",)),
        "set_skim_layers": ("any-of", group, ()),
        "set_dflash_layers_to_capture": ("any-of", group, ()),
    }
    assert asked(analysis, "draft") == {"take": ("required", None, ())}


def test_contract_of_the_other_algorithms_is_as_it_was(analysis, small) -> None:
    def others(requirements):
        return {
            (one.role, one.member, one.use, tuple(a for a in one.algorithms if a != "SKIM"), one.strength, one.group)
            for one in requirements
            if set(one.algorithms) - {"SKIM"}
        }

    assert others(analysis.contract.requirements) == others(small.contract.requirements)


def test_models_are_judged_by_it(analysis) -> None:
    verdicts = {one.name: one.algorithms["SKIM"] for one in analysis.models}
    assert verdicts["OakForCausalLM"].verdict == "ok"
    assert verdicts["PineForCausalLM"].missing == ("get_embed_and_head", "set_skim_layers|set_dflash_layers_to_capture")
    assert verdicts["MyWrapper"].verdict == "missing"


def test_own_wrapper_is_told_where_the_member_is(analysis) -> None:
    found = {one.member for one in analysis.findings if one.class_ == "plugin.models.MyWrapper" and one.id == "E7701"}
    assert "get_embed_and_head" in found
