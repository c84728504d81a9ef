"""One class, one member: present, missing or unknown, and why. Written as model files of the small tree."""

from __future__ import annotations

import textwrap

import pytest

MEMBER = "get_embed_and_head"
HEAD = """
import types

from torch import nn
from transformers import PreTrainedModel

from sglang.srt.models.oak import OakForCausalLM, OakV2ForCausalLM
from sglang.srt.models.pine import PineForCausalLM

"""


@pytest.fixture
def status(judged):
    """`status(text, member)`: what is said of the class `Mine` that the text defines."""

    def of(text: str, member: str = MEMBER, name: str = "Mine"):
        module = HEAD + textwrap.dedent(text) + f"\n\nEntryClass = {name}\n"
        (model,) = [one for one in judged({"sglang.srt.models.mine": module}).models if one.name == name]
        return model.members[member]

    return of


CONSTRUCTED = "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
IF_PART = (
    "        if hasattr(self.m, 'get_embed_and_head'):\n            self.get_embed_and_head = self.m.get_embed_and_head"
)

CASES = {
    "own method": ("class Mine(nn.Module):\n    def get_embed_and_head(self): ...", "present", "own"),
    "inherited": ("class Mine(OakV2ForCausalLM):\n    pass", "present", "inherited"),
    "mixin": (
        "class Mixin:\n    def get_embed_and_head(self): ...\nclass Mine(Mixin, nn.Module):\n    pass",
        "present",
        "inherited",
    ),
    "property": (
        "class Mine(nn.Module):\n    @property\n    def get_embed_and_head(self):\n        return self.m.hook\n"
        "    def __init__(self, c):\n        super().__init__()\n        self.m = c.made",
        "present",
        "property",
    ),
    "property that reads what isn't there": (
        "class Mine(nn.Module):\n    @property\n    def get_embed_and_head(self):\n        return self.m.hook",
        "missing",
        None,
    ),
    "property that reads what may be forwarded": (
        "class Mine(nn.Module):\n    @property\n    def get_embed_and_head(self):\n        return self.m\n"
        "    def __getattr__(self, name):\n        return getattr(self.other, name)",
        "unknown",
        None,
    ),
    "set where a part has it, and it never does": (
        CONSTRUCTED + "        self.m = nn.Linear(1, 1)\n" + IF_PART,
        "missing",
        None,
    ),
    "set where a part has it": (
        CONSTRUCTED + "        self.m = OakV2ForCausalLM(c)\n" + IF_PART,
        "present",
        "attribute",
    ),
    "set where a part of another library has it": (
        CONSTRUCTED + "        self.m = elsewhere.Thing()\n" + IF_PART,
        "unknown",
        None,
    ),
    "property that only raises": (
        "class Mine(nn.Module):\n    @property\n    def get_embed_and_head(self):\n        raise AttributeError('no')",
        "missing",
        None,
    ),
    "set by the constructor": (
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.get_embed_and_head = self.model.get_embed_and_head",
        "present",
        "attribute",
    ),
    "bound on the instance": (
        "def later(self): ...\nclass Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.get_embed_and_head = types.MethodType(later, self)",
        "present",
        "attribute",
    ),
    "only ever None": (
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.get_embed_and_head = None",
        "present",
        "attribute",
    ),
    "None at class level": ("class Mine(nn.Module):\n    get_embed_and_head = None", "present", "own"),
    "assigned to the class": (
        "class Mine(nn.Module):\n    pass\n\ndef later(self): ...\n\nMine.get_embed_and_head = later",
        "present",
        "own",
    ),
    "function below the class": (
        "class Mine(nn.Module):\n    pass\n\ndef get_embed_and_head(self): ...",
        "missing",
        None,
    ),
    "forwards everything": (
        "class Mine(nn.Module):\n    def __getattr__(self, name):\n        return getattr(self.m, name)",
        "unknown",
        None,
    ),
    "inherits a forwarder": (
        "class F:\n    def __getattr__(self, name):\n        return getattr(self.m, name)\n"
        "class Mine(F, nn.Module):\n    pass",
        "unknown",
        None,
    ),
    "base outside of the tree": ("from elsewhere import Base\nclass Mine(Base):\n    pass", "unknown", None),
    "base that is computed": ("class Mine(make()):\n    pass", "unknown", None),
    "inconsistent bases": ("class A: ...\nclass B(A): ...\nclass Mine(A, B):\n    pass", "unknown", None),
    "Transformers' own base": ("class Mine(PreTrainedModel):\n    pass", "missing", None),
    "torch alone": ("class Mine(nn.Module):\n    pass", "missing", None),
    "under a condition in the body": (
        "class Mine(nn.Module):\n    if FAST:\n        def get_embed_and_head(self): ...",
        "present",
        "own",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_status(status, name: str) -> None:
    text, expected, way = CASES[name]
    found = status(text)
    assert (found.status, found.way) == (expected, way), found
    assert found.status != "unknown" or found.reason, "an unknown says why"


def test_attribute_that_is_only_ever_none_says_so(status) -> None:
    text, _, _ = CASES["only ever None"]
    assert "only ever set to None" in status(text).reason


def test_base_model_of_transformers_gives_an_embedding(status) -> None:
    found = status("class Mine(PreTrainedModel):\n    pass", "get_input_embeddings")
    assert (found.status, found.provider) == ("present", "transformers.PreTrainedModel")


def test_constructor_that_skips_its_parent_loses_the_parents_attributes(status) -> None:
    skipping = "class Mine(OakForCausalLM):\n    def __init__(self, c):\n        nn.Module.__init__(self)\n"
    assert status(skipping, "lm_head").status == "missing"
    assert status(skipping).status == "present", "methods are inherited all the same"


def test_attribute_under_a_condition_says_so(status) -> None:
    text = (
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        if c.last:\n            self.lm_head = 1\n"
    )
    found = status(text, "lm_head")
    assert found.status == "present"
    assert "c.last" in found.reason


def test_inner_model_that_has_it_is_named(status) -> None:
    text = (
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.inside = OakV2ForCausalLM(c)\n"
    )
    found = status(text)
    assert (found.status, found.inner, found.inner_status) == ("missing", "inside", "present")


def test_inner_model_that_lacks_it_too(status) -> None:
    text = (
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.inside = PineForCausalLM(c)\n"
    )
    assert status(text).inner_status == "missing"


def test_inner_model_that_only_a_run_can_tell_is_unknown_inside(status) -> None:
    text = (
        "from transformers import AutoModel\n"
        "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        "        self.inside = AutoModel.from_config(c)\n    def forward(self, x):\n        return self.inside(x)\n"
    )
    found = status(text)
    assert (found.status, found.inner, found.inner_status) == ("missing", "inside", "unknown")
    assert "AutoModel" in found.reason
