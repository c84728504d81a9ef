"""What a finding about a broken delegation shows beside its message."""

from __future__ import annotations

import pytest

from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.logic import truth

TEXT = """
from torch import nn


class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(1, 1)


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = Inner(config)

    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.inner.no_head


EntryClass = Model
"""


def test_evidence_names_each_part_and_what_lacks_it(analysed) -> None:
    (found,) = [one for one in analysed({"sglang.srt.models.trial": TEXT}).findings if one.id == "E7704"]
    assert "self.embed_tokens" in found.message
    assert {e.what for e in found.evidence} >= {"Inner has no attribute no_head"}


HANDED = """
from torch import nn


class Inner(nn.Module):
    def __init__(self, config):
        super().__init__()


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.inner = Inner(config)

    def get_embed_and_head(self{params}):
        {line}
        return None, None


EntryClass = Model
"""
# Parameters, and the line that reaches for what isn't there -> whether a caller that hands over nothing meets it.
BEHIND = {
    ("", "self.inner.nothing"): True,
    (", ids=None", "if ids is None: self.inner.nothing"): True,
    (", ids=None", "if not ids: self.inner.nothing"): True,
    (", ids=None", "x = self.inner.nothing if ids is None else 1"): True,
    (", ids=None", "x = ids is not None or self.inner.nothing"): True,
    (", ids=None", "if ids is not None: self.inner.nothing"): False,
    (", ids=None", "if ids: self.inner.nothing"): False,
    (", ids=None", "x = self.inner.nothing if ids else 1"): False,
    (", ids=None", "if ids is None and outside(): self.inner.nothing"): False,
    (", ids=None", "ids = ids or self.x\n        if ids is None: self.inner.nothing"): False,
    (", full=True", "if full: self.inner.nothing"): True,
    (", full=False", "if full: self.inner.nothing"): False,
    (", full=1", "if full == 1: self.inner.nothing"): True,
    (", *ids", "if ids: self.inner.nothing"): True,
}


@pytest.mark.parametrize("case", BEHIND)
def test_what_stands_behind_a_parameter_that_callers_leave_out(analysed, case) -> None:
    params, line = case
    text = HANDED.format(params=params, line=line)
    found = [one for one in analysed({"sglang.srt.models.trial": text}).findings if one.id == "E7704"]
    assert bool(found) is BEHIND[case]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("a is None", True),
        ("None is a", True),
        ("a is not None", False),
        ("not a", True),
        ("b", True),
        ("b and a", False),
        ("b or c", True),
        ("a or c", None),
        ("a and c", False),
        ("b == 1", True),
        ("b == True", False),
        ("b != 2", True),
        ("b is c", None),
        ("b < 2", None),
        ("b in (1, 2)", None),
        ("c", None),
    ],
)
def test_truth_of_a_test(test: str, expected: bool | None) -> None:
    module = extract(f"x = {test}", name="m", path="m.py")
    (step,) = module.body.steps
    assert truth(step.value, {"a": facts.Constant(None), "b": facts.Constant(1)}) is expected
