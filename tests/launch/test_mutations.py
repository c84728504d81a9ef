"""The real tree, changed in one place: the answer follows."""

import json
import re

import pytest

from specint.launch.ask import Asking
from specint.launch.command import command_of
from specint.source.locate import open_tree
from tests.launch.test_releases import EAGLE3, FOUR, LLAMA, WIDE

ARGUMENTS = "sglang.srt.server_args"
MODEL = "sglang.srt.configs.model_config"
MIMO = {**LLAMA, "architectures": ["MiMoForCausalLM"], "num_nextn_predict_layers": 1, "attention_bias": True}


@pytest.fixture
def answer(tmp_path, release):
    for name, config in (("target", LLAMA), ("draft", EAGLE3), ("mimo", MIMO)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    tree = open_tree(str(release("0.5.9")))

    def run(change, flags=FOUR, *, module=ARGUMENTS, target="target", draft="draft", env=()):
        text = tree.read(tree.find(module)).decode()
        changed = change(text)
        assert changed != text or change is as_it_is
        asking = Asking(tree.overlay({module: changed}), None, None)
        words = ["--model-path", str(tmp_path / target), "--speculative-draft-model-path", str(tmp_path / draft)]
        line = [*env, "python", "-m", "sglang.launch_server"]
        return asking.answer(command_of([*line, *words, *flags]), "h200")

    return run


def as_it_is(text):
    return text


@pytest.mark.slow
@pytest.mark.release
def test_a_refusal_that_is_put_in(answer):
    flags = [*FOUR, "--speculative-algorithm", "EAGLE3", "--enable-mixed-chunk", "--disable-radix-cache"]
    assert answer(as_it_is, flags).answer == "starts"
    added = answer(
        lambda text: text.replace(
            "    def _handle_speculative_decoding(self):\n",
            "    def _handle_speculative_decoding(self):\n"
            "        if self.tp_size == 1:\n            raise ValueError('one is too few')\n",
        ),
        flags,
    )
    assert added.answer == "refused"
    assert added.found.refusals[0].message == "one is too few"


# Of the release's own text, so that a release in which it reads otherwise fails here and not silently.
NO_TREES = re.compile(
    r"^( +)if \(\n(?:(?!^\1\)).*\n)*^\1\):\n +raise ValueError\(\n.*Spec v2 currently only supports.*\n +\)\n",
    re.MULTILINE,
)


@pytest.mark.slow
@pytest.mark.release
def test_a_refusal_that_is_taken_out(answer):
    flags, env = [*WIDE, "--speculative-num-draft-tokens", "32"], ["SGLANG_ENABLE_SPEC_V2=1"]
    before = answer(as_it_is, flags, env=env)
    assert before.answer == "refused"
    assert "Spec v2" in before.found.refusals[0].message
    without = answer(lambda text: NO_TREES.sub("", text, count=1), flags, env=env)
    assert without.answer == "starts"
    assert without.found.refusals == []
    assert without.found.worker[0] == "EAGLEWorkerV2"


@pytest.mark.slow
@pytest.mark.release
def test_a_draft_rewrite_that_is_renamed(answer):
    flags = [*FOUR, "--speculative-algorithm", "EAGLE"]

    def draft(change):
        found = answer(change, flags, module=MODEL, target="mimo", draft="mimo").found
        return found.draft.architectures, found.draft.cls, found.target.cls

    assert draft(as_it_is) == (("MiMoMTP",), "MiMoMTP", "MiMoForCausalLM")
    renamed = draft(
        lambda text: text.replace('architectures[0] = "MiMoMTP"', 'architectures[0] = "Ernie4_5_MoeForCausalLMMTP"')
    )
    assert renamed == (("Ernie4_5_MoeForCausalLMMTP",), "Ernie4_5_MoeForCausalLMMTP", "MiMoForCausalLM")


@pytest.mark.slow
@pytest.mark.release
def test_a_default_that_is_changed(answer):
    def chunked(found):
        return {one.name: one.after for one in found.found.changed}["max_running_requests"]

    assert chunked(answer(as_it_is)) == 48
    changed = answer(lambda text: re.sub(r"max_running_requests = 48\b", "max_running_requests = 52", text))
    assert chunked(changed) == 52
