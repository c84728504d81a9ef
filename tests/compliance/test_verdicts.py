"""What follows from a class's members for an algorithm: requirements and members as they stand, no tree."""

from __future__ import annotations

from typing import Any

import pytest

from specint.compliance.model import MemberStatus, Verdict
from specint.compliance.verdicts import (
    Demands,
    as_draft,
    drafting,
    insists,
    insists_on_draft,
    of_draft,
    of_target,
    unread,
    verdict_of,
)
from specint.contract.model import Condition, Contract, Requirement


def asked(member: str = "hook", **more: Any) -> Requirement:
    given = {"role": "target", "use": "call", "algorithms": ("EAGLE",), "strength": "required", "sites": ()}
    return Requirement(member=member, **(given | more))


def contract(*requirements: Requirement, algorithms: tuple[str, ...] = ("EAGLE", "NGRAM")) -> Contract:
    return Contract(requirements=requirements, algorithms=algorithms)


def members(**status: str) -> dict[str, MemberStatus]:
    return {name.replace("__", "."): MemberStatus(status=one) for name, one in status.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "fails"),
    [
        ({}, True),
        ({"role": "both"}, True),
        ({"role": "draft"}, False),
        ({"role": "inner"}, False),
        ({"strength": "raises"}, True),
        ({"strength": "any-of"}, True),
        ({"strength": "optional"}, False),
        ({"strength": "conditional"}, False),
        ({"algorithms": ("NGRAM",)}, False),
        ({"algorithms": ()}, False),
        ({"algorithms": ("NGRAM", "EAGLE")}, True),
        ({"settings": ("self.on",)}, False),
        ({"condition": Condition("flag", True)}, False),
        ({"use": "read"}, True),
        ({"unconditional": False}, True),
    ],
)
def test_target_that_lacks_it_fails(more: dict[str, Any], fails: bool) -> None:
    assert insists(asked(**more), "EAGLE") is fails
    assert of_target(contract(asked(**more)), "EAGLE").certain == (("hook",) if fails else ())


@pytest.mark.parametrize("unconditional", [True, False])
def test_a_part_of_the_target_is_insisted_on_only_where_no_open_test_stands_before_it(unconditional: bool) -> None:
    """SGLang 0.5.23: of the head's weight, which it is handed, only the rollout of a Domino draft asks under DFLASH."""
    one = asked("lm_head.weight", use="read", unconditional=unconditional)
    assert insists(one, "EAGLE") is unconditional
    assert of_target(contract(one), "EAGLE").certain == (("lm_head.weight",) if unconditional else ())


DRAFT = {"role": "draft"}
FLAG, NO_FLAG = Condition("flag", True), Condition("flag", False)


@pytest.mark.parametrize(
    ("more", "flag", "fails"),
    [
        ({}, None, True),
        ({"role": "both"}, None, True),
        ({"role": "target"}, None, False),
        ({"use": "write"}, None, False),
        ({"use": "read"}, None, True),
        ({"algorithms": ("NGRAM",)}, None, False),
        ({"settings": ("self.on",)}, None, False),
        ({"unconditional": False}, None, False),
        ({"strength": "raises"}, None, True),
        ({"strength": "optional"}, None, False),
        ({"strength": "conditional", "condition": FLAG}, True, True),
        ({"strength": "conditional", "condition": FLAG}, False, False),
        ({"strength": "conditional", "condition": FLAG}, None, None),
        ({"strength": "conditional", "condition": NO_FLAG}, True, False),
        ({"strength": "conditional", "condition": NO_FLAG}, False, True),
        ({"condition": FLAG}, True, False),
    ],
)
def test_draft_that_lacks_it_fails(more: dict[str, Any], flag: bool | None, fails: bool | None) -> None:
    assert insists_on_draft(asked(**(DRAFT | more)), "EAGLE", lambda name: flag if name == "flag" else None) is fails


def test_what_a_flag_decides_at_run_time_is_open_and_says_so() -> None:
    conditional = {"strength": "conditional", **DRAFT}
    found = of_draft(
        contract(
            asked("certain", **DRAFT),
            asked("shared", condition=FLAG, **conditional),
            asked("own", condition=NO_FLAG, **conditional),
            asked("certain", condition=FLAG, **conditional),
        ),
        "EAGLE",
        lambda _: None,
    )
    assert found.certain == ("certain",)
    assert found.open == {
        "shared": "shared is asked for where flag is true",
        "own": "own is asked for where flag is not true",
    }


def test_one_of_several_is_asked_for_as_one() -> None:
    group = {"strength": "any-of", "group": "a|b"}
    assert of_target(contract(asked("a", **group), asked("b", **group)), "EAGLE").certain == ("a|b",)
    assert of_draft(contract(asked("a", **DRAFT, **group)), "EAGLE", lambda _: None).certain == ("a|b",)


