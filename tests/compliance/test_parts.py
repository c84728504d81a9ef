"""A member of a part of a model is present where an object with it stands at the end of the way whatever happens."""

from __future__ import annotations

import textwrap

import pytest

WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker


class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.x = target_worker.model_runner.model.config.text.layers
        self.y = target_worker.model_runner.model.head.size
"""
PARTS = """
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = 1


class Bare(nn.Module):
    pass


class Text:
    def __init__(self):
        self.layers = 2


class Whole:
    def __init__(self):
        self.text = Text()

"""
CASES = {
    "always there": ("self.config = Whole()", "present"),
    "one of two lacks the part": (
        "if c.inner:\n    self.config = Whole()\nelse:\n    self.config = Text()",
        "unknown",
    ),
    "the only one lacks it": ("self.config = Text()", "missing"),
    "set where the configuration says so": ("if c.inner:\n    self.config = Whole()", "unknown"),
    "None where the configuration says so": ("self.config = Whole() if c.inner else None", "unknown"),
    "None in another stage of a pipeline": ("self.config = Whole() if c.is_last_rank else None", "present"),
    "not set in a server that has no worker": ("if not c.encoder_only:\n    self.config = Whole()", "present"),
}
HEADS = {
    "always there": ("self.head = Head()", "present"),
    "either way": ("self.head = Head() if c.tied else Head()", "present"),
    "set where the configuration says so": ("if not c.tied:\n    self.head = Head()", "unknown"),
    "one of two lacks it": ("self.head = Bare() if c.tied else Head()", "unknown"),
}


@pytest.fixture
def status(judged):
    def of(body: str, member: str):
        made = "class Mine(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n"
        text = f"{PARTS}\n{made}{textwrap.indent(body, ' ' * 8)}\n\nEntryClass = Mine\n"
        found = judged({"sglang.srt.models.mine": text, "sglang.srt.speculative.ngram_worker": WORKER})
        (model,) = [one for one in found.models if one.name == "Mine"]
        return model.members[member]

    return of


@pytest.mark.parametrize("name", CASES)
def test_two_steps_away(status, name: str) -> None:
    body, expected = CASES[name]
    found = status(body, "config.text.layers")
    assert found.status == expected
    assert expected == "present" or found.reason


@pytest.mark.parametrize("name", HEADS)
def test_one_step_away(status, name: str) -> None:
    body, expected = HEADS[name]
    found = status(body, "head.size")
    assert found.status == expected
    assert expected == "present" or found.reason
