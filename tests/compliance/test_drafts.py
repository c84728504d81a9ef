"""Drafts as drafts: for which algorithms one is made, and what it lacks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

MINE = "sglang.srt.models.mine"
HEAD = "from torch import nn\nfrom sglang.srt.models.oak import OakForCausalLM\n"
READS = """
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(8, 8)
    def forward(self, forward_batch):
        return forward_batch.spec_info.hidden_states
"""
NEXT = f"""{READS}
class Next(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Body()
        self.lm_head = nn.Linear(8, 8)
    def forward(self, i, p, forward_batch):
        return self.model(forward_batch)
"""
TAKES = """
    def set_embed_and_head(self, embed, head):
        self.model.embed_tokens.weight = embed
"""
THIRD = f"""{READS}
class Third(OakForCausalLM):
    def __init__(self, config):
        nn.Module.__init__(self)
        self.model = Body()
        self.config = config
        self.lm_head = nn.Linear(8, 8)
        self.capture_aux_hidden_states = False
        self.load_lm_head_from_target = config.tied
        self.hot_token_id = None
"""
BLOCK = """
class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.block_size = config.block_size
    def propose(self, embeddings, lm_head):
        return lm_head(embeddings)
    def forward(self, i, p, forward_batch):
        return forward_batch.spec_info.hidden_states
"""


@pytest.fixture
def draft(judged) -> Callable[..., dict[str, tuple[str, tuple[str, ...]]]]:
    """Algorithm -> verdict and what is missing, of one class of a module, where there is something to judge."""

    def of(text: str, name: str, **more: str):
        texts = {MINE: f"{HEAD}{text}\nEntryClass = [{name}]\n", **{f"sglang.srt.{k}": v for k, v in more.items()}}
        (model,) = [one for one in judged(texts).models if one.class_ == f"{MINE}.{name}"]
        assert model.roles == ("draft",)
        assert set(model.applicable) == set(model.drafts_for) or not model.drafts_for
        return {a: (v.verdict, v.missing) for a, v in model.algorithms.items() if a in model.applicable}

    return of


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (NEXT + TAKES, "Next", {"EAGLE": ("ok", ())}),
        (NEXT, "Next", {"EAGLE": ("missing", ("set_embed_and_head",))}),
        (THIRD, "Third", {"EAGLE3": ("ok", ())}),
        (THIRD.replace("        self.hot_token_id = None\n", ""), "Third", {"EAGLE3": ("missing", ("hot_token_id",))}),
        (BLOCK, "Block", {"DFLASH": ("ok", ()), "DSPARK": ("ok", ())}),
        (
            BLOCK.replace("def propose", "def suggest"),
            "Block",
            {"DFLASH": ("missing", ("propose",)), "DSPARK": ("missing", ("propose",))},
        ),
        (
            f"{BLOCK}\nclass Heir(Block):\n    pass\n".replace("self.block_size", "self.size"),
            "Heir",
            {"DFLASH": ("missing", ("block_size",)), "DSPARK": ("missing", ("block_size",))},
        ),
    ],
    ids=["whole", "lost its setter", "third", "third lost an attribute", "block", "lost a method", "its base lost it"],
)
def test_draft_is_held_against_its_own_algorithm(draft, text: str, name: str, expected: dict) -> None:
    assert draft(text, name) == expected


def test_only_where_a_flag_is_true(draft) -> None:
    """The flag's value comes from the checkpoint: then nobody can say; a constant decides."""
    text = THIRD.replace("(OakForCausalLM)", "(nn.Module)") + "    def set_embed(self, embed): ...\n" + FORWARD
    assert draft(text, "Third") == {"EAGLE3": ("unknown", ())}
    assert draft(text.replace("config.tied", "False"), "Third") == {"EAGLE3": ("ok", ())}
    assert draft(text.replace("config.tied", "True"), "Third") == {"EAGLE3": ("missing", ("set_embed_and_head",))}


FORWARD = "    def forward(self, i, p, forward_batch):\n        return self.model(forward_batch)\n"


def test_draft_of_an_algorithm_made_from_another_ones(judged) -> None:
    """Its worker asks for members of its own; what its draft inherits from the first one's decides nothing."""
    worker = """
from sglang.srt.speculative.dflash_worker import DFlashWorker
class OtherWorker(DFlashWorker):
    def __init__(self, server_args, gpu_id, target_worker):
        super().__init__(server_args, gpu_id, target_worker)
        self.anchor = self.draft_model.anchor_first
        self.bias = self.draft_model.bias_head
        self.draft_model.settle(1)
"""
    text = f"""{HEAD}{BLOCK}
class Mixed:
    def settle(self, n): ...
class Other(Mixed, Block):
    def __init__(self, config):
        super().__init__(config)
        self.bias_head = None
"""
    texts = {
        MINE: f"{text}EntryClass = [Block, Other]\n",
        "sglang.srt.speculative.other_worker": worker,
    }
    chosen = SPEC_INFO.replace("dflash_worker import DSparkWorker", "other_worker import OtherWorker")
    texts["sglang.srt.speculative.spec_info"] = chosen.replace("return DSparkWorker", "return OtherWorker")
    found = {one.name: one for one in judged(texts).models if one.class_.startswith(MINE)}
    assert set(found["Block"].drafts_for) == {"DFLASH"}
    assert set(found["Other"].drafts_for) == {"DSPARK"}
    assert found["Other"].algorithms["DSPARK"].missing == ("anchor_first",)


SPEC_INFO = (Path(__file__).parents[2] / "fixtures/sglang_small/sglang/srt/speculative/spec_info.py").read_text()
CONFIGURATION = (Path(__file__).parents[2] / "fixtures/sglang_small/sglang/srt/configs/model_config.py").read_text()


@pytest.mark.parametrize(
    "line",
    [
        'if is_draft_model and self.speculative_algorithm == "EAGLE3" and self.hf_config.architectures[0] == "Was":\n'
        '            self.hf_config.architectures[0] = "Next"',
        'if is_draft_model and self.hf_config.architectures[0] in OLD and self.speculative_algorithm in ("EAGLE3",):\n'
        '            self.hf_config.architectures = ["Next"]',
        'if is_draft_model and self.hf_config.architectures[0] == "Next" and self.speculative_algorithm == "EAGLE3":\n'
        "            self.num_hidden_layers = 1",
    ],
    ids=["rewritten under one algorithm", "names in a constant", "named with it"],
)
def test_algorithm_that_the_configuration_names(draft, line: str) -> None:
    text = f'OLD = ("Was", "WasToo")\n{CONFIGURATION}'.replace(
        "is_draft_model = self.is_draft_model\n", f"is_draft_model = self.is_draft_model\n        {line}\n"
    )
    found = draft(NEXT + TAKES, "Next", **{"configs.model_config": text})
    assert list(found) == ["EAGLE3"]
    assert "hot_token_id" in found["EAGLE3"][1]


def test_incomplete_draft_says_how_it_is_known(judged) -> None:
    texts = {MINE: f"{HEAD}{NEXT}\nEntryClass = Next\n"}
    (finding,) = [one for one in judged(texts).findings if one.class_ == f"{MINE}.Next"]
    assert (finding.id, finding.member, finding.algorithms) == ("E7712", "set_embed_and_head", ("EAGLE",))
    assert "reads what the target hands over" in finding.message


WORKER = (Path(__file__).parents[2] / "fixtures/sglang_small/sglang/srt/speculative/dflash_worker.py").read_text()
MADE = "        self.draft_worker = TpModelWorker("


@pytest.mark.parametrize(
    ("worker", "verdict"),
    [
        (WORKER.replace(MADE, f"        if not self.hosts:\n            return\n{MADE}"), "missing"),
        (WORKER.replace(MADE, f"        self.hosts = bool(gpu_id)\n        if self.hosts:\n    {MADE}"), "missing"),
        (
            WORKER.replace(MADE, f"        if self.hosts:\n    {MADE}").replace(
                "        self.draft_model = ",
                "        if not self.hosts:\n            return\n        self.draft_model = ",
            ),
            "missing",
        ),
        (
            WORKER.replace("        self.block_size = ", "        if self.blocks:\n            self.block_size = "),
            "ok",
        ),
    ],
    ids=["returned before", "made under a condition", "the same condition later", "a condition of its own"],
)
def test_where_the_draft_exists_is_no_condition_on_it(draft, worker: str, verdict: str) -> None:
    """Only one pipeline stage makes the draft: what is asked of it there is asked of every draft."""
    text = BLOCK.replace("self.block_size", "self.size")
    found = draft(text, "Block", **{"speculative.dflash_worker": worker})
    assert found["DFLASH"][0] == verdict
