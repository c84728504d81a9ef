"""One gap is told once: demands beside rules, heirs beside parents."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.checks.once import told_once
from specint.outputs.json_documents import report_json
from specint.outputs.matrix import matrix, summary_line

TEXT = """
from torch import nn
from sglang.srt.models.oak import OakForCausalLM, OakModel


class Parent(OakForCausalLM):
    def get_input_embeddings(self):
        return self.model.words


class Heir(Parent):
    {heir}


EntryClass = [Parent, Heir]
"""


@pytest.mark.parametrize(
    ("heir", "shown"),
    [
        ("pass", {"Parent"}),
        ("extra = 1", {"Parent"}),
        ("def get_input_embeddings(self):\n        return self.model.letters", {"Parent", "Heir"}),
        ("def get_input_embeddings(self):\n        return self.model.embed_tokens", {"Parent"}),
    ],
)
def test_what_an_heir_inherits_is_told_with_its_parent(
    analysed: Callable[..., Analysis], heir: str, shown: set[str]
) -> None:
    analysis = analysed({"sglang.srt.models.trial": TEXT.format(heir=heir)})
    found = [one for one in told_once(analysis.findings, analysis.models) if one.file.endswith("trial.py")]
    assert {one.class_.rpartition(".")[2] for one in found} == shown
    told = any("; Heir inherits it" in one.message for one in found)
    assert told is (heir in ("pass", "extra = 1"))


def test_documents_count_as_check_does_and_keep_what_an_heir_repeats(analysed: Callable[..., Analysis]) -> None:
    analysis = analysed({"sglang.srt.models.trial": TEXT.format(heir="pass")})
    told = told_once(analysis.findings, analysis.models)
    document = json.loads(report_json(analysis, analysis.findings))
    assert [one["message"] for one in document["findings"]] == [one.message for one in told]
    assert [one["class"].rpartition(".")[2] for one in document["repeated"]] == ["Heir"]
    assert summary_line(analysis, analysis.findings).split("; ")[1].startswith(f"{len(told)} findings in ")
    rows = matrix(analysis, analysis.findings).rows
    assert {row.label: row.findings for row in rows if row.label in ("Parent", "Heir")} == {"Parent": 1, "Heir": 0}


def finding(rule: str, member: str, *algorithms: str, through: tuple[str, ...] = ()) -> Finding:
    more = {"through": through} if through else {}
    return Finding(
        rule=rule, id="E", class_="m.C", member=member, algorithms=algorithms, file="m.py", line=1, message="", **more
    )


DEMAND = "spec-unsupported-algorithm"


@pytest.mark.parametrize(
    ("demand", "other", "shown"),
    [
        (finding(DEMAND, "a", "X"), finding("spec-missing-delegation", "a", "X", "Y"), 1),
        (finding(DEMAND, "a", "X"), finding("spec-missing-delegation", "a", "Y"), 2),
        (finding(DEMAND, "a", "X"), finding("spec-missing-delegation", "b", "X"), 2),
        (finding(DEMAND, "a", "X", through=("a", "b")), finding("spec-partial-interface", "b", "X"), 1),
        (finding(DEMAND, "a", "X"), finding(DEMAND, "a", "Y"), 2),
    ],
)
def test_a_demand_is_answered_by_a_rule_that_says_the_same(demand: Finding, other: Finding, shown: int) -> None:
    assert len(told_once([demand, other])) == shown
    assert other in told_once([other, demand])
