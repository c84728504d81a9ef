"""`missing` in three: how far a model is from serving an algorithm."""

from __future__ import annotations

from typing import Any

import pytest

from specint.analysis.standing import Standing, standings
from specint.checks.finding import Finding
from specint.compliance.model import Inner, MemberStatus, ModelCompliance, Status, Verdict
from specint.contract.model import Contract, Requirement, Site

SITE = Site(file="sglang/worker.py", line=3, function="Worker.__init__")
NAME = "sglang.srt.models.kumo.Kumo"


def asked(member: str, **more: Any) -> Requirement:
    fields = {"role": "target", "use": "call", "algorithms": ("EAGLE3",), "strength": "required", "sites": (SITE,)}
    return Requirement(member=member, **{**fields, **more})


def found(member: str, algorithm: str = "EAGLE3", patch: str | None = "+ lines") -> Finding:
    return Finding(
        rule="spec-missing-delegation",
        id="E7701",
        class_=NAME,
        member=member,
        algorithms=(algorithm,),
        file="kumo.py",
        line=1,
        message="",
        patch=patch,
    )


def stands(
    verdict: Verdict,
    members: dict[str, MemberStatus] | None = None,
    *,
    asks: tuple[Requirement, ...] = (asked("hook"), asked("setter")),
    findings: tuple[Finding, ...] = (),
) -> Standing:
    model = ModelCompliance(
        class_=NAME,
        name="Kumo",
        file="kumo.py",
        line=1,
        roles=("target",),
        mro=(NAME,),
        wraps=(),
        members=members or {},
        algorithms={"EAGLE3": verdict},
    )
    contract = Contract(requirements=asks, algorithms=("EAGLE3",))
    return standings(contract, [model], findings)[NAME]["EAGLE3"]


LACKS = Verdict(verdict="missing", missing=("hook", "setter"))
HAS = MemberStatus(status="present", provider=NAME, way="own")


@pytest.mark.parametrize("word", ["ok", "broken", "unknown", "not applicable"])
def test_any_other_verdict_stays_what_it_is(word: Any) -> None:
    assert stands(Verdict(verdict=word)) == word


def test_one_step_away_where_findings_have_lines_for_all_that_is_missing() -> None:
    assert stands(LACKS, findings=(found("hook"), found("setter"))) == "one step away"


@pytest.mark.parametrize(
    "findings",
    [
        (found("hook"),),
        (found("hook"), found("setter", patch=None)),
        (found("hook"), found("setter", "EAGLE")),
    ],
    ids=["lines for a part", "a finding without lines", "lines for another algorithm"],
)
def test_not_one_step_away_where_something_has_no_lines(findings: tuple[Finding, ...]) -> None:
    assert stands(LACKS, findings=findings) == "never offered"


def test_lines_for_one_of_a_group_are_enough() -> None:
    verdict = Verdict(verdict="missing", missing=("hook|hook_for_draft",))
    assert stands(verdict, findings=(found("hook_for_draft"),)) == "one step away"


def test_what_is_not_known_is_no_step() -> None:
    verdict = Verdict(verdict="missing", missing=("hook",), unknown=("setter",))
    assert stands(verdict, findings=(found("hook"),)) == "never offered"


def test_half_there_with_one_of_the_methods() -> None:
    assert stands(LACKS, {"hook": HAS}) == "half there"


@pytest.mark.parametrize(("status", "wanted"), [("present", "half there"), ("missing", "never offered")])
def test_half_there_where_the_model_that_it_holds_has_one(status: Status, wanted: Standing) -> None:
    inner = Inner(attribute="body", holder="sglang.srt.models.oak.Oak", status=status)
    assert stands(LACKS, {"hook": MemberStatus(status="missing", inner="body", inners=(inner,))}) == wanted


@pytest.mark.parametrize(
    "general",
    [
        asked("lm_head", use="read"),
        asked("get_input_embeddings"),
        asked("logits_processor.register_forward_pre_hook"),
        asked("bonus", strength="optional"),
        asked("other", algorithms=("EAGLE",)),
        asked("drafting", role="draft"),
    ],
    ids=lambda one: one.member,
)
def test_what_is_there_for_another_purpose_says_nothing(general: Requirement) -> None:
    assert stands(LACKS, {general.member: HAS}, asks=(asked("hook"), general)) == "never offered"
