"""A real SGLang on a CPU: what it says of its models, beside what reading says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.smoke

RELEASES = ["0.5.9", "0.5.23"]
TEXT = ["LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "Qwen3MoeForCausalLM", "DeepseekV3ForCausalLM"]
WRAPPERS = ["KimiK25ForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"]
NAMES = [*TEXT, *WRAPPERS, "Gemma2ForCausalLM", "LlamaForCausalLMEagle3"]
Smoke = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module", params=RELEASES)
def report(request: pytest.FixtureRequest, smoke: Smoke) -> dict[str, Any]:
    return smoke(request.param, *NAMES, "--algorithm", "EAGLE3", "--reference")


def result(report: dict[str, Any], name: str, variant: str = "") -> dict[str, Any]:
    return next(one for one in report["results"] if (one["name"], one["variant"]) == (name, variant))


def kinds(one: dict[str, Any]) -> set[str]:
    return {problem["kind"] for problem in one["problems"]}


def steps(one: dict[str, Any]) -> dict[str, Any]:
    return {step["name"]: step for step in one["raw"]}


def convention(report: dict[str, Any], name: str) -> str:
    return str(result(report, name)["comparison"]["convention"])


def old(report: dict[str, Any]) -> bool:
    return report["ready"]["sglang"] == "0.5.9"


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_built_by_its_own_class(report: dict[str, Any], name: str) -> None:
    one = result(report, name)
    assert one["built"], one["reason"]
    assert steps(one)["build"]["facts"]["class_"] == one["class"]


def test_reading_and_running_agree_on_every_member(report: dict[str, Any]) -> None:
    wrong = [
        (one["name"], each.get("member", each.get("algorithm")), each["why"])
        for one in report["results"]
        for part in (one, *one["drafts"])
        for each in (*part["agreements"], *part["verdicts"])
        if each["accord"] == "disagree"
    ]
    assert wrong == []
    assert report["exit"] != 3


@pytest.mark.parametrize("name", [*TEXT, *WRAPPERS])
def test_the_numbers_are_those_of_transformers(report: dict[str, Any], name: str) -> None:
    found = result(report, name)["comparison"]
    assert found is not None, steps(result(report, name))
    assert max(found["logits"], found["decode"], found["states"] or 0.0) < 1e-4


@pytest.mark.parametrize("name", TEXT)
def test_the_states_of_three_layers_reach_the_draft(report: dict[str, Any], name: str) -> None:
    one = steps(result(report, name))
    assert one["forward"]["facts"]["captured"][0]["states"] == 3
    assert one["draft hand over"]["facts"]["handed_over"][0]["outcome"] == "ok"
    forward = one["draft forward"]["facts"]
    assert {
        "logits": [2, 128],
        "hidden": [8, 64],
        "finite": True,
        "takes": "captured states",
    }.items() <= forward.items()
    assert [(used["set"], used["is"]) for used in forward["used"]] == [("set_embed", "embedding")]


@pytest.mark.parametrize("name", ["LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"])
def test_the_last_layer_that_is_never_captured_is_named(report: dict[str, Any], name: str) -> None:
    lost = [one["what"] for one in result(report, name)["problems"] if one["kind"] == "last layer lost"]
    assert any("[0, 1, 2, 3, 4, 5, 6, 7], it gives 7 states and no error" in what for what in lost), lost
    assert "short model" not in kinds(result(report, name))
    assert convention(report, name) == "a layer's id gives its output"


def test_deepseek_changed_what_a_layer_id_means(report: dict[str, Any]) -> None:
    if old(report):
        assert convention(report, "DeepseekV3ForCausalLM") == "a layer's id gives its output"
        assert "last layer lost" in kinds(result(report, "DeepseekV3ForCausalLM"))
    else:
        assert convention(report, "DeepseekV3ForCausalLM").endswith("gives inputs; [1] gives outputs")
        assert "last layer lost" not in kinds(result(report, "DeepseekV3ForCausalLM"))


def test_a_draft_is_built_with_its_own_head_with_the_targets_and_with_tied_embeddings(report: dict[str, Any]) -> None:
    drafts = {one["name"]: one for one in result(report, "LlamaForCausalLM")["drafts"]}
    assert list(drafts) == ["draft", "draft, draft_vocab_size = None:", "draft, tie_word_embeddings = True:"]
    assert all(one["built"] and [v["accord"] for v in one["verdicts"]] == ["agree"] for one in drafts.values())
    facts = steps(result(report, "LlamaForCausalLM"))
    handed = [facts[f"{name} hand over"]["facts"]["handed_over"] for name in drafts]
    assert [[one["set"] for one in each] for each in handed] == [["set_embed"], ["set_embed_and_head"], ["set_embed"]]


def test_kimi_lacks_the_hooks_in_the_one_release_and_has_them_in_the_other(report: dict[str, Any]) -> None:
    one = result(report, "KimiK25ForConditionalGeneration")
    missing = sorted(problem["what"].split(",")[0] for problem in one["problems"] if problem["kind"] == "missing")
    assert missing == (["no get_embed_and_head", "no set_eagle3_layers_to_capture"] if old(report) else [])


def test_members_that_a_class_lacks_are_missing_in_both_answers(report: dict[str, Any]) -> None:
    gemma = {one["member"]: one for one in result(report, "Gemma2ForCausalLM")["agreements"]}
    assert (gemma["get_embed_and_head"]["static"], gemma["get_embed_and_head"]["runtime"]) == ("missing", "missing")
    vision = result(report, "Qwen2_5_VLForConditionalGeneration")
    members = {one["member"]: one["runtime"] for one in vision["agreements"]}
    assert (members["get_embed_and_head"], members["set_embed_and_head"]) == ("present", "missing")


def test_a_second_request_for_layers_that_adds_to_the_first_is_named(report: dict[str, Any]) -> None:
    assert "requests add up" in kinds(result(report, "Qwen3MoeForCausalLM"))
    assert "requests add up" not in kinds(result(report, "LlamaForCausalLM"))


def test_stand_ins_are_named_and_never_replace_what_is_there(report: dict[str, Any]) -> None:
    names = report["ready"]["stand_ins"]
    assert "sgl_kernel" in names
    assert not {"torch", "transformers", "fastapi", "uvicorn"}.intersection(names)


@pytest.mark.parametrize("release", RELEASES)
def test_sharing_frees_the_models_own_memory_and_fails_with_tied_embeddings(smoke: Smoke, release: str) -> None:
    report = smoke(release, "LlamaForCausalLM", "--algorithm", "EAGLE3", "--no-forward", "--tied")
    exchanges = {
        one["set"]: one for one in steps(result(report, "LlamaForCausalLM", "untied"))["exchange"]["facts"]["exchanges"]
    }
    shared = exchanges["set_embed_and_head"]
    assert (shared["outcome"], shared["same"], shared["old_gone"]) == ("ok", [True, True], [True, True])
    assert shared["bytes_owned"] == 2 * 128 * 64 * 4
    tied = result(report, "LlamaForCausalLM", "tied")
    assert [one["what"] for one in tied["problems"] if "set_embed_and_head with tied" in one["what"]]


def test_a_fix_turns_missing_into_ok(smoke: Smoke, environment: Callable[[str], Path], tmp_path: Path) -> None:
    installed = next(environment("0.5.9").parent.parent.glob("lib/python3*/site-packages/sglang"))
    copied = Path(shutil.copytree(installed, tmp_path / "sglang", ignore=shutil.ignore_patterns("__pycache__")))
    fix = ["fix", str(copied / "srt/models/kimi_k25.py"), "--sglang", str(copied)]
    done = subprocess.run([sys.executable, "-m", "specint", *fix], capture_output=True, text=True)
    arguments = ["KimiK25ForConditionalGeneration", "--algorithm", "EAGLE3", "--sglang", str(copied), "--reference"]
    report = smoke("0.5.9", *arguments)
    one = result(report, "KimiK25ForConditionalGeneration")
    assert "missing" not in kinds(one), done.stdout + done.stderr
    assert report["ready"]["sglang_at"] == str(copied)
    assert steps(one)["draft forward"]["outcome"] == "ok"
    assert one["comparison"]["states"] < 1e-4


def test_what_goes_wrong_in_a_process_is_a_result_and_the_next_model_is_done(smoke: Smoke, tmp_path: Path) -> None:
    package = tmp_path / "own_models"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "ends.py").write_text(
        "import os, time\n"
        "from sglang.srt.models.llama import LlamaForCausalLM\n"
        "from sglang.srt.models.qwen2 import Qwen2ForCausalLM\n"
        "class GemmaForCausalLM(LlamaForCausalLM):\n"
        "    def __init__(self, config, quant_config=None): os.abort()\n"
        "class Qwen2ForCausalLM(Qwen2ForCausalLM):\n"
        "    def __init__(self, config, quant_config=None): time.sleep(60)\n"
        "EntryClass = [GemmaForCausalLM, Qwen2ForCausalLM]\n"
    )
    checkpoints = []
    for name, kind in (("GemmaForCausalLM", "gemma"), ("Qwen2ForCausalLM", "qwen2")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(f'{{"architectures": ["{name}"], "model_type": "{kind}"}}')
        checkpoints.append(folder)
    variables = {"SGLANG_EXTERNAL_MODEL_PACKAGE": "own_models", "PYTHONPATH": str(tmp_path)}
    crashed = smoke("0.5.9", "--model-path", str(checkpoints[0]), "--algorithm", "EAGLE3", **variables)
    assert crashed["results"][0]["ended"] == "crashed"
    assert "SIGABRT" in crashed["results"][0]["reason"]
    assert "build" in crashed["results"][0]["reason"]
    hung = smoke("0.5.9", "--model-path", str(checkpoints[1]), "--algorithm", "EAGLE3", "--timeout", "6", **variables)
    assert hung["results"][0]["ended"] == "timed out"
    arguments = ["LlamaForCausalLM", "Qwen3ForCausalLM", "--algorithm", "EAGLE3", "--set", "vocab_size=9000000"]
    large = smoke("0.5.9", *arguments, "--memory", "1000")
    assert {one["ended"] for one in large["results"]} == {"out of memory"}


def test_a_real_configuration_is_shrunk(smoke: Smoke, tmp_path: Path) -> None:
    values = (
        '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,'
        ' "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,'
        ' "rope_theta": 500000.0, "tie_word_embeddings": false}'
    )
    (tmp_path / "config.json").write_text(values)
    report = smoke("0.5.9", "--model-path", str(tmp_path), "--algorithm", "EAGLE3", "--reference")
    one = report["results"][0]
    assert one["built"], one["reason"]
    assert steps(one)["build"]["facts"]["hidden"] == 64
    assert one["comparison"]["logits"] < 1e-4


@pytest.mark.parametrize("release", RELEASES)
def test_no_verdict_of_any_algorithm_contradicts_the_built_model(smoke: Smoke, release: str) -> None:
    names = ["LlamaForCausalLM", "OPTForCausalLM", "Qwen2_5_VLForConditionalGeneration", "LlamaForCausalLMEagle"]
    names += ["DFlashDraftModel", "DSparkDraftModel", "LiLiCorrDraftModel"] if release != "0.5.9" else []
    report = smoke(release, *names, "--algorithms", "all", "--no-forward")
    verdicts = {(one["name"], v["algorithm"]): v for one in report["results"] for v in one["verdicts"]}
    assert {v["accord"] for v in verdicts.values()} <= {"agree", "static unknown"}
    assert verdicts["OPTForCausalLM", "EAGLE"]["running"] == "broken"
    assert verdicts["LlamaForCausalLM", "EAGLE3"]["running"] == "ok"
    assert ("LlamaForCausalLMEagle", "EAGLE3") not in verdicts
    assert all(one["built"] for one in report["results"])
    assert report["exit"] == 1


def test_a_device_that_is_not_there_is_named(smoke: Smoke, environment: Callable[[str], Path]) -> None:
    command = [sys.executable, "-m", "specint", "smoke", "LlamaForCausalLM", "--device", "cuda:7"]
    done = subprocess.run([*command, "--python", str(environment("0.5.9"))], capture_output=True, text=True)
    assert "there is no device cuda:7" in done.stderr
    assert done.returncode == 2
