"""What changed between two contracts."""

from __future__ import annotations

import msgspec

from specint.contract.difference import differences
from specint.contract.model import CallShape, Contract, Requirement, Site

HERE = Site("a/worker.py", 1, "Worker.__init__")


def requirement(member: str, **changed: object) -> Requirement:
    plain = Requirement(
        role="target",
        member=member,
        use="call",
        algorithms=("A",),
        strength="required",
        sites=(HERE,),
        call=CallShape(),
    )
    return msgspec.structs.replace(plain, **changed)


def contract(*requirements: Requirement) -> Contract:
    return Contract(requirements=requirements, algorithms=("A", "B"))


def changes(old: Contract, new: Contract) -> list[tuple[str, str]]:
    return [(change.what, change.member) for change in differences(old, new)]


def test_the_same_contract_has_no_changes() -> None:
    one = contract(requirement("x"), requirement("y", strength="optional"))
    assert differences(one, one) == ()


def test_new_members_come_before_dropped_ones() -> None:
    assert changes(contract(requirement("gone")), contract(requirement("added"))) == [
        ("new", "added"),
        ("dropped", "gone"),
    ]


def test_of_the_new_members_the_strict_ones_come_first() -> None:
    new = contract(requirement("a_soft", strength="optional"), requirement("z_hard"))
    assert changes(contract(), new) == [("new", "z_hard"), ("new", "a_soft")]


def test_optional_that_becomes_required_is_stricter_and_the_other_way_looser() -> None:
    soft, hard = contract(requirement("x", strength="optional")), contract(requirement("x"))
    assert changes(soft, hard) == [("stricter", "x")]
    assert changes(hard, soft) == [("looser", "x")]


def test_raising_by_name_is_as_strict_as_an_attribute_error() -> None:
    assert changes(contract(requirement("x", strength="raises")), contract(requirement("x"))) == []


def test_a_parameter_that_some_caller_leaves_out_is_another_shape() -> None:
    old = contract(requirement("x", call=CallShape(positional=1, fewest=0)))
    new = contract(requirement("x", call=CallShape(positional=1, fewest=1)))
    (change,) = differences(old, new)
    assert change.what == "other arguments"
    assert (change.old_call, change.new_call) == (CallShape(1, (), None, 0), CallShape(1, (), None, 1))


def test_one_more_algorithm_is_a_change_and_one_less_is_none() -> None:
    one, two = contract(requirement("x")), contract(requirement("x", algorithms=("A", "B")))
    assert changes(one, two) == [("other algorithms", "x")]
    assert changes(two, one) == []


def test_roles_are_told_apart() -> None:
    assert changes(contract(requirement("x")), contract(requirement("x", role="draft"))) == [
        ("new", "x"),
        ("dropped", "x"),
    ]


def speculative(contract: Contract) -> Contract:
    kept = tuple(r for r in contract.requirements if r.interface == "speculative")
    return msgspec.structs.replace(contract, requirements=kept)


def told(old: Contract, new: Contract) -> list[tuple[str, str]]:
    return [(change.what, change.member) for change in differences(old, new, speculative)]


def test_what_another_interface_asks_for_now_is_neither_dropped_nor_new() -> None:
    here, there = contract(requirement("x")), contract(requirement("x", interface="runtime"))
    assert told(here, there) == []
    assert told(there, here) == []
    assert told(there, contract()) == [], "nobody asked about the other interface"


def test_what_another_interface_asks_more_softly_is_looser() -> None:
    soft = contract(requirement("x", interface="runtime", strength="optional"))
    assert told(contract(requirement("x")), soft) == [("looser", "x")]


def test_what_is_asked_of_either_model_is_not_dropped_for_one() -> None:
    for role in ("target", "draft"):
        one, both = contract(requirement("x", role=role)), contract(requirement("x", role="both"))
        assert changes(one, both) == changes(both, one) == []


def test_a_name_that_is_still_read_is_not_said_to_be_asked_for_by_nobody() -> None:
    old = contract(requirement("head.weight"), requirement("gone"), requirement("layers[].attn"))
    names = {"weight": "a.py:3", "attn": "b.py:4"}
    found = differences(old, contract(), named=lambda name: names.get(name, ""))
    assert [(one.what, one.member, one.named_at) for one in found] == [
        ("unfollowed", "head.weight", "a.py:3"),
        ("unfollowed", "layers[].attn", "b.py:4"),
        ("dropped", "gone", ""),
    ]
