"""Resolution order and providers, in the shapes that real trees have."""

from __future__ import annotations

import pytest


def test_diamond_is_linearised_as_python_does(linked) -> None:
    one = linked(a="class A: ...\nclass B(A): ...\nclass C(A): ...\nclass D(B, C): ...\n")
    assert one.order("a.D") == ["a.D", "a.B", "a.C", "a.A"]


def test_base_outside_the_tree_keeps_its_place_under_its_first_name(linked) -> None:
    text = (
        "from torch import nn\nfrom torch.nn.modules.module import Module\nclass A(Module): ...\n"
        "class B(A, nn.Module): ...\n"
    )
    one = linked(a=text)
    assert one.order("a.B") == ["a.B", "a.A", "torch.nn.Module"]


def test_inconsistent_bases_are_a_problem_and_still_an_order(linked) -> None:
    one = linked(a="class A: ...\nclass B(A): ...\nclass C(A, B):\n    def own(self): ...\n")
    order = one.hierarchy.order(one.node("a.C"))
    assert "no consistent order" in order.problem
    assert one.order("a.C")[0] == "a.C"
    assert one.provider("a.C", "own") == "a.C"


@pytest.mark.parametrize(
    "modules",
    [
        {"a": "class A(A): ...\n"},
        {"a": "class A(B): ...\nclass B(A): ...\n"},
        {"a": "from pack.b import B\nclass A(B): ...\n", "b": "from pack.a import A\nclass B(A): ...\n"},
    ],
    ids=["itself", "two in one file", "round an import circle"],
)
def test_cyclic_hierarchy_ends(linked, modules: dict[str, str]) -> None:
    one = linked(**modules)
    assert one.order("a.A")[0] == "a.A"
    assert one.provider("a.A", "anything") is None


def test_two_classes_that_inherit_from_each_other_say_so(linked) -> None:
    one = linked(a="class A(B): ...\nclass B(A): ...\nclass C(A): ...\n")
    assert "inherits from itself" in one.hierarchy.order(one.node("a.C")).problem


def test_every_class_of_a_cycle_has_the_problem_whatever_is_asked_first(linked) -> None:
    text = "class A(B): ...\nclass B(C): ...\nclass C(A): ...\n"
    for first in "ABC":
        one = linked(a=text)
        one.order(f"a.{first}")
        assert all(one.hierarchy.order(one.node(f"a.{name}")).problem for name in "ABC")


def test_generic_base_is_its_class(linked) -> None:
    text = (
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass A(Generic[T]):\n"
        "    def m(self): ...\nclass B(A[int]): ...\n"
    )
    assert linked(a=text).provider("a.B", "m") == "a.A"


def test_base_that_is_computed_is_unknown(linked) -> None:
    one = linked(a="class A(make()): ...\n")
    (unknown,) = one.hierarchy.unknown_bases(one.node("a.A"))
    assert "make()" in unknown.name


def test_base_of_a_lost_module_is_unknown_by_name(linked) -> None:
    one = linked(a="from pack.gone import X\nclass A(X): ...\n")
    assert [base.name for base in one.hierarchy.unknown_bases(one.node("a.A"))] == ["pack.gone.X"]


def test_torch_module_is_known_and_gives_no_hook(linked) -> None:
    one = linked(a="import torch.nn as nn\nclass A(nn.Module): ...\n")
    node = one.node("a.A")
    assert one.hierarchy.unknown_bases(node) == ()
    assert one.hierarchy.external_provider(node, "parameters") is not None
    assert one.hierarchy.external_provider(node, "a_hook_of_a_worker") is None


def test_provider_is_the_nearest_in_order(linked) -> None:
    text = (
        "class A:\n    def m(self): ...\n    def n(self): ...\nclass Mixin:\n    def m(self): ...\n"
        "class B(Mixin, A): ...\n"
    )
    one = linked(a=text)
    assert one.provider("a.B", "m") == "a.Mixin"
    assert one.provider("a.B", "n") == "a.A"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("def m(self): ...", "method"),
        ("async def m(self): ...", "method"),
        ("@property\n    def m(self): ...", "property"),
        ("@functools.cached_property\n    def m(self): ...", "property"),
        ("@torch.no_grad()\n    def m(self): ...", "method"),
        ("@classmethod\n    def m(cls): ...", "classmethod"),
        ("@staticmethod\n    def m(): ...", "staticmethod"),
        ("m = 1", "attribute"),
        ("m: int = 1", "attribute"),
        ("def other(self): ...\n    m = other", "method"),
        ("class m: ...", "class"),
        ("from pack.b import m", "attribute"),
    ],
)
def test_kind_of_a_member(linked, body: str, kind: str) -> None:
    member = linked(a=f"class A:\n    {body}\n").member("a.A", "m")
    assert member is not None
    assert member.kind == kind


def test_annotation_alone_defines_nothing(linked) -> None:
    assert linked(a="class A:\n    m: int\n").member("a.A", "m") is None


