"""What is asked of models outside of SGLang alone: that they can be imported, built, loaded and run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis
from specint.source.tree import SourceFile

OWN = "mine/m.py"
LOADER = """
from sglang.srt.model_loader.utils import get_model_architecture

def build(model_config, quant_config):
    model_class, _ = get_model_architecture(model_config)
    kwargs = {"config": model_config.hf_config, "quant_config": quant_config}
    if model_config.draft_index is not None:
        kwargs["draft_index"] = model_config.draft_index
    return model_class(**kwargs)

def load(model, weights):
    model.load_weights(weights)
"""
UTILS = "def get_model_architecture(model_config):\n    return None, None\n"
GOOD = """
from torch import nn
class Own(nn.Module):
    def __init__(self, config, quant_config=None):
        super().__init__()
    def forward(self, input_ids, positions, forward_batch):
        pass
    def load_weights(self, weights):
        pass
EntryClass = Own
"""


@pytest.fixture
def said(analysed: Callable[..., Analysis]) -> Callable[..., list[tuple[str, str]]]:
    """`said(text)`: rule and member of what is found in a module of one's own."""

    def of(text: str, *interfaces: str) -> list[tuple[str, str]]:
        loader = {"sglang.srt.model_loader.loader": LOADER, "sglang.srt.model_loader.utils": UTILS}
        analysis = analysed(
            {**loader, "mine.m": text}, models=(SourceFile.at(OWN),), interfaces=("speculative", *interfaces)
        )
        found = [one for one in analysis.findings if one.file == OWN]
        return [(one.id, one.member) for one in found if one.id in ("E7722", "E7723")]

    return of


def test_model_that_can_serve_is_left_alone(said) -> None:
    assert said(GOOD) == []


@pytest.mark.parametrize(
    ("before", "after", "member"),
    [
        ("def load_weights", "def load_weight", "load_weights"),
        ("config, quant_config=None", "config", "__init__"),
        ("config, quant_config=None", "quant_config=None", "__init__"),
        ("config, quant_config=None", "config, /, quant_config=None", "__init__"),
        ("input_ids, positions, forward_batch", "input_ids, positions", "forward"),
        ("def forward", "def forwards", "forward"),
        ("def __init__", "def init", "__init__"),
    ],
)
def test_what_every_server_asks_is_told(said, before: str, after: str, member: str) -> None:
    assert said(GOOD.replace(before, after), "runtime") == [("E7722", member)]
    assert said(GOOD.replace(before, after)) == ([] if member == "__init__" else [("E7722", member)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("config, quant_config=None", "config, **kwargs"),
        ("config, quant_config=None", "config, *, quant_config, prefix=''"),
        ("input_ids, positions, forward_batch", "*args, **kwargs"),
        ("nn.Module", "elsewhere.Base"),
        ("def load_weights", "def __getattr__(self, name): ...\n    def load_weight"),
        ("super().__init__()", "super().__init__()\n        self.load_weights = config.load"),
    ],
)
def test_what_may_serve_is_left_alone(said, before: str, after: str) -> None:
    assert said(GOOD.replace(before, after)) == []


def test_heir_of_a_model_of_sglang_has_what_that_has(said) -> None:
    heir = "from sglang.srt.models.oak import OakForCausalLM\nclass Own(OakForCausalLM): ...\nEntryClass = Own\n"
    assert said(heir) == []
    shadowed = heir.replace("...", "\n    def forward(self, input_ids): ...\n")
    assert said(shadowed) == [("E7722", "forward")]


@pytest.mark.parametrize(
    "line",
    [
        "from sglang.srt.models.acorn import AcornForCausalLM",
        "from sglang.srt.models.oak import OakOfOld",
        "from sglang.srt.models import acorn",
        "import sglang.srt.models.acorn as acorn",
        "import sglang.srt.models.acorn",
        "import torch, sglang.srt.models.acorn",
        "from sglang.gone import anything",
        "def later():\n    from sglang.srt.models.acorn import AcornForCausalLM",
    ],
)
def test_import_that_this_sglang_lacks_is_an_error(said, line: str) -> None:
    assert said(f"{line}\n{GOOD}") == [("E7723", "")]


@pytest.mark.parametrize(
    "line",
    [
        "from sglang.srt.models.oak import OakForCausalLM",
        "from sglang.srt.models import oak",
        "from sglang.srt import models",
        "import sglang.srt.models.oak",
        "from sglang.srt.models.oak import *",
        "try:\n    from sglang.srt.models.acorn import A\nexcept ImportError:\n    A = None",
        "try:\n    A = 1\nexcept ImportError:\n    from sglang.srt.models.acorn import A",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sglang.srt.models.acorn import A",
        "import sglang\nif sglang.__version__ > '1':\n    from sglang.srt.models.acorn import A",
        "from other.package import acorn",
    ],
)
def test_import_that_may_be_there_is_left_alone(said, line: str) -> None:
    assert said(f"{line}\n{GOOD}") == []


def test_models_of_sglang_itself_are_left_alone(analysed: Callable[..., Analysis]) -> None:
    analysis = analysed({"sglang.srt.models.mine": f"from sglang.gone import x\n{GOOD.replace('def load', 'def no')}"})
    assert not [one for one in analysis.findings if one.id in ("E7722", "E7723")]
