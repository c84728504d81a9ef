"""A target and a draft together, of models and requirements as they stand, no tree."""

from __future__ import annotations

from typing import Any

import pytest

from specint.compliance.model import MemberStatus, ModelCompliance, Verdict, Wrap
from specint.compliance.pairs import draft_side, pair_of, target_side
from specint.contract.model import CallShape, Condition, Contract, Requirement, Site

SITE, LATE = Site("worker.py", 1, "f", ("NGRAM",)), Site("worker.py", 2, "f", ("EAGLE",))
OK, MISSING, UNKNOWN = Verdict(verdict="ok"), Verdict(verdict="missing"), Verdict(verdict="unknown")
BROKEN, APART = Verdict(verdict="broken"), Verdict(verdict="not applicable", reason="no")
THERE = MemberStatus(status="present", file="model.py")


def model(name: str, role: str, verdict: Verdict = OK, /, **more: Any) -> ModelCompliance:
    given = {
        "class_": f"pack.{name}",
        "name": name,
        "file": "model.py",
        "line": 1,
        "roles": (role,),
        "mro": (),
        "wraps": (),
        "members": {"hook": THERE, "take": THERE},
        "algorithms": {"EAGLE": verdict},
    }
    return ModelCompliance(**(given | more))


def asked(member: str, role: str, **more: Any) -> Requirement:
    given = {"use": "call", "algorithms": ("EAGLE",), "strength": "required", "sites": (SITE, LATE)}
    return Requirement(member=member, role=role, **(given | more))


BOTH = (asked("hook", "target"), asked("take", "draft", call=CallShape(positional=1)))


def contract(*requirements: Requirement) -> Contract:
    return Contract(requirements=requirements or BOTH, algorithms=("EAGLE", "NGRAM"))


@pytest.mark.parametrize(
    ("target", "draft", "word"),
    [
        (OK, OK, "ok"),
        (OK, MISSING, "missing"),
        (MISSING, OK, "missing"),
        (UNKNOWN, MISSING, "missing"),
        (BROKEN, MISSING, "missing"),
        (BROKEN, UNKNOWN, "broken"),
        (UNKNOWN, OK, "unknown"),
        (APART, MISSING, "not applicable"),
        (OK, APART, "not applicable"),
    ],
)
def test_a_pair_is_as_good_as_the_worse_of_both(target: Verdict, draft: Verdict, word: str) -> None:
    pair = pair_of(contract(), model("Big", "target", target), model("Small", "draft", draft), "EAGLE")
    assert (pair.verdict, pair.as_target, pair.as_draft) == (word, target, draft)
    assert (pair.target, pair.draft, pair.algorithm, pair.notes) == ("pack.Big", "pack.Small", "EAGLE", ())


def test_a_draft_is_no_target() -> None:
    found = target_side(model("Small", "draft"), "EAGLE")
    assert (found.verdict, found.reason) == ("not applicable", "Small is no target: it is a draft")
    assert target_side(model("Both", "", roles=("target", "draft")), "EAGLE") == OK


def test_algorithm_that_loads_no_draft() -> None:
    big, small = model("Big", "target"), model("Small", "draft")
    assert draft_side(contract(BOTH[0]), big, small, "EAGLE").reason == "EAGLE loads no draft"
    assert draft_side(contract(), big, small, "NGRAM").reason == "NGRAM loads no draft"


def test_a_model_that_is_no_draft_takes_nothing_over() -> None:
    found = draft_side(contract(), model("Big", "target"), model("Other", "target"), "EAGLE")
    assert found.verdict == "not applicable"
    assert found.reason == "Other is no draft: nothing says that it takes what EAGLE's target hands over"


def test_any_model_drafts_where_nothing_is_handed_over() -> None:
    alone = contract(
        asked("take", "draft"), asked("more", "draft", strength="conditional", condition=Condition("flag", True))
    )
    big = model("Big", "target")
    assert draft_side(alone, big, model("Other", "target"), "EAGLE").verdict == "unknown", "its flag may be"
    there = {"take": THERE, "flag": MemberStatus(status="missing"), "more": MemberStatus(status="missing")}
    assert draft_side(alone, big, model("Other", "target", members=there), "EAGLE") == OK
    there["flag"] = MemberStatus(status="unknown")
    assert draft_side(alone, big, model("Other", "target", members=there), "EAGLE").verdict == "unknown"
    there["take"] = MemberStatus(status="missing")
    assert draft_side(alone, big, model("Other", "target", members=there), "EAGLE").missing == ("take",)
    generates_nothing = model("Other", "target", APART, members=there)
    assert draft_side(alone, big, generates_nothing, "EAGLE") == APART


FITS = {
    "its own checkpoint": ({"name": "Big"}, ("Big",), "ok"),
    "of a parent": ({"mro": ("pack.Big", "pack.Parent")}, ("Parent",), "ok"),
    "of the class that it wraps": ({"wraps": (Wrap(attribute="m", classes=("pack.Inner",)),)}, ("Inner",), "ok"),
    "of one of several": ({}, ("Other", "Big"), "ok"),
    "of another": ({}, ("Other",), "unknown"),
    "of no special one": ({}, (), "ok"),
}  # fmt: skip


