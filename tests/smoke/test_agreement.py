"""Reading against running, on answers written by hand."""

from __future__ import annotations

from specint.checks.finding import Finding
from specint.compliance.model import MemberStatus, ModelCompliance
from specint.contract.model import Condition
from specint.smoke.agreement import agreements, missing
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
    facts = {"has": {"get": told}, "answers": [{"member": "get", "calls": calls or []}]}
    findings = [
        Finding(rule=rule, id="E7700", class_=OWN, member="get", algorithms=(), file="", line=1, message="")
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


def found_with(*there: str):
    has = {name: {"there": name in there, "provider": OWN} for name in ("get", "set", "other", "flag")}
    statuses = {name: present() if name in there else MemberStatus(status="missing") for name in has}
    return agreements(model(**statuses), {"has": has}, [], [])


def test_a_required_member_that_is_missing_is_an_error_with_its_call_site():
    (problem,) = missing(found_with("set"), [ask("get", site="worker.py:7"), ask("set")], ["EAGLE3"], "target")
    assert (problem.what, problem.where, problem.severity) == ("no get, which EAGLE3 requires", "worker.py:7", "error")


def test_other_algorithms_and_optional_members_are_not_required():
    asks = [ask("get", algorithms=("DFLASH",)), ask("set", strength="optional"), ask("other", role="draft")]
    assert missing(found_with(), asks, ["EAGLE3"], "target") == []


def test_one_of_a_group_is_enough():
    asks = [ask("get", strength="any-of", group="get|set"), ask("set", strength="any-of", group="get|set")]
    assert missing(found_with("set"), asks, ["EAGLE3"], "target") == []
    assert [one.what for one in missing(found_with(), asks, ["EAGLE3"], "target")] == [
        "no get or set, which EAGLE3 requires"
    ]


def test_a_condition_on_the_same_object_decides():
    asks = [ask("set", strength="conditional", condition=Condition("flag", True))]
    assert missing(found_with(), asks, ["EAGLE3"], "target") == []
    assert len(missing(found_with("flag"), asks, ["EAGLE3"], "target")) == 1
