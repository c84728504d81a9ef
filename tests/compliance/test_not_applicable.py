"""Where there is nothing to judge: what generates nothing, what is no model, what an algorithm never meets."""

from __future__ import annotations

import pytest

MINE = "sglang.srt.models.mine"
LENT = "sglang.srt.models.lent"
HEAD = "from torch import nn\nfrom sglang.srt.models.oak import OakForCausalLM\n"
CLASSES = f"{HEAD}class Mine(OakForCausalLM): ...\nclass Other(OakForCausalLM): ...\nEntryClass = [Mine, Other]\n"
CONFIGURATION = """
SILENT = ("Mine", "Gone")
class ModelConfig:
    def __init__(self, model_path, is_draft_model: bool = False):
        self.is_draft_model = is_draft_model
        self.architectures = self.hf_config.architectures
        self.is_generation = {answer}
{more}
"""


@pytest.fixture
def words(judged):
    """Class -> the verdicts of it, as a set, and the reasons."""

    def of(text: str = CLASSES, **more: str):
        texts = {MINE: text, **{f"sglang.srt.{name.replace('__', '.')}": one for name, one in more.items()}}
        found = [one for one in judged(texts).models if one.class_.startswith(MINE)]
        return {one.name: {verdict.verdict for verdict in one.algorithms.values()} for one in found}

    return of


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        (
            "is_generation_model(self.hf_config.architectures)",
            'def is_generation_model(names):\n    if "Mine" in names or "Gone" in names:\n        return False\n'
            "    return True\n",
        ),
        (
            "is_generation_model(self.hf_config.architectures, is_embedding)",
            "def is_generation_model(names, is_embedding):\n    if any(name in SILENT for name in names):\n"
            "        return False\n    else:\n        return not is_embedding\n",
        ),
        ("generates(self.architectures)", "def generates(names):\n    return names[0] not in SILENT\n"),
        ("generates(self.architectures)", "def generates(names):\n    return not any(n in SILENT for n in names)\n"),
        ("generates(self.architectures)", "def generates(names):\n    return all(n not in SILENT for n in names)\n"),
        (
            "not self.embeds and generates(self.architectures)",
            "def generates(names):\n    silent = {'Mine'}\n"
            "    if not silent.intersection(names):\n        return True\n    return False\n",
        ),
    ],
    ids=["or of names", "a tuple", "not in", "not any", "all not in", "a local set, the other way round"],
)
def test_class_that_the_configuration_runs_without_generating(words, answer: str, more: str) -> None:
    found = words(configs__model_config=CONFIGURATION.format(answer=answer, more=more))
    assert found["Mine"] == {"not applicable"}
    assert found["Other"] == {"ok"}


def test_class_that_the_loader_takes_where_a_flag_says_no(words) -> None:
    loader = (
        "def get_model_architecture(model_config):\n    architectures = model_config.hf_config.architectures\n"
        '    if getattr(model_config, "embeds", False):\n        architectures = ["Mine"]\n'
        "    return ModelRegistry.resolve_model_cls(architectures)\n"
    )
    answer = "not self.embeds and generates(self.architectures)"
    text = CONFIGURATION.format(answer=answer, more="def generates(names):\n    return True\n")
    assert words(configs__model_config=text, model_loader__utils=loader)["Mine"] == {"not applicable"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from pydantic import BaseModel\nclass Mine(BaseModel): ...\n", {"unknown"}),
        ("class Mine:\n    name = 'x'\n", {"not applicable"}),
        ("from enum import Enum\nclass Mine(Enum):\n    A = 1\n", {"not applicable"}),
        ("from dataclasses import dataclass\n@dataclass\nclass Mine:\n    name: str = 'x'\n", {"not applicable"}),
    ],
    ids=["base outside of the tree", "plain", "enum", "dataclass"],
)
def test_what_is_no_model_is_ok_for_nothing(words, text: str, expected: set[str]) -> None:
    assert words(f"{text}EntryClass = Mine\n")["Mine"] == expected


def test_model_without_a_module_as_base_is_one(words) -> None:
    text = "class Mine:\n    def forward(self, input_ids, positions, forward_batch): ...\n"
    assert "ok" in words(f"{text}EntryClass = Mine\n")["Mine"], "NGRAM asks for nothing"


