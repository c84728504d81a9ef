"""What changed between two contracts."""

from __future__ import annotations

import msgspec
import pytest

from specint.contract.difference import Change, differences
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


@pytest.mark.parametrize("softer", range(4))
def test_how_strict_strengths_are(softer: int) -> None:
    order = ["optional", "conditional", "any-of", "raises"]
    for stricter in range(softer + 1, 4):
        one = contract(requirement("x", strength=order[softer]))
        other = contract(requirement("x", strength=order[stricter]))
        assert changes(one, other) == [("stricter", "x")]
        assert changes(other, one) == [("looser", "x")]


def test_changes_are_told_by_what_they_break_then_by_role_strength_and_name() -> None:
    other = CallShape(positional=1, fewest=1)
    old = contract(
        *(requirement("b_args"), requirement("c_algorithms"), requirement("d_looser"), requirement("e_gone")),
        *(requirement("f_read"), requirement("a_stricter", strength="optional")),
    )
    new = contract(
        *(requirement("b_args", call=other), requirement("c_algorithms", algorithms=("B",))),
        *(requirement("d_looser", strength="optional"), requirement("a_stricter")),
        *(requirement("new", role=role) for role in ("both", "class", "inner", "draft", "target")),
        *(requirement("mild", strength="conditional"), requirement("a_new"), requirement("soft", strength="optional")),
    )
    found = differences(old, new, named=lambda name: "w.py:1" if name == "f_read" else "")
    assert [(one.what, one.role, one.member) for one in found] == [
        ("new", "target", "a_new"),
        ("new", "target", "new"),
        ("new", "target", "mild"),
        ("new", "target", "soft"),
        ("new", "draft", "new"),
        ("new", "inner", "new"),
        ("new", "class", "new"),
        ("new", "both", "new"),
        ("stricter", "target", "a_stricter"),
        ("other arguments", "target", "b_args"),
        ("other algorithms", "target", "c_algorithms"),
        ("looser", "target", "d_looser"),
        ("unfollowed", "target", "f_read"),
        ("dropped", "target", "e_gone"),
    ]


def test_a_change_says_what_was_and_what_is() -> None:
    there = Site("b/worker.py", 2, "Other.f")
    old = contract(requirement("x", strength="optional", call=CallShape(1)))
    new = contract(requirement("x", algorithms=("A", "B"), call=CallShape(2), sites=(there,), interface="graph"))
    stricter, arguments, algorithms = differences(old, new)
    assert (stricter.what, arguments.what, algorithms.what) == ("stricter", "other arguments", "other algorithms")
    assert (stricter.before, stricter.after, stricter.site, stricter.interface) == (
        "optional",
        "required",
        there,
        "graph",
    )
    assert (stricter.old_algorithms, stricter.algorithms) == (("A",), ("A", "B"))
    assert (stricter.old_call, stricter.new_call) == (CallShape(1), CallShape(2))
    (dropped,) = differences(old, contract())
    assert (dropped.before, dropped.after, dropped.site, dropped.algorithms) == ("optional", None, HERE, ())
    assert (dropped.old_algorithms, dropped.new_call) == (("A",), None)


def test_what_is_asked_of_a_member_several_times_is_put_together() -> None:
    def one(*requirements: Requirement) -> Change:
        (change,) = differences(contract(), contract(*requirements))
        return change

    soft, hard = requirement("x", strength="optional", algorithms=("B",)), requirement("x")
    assert (one(soft, hard).after, one(soft, hard).algorithms) == ("required", ("A",)), "B can do without"
    assert one(soft, requirement("x", strength="optional")).algorithms == ("A", "B")
    behind = requirement("x", algorithms=("B",), settings=("self.on",))
    assert one(behind, hard).algorithms == ("A",), "B only asks behind a setting"
    assert one(behind, soft).algorithms == ("B",)
    assert one(behind).after == "required"
    read = requirement("x", call=None, strength="raises")
    assert one(read, requirement("x", strength="optional", call=CallShape(3))).new_call == CallShape(3)
    assert one(hard, requirement("x", strength="optional", call=CallShape(3))).new_call == CallShape()


def test_what_an_argument_list_is() -> None:
    plain = CallShape(1, fewest=1)
    for other in (CallShape(2, fewest=1), CallShape(1), CallShape(1, ("k",), fewest=1), CallShape(1, (), 2, 1)):
        found = changes(contract(requirement("x", call=plain)), contract(requirement("x", call=other)))
        assert found == [("other arguments", "x")]
    starred = CallShape(1, fewest=1, starred=True)
    assert changes(contract(requirement("x", call=plain)), contract(requirement("x", call=starred))) == []
    assert changes(contract(requirement("x", call=None)), contract(requirement("x", call=plain))) == []


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
