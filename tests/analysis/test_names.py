"""A model is found by the names that people have for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.analysis.names import called, guessed
from specint.analysis.scope import find_models, resolve_algorithms
from specint.compliance.model import ModelCompliance, Verdict
from specint.contract.model import Contract
from specint.errors import SpecintError
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

OK = {"EAGLE": Verdict(verdict="ok")}
NONE = {"EAGLE": Verdict(verdict="not applicable", reason="it generates nothing")}


def model(class_: str, algorithms: dict[str, Verdict] = OK, role: str = "target") -> ModelCompliance:
    return ModelCompliance(
        class_=f"sglang.srt.models.{class_}",
        name=class_.rpartition(".")[2],
        file=f"sglang/srt/models/{class_.partition('.')[0]}.py",
        line=1,
        roles=(role,),  # type: ignore[arg-type]
        mro=(),
        wraps=(),
        members={},
        algorithms=algorithms,
    )


MODELS = (
    model("kimi_k25.KimiK25ForConditionalGeneration"),
    model("gpt_oss.GptOssForCausalLM"),
    model("qwen3_vl.Qwen3VLForConditionalGeneration"),
    model("qwen3.Qwen3ForCausalLM"),
    model("qwen2_5_vl.Qwen2_5_VLForConditionalGeneration"),
    model("llama.LlamaForCausalLM"),
    model("llama.LlamaForSequenceClassification", NONE),
    model("llama_eagle3.LlamaForCausalLMEagle3", role="draft"),
    model("mllama.MllamaForConditionalGeneration"),
    model("deepseek_v2.DeepseekV3ForCausalLM"),
    model("deepseek_v2.DeepseekV2ForCausalLM"),
    model("internvl.InternVLChatModel"),
    model("glm4v_moe.Glm4vMoeForConditionalGeneration"),
    model("qwen3_moe.Qwen3MoeForCausalLM"),
    model("mistral.MistralForCausalLM"),
    model("mistral.Mistral3ForConditionalGeneration"),
    msgspec.structs.replace(
        model("glm4_moe.Glm4MoeForCausalLM"), title="Serves GLM-4.5, GLM-4.6 and GLM-4.7 as they are published."
    ),
    msgspec.structs.replace(model("glm4_moe_nextn.Glm4MoeForCausalLMNextN", role="draft"), title="GLM-4.6 drafts."),
    model("transformers.TransformersForCausalLM"),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Kimi-K2.5", "KimiK25ForConditionalGeneration"),
        ("moonshotai/Kimi-K2.5", "KimiK25ForConditionalGeneration"),
        ("kimi k2.5", "KimiK25ForConditionalGeneration"),
        ("kimi_k25", "KimiK25ForConditionalGeneration"),
        ("gpt-oss", "GptOssForCausalLM"),
        ("openai/gpt-oss-120b", "GptOssForCausalLM"),
        ("GPTOSS", "GptOssForCausalLM"),
        ("Qwen3-VL", "Qwen3VLForConditionalGeneration"),
        ("Qwen/Qwen3-VL-8B-Instruct", "Qwen3VLForConditionalGeneration"),
        ("Qwen/Qwen3-8B", "Qwen3ForCausalLM"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2_5_VLForConditionalGeneration"),
        ("llamaforcausallm", "LlamaForCausalLM"),
        ("LLAMAFORCAUSALLM", "LlamaForCausalLM"),
        ("llama", "LlamaForCausalLM"),
        ("DeepSeek-V3", "DeepseekV3ForCausalLM"),
        ("deepseek-ai/DeepSeek-V3-0324", "DeepseekV3ForCausalLM"),
        ("InternVL", "InternVLChatModel"),
        ("glm4v-moe", "Glm4vMoeForConditionalGeneration"),
        ("zai-org/GLM-4.6", "Glm4MoeForCausalLM"),
        ("zai-org/GLM-4.5-Air", "Glm4MoeForCausalLM"),
        ("Qwen/Qwen3-30B-A3B", "Qwen3MoeForCausalLM"),
    ],
)
def test_name_as_people_write_it_finds_the_class(name: str, expected: str) -> None:
    assert [one.name for one in find_models(MODELS, name)] == [expected]


@pytest.mark.parametrize("name", ["Qwen3-Omni-30B", "Kimi-K3", "Llamaa", "Qwen", "8b", "", "-", "gpt-oss-vision"])
def test_name_of_another_model_finds_none(name: str) -> None:
    assert called(MODELS, name) == ()
    with pytest.raises(SpecintError, match="no registered model class is called"):
        find_models(MODELS, name)


def test_error_names_one_of_the_family() -> None:
    with pytest.raises(SpecintError, match="did you mean DeepseekV3ForCausalLM"):
        find_models(MODELS, "deepseek-ai/DeepSeek-V3-Omni")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", ["LlamaForCausalLM"]),
        ("glm-4.5v", ["Glm4vMoeForConditionalGeneration"]),
        ("Qwen/Qwen3.1-8B", ["Qwen3ForCausalLM", "Qwen3MoeForCausalLM"]),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", ["Mistral3ForConditionalGeneration"]),
        ("mistralai/Mistral-7B-v0.1", ["MistralForCausalLM"]),
        ("OpenGVLab/InternVL3-8B", ["InternVLChatModel"]),
        ("Kimi-K2.5", []),
        ("LlamaForCausalLM", []),
    ],
)
def test_version_that_has_no_class_of_its_own_is_a_guess_and_known_as_one(name: str, expected: list[str]) -> None:
    assert [one.name for one in guessed(MODELS, name)] == expected
    assert not expected or [one.name for one in find_models(MODELS, name)] == expected


@pytest.mark.parametrize("name", ["GPTNeoXForCausalLM", "SmolLM3ForCausalLM"])
def test_architecture_that_nothing_is_registered_for_is_served_by_the_fallback(name: str) -> None:
    with pytest.raises(SpecintError, match="is served by TransformersForCausalLM then"):
        find_models(MODELS, name)


@pytest.mark.parametrize("name", ["LamaForCausalLM", "Lama", "someone/Unheard-7B"])
def test_slip_of_the_finger_is_no_other_architecture(name: str) -> None:
    with pytest.raises(SpecintError) as caught:
        find_models(MODELS, name)
    assert "TransformersForCausalLM" not in str(caught.value)


@pytest.mark.parametrize("name", ["MTP", "mtp", "NEXTN", "nextn", "EAGLE"])
def test_algorithm_is_found_by_what_people_call_it(name: str) -> None:
    contract = Contract(requirements=(), algorithms=("EAGLE",), aliases={"NEXTN": "EAGLE"})
    assert resolve_algorithms(contract, [name]) == ("EAGLE",)


def test_what_a_project_demands_is_named_exactly() -> None:
    assert find_models(MODELS, "LlamaForCausalLM", exact=True)
    with pytest.raises(SpecintError, match="did you mean LlamaForCausalLM"):
        find_models(MODELS, "llamaforcausallm", exact=True)


def test_configuration_of_a_checkpoint_names_its_model(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"architectures": ["GptOssForCausalLM"]}))
    assert [one.name for one in find_models(MODELS, str(file))] == ["GptOssForCausalLM"]
    file.write_text("{}")
    with pytest.raises(SpecintError, match="names no architecture"):
        find_models(MODELS, str(file))


@pytest.mark.release
@pytest.mark.parametrize("version", ["0.5.9", "0.5.23"])
def test_no_name_of_a_class_finds_another(version: str, release: Callable[[str], Path], tmp_path: Path) -> None:
    """Every class by its name in lower case, and by what stands before its task, in a real release."""
    analysis: Analysis = analyze(open_tree(str(release(version))), store=Store(tmp_path))
    for one in analysis.models:
        assert one.name in {found.name for found in find_models(analysis.models, one.name.lower())}
    kept = msgspec.structs.replace(analysis, findings=())
    assert [one.name for one in find_models(kept.models, "gpt-oss")] == ["GptOssForCausalLM"]
