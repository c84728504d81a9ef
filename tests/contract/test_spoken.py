"""Names that a tree's code still reads, of whatever object."""

from __future__ import annotations

import msgspec
import pytest

from specint.contract.model import Contract
from specint.contract.spoken import Spoken

LAYER = "sglang.srt.layers.trial"
NOBODY = Contract(requirements=(), algorithms=())


def place(tree, line: str) -> str:
    return Spoken(tree.overlay({LAYER: f"def run(self, cls, x):\n    {line}\n"}), NOBODY).place("some_hook")


@pytest.mark.parametrize(
    "line",
    [
        "x.some_hook()",
        "x.y[0].some_hook",
        "getattr(x, 'some_hook', None)",
        'for name in ("other", "some_hook"): getattr(x, name)',
        "x.some_hook == 1",
        "self.x.some_hook",
    ],
)
def test_a_read_of_a_name(small_tree, line: str) -> None:
    assert place(small_tree, line) == "sglang/srt/layers/trial.py:2"


@pytest.mark.parametrize(
    "line",
    [
        "self.some_hook",
        "cls.some_hook()",
        "x.some_hooks",
        "x.some_hook = 1",
        "some_hook = 1",
        "def some_hook(): pass",
        "x = 1  # as x.some_hook does",
        "f('with some_hook in it')",
    ],
)
def test_no_read_of_a_name(small_tree, line: str) -> None:
    assert place(small_tree, line) == ""


def test_models_are_left_out_but_for_those_that_asked(small_tree, small) -> None:
    tree = small_tree.overlay({"sglang.srt.models.trial": "def run(x):\n    return x.some_hook\n"})
    assert Spoken(tree, NOBODY).place("some_hook") == ""
    site = next(one for one in small.contract.requirements).sites[0]
    asker = next(r for r in small.contract.requirements)
    asking = msgspec.structs.replace(site, file="sglang/srt/models/trial.py")
    earlier = Contract(requirements=(msgspec.structs.replace(asker, sites=(asking,)),), algorithms=())
    assert Spoken(tree, earlier).place("some_hook") == "sglang/srt/models/trial.py:2"
