"""A target and a draft together, as the command line answers for both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

RULES = ("E7703", "E7712")
"""A gap that a rule tells without being asked is told once, by that rule."""
LATE = """
from torch import nn
class LateDraft(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.hot_token_id = None
        self.load_lm_head_from_target = False
    def forward(self, input_ids, positions, forward_batch):
        return forward_batch.spec_info.hidden_states
EntryClass = LateDraft
"""
OWN = """
from torch import nn
from sglang.srt.models.oak import OakModel
class Mine(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = OakModel(config)
        self.lm_head = nn.Linear(4, 4)
    def get_embed_and_head(self):
        return self.model.embed_tokens.weight, self.lm_head.weight
    def forward(self, input_ids, positions, forward_batch): ...
    def load_weights(self, weights): ...
EntryClass = Mine
"""


def test_explain_answers_for_both_sides(specint, small) -> None:
    done = specint(
        *("explain", "OakForCausalLM", "--draft", "OakForCausalLMEagle3", "--algorithm", "EAGLE3"),
        *("--sglang", small, "--format", "json"),
    )
    (pair,) = json.loads(done.stdout)["pairs"]
    assert (pair["verdict"], pair["as_target"]["verdict"], pair["as_draft"]["verdict"]) == ("ok", "ok", "ok")
    ways = {(one["side"], one["member"]): one["way"] for one in pair["handed"]}
    assert ways["target", "get_embed_and_head"] == "gives"
    assert ways["target", "set_eagle3_layers_to_capture"] == "is told"
    assert ways["draft", "set_embed"] == "takes"
    assert ways["draft", "hot_token_id"] == "gives"


@pytest.mark.parametrize(
    ("target", "draft", "algorithm", "verdict", "said"),
    [
        ("OakForCausalLM", "OakForCausalLMNextN", "NEXTN", "ok", "out of a checkpoint of OakForCausalLM"),
        ("OakForCausalLM", "OakForCausalLMNextN", "EAGLE3", "n/a", "it is a draft for EAGLE"),
        ("OakForCausalLM", "OakV2ForCausalLM", "EAGLE", "n/a", "OakV2ForCausalLM is no draft"),
        ("OakForCausalLMEagle3", "OakForCausalLMEagle3", "EAGLE3", "n/a", "is no target"),
        ("OakForCausalLM", "OakForCausalLMNextN", "NGRAM", "n/a", "NGRAM loads no draft"),
        ("PineForCausalLM", "OakForCausalLMEagle3", "EAGLE3", "missing", "target: ✗ missing"),
        ("LensVLForConditionalGeneration", "OakForCausalLMNextN", "EAGLE", "ok", "draft: ✓ ok"),
        ("BirchForCausalLM", "OakDFlashDraftModel", "DSPARK", "missing", "draft: ✓ ok"),
    ],
)
def test_pairs(specint, small, target: str, draft: str, algorithm: str, verdict: str, said: str) -> None:
    done = specint("explain", target, "--draft", draft, "--algorithm", algorithm, "--sglang", small)
    assert done.returncode == 0, done.stderr
    name = "EAGLE" if algorithm == "NEXTN" else algorithm
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{name}: ")]
    assert line.endswith(verdict)
    assert said in done.stdout


def test_without_an_algorithm_it_is_those_of_the_draft(specint, small) -> None:
    done = specint("explain", "OakForCausalLM", "--draft", "OakDFlashDraftModel", "--sglang", small)
    heads = [line.partition(":")[0] for line in done.stdout.splitlines() if line.endswith("ok") and line[0] != " "]
    assert heads == ["DFLASH", "DSPARK"]


def test_draft_of_another_family_is_not_known_to_fit(specint, small, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    done = specint(
        *("check", "own.py", "--draft", "OakForCausalLMNextN", "--algorithm", "EAGLE", "--sglang", small),
        *("--format", "json"),
    )
    found = [one for one in json.loads(done.stdout)["findings"] if one["id"] == "E7703"]
    assert done.returncode == 1
    assert [one["class"].rpartition(".")[2] for one in found] == ["Mine"]
    assert "not of Mine" in found[0]["message"]


@pytest.mark.parametrize(
    ("draft", "algorithm", "code", "on"),
    [
        ("OakForCausalLMEagle3", "EAGLE3", 0, set()),
        ("OakForCausalLMNextN", "EAGLE3", 1, {("OakForCausalLMNextN", "")}),
        ("LateDraft", "EAGLE3", 1, {("LateDraft", "set_embed")}),
        ("OakForCausalLMNextN", "EAGLE", 0, set()),
    ],
)
def test_check_demands_both_sides(specint, copied, draft: str, algorithm: str, code: int, on: set) -> None:
    (copied / "srt/models/late.py").write_text(LATE)
    done = specint(
        *("check", "--model", "OakForCausalLM", "--draft", draft, "--algorithm", algorithm, "--sglang", copied),
        *("--format", "json"),
    )
    assert done.returncode == code, done.stdout + done.stderr
    found = json.loads(done.stdout)["findings"]
    assert {(one["class"].rpartition(".")[2], one["member"]) for one in found if one["id"] in RULES} == on


def test_single_draft_is_demanded_as_a_draft(specint, copied) -> None:
    (copied / "srt/models/late.py").write_text(LATE)
    done = specint(
        "check",
        "--model",
        "LateDraft",
        "--algorithm",
        "EAGLE3",
        "--sglang",
        copied,
        "--select",
        "E7703",
        "--format",
        "json",
    )
    (one,) = json.loads(done.stdout)["findings"]
    assert one["member"] == "set_embed"
    assert "of its draft" in one["message"]


@pytest.mark.parametrize(
    ("demand", "code", "said"),
    [
        ("OakForCausalLM+OakForCausalLMEagle3:EAGLE3", 0, ""),
        ("Mine + OakForCausalLMEagle3:EAGLE3", 1, "Mine lacks set_eagle3_layers_to_capture"),
        ("Mine+OakForCausalLMNextN:EAGLE3", 1, "OakForCausalLMNextN takes no part in EAGLE3"),
        ("Mine+Nobody:EAGLE3", 2, "no registered model class is called `Nobody`"),
        ("Mine+:EAGLE3", 2, "names no class and algorithm"),
    ],
)
def test_require_takes_a_pair(specint, small, tmp_path: Path, demand: str, code: int, said: str) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "pyproject.toml").write_text(f'[tool.specint]\nsglang = "{small}"\nrequire = ["{demand}"]\n')
    done = specint("check", "own.py", "--select", "E7703")
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr


def test_draft_alone_is_no_pair(specint, small) -> None:
    done = specint("check", "--draft", "OakForCausalLMEagle3", "--sglang", small)
    assert done.returncode == 2
    assert "--draft names the draft of a pair" in done.stderr