A_B = ("a", "b")
VERDICTS = {
    "all there": (A_B, members(a="present", b="present"), ("ok", (), ())),
    "one missing": (A_B, members(a="present", b="missing"), ("missing", ("b",), ())),
    "one unknown": (A_B, members(a="present", b="unknown"), ("unknown", (), ("b",))),
    "one of each": (A_B, members(a="missing", b="unknown"), ("missing", ("a",), ("b",))),
    "not looked at": (("a",), members(), ("missing", ("a",), ())),
    "the first of two": (("a|b",), members(a="present", b="missing"), ("ok", (), ())),
    "the second of two": (("a|b",), members(a="missing", b="present"), ("ok", (), ())),
    "neither of two": (("a|b",), members(a="missing", b="missing"), ("missing", ("a|b",), ())),
    "perhaps one of two": (("a|b",), members(a="unknown", b="missing"), ("unknown", (), ("a|b",))),
    "a part of what is missing": (("a", "a.w"), members(a="missing", a__w="missing"), ("missing", ("a",), ())),
    "a part of what is there": (("a", "a.w"), members(a="present", a__w="missing"), ("missing", ("a.w",), ())),
    "a part of something else": (("b", "a.w"), members(b="missing", a__w="missing"), ("missing", ("b", "a.w"), ())),
    "a part that can't be followed": (("a.w",), members(a__w="unknown"), ("ok", (), ())),
    "one way or a part": (
        ("a", "a|b.w"),
        members(a="missing", b="present", b__w="missing"),
        ("missing", ("a",), ()),
    ),
    "parts of two ways that are missing": (
        ("a|b", "a.w|b.w"),
        members(a="missing", b="missing", a__w="missing", b__w="missing"),
        ("missing", ("a|b",), ()),
    ),
    "parts of one of two ways": (
        ("a|c", "a.w|b.w"),
        members(a="missing", c="missing", a__w="missing", b__w="missing"),
        ("missing", ("a|c", "a.w|b.w"), ()),
    ),
    "an unknown part beside what is missing": (
        ("a", "b|a.w"),
        members(a="missing", b="unknown", a__w="missing"),
        ("missing", ("a",), ()),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict_of_members(name: str) -> None:
    certain, found, expected = VERDICTS[name]
    verdict = verdict_of(Demands(certain), found)
    assert (verdict.verdict, verdict.missing, verdict.unknown) == expected
    assert verdict.reason is None


def test_what_is_open_makes_a_verdict_unknown_with_its_reason() -> None:
    demands = Demands(("a",), {"b": "b is asked for where flag is true"})
    lacking = verdict_of(demands, members(a="present", b="missing"), "because")
    assert lacking == Verdict(verdict="unknown", unknown=("b",), reason="because; b is asked for where flag is true")
    assert verdict_of(demands, members(a="present", b="present")) == Verdict(verdict="ok")
    assert verdict_of(demands, members(a="missing", b="unknown")).verdict == "missing"


def test_algorithms_that_draft_are_those_that_ask_both_sides() -> None:
    both = {"algorithms": ("EAGLE", "NGRAM")}
    assert drafting(contract(asked(**both), asked(role="draft"))) == ("EAGLE",)
    assert drafting(contract(asked(), asked(role="draft", algorithms=("NGRAM",)))) == ()
    assert drafting(contract(asked(role="both"), asked(role="draft"))) == ()


def test_a_draft_is_judged_for_what_it_is_made_for() -> None:
    demands = {"EAGLE": Demands(("a",))}
    there = members(a="missing")

    def judged(algorithm: str, **drafts_for: str) -> tuple[str, str | None]:
        found = as_draft(algorithm, drafts_for, demands, there, ("EAGLE",))
        return found.verdict, found.reason

    assert judged("EAGLE", EAGLE="by name") == ("missing", None)
    assert judged("NGRAM", EAGLE="by name", MTP="too") == ("not applicable", "it is a draft for EAGLE, MTP")
    assert judged("EAGLE") == ("unknown", "it is a draft, and nothing in SGLang says for which algorithm")
    assert judged("NGRAM") == ("not applicable", "it serves as a draft, and this algorithm loads none")


def test_nothing_is_ok_where_nothing_is_known_of_what_is_asked() -> None:
    ok, missing = Verdict(verdict="ok"), Verdict(verdict="missing", missing=("a",))
    assert unread(ok, "its worker wasn't found") == Verdict(verdict="unknown", reason="its worker wasn't found")
    assert unread(ok, None) == ok
    assert unread(missing, "its worker wasn't found") == missing
