"""Conditions of an alarm held against the worker's existence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.checks.modes import excludes
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

ALONE = {"encoder_only": False}

LAUNCHER = """
def run_server(args):
    if args.encoder_only:
        serve_encoder(args)
    else:
        serve(args)
"""
MODEL = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM


class Seeing(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = None
        if {test}:
            self.inner = OakForCausalLM(config)

    def forward(self, *args):
        return self.inner(*args)

    def get_embed_and_head(self):
        return self.inner.get_embed_and_head()


EntryClass = Seeing
"""


@pytest.mark.parametrize(
    ("condition", "needed"),
    [
        ("config.encoder_only", True),
        ("hasattr(config, 'encoder_only') and config.encoder_only", True),
        ("getattr(config, 'encoder_only', False)", True),
        ("not (not config.encoder_only or config.text)", True),
        ("encoder_only", True),
        ("config.encoder_only is True", True),
        ("config.encoder_only or config.small", False),
        ("not config.encoder_only", False),
        ("not self.pp_group.is_first_rank", False),
        ("hasattr(config, 'encoder_only')", False),
        ("f(…) and config.encoder_only", True),
        ("", False),
    ],
)
def test_whether_a_condition_needs_the_option(condition: str, needed: bool) -> None:
    assert excludes(condition, ALONE) is needed


REFUSES = """
    pp_size: int = 1

    def check(self):
        if self.pp_size > 1:
            assert self.speculative_algorithm in (None, "EAGLE3")
"""


@pytest.mark.parametrize(
    ("test", "algorithms"),
    [
        ("self.pp_group.is_first_rank", ["EAGLE3"]),
        ("not config.pp_rank > 0", ["EAGLE3"]),
        ("self.pp_group.is_first_rank and not config.small", ["EAGLE", "EAGLE3"]),
    ],
)
def test_an_alarm_for_later_stages_names_the_algorithms_that_run_there(
    fixture_tree: Callable[[str], Path], test: str, algorithms: list[str]
) -> None:
    tree = open_tree(str(fixture_tree("sglang_small") / "sglang"))
    options = tree.read(tree.find("sglang.srt.server_args")).decode()  # type: ignore[arg-type]
    texts = {"sglang.srt.models.trial": MODEL.format(test=test), "sglang.srt.server_args": options + REFUSES}
    found = analyze(tree.overlay(texts), store=Store(None)).findings
    (one,) = [one for one in found if one.id == "W7714" and one.file.endswith("trial.py")]
    assert list(one.algorithms) == algorithms


@pytest.mark.parametrize(
    ("test", "launcher", "alarmed"),
    [
        ("not config.encoder_only", LAUNCHER, False),
        ("not getattr(config, 'encoder_only', False)", LAUNCHER, False),
        ("not hasattr(config, 'encoder_only') or not config.encoder_only", LAUNCHER, False),
        ("not config.encoder_only", "def run_server(args):\n    serve(args)\n", True),
        ("not config.vision_only", LAUNCHER, True),
        ("config.rank == 0", LAUNCHER, True),
    ],
)
def test_an_alarm_for_a_server_without_workers_is_none(
    fixture_tree: Callable[[str], Path], test: str, launcher: str, alarmed: bool
) -> None:
    tree = open_tree(str(fixture_tree("sglang_small") / "sglang")).overlay(
        {"sglang.srt.models.trial": MODEL.format(test=test), "sglang.launch_server": launcher}
    )
    found = analyze(tree, store=Store(None)).findings
    assert any(one.id == "W7714" and one.file.endswith("trial.py") for one in found) is alarmed
