"""What counts as a claim: a hook of the class, of its body, and SGLang's own table of drafts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from specint.checks.claims import Claim, claiming_members, claims_itself, told
from specint.checks.finding import Evidence
from specint.compliance.model import MemberStatus
from specint.contract.model import CallShape, Condition, Contract, Requirement, Site

MINE = "sglang.srt.models.mine"
HEAD = "from torch import nn\nfrom sglang.srt.models.oak import OakForCausalLM, OakModel\n"
TEXT = """
class Mine(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = {body}
        self.lm_head = nn.Linear(8, 8)
        self.capture_aux_hidden_states = False

    def forward(self, input_ids, positions, forward_batch):
        states, seen = self.model(input_ids, positions, forward_batch), None
        if self.capture_aux_hidden_states:
            states, seen = states
        return forward_batch.logits(states, self.lm_head, seen)

    def load_weights(self, weights): ...
"""
EMBEDDINGS = "\n    def get_input_embeddings(self):\n        return self.model.embed_tokens\n"
HOOK = """
    def {name}(self, layer_ids):
        self.capture_aux_hidden_states = True
        self.model.layers_to_capture = layer_ids
"""
MARKS = """
class Body(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(8, 8)
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
    def set_dflash_layers_to_capture(self, layers):
        for one in layers:
            setattr(self.layers[one], "_wanted", True)
    def forward(self, input_ids, positions, forward_batch):
        x, captured = self.embed_tokens(input_ids), []
        for layer in self.layers:
            if getattr(layer, "_wanted", False):
                captured.append(x)
            x = layer(x)
        return (x, captured) if captured else x
"""


def text(body: str = "OakModel(config)", *parts: str, before: str = "") -> str:
    return f"{HEAD}{before}{TEXT.format(body=body)}{''.join(parts)}\nEntryClass = Mine\n"


@pytest.fixture
def halves(analysed):
    """(member, algorithms) of every E7702 of the class, with the messages."""

    def of(source: str, **more: str):
        texts = {MINE: source, **{f"sglang.srt.{name}": one for name, one in more.items()}}
        found = [one for one in analysed(texts).findings if one.id == "E7702" and one.class_ == f"{MINE}.Mine"]
        return {one.member: one.algorithms for one in found}, " ".join(one.message for one in found)

    return of


@pytest.mark.parametrize(
    ("name", "algorithms"),
    [
        ("set_dspark_layers_to_capture", ("DSPARK",)),
        ("set_dflash_layers_to_capture", ("DFLASH",)),
        ("set_eagle3_layers_to_capture", ("EAGLE3",)),
    ],
)
def test_hook_claims_the_algorithm_that_asks_for_it_first(halves, name: str, algorithms: tuple[str, ...]) -> None:
    lacked = "get_embed_and_head" if algorithms == ("EAGLE3",) else "get_input_embeddings"
    found, message = halves(text("OakModel(config)", HOOK.format(name=name)))
    assert found == {lacked: algorithms}
    assert f"offers {name}" in message


def test_whole_offer_is_no_half(halves) -> None:
    hook = HOOK.format(name="set_dspark_layers_to_capture")
    assert halves(text("OakModel(config)", hook, EMBEDDINGS)) == ({}, "")


@pytest.mark.parametrize(
    ("before", "body"),
    [
        (MARKS, "Body(config)"),
        (f"{MARKS}\nclass Heir(Body): ...\n", "Heir(config)"),
        (f"{MARKS}\nKINDS = {{'a': Body}}\n", "KINDS[config.kind](config)"),
        (f"{MARKS}\nclass Two(Body): ...\n", "(Body if config.small else Two)(config)"),
    ],
    ids=["built", "inherited", "from a table", "one of two"],
)
def test_hook_of_the_body_that_is_not_handed_on_is_a_claim(halves, before: str, body: str) -> None:
    found, message = halves(text(body, EMBEDDINGS, before=before))
    assert found == {"set_dflash_layers_to_capture": ("DFLASH",)}
    assert "self.model of Mine (Body) offers set_dflash_layers_to_capture" in message


def test_body_held_through_a_class_attribute(halves) -> None:
    source = text("self.body_class(config)", EMBEDDINGS, before=MARKS).replace(
        "class Mine(nn.Module):", "class Mine(nn.Module):\n    body_class = Body"
    )
    assert halves(source)[0] == {"set_dflash_layers_to_capture": ("DFLASH",)}


def test_body_that_one_of_two_kinds_only_has_a_hook_claims_nothing(halves) -> None:
    source = text("(Body if config.small else OakModel)(config)", EMBEDDINGS, before=MARKS)
    assert halves(source)[0] == {}


CONFIGURATION = """
class ModelConfig:
    def __init__(self, model_path, is_draft_model: bool = False):
        self.is_draft_model = is_draft_model
        self._config_draft_model()
        self.architectures = self.hf_config.architectures

    def _config_draft_model(self):
        if self.is_draft_model and {test}:
            self.hf_config.architectures{where} = {value}
"""


@pytest.mark.parametrize(
    ("test", "where", "value"),
    [
        ('self.hf_config.architectures[0] == "Mine"', "[0]", '"OakForCausalLMNextN"'),
        ('self.hf_config.architectures[0] in ["Other", "Mine"]', "[0]", '"OakForCausalLMNextN"'),
        ("self.hf_config.architectures[0] in OLD", "", '["OakForCausalLMNextN"]'),
    ],
    ids=["one", "one of several", "a constant's"],
)
def test_table_of_drafts_is_a_claim(halves, test: str, where: str, value: str) -> None:
    configuration = f"OLD = ('Mine',)\n{CONFIGURATION.format(test=test, where=where, value=value)}"
    found, message = halves(text(), **{"configs.model_config": configuration})
    assert found == {"get_embed_and_head": ("EAGLE",)}
    assert "SGLang makes OakForCausalLMNextN out of a checkpoint of Mine" in message


def test_heir_of_an_incomplete_draft_is_told_with_it(analysed) -> None:
    source = f"""{HEAD}
class Draft(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.lm_head = nn.Linear(8, 8)
    def forward(self, i, p, forward_batch):
        return forward_batch.spec_info.hidden_states
class Heir(Draft): ...
class Able(Draft):
    def set_embed_and_head(self, embed, head): ...
EntryClass = [Draft, Heir, Able]
"""
    found = [one for one in analysed({MINE: source}).findings if one.class_.startswith(MINE)]
    assert [(one.id, one.class_.rpartition(".")[2]) for one in found] == [("E7712", "Draft")]
    assert "Heir, made from it, lacks it too" in found[0].message


# -- of requirements as they stand, no tree ----------------------------------------------------------------------------


def asked(member: str = "hook", **more: Any) -> Requirement:
    given = {
        "role": "target",
        "use": "call",
        "algorithms": ("A",),
        "strength": "required",
        "sites": (Site("w.py", 1, "f"),),
    }
    return Requirement(member=member, **(given | {"call": CallShape(positional=1)} | more))


def of(*requirements: Requirement) -> Any:
    return SimpleNamespace(contract=Contract(requirements=requirements, algorithms=("A", "B")))


@pytest.mark.parametrize(
    ("more", "claims"),
    [
        ({}, True),
        ({"call": CallShape(keywords=("layers",))}, True),
        ({"call": CallShape()}, False),
        ({"call": None}, False),
        ({"use": "read"}, False),
        ({"strength": "optional"}, False),
        ({"settings": ("self.on",)}, False),
        ({"condition": Condition("flag", True)}, False),
        ({"role": "draft"}, False),
        ({"role": "both"}, True),
        ({"strength": "any-of", "group": "hook|other"}, True),
        ({"strength": "any-of", "group": "other|hook"}, False),
        ({"algorithms": ("A", "B")}, False),
    ],
)
def test_hook_that_is_a_claim(more: dict[str, Any], claims: bool) -> None:
    assert claiming_members(of(asked(**more))) == ({"A": ("hook",)} if claims else {})


def test_hook_that_another_algorithm_is_content_with_is_still_a_claim() -> None:
    fallback = asked(algorithms=("B",), strength="any-of", group="own|hook")
    assert claiming_members(of(asked(), fallback)) == {"A": ("hook",)}
    assert claiming_members(of(asked(), asked(algorithms=("B",)))) == {}, "both ask for it in the first place"
    assert claiming_members(of(asked(), asked("other"), asked("third", algorithms=("B",)))) == {
        "A": ("hook", "other"),
        "B": ("third",),
    }


@pytest.mark.parametrize(
    ("status", "provider", "itself"),
    [
        ("present", "m.C", True),
        ("present", "m.Mixin", True),
        ("present", "m.Model", False),
        ("missing", None, False),
        ("unknown", "m.C", False),
    ],
)
def test_what_is_inherited_of_a_model_was_the_models_claim(status: Any, provider: str | None, itself: bool) -> None:
    model: Any = SimpleNamespace(class_="m.C", members={"hook": MemberStatus(status=status, provider=provider)})
    assert claims_itself(model, "hook", {"m.C", "m.Model"}) is itself


def test_claims_are_told_together_the_hooks_first() -> None:
    def claim(hook: str, algorithm: str = "A") -> Claim:
        return Claim(algorithm, hook, f"the words of {hook or algorithm}", Evidence(file="f", line=1, what=""), "")

    context, model = of(asked("a"), asked("b"), asked("c", algorithms=("A", "B"))), SimpleNamespace(name="C")
    said: Any = told
    assert said(context, model, (claim("a"),)) == "C offers a, which only A asks for"
    assert (
        said(context, model, (claim(""), claim("a"), claim("b"), claim("a")))
        == "C offers a and b, which only A asks for"
    )
    assert said(context, model, (claim("a"), claim("c"))) == "C offers a and c, which A asks for"
    assert said(context, model, (claim("a"), claim("c", "B"))) == "C offers a and c, which only A and B ask for"
    assert said(context, model, (claim("", "B"),)) == "the words of B"
