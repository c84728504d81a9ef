"""What the tree writes onto every model that it makes is there, whatever a class offers."""

from __future__ import annotations

import textwrap

import pytest

LOADER = "sglang.srt.model_loader.loader"
TELLS = "sglang.srt.model_loader.utils"
WORKER = "sglang.srt.speculative.ngram_worker"
TOLD = """
from sglang.srt.models.registry import ModelRegistry


def get_model_architecture(model_config):
    return ModelRegistry.resolve_model_cls(model_config.architectures)
"""
READS = """
from sglang.srt.managers.tp_worker import TpModelWorker


class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.plan = target_worker.model_runner.model.plan
"""


@pytest.fixture
def strengths(read, small_tree):
    """`strengths(loader)`: how strictly `plan` is asked for where models are made so."""

    def ask(loader: str) -> list[str]:
        head = "from sglang.srt.model_loader.utils import get_model_architecture\n\n\n"
        texts = {LOADER: head + textwrap.dedent(loader), TELLS: TOLD, WORKER: READS}
        return read(small_tree, texts).strengths("plan", "target", "NGRAM")

    return ask


GIVEN = {
    "plainly": """
        def load(config):
            made, _ = get_model_architecture(config)
            model = made(config.hf_config)
            model.plan = config.plan
            return model
        """,
    "by setattr, the class taken by its index": """
        def load(config):
            made = get_model_architecture(config)[0]
            with config.device:
                model = made(config.hf_config)
            setattr(model, "plan", config.plan)
            return model
        """,
    "by a helper": """
        def load(config):
            made, _ = get_model_architecture(config)
            model = made(config.hf_config)
            attach(config, onto=model)
            return model


        def attach(config, onto):
            onto.plan = config.plan
        """,
    "in the branch that makes it": """
        def load(config):
            made, _ = get_model_architecture(config)
            if config.quantized:
                model = made(config.hf_config, config.quantized)
                model.plan = 1
            else:
                model = made(config.hf_config)
                model.plan = 2
            return model
        """,
}


@pytest.mark.parametrize("name", GIVEN)
def test_member_that_the_loader_writes_is_no_requirement(strengths, name: str) -> None:
    assert strengths(GIVEN[name]) == ["optional"]


ASKED = {
    "only under a condition": """
        def load(config):
            made, _ = get_model_architecture(config)
            model = made(config.hf_config)
            if config.plan is not None:
                model.plan = config.plan
            return model
        """,
    "one of two loaders doesn't": """
        def load(config):
            made, _ = get_model_architecture(config)
            model = made(config.hf_config)
            model.plan = config.plan
            return model


        def load_remote(config):
            made, _ = get_model_architecture(config)
            return made(config.hf_config)
        """,
    "onto something else": """
        def load(config):
            made, _ = get_model_architecture(config)
            model = made(config.hf_config)
            config.plan = 1
            return model
        """,
}


@pytest.mark.parametrize("name", ASKED)
def test_member_that_not_every_model_gets_is_one(strengths, name: str) -> None:
    assert strengths(ASKED[name]) == ["required"]


@pytest.mark.parametrize(
    ("after", "found"), [("self.model.plan = 1", ["optional"]), ("if gpu_id:\n    self.model.plan = 1", ["required"])]
)
def test_member_that_the_runner_writes_where_it_gets_its_model(read, small_tree, after: str, found: list[str]) -> None:
    runner = f"""
from sglang.srt.models.registry import ModelRegistry


class ModelRunner:
    def __init__(self, model_config, gpu_id: int, is_draft_worker: bool = False):
        self.is_draft_worker = is_draft_worker
        self.model = ModelRegistry.resolve_model_cls(model_config.architectures)[0](model_config)
{textwrap.indent(after, "        ")}
"""
    texts = {"sglang.srt.model_executor.model_runner": runner, WORKER: READS}
    one = [r for r in read(small_tree, texts).of("plan", "target", "NGRAM") if r.use == "read"]
    assert [r.strength for r in one] == found
