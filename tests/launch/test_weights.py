"""Checkpoints whose tensors are not what the class builds: held against real releases."""

import json

import pytest

from specint.launch.ask import Asking
from specint.launch.command import command_of
from specint.source.locate import open_tree
from tests.launch.safetensors import index, write, write_header
from tests.launch.test_releases import EAGLE3, LLAMA

pytestmark = [pytest.mark.slow, pytest.mark.release]

LAYERS = 3
CONFIG = {**LLAMA, "num_hidden_layers": LAYERS}
TARGET = {
    "model.embed_tokens.weight": (128256, 4096), "lm_head.weight": (128256, 4096), "model.norm.weight": (4096,),
    **{f"model.layers.{n}.self_attn.q_proj.weight": (4096, 4096) for n in range(LAYERS)},
}  # fmt: skip
DRAFT = {
    "midlayer.self_attn.q_proj.weight": (4096, 8192), "fc.weight": (4096, 12288), "norm.weight": (4096,),
    "lm_head.weight": (32000, 4096), "d2t": (32000,), "t2d": (128256,),
}  # fmt: skip
FLAGS = ["--speculative-algorithm", "EAGLE3", "--speculative-draft-model-path"]


@pytest.fixture(scope="module", params=["0.5.9", "0.5.23"])
def asking(release, request):
    return Asking(open_tree(str(release(request.param))), None, None)


@pytest.fixture
def ask(asking, tmp_path):
    """`ask(target=..., draft=..., config=..., draft_config=...)`: the answer, and what doesn't fit by name."""

    def run(target=None, draft=None, *, config=None, draft_config=None, damage=None):
        given = {"target": (CONFIG, config, TARGET if target is None else target),
                 "draft": (EAGLE3, draft_config, DRAFT if draft is None else draft)}  # fmt: skip
        for name, (usual, changes, tensors) in given.items():
            (tmp_path / name).mkdir()
            (tmp_path / name / "config.json").write_text(json.dumps({**usual, **(changes or {})}))
            if tensors:
                write(tmp_path / name / "model.safetensors", tensors)
        if damage is not None:
            damage(tmp_path)
        asking.prepare("h200")
        words = ["--model-path", str(tmp_path / "target"), *FLAGS, str(tmp_path / "draft")]
        answer = asking.answer(command_of(words), "h200")
        return answer, {one.name: (one.target, one.draft) for one in answer.fit if not one.fits}

    return run


def without(tensors, *words):
    return {name: shape for name, shape in tensors.items() if not any(word in name for word in words)}


def test_tensors_that_fit(ask):
    answer, against = ask()
    assert (answer.answer, against) == ("starts", {})
    compared = {one.name for one in answer.fit}
    assert {"target's rows of lm_head.weight", "draft's columns of fc.weight", "target's layers"} <= compared


MISFITS = {
    "a vocabulary": ({"target": {**TARGET, "model.embed_tokens.weight": (128264, 4096)}},
                     "target's rows of model.embed_tokens.weight", (128256, 128264)),
    "a hidden size": ({"target": {**TARGET, "model.embed_tokens.weight": (128256, 5120)}},
                      "target's columns of model.embed_tokens.weight", (4096, 5120)),
    "a draft vocabulary": ({"draft": {**DRAFT, "lm_head.weight": (16000, 4096)}},
                           "draft's rows of lm_head.weight", (32000, 16000)),
    "states that are fused": ({"draft": {**DRAFT, "fc.weight": (4096, 8192)}},
                              "draft's columns of fc.weight", (12288, 8192)),
    "no head": ({"target": without(TARGET, "lm_head")}, "target's tensors", ("lm_head", "not there")),
    "no embedding": ({"target": without(TARGET, "embed")}, "target's tensors", ("model.embed_tokens", "not there")),
    "no fusing layer": ({"draft": without(DRAFT, "fc")}, "draft's tensors", ("model.fc", "not there")),
    "no head of a draft": ({"draft": without(DRAFT, "lm_head")}, "draft's tensors", ("lm_head", "not there")),
    "no map of tokens": ({"draft": without(DRAFT, "d2t")}, "draft's tensors", ("d2t", "not there")),
    "a layer less": ({"target": without(TARGET, "layers.1.")}, "target's layers", (LAYERS, LAYERS - 1)),
    "a layer more": ({"target": {**TARGET, "model.layers.3.mlp.up_proj.weight": (1, 1)}},
                     "target's layers", (LAYERS, LAYERS + 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", MISFITS)
def test_what_is_against_the_class(ask, name):
    given, what, values = MISFITS[name]
    answer, against = ask(**given)
    assert (answer.answer, against) == ("fails", {what: values})


FITTING = {
    "a head that is the embedding": {"target": without(TARGET, "lm_head"), "config": {"tie_word_embeddings": True}},
    "an embedding that the target gives": {"draft": without(DRAFT, "t2d")},
    "a head that the target gives": {"draft": without(DRAFT, "lm_head", "d2t"),
                                     "draft_config": {"draft_vocab_size": None}},
    "a layer to predict with": {"target": {**TARGET, "model.layers.3.mlp.up_proj.weight": (1, 1)},
                                "config": {"num_nextn_predict_layers": 1}},
    "no weights at all": {"target": {}, "draft": {}},
    "weights of the draft alone": {"target": {}},
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_what_is_not(ask, name):
    answer, against = ask(**FITTING[name])
    assert (answer.answer, against) == ("starts", {})


def indexed(folder):
    index(folder / "target", dict.fromkeys(TARGET, "model.safetensors") | {"x": "model-2.safetensors"})


def broken(folder):
    write_header(folder / "draft/model.safetensors", b"{}", 0, 1 << 60)


@pytest.mark.parametrize(("damage", "said"), [(indexed, "no model-2.safetensors"), (broken, "ends before its header")])
def test_files_that_are_not_all_there(ask, damage, said):
    answer, against = ask(damage=damage)
    assert answer.answer == "fails"
    assert [said in there for _, there in against.values()] == [True]


def test_packed_weights_have_shapes_of_their_own(ask):
    def pack(folder):
        write(folder / "draft/model.safetensors", {**DRAFT, "fc.weight": (4096, 1536)}, "I32")

    assert ask(damage=pack)[1] == {}


@pytest.mark.parametrize("tensors", [None, {}])
def test_what_a_drafts_constructor_refuses(ask, asking, tensors):
    answer, against = ask(tensors, tensors, draft_config={"num_hidden_layers": 2})
    if asking.setting.tree.origin.version == "0.5.9":
        assert answer.answer == "fails"
        assert "1 layer" in against["draft's constructor"][1]
    else:
        assert "draft's constructor" not in against
