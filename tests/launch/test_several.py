"""One launch on several machines and under two releases, and what is an exit code."""

import json

import pytest
from click.testing import CliRunner

from specint.cli.commands import group
from tests.launch.test_releases import EAGLE3, LLAMA, WIDE

pytestmark = [pytest.mark.slow, pytest.mark.release]
TREE = [*WIDE, "--speculative-num-draft-tokens", "32"]
GPT = {
    **LLAMA, "architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "hidden_size": 2880, "head_dim": 64,
    "num_hidden_layers": 36, "num_attention_heads": 64, "vocab_size": 201088, "num_local_experts": 128,
    "num_experts_per_tok": 4, "sliding_window": 128,
}  # fmt: skip
GPT_DRAFT = {**EAGLE3, "hidden_size": 2880, "num_attention_heads": 64, "head_dim": 64, "vocab_size": 201088}


@pytest.fixture
def ask(tmp_path, release):
    """`ask(["--gpu", "h200"], flags)`: what is printed, and the exit code."""

    def run(options, flags=(), *, target=LLAMA, draft=None, env=()):
        words = ["--model-path", folder("target", target)]
        if draft is not None:
            words += ["--speculative-draft-model-path", folder("draft", draft)]
        line = [*env, "python", "-m", "sglang.launch_server", *words, *flags]
        arguments = ["preflight", "--sglang", str(release("0.5.9")), *options, "--", *line]
        done = CliRunner().invoke(group, arguments, standalone_mode=False)
        assert done.exception is None, done.exception
        return done.stdout, done.return_value

    def folder(name, config):
        path = tmp_path / name
        path.mkdir(exist_ok=True)
        (path / "config.json").write_text(json.dumps(config))
        return str(path)

    return run


def test_a_line_for_each_machine_and_what_differs(ask):
    text, code = ask(["--gpu", "h200,b200"], TREE, target=GPT, draft=GPT_DRAFT)
    lines = text.splitlines()
    assert lines[0].startswith("✓ h200 0.5.9  starts")
    assert lines[1].startswith("✗ b200 0.5.9  refused by SGLang: trtllm_mha backend only supports topk = 1")
    assert any(line.startswith("  b200 0.5.9: ") for line in lines[2:])
    assert code == 1


def test_what_differs_can_be_told_apart(ask):
    text, code = ask(["--gpu", "h200,b200"])
    assert code == 0
    differing = [line.partition(": ")[2].partition(": ")[2] for line in text.splitlines() if " -> " in line]
    assert len(differing) > 3
    for line in differing:
        before, _, after = line.partition(" -> ")
        assert before != after


def test_a_document_for_each_machine(ask):
    text, code = ask(["--gpu", " H200, b200,h200", "--format", "json"])
    assert [json.loads(line)["machine"] for line in text.splitlines()] == ["h200", "b200"]
    assert code == 0


def test_those_machines_that_matter_where_none_is_named(ask):
    text, code = ask(["--format", "json"])
    machines = [json.loads(line)["machine"] for line in text.splitlines()]
    assert {"h200", "b200"} <= set(machines)
    assert len(machines) == len(set(machines))
    assert code == 0


def test_an_upgrade_that_lets_a_launch_start(ask, release):
    against = ["--against", str(release("0.5.23"))]
    env = ["SGLANG_ENABLE_SPEC_V2=1"]
    text, code = ask(["--gpu", "h200", *against], TREE, draft=EAGLE3, env=env)
    lines = text.splitlines()
    assert lines[0].startswith("✗ h200 0.5.9   refused by SGLang: Spec v2 currently only supports topk = 1")
    assert lines[1].startswith("✓ h200 0.5.23  starts")
    assert any("EAGLEWorkerV2" in line for line in lines[2:])
    assert code == 0  # the answer is the one to the release that is asked about

    text, code = ask(["--gpu", "h200,b200", "--format", "json", *against], TREE, draft=EAGLE3, env=env)
    found = [json.loads(line) for line in text.splitlines()]
    pairs = [(one["machine"], one["sglang"]["version"]) for one in found]
    assert pairs == [("h200", "0.5.9"), ("h200", "0.5.23"), ("b200", "0.5.9"), ("b200", "0.5.23")]
    assert (found[0]["answer"], found[1]["answer"]) == ("refused", "starts")


@pytest.mark.parametrize(("options", "expected"), [([], 2), (["--strict"], 1)])
def test_what_cannot_be_answered_is_strictly_a_failure(ask, options, expected):
    deep = {**LLAMA, "x": json.loads('{"a":' * 900 + "1" + "}" * 900)}
    text, code = ask(["--gpu", "h200", *options], target=deep)
    assert text.startswith("? can't be answered")
    assert code == expected


@pytest.mark.parametrize(("options", "expected"), [([], 0), (["--strict"], 0)])
def test_what_starts_does_so_strictly(ask, options, expected):
    text, code = ask(["--gpu", "h200", *options])
    assert text.startswith("✓ starts")
    assert code == expected
