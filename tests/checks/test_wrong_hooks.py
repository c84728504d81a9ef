"""Rules for members that are there but wrong: variants of their kinds, over the small tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.checks.finding import Finding
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree

HEAD = """
from torch import nn


class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(1, 1)
        self.output_head = nn.Linear(1, 1)

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.output_head.weight

    def only_one(self):
        return self.embed_tokens.weight


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.flag = config.flag
        self.inner = Inner(config)

    {member}


EntryClass = Model
{after}
"""


@pytest.fixture
def findings(fixture_tree: Callable[[str], Path]) -> Callable[..., list[Finding]]:
    """`findings("E7706", member="def …", after="…")`: what a rule says about a model of one member."""

    def run(rule: str, member: str, after: str = "") -> list[Finding]:
        text = HEAD.format(member=member.replace("\n", "\n    "), after=after)
        tree = open_tree(str(fixture_tree("sglang_small") / "sglang")).overlay({"sglang.srt.models.trial": text})
        found = analyze(tree, store=Store(None)).findings
        return [one for one in found if one.id == rule and one.file.endswith("trial.py")]

    return run


Run = Callable[..., list[Finding]]


@pytest.mark.parametrize(
    ("signature", "reason"),
    [
        ("self, config", "requires config"),
        ("self, *, which", "requires which"),
        ("", "no parameter for the object itself"),
    ],
)
def test_call_that_does_not_bind(findings: Run, signature: str, reason: str) -> None:
    (found,) = findings("E7706", f"def get_embed_and_head({signature}):\n    return 1, 2")
    assert reason in found.message


@pytest.mark.parametrize("signature", ["self", "self, which=None", "self, *rest", "self, *, which=1", "self, **more"])
def test_call_that_binds(findings: Run, signature: str) -> None:
    assert findings("E7706", f"def get_embed_and_head({signature}):\n    return 1, 2") == []


def test_static_method_gets_no_object(findings: Run) -> None:
    (found,) = findings("E7706", "@staticmethod\ndef get_embed_and_head(self):\n    return 1, 2")
    assert "requires self" in found.message


def test_property_that_is_called(findings: Run) -> None:
    (found,) = findings("E7706", "@property\ndef get_embed_and_head(self):\n    return 1, 2")
    assert "property" in found.message


def test_property_that_gives_a_method_is_right(findings: Run) -> None:
    assert findings("E7706", "@property\ndef get_embed_and_head(self):\n    return self.inner.get_embed_and_head") == []


def test_decorator_of_the_tree_may_change_the_signature(findings: Run) -> None:
    after = "def wrapped(function):\n    return lambda self: function(self, 1)\n"
    assert findings("E7706", "@wrapped\ndef get_embed_and_head(self, config):\n    return 1, 2", after) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 1, 2, 3", "returns 3 values"),
        ("return self.inner.embed_tokens.weight", "a single tensor"),
        ("return self.inner", "a single object"),
        ("return None", "returns nothing"),
        ("pass", "returns nothing"),
        ("self.inner.get_embed_and_head()", "doesn't return what that gives"),
        ("return self.inner.get_embed_and_head", "without a call"),
        ("return self.inner.get_embed_and_head, 1", "without a call"),
        ("return self.inner.only_one()", "a single tensor"),
        ("if self.flag:\n        return 1, 2", "ends without a return"),
        ("return (1, 2) if self.flag else None", "returns None"),
    ],
)
def test_return_that_cannot_be_unpacked(findings: Run, body: str, reason: str) -> None:
    (found,) = findings("E7707", f"def get_embed_and_head(self):\n    {body}")
    assert reason in found.message
    assert found.member == "get_embed_and_head"


@pytest.mark.parametrize(
    "body",
    [
        "return 1, 2",
        "return self.inner.get_embed_and_head()",
        "return self.unknown",
        "return self.inner.anything()",
        "pair = (1, 2)\n    return pair",
        "if self.flag:\n        return 1, 2\n    raise ValueError",
        "if self.flag:\n        return 1, 2\n    else:\n        return 3, 4",
        "try:\n        return 1, 2\n    except KeyError:\n        raise ValueError",
        "raise NotImplementedError",
        "with self.flag:\n        return 1, 2",
    ],
)
def test_return_that_can_be_unpacked_or_is_unknown(findings: Run, body: str) -> None:
    assert findings("E7707", f"def get_embed_and_head(self):\n    {body}") == []


STRAY = "def get_embed_and_head(self):\n    return 1, 2\n"


def test_method_below_the_class(findings: Run) -> None:
    (found,) = findings("E7705", "x = 1", STRAY)
    assert found.class_ == "sglang.srt.models.trial.Model"
    assert "has no get_embed_and_head" in found.message


def test_method_inside_a_method(findings: Run) -> None:
    member = "def forward(self):\n    def get_embed_and_head(self):\n        return 1, 2\n    return 3"
    (found,) = findings("E7705", member)
    assert "local function" in found.message


@pytest.mark.parametrize(
    "after",
    [
        STRAY + "Model.get_embed_and_head = get_embed_and_head\n",
        STRAY + "setattr(Model, 'get_embed_and_head', get_embed_and_head)\n",
        "def get_embed_and_head(model):\n    return 1, 2\n",
        "def helper(self):\n    return 1\n",
    ],
)
def test_function_that_is_bound_or_no_method(findings: Run, after: str) -> None:
    assert findings("E7705", "x = 1", after) == []


def test_reach_behind_a_parameter_that_no_caller_gives(findings: Run) -> None:
    body = "if extra is not None:\n        self.nothing.here\n    return 1, 2"
    assert findings("E7704", f"def get_embed_and_head(self, extra=None):\n    {body}") == []


def test_message_names_where_the_part_is(findings: Run) -> None:
    body = "return self.embed_tokens.weight, self.inner.no_head"
    (found,) = findings("E7704", f"def get_embed_and_head(self):\n    {body}")
    assert "self.embed_tokens" in found.message
    assert {e.what for e in found.evidence} >= {"Inner has no attribute no_head"}
