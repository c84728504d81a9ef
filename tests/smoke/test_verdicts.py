"""The verdict of a built object beside that of reading, on answers written by hand."""

from __future__ import annotations

import pytest

from specint.checks.finding import Finding
from specint.compliance.model import MemberStatus, ModelCompliance, Verdict
from specint.contract.model import CallShape, Condition, Contract, Requirement, Site
from specint.smoke.agreement import agreements
from specint.smoke.model import Agreement, Ask, Job, Judgement, Ran, Step
from specint.smoke.run import judged
from specint.smoke.verdicts import judgements, missing

OWN = "sglang.srt.models.kumo.KumoForCausalLM"
SITE = Site("sglang/srt/speculative/worker.py", 7, "run")


def requirement(member: str, **more) -> Requirement:
    values = {"role": "target", "use": "call", "strength": "required", "algorithms": ("EAGLE3",), **more}
    return Requirement(member=member, sites=(SITE,), call=CallShape(), **values)


def model(static: Verdict | None = None, roles: tuple[str, ...] = ("target",), **members: str) -> ModelCompliance:
    statuses = {name: MemberStatus(status=status) for name, status in members.items()}
    return ModelCompliance(
        class_=OWN, name="KumoForCausalLM", file="kumo.py", line=1, roles=roles, mro=(OWN,), wraps=(),
        members=statuses, algorithms={"EAGLE3": static or Verdict(verdict="ok")},
    )  # fmt: skip


def found(
    one: ModelCompliance, *requirements: Requirement, calls: dict[str, str] | None = None, **has: dict | bool
) -> tuple[Judgement, tuple[Agreement, ...]]:
    told = {name: value if isinstance(value, dict) else {"there": value} for name, value in has.items()}
    answers = [
        {"member": name, "algorithms": ["EAGLE3"], "calls": [{"arguments": "()", "outcome": "raises", "what": what}]}
        for name, what in (calls or {}).items()
    ]
    facts = {"has": told, "answers": answers}
    rules = [
        Finding(
            rule="spec-broken-delegation",
            id="E7704",
            class_=OWN,
            member=name,
            algorithms=(),
            file="",
            line=1,
            message="",
        )
        for name in one.algorithms["EAGLE3"].broken
    ]
    members = agreements(one, facts, [], rules)
    contract = Contract(requirements=requirements, algorithms=("EAGLE3",))
    (judgement,) = judgements(one, contract, facts, members, ["EAGLE3"])
    return judgement, members


def test_what_is_missing_in_both_is_one_error_with_its_algorithms():
    one = model(Verdict(verdict="missing", missing=("get",)), get="missing")
    judgement, members = found(one, requirement("get"), get=False)
    assert (judgement.running, judgement.accord) == ("missing", "agree")
    (problem,) = missing([judgement], members, OWN)
    assert (problem.what, problem.severity, problem.about) == ("no get, which EAGLE3 requires", "error", OWN)


def test_an_error_that_the_verdict_does_not_have_is_a_disagreement():
    judgement, _ = found(model(get="present"), requirement("get"), get=False)
    assert (judgement.accord, judgement.why) == ("disagree", "get is missing by running alone")
    judgement, _ = found(
        model(Verdict(verdict="missing", missing=("get",)), get="missing"), requirement("get"), get=True
    )
    assert (judgement.accord, judgement.why) == ("disagree", "get is missing by reading alone")


@pytest.mark.parametrize(
    "unasked",
    [
        requirement("get", settings=("self.enabled",)),
        requirement("get", strength="optional"),
        requirement("get", algorithms=("DFLASH",)),
        requirement("get", role="draft"),
        requirement("get", strength="conditional", condition=Condition("flag", True)),
    ],
)
def test_what_the_verdict_does_not_insist_on_is_no_error(unasked: Requirement):
    judgement, members = found(model(get="missing"), unasked, get=False)
    assert (judgement.running, judgement.accord) == ("ok", "agree")
    assert missing([judgement], members, OWN) == []


def test_what_a_worker_sets_on_a_draft_itself_is_not_asked_of_it():
    written = requirement("head", role="draft", use="write")
    judgement, _ = found(model(roles=("draft",), head="missing"), written, head=False)
    assert judgement.running == "ok"


def test_one_of_a_group_is_enough():
    asks = [requirement(name, strength="any-of", group="get|other") for name in ("get", "other")]
    judgement, _ = found(model(get="missing", other="present"), *asks, get=False, other=True)
    assert judgement.running == "ok"
    static = Verdict(verdict="missing", missing=("get|other",))
    judgement, members = found(model(static, get="missing", other="missing"), *asks, get=False, other=False)
    assert [one.what for one in missing([judgement], members, OWN)] == ["no get or other, which EAGLE3 requires"]