def test_setter_of_a_property_leaves_it_a_property(linked) -> None:
    text = "class A:\n    @property\n    def m(self): ...\n    @m.setter\n    def m(self, v): ...\n"
    member = linked(a=text).member("a.A", "m")
    assert (member.kind, member.line) == ("property", 3)


def test_members_under_a_condition_count_and_say_so(linked) -> None:
    text = "class A:\n    if FAST:\n        def m(self): ...\n    else:\n        def n(self): ...\n"
    one = linked(a=text)
    assert (one.member("a.A", "m").conditional, one.member("a.A", "n").conditional) == (True, True)


def test_function_assigned_to_a_class_at_module_level_is_a_member(linked) -> None:
    text = "class A: ...\nclass B(A): ...\ndef later(self): ...\nA.m = later\nsetattr(A, 'n', later)\n"
    one = linked(a=text)
    assert one.provider("a.B", "m") == "a.A"
    assert one.member("a.B", "n").function.name == "later"


def test_function_with_self_that_nothing_binds_is_no_member(linked) -> None:
    assert linked(a="class A: ...\ndef m(self): ...\n").member("a.A", "m") is None


def test_super_goes_on_in_the_order_of_the_object_not_of_the_class(linked) -> None:
    text = """
    class Base:
        def m(self): ...
    class Left(Base):
        def m(self): super().m()
    class Right(Base):
        def m(self): ...
    class Both(Left, Right): ...
    """
    one = linked(a=text)
    nexts = [
        one.hierarchy.next_definition(one.node(node), one.node("a.Left"), "m").owner.name
        for node in ("a.Left", "a.Both")
    ]
    assert nexts == ["Base", "Right"]


def test_hierarchy_over_an_import_that_may_fail_takes_the_class(linked) -> None:
    text = "try:\n    from pack.b import Fast as Base\nexcept ImportError:\n    Base = object\nclass A(Base): ...\n"
    one = linked(a=text, b="class Fast:\n    def m(self): ...\n")
    assert one.provider("a.A", "m") == "b.Fast"


# A class body, and what it makes of `m`: (kind, whether that is conditional); None where there is no such member.
BODIES = {
    "a method": ("def m(self): ...", ("method", False)),
    "an async method": ("async def m(self): ...", ("method", False)),
    "a property": ("@property\ndef m(self): ...", ("property", False)),
    "a cached property": ("@functools.cached_property\ndef m(self): ...", ("property", False)),
    "a static method": ("@staticmethod\ndef m(): ...", ("staticmethod", False)),
    "a class method": ("@classmethod\ndef m(cls): ...", ("classmethod", False)),
    "another decorator": ("@functools.cache\ndef m(self): ...", ("method", False)),
    "a decorator that is called": ("@torch.no_grad()\ndef m(self): ...", ("method", False)),
    "a property with a setter": (
        "@property\ndef m(self): ...\n@m.setter\ndef m(self, value): ...",
        ("property", False),
    ),
    "an attribute": ("m = 1", ("attribute", False)),
    "an annotated attribute": ("m: int = 1", ("attribute", False)),
    "an annotation": ("m: int", None),
    "another name for a method": ("def n(self): ...\nm = n", ("method", False)),
    "another name for a property": ("@property\ndef n(self): ...\nm = n", ("property", False)),
    "a class": ("class m: ...", ("class", False)),
    "an import": ("from os import path as m", ("attribute", False)),
    "a method under a condition": ("if FAST:\n    def m(self): ...", ("method", True)),
    "an attribute under a condition": ("if FAST:\n    m = 1", ("attribute", True)),
    "a class under a condition": ("if FAST:\n    class m: ...", ("class", True)),
    "an import under a condition": ("if FAST:\n    from os import path as m", ("attribute", True)),
    "an import that may fail": (
        "try:\n    from os import path as m\nexcept ImportError:\n    pass",
        ("attribute", True),
    ),
    "a method, then an attribute": ("def m(self): ...\nm = None", ("attribute", False)),
    "an attribute, then a method": ("m = None\ndef m(self): ...", ("method", False)),
    "deleted": ("def m(self): ...\ndel m", None),
    "deleted under a condition": ("def m(self): ...\nif FAST:\n    del m", ("method", True)),
    "deleted, and there again": ("m = 1\ndel m\ndef m(self): ...", ("method", False)),
    "of another name": ("def other(self): ...", None),
    "within a method": ("def other(self):\n    def m(self): ...", None),
}


@pytest.mark.parametrize("name", BODIES)
def test_member_that_a_body_makes(linked, name: str) -> None:
    body, expected = BODIES[name]
    text = "import functools\nimport torch\n\nclass A:\n" + "\n".join(f"    {line}" for line in body.splitlines())
    member = linked(a=text + "\n").member("a.A", "m")
    assert (None if member is None else (member.kind, member.conditional)) == expected


def test_names_that_a_body_sets_by_unpacking_are_members(linked) -> None:
    one = linked(a="class A:\n    m, n = 1, 2\n")
    assert one.provider("a.A", "m") == one.provider("a.A", "n") == "a.A"
