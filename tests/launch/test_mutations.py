"""The real tree, changed in one place: the answer follows."""

import json
import re

import pytest

from specint.launch.ask import Asking
from specint.launch.command import command_of
from specint.source.locate import open_tree
from tests.launch.test_releases import EAGLE3, FOUR, LLAMA

ARGUMENTS = "sglang.srt.server_args"


@pytest.fixture
def answer(tmp_path, release):
    for name, config in (("target", LLAMA), ("draft", EAGLE3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    tree = open_tree(str(release("0.5.9")))

    def run(change, flags=FOUR):
        text = tree.read(tree.find(ARGUMENTS)).decode()
        changed = change(text)
        assert changed != text or change is as_it_is
        asking = Asking(tree.overlay({ARGUMENTS: changed}), None, None)
        words = ["--model-path", str(tmp_path / "target"), "--speculative-draft-model-path", str(tmp_path / "draft")]
        return asking.answer(command_of([*words, *flags]), "h200")

    return run


def as_it_is(text):
    return text


@pytest.mark.slow
@pytest.mark.release
def test_a_refusal_that_is_taken_out_or_put_in(answer):
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


@pytest.mark.slow
@pytest.mark.release
def test_a_default_that_is_changed(answer):
    def chunked(found):
        return {one.name: one.after for one in found.found.changed}["max_running_requests"]

    assert chunked(answer(as_it_is)) == 48
    changed = answer(lambda text: re.sub(r"max_running_requests = 48\b", "max_running_requests = 52", text))
    assert chunked(changed) == 52