def test_a_flag_of_the_object_decides_what_is_asked_of_a_draft():
    ask = requirement(
        "set", role="draft", strength="conditional", condition=Condition("flag", True), unconditional=False
    )
    draft = model(roles=("draft",), set="missing", flag="present")
    assert found(draft, ask, set=False, flag={"there": True, "truth": False})[0].running == "ok"
    assert found(draft, ask, set=False, flag={"there": True, "truth": True})[0].running == "missing"


def test_what_reading_left_open_is_not_decided_by_running():
    static = Verdict(verdict="unknown", unknown=("get",), reason="__getattr__")
    judgement, _ = found(model(static, get="unknown"), requirement("get"), get=False)
    assert (judgement.running, judgement.accord) == ("missing", "static unknown")


def test_an_algorithm_that_does_not_apply_is_not_judged():
    one = model(Verdict(verdict="not applicable"), get="missing")
    assert (
        judgements(
            one, Contract(requirements=(), algorithms=("EAGLE3",)), {"has": {"get": {"there": False}}}, (), ["EAGLE3"]
        )
        == ()
    )


def test_a_call_that_fails_breaks_the_verdict_and_reading_must_have_said_so():
    lacks = {"get": "NotImplementedError: override it"}
    judgement, _ = found(model(get="present"), requirement("get"), calls=lacks, get=True)
    assert (judgement.running, judgement.broken, judgement.accord) == ("broken", ("get",), "disagree")
    static = Verdict(verdict="broken", broken=("get",))
    judgement, _ = found(model(static, get="present"), requirement("get"), calls=lacks, get=True)
    assert judgement.accord == "agree"


def test_an_error_that_no_source_shows_breaks_it_without_a_disagreement():
    judgement, _ = found(model(get="present"), requirement("get"), calls={"get": "RuntimeError: out of luck"}, get=True)
    assert (judgement.running, judgement.accord) == ("broken", "agree")


def result(static: Verdict, there: bool, rule: str = "", **call: str):
    from specint.analysis.model import Analysis
    from specint.source.tree import Origin

    findings = [Finding(rule=rule, id="E7704", class_=OWN, member="get", algorithms=(), file="", line=1, message="")]
    analysis = Analysis(
        sglang=Origin(source="sglang", version="0.0.0"),
        contract=Contract(requirements=(requirement("get"),), algorithms=("EAGLE3",)),
        models=(model(static, get="present"),),
        findings=tuple(findings if rule else ()),
        diagnostics=(),
    )
    ask = Ask(member="get", role="target", use="call", strength="required", algorithms=("EAGLE3",), calls=(0,))
    job = Job(
        id=0, class_=OWN, architecture="KumoForCausalLM", module=None, role="target", members=("get",), asks=(ask,),
        capture=(), inner=(),
    )  # fmt: skip
    answer = {"member": "get", "algorithms": ["EAGLE3"], "calls": [{"arguments": "()", **call}] if call else []}
    steps = (
        Step(name="build", outcome="ok", facts={"layers": 4}),
        Step(name="contract", outcome="ok", facts={"has": {"get": {"there": there}}, "answers": [answer]}),
    )
    return judged(analysis, job, Ran(ended="done", steps=steps), ("EAGLE3",))


def test_a_member_and_the_verdict_that_follows_from_it_are_one_disagreement():
    one = result(Verdict(verdict="ok"), there=False)
    assert [(each.about, each.why) for each in one.disagreements] == [("get", "read as present, missing in the object")]
    assert [each.kind for each in one.problems] == ["missing"]


def test_a_rule_that_running_contradicts_is_a_disagreement_of_the_whole_result():
    one = result(
        Verdict(verdict="broken", broken=("get",)), True, "spec-broken-delegation", outcome="ok", what="NoneType"
    )
    assert {each.about for each in one.disagreements} == {"get", "EAGLE3"}
    assert one.problems == ()


def test_a_call_that_fails_is_an_error_where_the_member_is_insisted_on():
    static = Verdict(verdict="broken", broken=("get",))
    one = result(static, True, "spec-broken-delegation", outcome="raises", what="AttributeError: no")
    assert [(each.kind, each.severity) for each in one.problems] == [("call raises", "error")]
    assert one.disagreements == ()
