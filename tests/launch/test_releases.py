"""Launches of real releases, with configurations of ours: what comes out was seen with the real code."""

import json

import pytest

from specint.cli.commands import group

LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16", "rope_theta": 500000.0,
    "hidden_act": "silu", "tie_word_embeddings": False,
}  # fmt: skip
EAGLE3 = {**LLAMA, "architectures": ["LlamaForCausalLMEagle3"], "num_hidden_layers": 1, "draft_vocab_size": 32000}


@pytest.fixture
def ask(tmp_path, release, capsysbinary):
    """`ask("0.5.9", "h200", ["--flag"], target={...}, draft={...})`: the document, and the exit code in it."""
    from click.testing import CliRunner

    def run(version, machine, flags, *, draft=None, target=LLAMA, env=None):
        words = ["--model-path", str(folder("target", target))]
        if draft is not None:
            words += ["--speculative-draft-model-path", str(folder("draft", draft))]
        line = [*(f"{name}={value}" for name, value in (env or {}).items()), "python", "-m", "sglang.launch_server"]
        arguments = ["preflight", "--sglang", str(release(version)), "--gpu", machine, "--format", "json"]
        done = CliRunner().invoke(group, [*arguments, "--", *line, *words, *flags], standalone_mode=False)
        assert done.exception is None, done.exception
        return {**json.loads(done.stdout), "exit": done.return_value}

    def folder(name, config):
        path = tmp_path / name
        path.mkdir(exist_ok=True)
        (path / "config.json").write_text(json.dumps(config))
        return path

    return run


SPECULATIVE = ["--speculative-algorithm", "EAGLE3", "--speculative-num-steps", "3", "--speculative-eagle-topk", "1"]


def after(document, name):
    return next((change for change in document["changed"] if change["name"] == name), {}).get("after")


@pytest.mark.slow
@pytest.mark.release
def test_a_launch_that_starts(ask):
    found = ask("0.5.9", "h200", [*SPECULATIVE, "--speculative-num-draft-tokens", "8"], draft=EAGLE3)
    assert (found["answer"], found["exit"]) == ("starts", 0)
    assert found["worker"]["class"] == "EAGLEWorker"
    assert found["draft"]["class"].endswith(".LlamaForCausalLMEagle3")
    tokens = next(change for change in found["changed"] if change["name"] == "speculative_num_draft_tokens")
    assert (tokens["before"], tokens["after"]) == (8, 4)
    assert tokens["why"]
    assert "num_nextn_predict_layers" in found["assumed"]
    assert not any(name.startswith("_") for name in found["assumed"]), "what Python asks of any object is no key"


@pytest.mark.slow
@pytest.mark.release
def test_an_unset_size_is_chosen_by_the_architecture(ask):
    found = ask(
        "0.5.9",
        "h200",
        ["--speculative-algorithm", "EAGLE"],
        draft={**EAGLE3, "architectures": ["LlamaForCausalLMEagle"]},
    )
    sizes = ("speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")
    assert [after(found, name) for name in sizes] == [5, 4, 8]


FOUR = [*SPECULATIVE, "--speculative-num-draft-tokens", "4"]
WIDE = ["--speculative-algorithm", "EAGLE3", "--speculative-num-steps", "5", "--speculative-eagle-topk", "8"]
REFUSED = {
    "no such algorithm": (["--speculative-algorithm", "EAGLE4"], {}, ("argparse", "SystemExit", None)),
    "pipeline stages": ([*FOUR, "--pp-size", "2"], {}, ("sglang", "AssertionError", 5137)),
    "ngram under dp attention": (
        ["--speculative-algorithm", "NGRAM", "--enable-dp-attention", "--dp-size", "2", "--tp", "2"],
        {},
        ("sglang", "ValueError", 2498),
    ),
    "spec v2 with a tree": (
        [*WIDE, "--speculative-num-draft-tokens", "32"],
        {"SGLANG_ENABLE_SPEC_V2": "1"},
        ("sglang", "ValueError", 2380),
    ),
}


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("case", REFUSED)
def test_a_launch_that_is_refused(ask, case):
    flags, env, refusal = REFUSED[case]
    found = ask("0.5.9", "h200", flags, draft=EAGLE3, env=env)
    assert (found["answer"], found["exit"]) == ("refused", 1)
    assert (found["refusal"]["by"], found["refusal"]["error"], found["refusal"]["line"]) == refusal


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize(
    ("draft", "misfit"),
    [
        ({**EAGLE3, "hidden_size": 2048, "num_attention_heads": 16}, "hidden size"),
        ({**EAGLE3, "eagle_config": {"eagle_aux_hidden_state_layer_ids": [1, 17, 33]}}, "layers"),
        ({**EAGLE3, "vocab_size": 151936}, "vocabulary"),
        ({**EAGLE3, "architectures": ["LlamaForCausalLM"]}, "draft's class"),
    ],
)
def test_a_draft_that_does_not_fit(ask, draft, misfit):
    found = ask("0.5.9", "h200", FOUR, draft=draft)
    assert (found["answer"], found["exit"]) == ("fails", 1)
    assert [one["name"] for one in found["fit"] if not one["fits"]] == [misfit]
