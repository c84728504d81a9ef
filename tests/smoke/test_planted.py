"""Defects planted in a real SGLang: each ends with exit code 1, without any option, and none is seen in a clean one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = pytest.mark.smoke

Smoke = Callable[..., dict[str, Any]]


class Defect(NamedTuple):
    """What is written instead of what, in which module of the models; what must be said then, and about which class."""

    module: str
    before: str
    after: str
    about: str
    kind: str
    what: str


DELETES = """\
    def set_embed(self, embed):
        del self.model.embed_tokens.weight
        if self.config.tie_word_embeddings:
            del self.lm_head.weight
        self.model.embed_tokens.weight = embed

"""
KEEPS_ITS_HEAD = """

    def set_embed_and_head(self, embed, head):
        del self.model.embed_tokens.weight
        self.model.embed_tokens.weight = embed


EntryClass = [LlamaForCausalLMEagle]"""
DEFECTS = {
    "swapped getter": Defect(
        "qwen2",
        "return self.model.embed_tokens.weight, self.lm_head.weight",
        "return self.lm_head.weight, self.model.embed_tokens.weight",
        "Qwen2ForCausalLM",
        "wrong table",
        "get_embed_and_head gives as its first value, the embedding, the table from which its forward makes the logits",
    ),
    "layers off by one": Defect(
        "qwen3",
        "[val + 1 for val in layer_ids]",
        "[val for val in layer_ids]",
        "Qwen3ForCausalLM",
        "layers off",
        "with [0, 1, 2] gives the embedding, output 0, output 1",
    ),
    "a draft that deletes a tied head": Defect(
        "llama_eagle3",
        "    def load_weights(",
        DELETES + "    def load_weights(",
        "LlamaForCausalLMEagle3",
        "sharing fails",
        "AttributeError",
    ),
    "a wrong layer list in a wrapper": Defect(
        "qwen3_moe",
        "[val + 1 for val in layer_ids]",
        "[val + 2 for val in layer_ids]",
        "Qwen3MoeForCausalLM",
        "layers off",
        "gives output 1, output 2, output 3",
    ),
    "a wrong choice of its own": Defect(
        "qwen3_moe",
        "num_layers - 3,",
        "num_layers - 2,",
        "Qwen3MoeForCausalLM",
        "layers off",
        "without ids gives output 1, output 3, output 5",
    ),
    "a draft that ignores its hot tokens": Defect(
        "llama_eagle3",
        "self.hot_token_id = loaded_weight + torch.arange(loaded_weight.shape[0])",
        "loaded_weight + torch.arange(loaded_weight.shape[0])",
        "LlamaForCausalLMEagle3",
        "hot tokens lost",
        "hot_token_id is no table",
    ),
    "a head that is not handed on": Defect(
        "llama_eagle",
        "\n\n\nEntryClass = [LlamaForCausalLMEagle]",
        KEEPS_ITS_HEAD,
        "LlamaForCausalLMEagle",
        "sharing fails",
        "the draft doesn't hold the target's head",
    ),
    "states without their residual": Defect(
        "llama",
        "aux_hidden_states.append(hidden_states + residual)",
        "aux_hidden_states.append(hidden_states)",
        "LlamaForCausalLM",
        "states without residual",
        "the contribution of a layer alone",
    ),
}
NAMES = ["Qwen2ForCausalLM", "Qwen3ForCausalLM", "Qwen3MoeForCausalLM", "LlamaForCausalLM"]


def errors(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Of everything but members that are missing."""
    return [
        (problem["about"].rpartition(".")[2], problem["kind"], problem["what"])
        for one in report["results"]
        for problem in one["problems"]
        if problem["severity"] == "error" and problem["kind"] != "missing"
    ]


@pytest.fixture(scope="module", params=["0.5.9", "0.5.23"])
def planted(
    request: pytest.FixtureRequest,
    smoke: Smoke,
    environment: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[set[str], list[tuple[str, str, str]], list[int]]:
    """The defects that this release has a place for, and what is said of a tree that has them all."""
    release = request.param
    installed = next(environment(release).parent.parent.glob("lib/python3*/site-packages/sglang"))
    folder = tmp_path_factory.mktemp("planted")
    copied = Path(shutil.copytree(installed, folder / "sglang", ignore=shutil.ignore_patterns("__pycache__")))
    done = set()
    for name, defect in DEFECTS.items():
        path = copied / "srt/models" / f"{defect.module}.py"
        text = path.read_text()
        if defect.before in text:
            path.write_text(text.replace(defect.before, defect.after))
            done.add(name)
    reports = [smoke(release, *NAMES, "--algorithm", name, "--sglang", str(copied)) for name in ("EAGLE3", "EAGLE")]
    return done, [one for report in reports for one in errors(report)], [report["exit"] for report in reports]


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_an_error(
    planted: tuple[set[str], list[tuple[str, str, str]], list[int]], name: str
) -> None:
    done, found, codes = planted
    defect = DEFECTS[name]
    seen = [what for about, kind, what in found if (about, kind) == (defect.about, defect.kind)]
    assert name not in done or any(defect.what in what for what in seen), found
    assert codes == [1, 1]


def test_most_defects_have_a_place_in_each_release(
    planted: tuple[set[str], list[tuple[str, str, str]], list[int]],
) -> None:
    assert len(planted[0]) >= len(DEFECTS) - 1


@pytest.mark.parametrize("release", ["0.5.9", "0.5.23"])
def test_a_clean_tree_has_none_of_them(smoke: Smoke, release: str) -> None:
    report = smoke(release, *NAMES, "DeepseekV3ForCausalLM", "--algorithm", "EAGLE3")
    assert errors(report) == []
    assert report["exit"] == 0
