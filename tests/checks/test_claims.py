"""What counts as a claim: a hook of the class, of its body, and SGLang's own table of drafts."""

from __future__ import annotations

import pytest

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
def halves(judged):
    """(member, algorithms) of every E7702 of the class, with the messages."""

    def of(source: str, **more: str):
        texts = {MINE: source, **{f"sglang.srt.{name}": one for name, one in more.items()}}
        found = [one for one in judged(texts).findings if one.id == "E7702" and one.class_ == f"{MINE}.Mine"]
        return {one.member: one.algorithms for one in found}, " ".join(one.message for one in found)

    return of


@pytest.fixture
def judged(small_tree, tmp_path_factory):
    from specint.facts.store import Store
    from specint.pipeline import analyze

    cache = tmp_path_factory.mktemp("facts")
    return lambda texts: analyze(small_tree.overlay(texts), store=Store(cache), jobs=1)


@pytest.fixture(scope="session")
def small_tree(fixture_tree):
    from specint.source.locate import open_tree

    return open_tree(str(fixture_tree("sglang_small") / "sglang"))


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


def test_heir_of_an_incomplete_draft_is_told_with_it(judged) -> None:
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
    found = [one for one in judged({MINE: source}).findings if one.class_.startswith(MINE)]
    assert [(one.id, one.class_.rpartition(".")[2]) for one in found] == [("E7712", "Draft")]
    assert "Heir, made from it, lacks it too" in found[0].message
