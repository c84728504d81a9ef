"""Reading against running, on answers written by hand."""

from __future__ import annotations

from specint.checks.finding import Finding
from specint.compliance.model import MemberStatus, ModelCompliance
from specint.smoke.agreement import agreements
from specint.smoke.model import Ask

OWN = "sglang.srt.models.kumo.KumoForCausalLM"


def model(**members: MemberStatus) -> ModelCompliance:
    return ModelCompliance(
        class_=OWN, name="KumoForCausalLM", file="sglang/srt/models/kumo.py", line=1, roles=("target",), mro=(OWN,),
        wraps=(), members=members, algorithms={},
    )  # fmt: skip


def present(**more) -> MemberStatus:
    return MemberStatus(status="present", provider=OWN, way="own", file="sglang/srt/models/kumo.py", **more)


def ask(member: str, **more) -> Ask:
    return Ask(
        **{"member": member, "role": "target", "use": "call", "strength": "required", "algorithms": ("EAGLE3",), **more}
    )


def one(status: MemberStatus, told: dict, calls: list | None = None, rules: tuple[str, ...] = ()):
    facts = {"has": {"get": told}, "answers": [{"member": "get", "algorithms": ["EAGLE3"], "calls": calls or []}]}
    findings = [
        Finding(rule=rule, id="E7700", class_=OWN, member="get", algorithms=("EAGLE3",), file="", line=1, message="")
        for rule in rules
    ]
    (found,) = agreements(model(get=status), facts, [ask("get")], findings)
    return found


def test_both_present_from_the_same_class_agree():
    assert one(present(), {"there": True, "provider": OWN}).accord == "agree"


def test_read_as_present_and_missing_in_the_object_disagree():
    found = one(present(), {"there": False})
    assert (found.accord, found.why) == ("disagree", "read as present, missing in the object")


def test_read_as_missing_and_present_in_the_object_disagree():
    assert one(MemberStatus(status="missing"), {"there": True, "provider": OWN}).accord == "disagree"


def test_another_provider_disagrees_and_a_class_outside_the_tree_is_not_compared():
    assert one(present(), {"there": True, "provider": "sglang.srt.models.llama.Other"}).accord == "disagree"
    outside = MemberStatus(status="present", provider="torch.nn.Module", way="inherited")
    assert one(outside, {"there": True, "provider": "torch.nn.modules.module.Module"}).accord == "agree"


def test_unknown_is_neither():
    assert one(MemberStatus(status="unknown", reason="__getattr__"), {"there": True}).accord == "static unknown"


def test_set_under_a_condition_may_be_missing():
    found = one(present(reason="set where tied"), {"there": False})
    assert (found.accord, found.why) == ("agree", "read as set where tied")


def test_a_getter_that_reads_what_a_model_lacks_must_have_a_finding():
    call = {
        "arguments": "()",
        "outcome": "raises",
        "what": "AttributeError: 'KumoModel' object has no attribute 'embed'",
        "where": "sglang/srt/models/kumo.py:9",
    }
    told = {"there": True, "provider": OWN}
    assert one(present(), told, [call]).accord == "disagree"
    assert one(present(), told, [call], ("spec-broken-delegation",)).accord == "agree"


def test_an_error_that_no_source_shows_is_not_specints_fault():
    call = {"arguments": "()", "outcome": "raises", "what": "RuntimeError: out of luck", "where": None}
    assert one(present(), {"there": True, "provider": OWN}, [call]).accord == "agree"


def call(outcome: str, what: str = "NoneType") -> dict:
    return {"arguments": "()", "outcome": outcome, "what": what, "where": None}


THERE = {"there": True, "provider": OWN}


def test_a_rule_that_says_it_fails_is_wrong_where_it_does_not():
    found = one(present(), THERE, [call("ok")], ("spec-broken-delegation",))
    assert (found.accord, found.why) == (
        "disagree",
        "spec-broken-delegation says that it fails, and () gives NoneType",
    )
    assert (
        one(
            present(), THERE, [call("ok"), call("raises", "TypeError: get() takes 1")], ("spec-signature-mismatch",)
        ).accord
        == "agree"
    )


def test_a_rule_about_what_a_forward_does_is_not_contradicted_by_a_call():
    assert one(present(), THERE, [call("ok")], ("spec-unread-capture",)).accord == "agree"
    assert one(present(), THERE, [call("not called")], ("spec-broken-delegation",)).accord == "agree"


def test_a_warning_about_a_member_explains_no_error():
    raised = call("raises", "TypeError: get() takes 1 positional argument but 2 were given")
    assert one(present(), THERE, [raised], ("spec-bare-weight",)).accord == "disagree"
    assert one(MemberStatus(status="missing"), THERE, [], ("spec-broken-delegation",)).accord == "disagree"


def test_a_librarys_method_that_only_gives_up_must_have_a_finding():
    raised = call("raises", "NotImplementedError: please override in the subclass")
    outside = MemberStatus(status="present", provider="transformers.PreTrainedModel", way="inherited")
    assert one(outside, {"there": True}, [raised]).accord == "disagree"
    assert one(outside, {"there": True}, [raised], ("spec-broken-delegation",)).accord == "agree"