HOOK = """
def resolve(speculative_algorithm, draft_archs):
    is_helper = any(arch in ("Helper",) for arch in draft_archs)
    if speculative_algorithm == "NEXTN" or speculative_algorithm == "EAGLE":
        if is_helper:
            return "DSPARK"
        return "EAGLE"
    return speculative_algorithm
"""
HELPER = f"""{HEAD}
class Body(nn.Module): ...
class Elm(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Body()
    def forward(self, i, p, forward_batch): ...
class Helper(Elm):
    def forward(self, i, p, forward_batch):
        return forward_batch.spec_info.hidden_states
class Around(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = Elm(config)
    def forward(self, i, p, forward_batch): ...
class Apart(nn.Module):
    def forward(self, i, p, forward_batch): ...
EntryClass = [Elm, Helper, Around, Apart]
"""


def test_algorithm_that_is_chosen_for_one_family_of_drafts_alone(judged) -> None:
    texts = {MINE: HELPER, "sglang.srt.arg_groups.speculative_hook": HOOK}
    models = {one.name: one for one in judged(texts).models}
    assert list(models["Helper"].drafts_for) == ["DSPARK"]
    for name in ("Elm", "Around"):
        assert models[name].algorithms["DSPARK"].verdict == "missing", name
    for name in ("Apart", "OakForCausalLM"):
        verdict = models[name].algorithms["DSPARK"]
        assert verdict.verdict == "not applicable", name
        assert "only with Helper" in str(verdict.reason)
    layers = (
        "from torch import nn\nclass Layer(nn.Module): ...\nclass Lender(nn.Module):\n    def __init__(self, config):\n"
    )
    layers += (
        "        super().__init__()\n        self.layer = Layer()\n    def forward(self, i, p, forward_batch): ...\n"
    )
    texts[LENT] = f"{layers}EntryClass = Lender\n"
    texts[MINE] = HELPER.replace("self.model = Body()", "self.model = Body()\n        self.layer = Layer()").replace(
        "class Body", f"from {LENT} import Layer\nclass Body"
    )
    (lender,) = [one for one in judged(texts).models if one.name == "Lender"]
    assert lender.algorithms["DSPARK"].verdict == "not applicable", "a layer that it lends makes no family"
    assert all("DSPARK" not in one.algorithms for one in judged(texts).findings if "KumoK2" in one.class_)


def test_rules_are_silent_about_what_generates_nothing(judged) -> None:
    text = f"{HEAD}class Mine(OakForCausalLM):\n    def get_embed_and_head(self):\n        return self.gone.weight\n"
    answer = "generates(self.architectures)"
    more = "def generates(names):\n    return names[0] not in SILENT\n"
    texts = {MINE: f"{text}EntryClass = Mine\n"}
    assert [one.member for one in judged(texts).findings if one.class_ == f"{MINE}.Mine"]
    texts["sglang.srt.configs.model_config"] = CONFIGURATION.format(answer=answer, more=more)
    assert [one for one in judged(texts).findings if one.class_ == f"{MINE}.Mine"] == []


REGISTRY = """
from torch import nn
from sglang.srt.models import registry
from sglang.srt.models.registry import ModelRegistry
def built(config):
    chosen, _ = ModelRegistry.resolve_model_cls(config.architectures)
    return chosen(config)
"""
WRAP = """
class Mine(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.language_model = {made}
    def get_embed_and_head(self):
        return self.language_model.get_embed_and_head()
    def forward(self, i, p, forward_batch):
        return self.language_model(i, p, forward_batch)
EntryClass = Mine
"""


@pytest.mark.parametrize(
    "made",
    [
        "ModelRegistry.resolve_model_cls(config.text.architectures)[0](config.text)",
        "self.choose(config)(config.text)\n    def choose(self, config):\n"
        "        return registry.ModelRegistry.resolve_model_cls(config.text.architectures)[0]",
        "built(config)",
    ],
    ids=["directly", "through a method", "through a function"],
)
def test_certain_gap_around_a_model_that_the_registry_chooses(judged, made: str) -> None:
    found = judged({MINE: REGISTRY + WRAP.format(made=made)})
    (model,) = [one for one in found.models if one.class_ == f"{MINE}.Mine"]
    assert model.algorithms["EAGLE3"].missing == ("set_eagle3_layers_to_capture",)
    told = [one for one in found.findings if one.class_ == model.class_ and one.rule == "spec-unresolved"]
    (one,) = [one for one in told if one.member == "set_eagle3_layers_to_capture"]
    assert "ModelRegistry.resolve_model_cls chooses it" in one.message