@pytest.mark.parametrize("name", FITS)
def test_whether_the_weights_of_this_family_fit(name: str) -> None:
    more, made_from, word = FITS[name]
    big, small = model("Big", "target", **more), model("Small", "draft", made_from=made_from)
    pair = pair_of(contract(), big, small, "EAGLE")
    assert pair.as_draft.verdict == word
    others = "SGLang makes Small out of checkpoints of Other, not of Big"
    assert pair.as_draft.reason == (others if word == "unknown" else None)
    own = ("SGLang makes Small out of a checkpoint of Big",) if "Big" in made_from else ()
    assert pair.notes == ((others,) if word == "unknown" else own)
    missing = pair_of(contract(), big, model("Small", "draft", MISSING, made_from=made_from), "EAGLE")
    assert missing.as_draft == MISSING


def handed(*requirements: Requirement, **members: MemberStatus) -> list[tuple[str, str, str, bool, str]]:
    big, small = model("Big", "target", members=members), model("Small", "draft", members=members)
    pair = pair_of(contract(*requirements), big, small, "EAGLE")
    return [(one.side, one.member, one.way, one.insisted, one.status) for one in pair.handed]


SHAPE = CallShape(positional=1)
WAYS = {
    "a target's result": (asked("hook", "target"), [("target", "hook", "gives", True, "present")]),
    "a target's attribute": (asked("hook", "target", use="read"), [("target", "hook", "gives", True, "present")]),
    "a target is told": (asked("hook", "target", call=SHAPE), [("target", "hook", "is told", True, "present")]),
    "told by keyword": (
        asked("hook", "target", call=CallShape(keywords=("x",))),
        [("target", "hook", "is told", True, "present")],
    ),
    "a target's answer to something": (
        asked("hook", "target", call=CallShape(positional=1, unpacks=2)),
        [("target", "hook", "takes", True, "present")],
    ),
    "a draft takes": (asked("hook", "draft", call=SHAPE), [("draft", "hook", "takes", True, "present")]),
    "a draft gives": (asked("hook", "draft", call=CallShape()), [("draft", "hook", "gives", True, "present")]),
    "read with a shape": (
        asked("hook", "draft", use="read", call=SHAPE),
        [("draft", "hook", "gives", True, "present")],
    ),
    "both sides": (
        asked("hook", "both"),
        [("target", "hook", "gives", True, "present"), ("draft", "hook", "gives", True, "present")],
    ),
    "what is written": (asked("hook", "draft", use="write"), []),
    "of another algorithm": (asked("hook", "draft", algorithms=("NGRAM",)), []),
    "of the class": (asked("hook", "class"), []),
    "optional": (asked("hook", "draft", strength="optional"), [("draft", "hook", "gives", False, "present")]),
    "one of several, of a draft": (
        asked("hook", "draft", strength="any-of"),
        [("draft", "hook", "gives", False, "present")],
    ),
    "raises": (asked("hook", "draft", strength="raises"), [("draft", "hook", "gives", True, "present")]),
    "by a setting": (asked("hook", "draft", settings=("x",)), [("draft", "hook", "gives", False, "present")]),
    "under a condition": (
        asked("hook", "draft", unconditional=False),
        [("draft", "hook", "gives", False, "present")],
    ),
    "a target, optional": (
        asked("hook", "target", strength="optional"),
        [("target", "hook", "gives", False, "present")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_what_goes_from_one_side_to_the_other(name: str) -> None:
    requirement, expected = WAYS[name]
    assert handed(requirement, hook=THERE) == expected


def test_what_callers_do_without_is_told_where_it_is_there() -> None:
    optional, required = asked("hook", "draft", strength="optional"), asked("hook", "draft")
    missing, unknown = MemberStatus(status="missing"), MemberStatus(status="unknown")
    assert handed(optional, hook=missing) == []
    assert handed(required, hook=missing) == [("draft", "hook", "gives", True, "missing")]
    assert handed(optional, hook=unknown) == [("draft", "hook", "gives", False, "unknown")]
    assert handed(required) == [("draft", "hook", "gives", True, "unknown")], "nobody looked at it"
    assert handed(required, hook=MemberStatus(status="present")) == [], "every module has it"


def test_the_strictest_of_several_places_is_told_once() -> None:
    soft, hard = asked("hook", "draft", strength="optional"), asked("hook", "draft", call=SHAPE)
    told = [("draft", "hook", "takes", True, "present")]
    assert handed(soft, hard, hook=THERE) == told
    assert handed(hard, soft, hook=THERE) == told
    assert handed(hard, asked("hook", "draft"), hook=THERE) == told


def test_the_place_is_one_where_the_algorithm_comes_by() -> None:
    pair = pair_of(contract(), model("Big", "target"), model("Small", "draft"), "EAGLE")
    assert [one.site for one in pair.handed] == [LATE, LATE]
