"""What a wrapper's attribute holds once the constructor that really runs has run."""

from __future__ import annotations

import pytest

from specint.graph.composition import unfollowed

INNER = "from torch import nn\nclass Small(nn.Module): ...\nclass Large(nn.Module): ...\nclass Other(nn.Module): ...\n"
IMPORTS = "from torch import nn\nfrom pack.inner import Small, Large, Other\n"


def wrapper(linked, text: str, **more: str):
    return linked(inner=INNER, w=IMPORTS + text, **more)


def test_constructor_call(linked) -> None:
    one = wrapper(linked, "class W(nn.Module):\n    def __init__(self, c):\n        self.m = Small(c)\n")
    assert one.holds("w.W", "m") == {"inner.Small": ""}


def test_local_name_between(linked) -> None:
    text = "class W:\n    def __init__(self, c):\n        made = Small(c)\n        kept = made\n        self.m = kept\n"
    assert one_class(wrapper(linked, text)) == {"inner.Small"}


def one_class(one, name: str = "w.W", attribute: str = "m") -> set[str]:
    return set(one.holds(name, attribute))


PARAMETER = """
class W(nn.Module):
    def __init__(self, c, q=None, prefix="", cls=Small):
        super().__init__()
        self.m = cls(c, q)
"""


def test_default_of_a_class_parameter(linked) -> None:
    assert one_class(wrapper(linked, PARAMETER)) == {"inner.Small"}


@pytest.mark.parametrize(
    "arguments",
    ["c, None, '', Large", "c, cls=Large", "c, q=None, prefix='', cls=cls"],
    ids=["by position", "by keyword", "through a parameter of its own"],
)
def test_class_parameter_overridden_by_a_subclass(linked, arguments: str) -> None:
    text = f"{PARAMETER}\nclass V(W):\n    def __init__(self, c, cls=Large):\n        super().__init__({arguments})\n"
    one = wrapper(linked, text)
    assert one_class(one, "w.V") == {"inner.Large"}
    assert one_class(one, "w.W") == {"inner.Small"}


@pytest.mark.parametrize(("above", "expected"), [("super()", "inner.Large"), ("super(V, self)", "inner.Small")])
def test_result_of_an_overridden_method_begins_behind_the_class_that_super_names(
    linked, above: str, expected: str
) -> None:
    text = (
        "class W(nn.Module):\n    def build(self, c):\n        return Small(c)\n"
        "class V(W):\n    def build(self, c):\n        return Large(c)\n"
        f"class U(V):\n    def __init__(self, c):\n        self.m = {above}.build(c)\n"
    )
    assert one_class(wrapper(linked, text), "w.U") == {expected}


def test_class_parameter_overridden_two_levels_up(linked) -> None:
    text = PARAMETER + (
        "class V(W):\n    def __init__(self, c, cls=Large):\n        super().__init__(c, cls=cls)\n"
        "class U(V):\n    def __init__(self, c):\n        super().__init__(c, Other)\n"
    )
    assert one_class(wrapper(linked, text), "w.U") == {"inner.Other"}


def test_parent_called_by_name(linked) -> None:
    text = f"{PARAMETER}\nclass V(W):\n    def __init__(self, c):\n        W.__init__(self, c, cls=Large)\n"
    assert one_class(wrapper(linked, text), "w.V") == {"inner.Large"}


def test_super_with_arguments(linked) -> None:
    text = f"{PARAMETER}\nclass V(W):\n    def __init__(self, c):\n        super(V, self).__init__(c, cls=Large)\n"
    assert one_class(wrapper(linked, text), "w.V") == {"inner.Large"}


def test_parent_skipped_by_calling_the_grandparent(linked) -> None:
    text = PARAMETER + (
        "class V(W):\n    def __init__(self, c):\n        nn.Module.__init__(self)\n        self.own = Large(c)\n"
    )
    one = wrapper(linked, text)
    assert one_class(one, "w.V", "m") == set()
    assert one_class(one, "w.V", "own") == {"inner.Large"}
    assert [f.key for f in one.composition.skipped_constructors(one.node("w.V"))] == ["pack.w.W.__init__"]


def test_super_of_the_parent_skips_it(linked) -> None:
    text = PARAMETER + (
        "class V(W):\n    def __init__(self, c):\n        super(W, self).__init__()\n        self.own = Large(c)\n"
    )
    assert one_class(wrapper(linked, text), "w.V", "m") == set()


def test_class_attribute_overridden_by_a_subclass(linked) -> None:
    text = (
        "class W:\n    body = Small\n    def __init__(self, c):\n        self.m = self.body(c)\n"
        "class V(W):\n    body = Large\n"
    )
    one = wrapper(linked, text)
    assert one_class(one) == {"inner.Small"}
    assert one_class(one, "w.V") == {"inner.Large"}


def test_dict_of_classes(linked) -> None:
    text = "KINDS = {1: Small, 2: Large}\nclass W:\n    def __init__(self, c):\n        self.m = KINDS.get(c.v)(c)\n"
    assert one_class(wrapper(linked, text)) == {"inner.Small", "inner.Large"}


def test_dict_of_classes_by_index_through_a_local_name(linked) -> None:
    text = (
        "KINDS = {1: Small, 2: Large}\nclass W:\n    def __init__(self, c):\n"
        "        cls = KINDS[c.v]\n        self.m = cls(c)\n"
    )
    assert one_class(wrapper(linked, text)) == {"inner.Small", "inner.Large"}


def test_factory_method_that_a_subclass_overrides(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        self.m = self.make(c)\n    def make(self, c): return Small(c)\n"
        "class V(W):\n    def make(self, c): return Large(c)\n"
    )
    one = wrapper(linked, text)
    assert (one_class(one), one_class(one, "w.V")) == ({"inner.Small"}, {"inner.Large"})


def test_method_that_assigns_and_that_a_subclass_overrides(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        self.init_inner(c)\n"
        "    def init_inner(self, c):\n        self.m = Small(c)\n"
        "class V(W):\n    def init_inner(self, c):\n        self.m = Large(c)\n"
    )
    one = wrapper(linked, text)
    assert (one_class(one), one_class(one, "w.V")) == ({"inner.Small"}, {"inner.Large"})


def test_every_arm_of_a_condition_with_its_condition(linked) -> None:
    text = """
class W:
    def __init__(self, c):
        if c.kind == "a":
            self.m = Small(c)
        elif c.kind == "b":
            self.m = Large(c)
        elif c.kind == "c":
            self.m = Other(c)
        elif c.kind == "d":
            self.m = Small(c.d)
        else:
            raise ValueError(c.kind)
"""
    one = wrapper(linked, text)
    found = one.composition.assignments(one.node("w.W"))["m"]
    assert [node.name for a in found for node in a.classes] == ["Small", "Large", "Other", "Small"]
    assert found[0].condition == "c.kind == 'a'"
    assert found[1].condition == "c.kind == 'b'"


def test_conditional_expression(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        self.m = (Small if c.s else Large)(c)\n"
        "        self.n = Small(c) if c.s else Large(c)\n"
    )
    one = wrapper(linked, text)
    assert one_class(one) == one_class(one, "w.W", "n") == {"inner.Small", "inner.Large"}


def test_none_first_and_assigned_later(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        self.m = None\n        if c.t:\n            self.m = Small(c)\n"
    )
    one = wrapper(linked, text)
    assert one.holds("w.W", "m") == {"inner.Small": "c.t"}
    assert one.composition.assignments(one.node("w.W"))["m"][0].is_none


def test_assigned_in_a_later_method_only_counts_as_late(linked) -> None:
    text = "class W:\n    def __init__(self, c):\n        pass\n    def build(self, c):\n        self.m = Small(c)\n"
    one = wrapper(linked, text)
    assert [a.late for a in one.composition.assignments(one.node("w.W"))["m"]] == [True]


def test_import_within_the_constructor(linked) -> None:
    text = "class W:\n    def __init__(self, c):\n        from pack.inner import Small as S\n        self.m = S(c)\n"
    assert one_class(linked(inner=INNER, w=text)) == {"inner.Small"}


def test_import_that_may_fail(linked) -> None:
    text = (
        "try:\n    from pack.inner import Small\nexcept ImportError:\n    Small = None\nclass W:\n"
        "    def __init__(self, c):\n        self.m = Small(c)\n"
    )
    assert one_class(linked(inner=INNER, w=text)) == {"inner.Small"}


def test_helper_function_that_returns_the_object(linked) -> None:
    text = (
        "def make(c, cls=Small):\n    return cls(c)\nclass W:\n    def __init__(self, c):\n"
        "        self.m = make(c)\n        self.n = make(c, Large)\n"
    )
    one = wrapper(linked, text)
    assert one_class(one) == {"inner.Small"}
    assert one_class(one, "w.W", "n") == {"inner.Large"}


def test_setattr_and_register_module(linked) -> None:
    text = (
        "class W(nn.Module):\n    def __init__(self, c):\n        setattr(self, 'm', Small(c))\n"
        "        self.add_module('n', Large(c))\n"
    )
    one = wrapper(linked, text)
    assert one_class(one) == {"inner.Small"}
    assert one_class(one, "w.W", "n") == {"inner.Large"}


def test_alias_of_another_attribute(linked) -> None:
    text = "class W:\n    def __init__(self, c):\n        self.inner = Small(c)\n        self.m = self.inner\n"
    assert one_class(wrapper(linked, text)) == {"inner.Small"}


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("Registry.resolve(c)(c)", "outside"),
        ("AutoModel.from_config(c)", "transformers.AutoModel.from_config"),
        ("make(c)(c)", "make"),
    ],
)
def test_what_only_a_run_can_tell_is_unknown_with_a_reason(linked, expression: str, reason: str) -> None:
    text = (
        "from transformers import AutoModel\nfrom outside import Registry, make\n"
        f"class W:\n    def __init__(self, c):\n        self.m = {expression}\n"
    )
    one = linked(w=text)
    (assignment,) = one.composition.assignments(one.node("w.W"))["m"]
    assert assignment.classes == ()
    assert reason in str(unfollowed(assignment.values))


def test_attribute_annotated_in_the_class_body_is_no_assignment(linked) -> None:
    text = "class W:\n    m: Small\n    def __init__(self, c):\n        pass\n"
    assert one_class(wrapper(linked, text)) == set()


def test_constructor_that_calls_itself_round_a_circle_ends(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        self.a(c)\n    def a(self, c):\n"
        "        self.b(c)\n    def b(self, c):\n        self.a(c)\n        self.m = Small(c)\n"
    )
    assert one_class(wrapper(linked, text)) == {"inner.Small"}


def test_model_that_holds_one_of_its_own_kind_ends(linked) -> None:
    assert one_class(linked(w="class W:\n    def __init__(self, c):\n        self.m = W(c)\n")) == {"w.W"}


def test_loop_over_a_list_of_classes(linked) -> None:
    text = "class W:\n    def __init__(self, c):\n        for cls in [Small, Large]:\n            self.m = cls(c)\n"
    assert one_class(wrapper(linked, text)) == {"inner.Small", "inner.Large"}


def test_class_chosen_into_a_local_name_by_branches(linked) -> None:
    text = (
        "class W:\n    def __init__(self, c):\n        if c.s:\n            cls = Small\n"
        "        else:\n            cls = Large\n        self.m = cls(c)\n"
    )
    assert one_class(wrapper(linked, text)) == {"inner.Small", "inner.Large"}


HIDES = "class Base:\n    def build(self, c):\n        self.m = Small(c)\nclass W(Base):\n"


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ("    def build(self, c):\n        pass\n", False),
        ("    build = None\n", False),
        ("    def build(self, c):\n        return super().build\n", True),
        ("    def build(self, c):\n        Base.build(self, c)\n", True),
        ("    def build(self, c):\n        pass\n    def other(self):\n        super().build(1)\n", True),
        ("    def build(self, c):\n        pass\n    old = Base.build\n", True),
        ("    if True:\n        def build(self, c):\n            pass\n", True),
        ("    def other(self):\n        pass\n", True),
        ("    def build(self, c):\n        pass\n    def build(self, c):\n        pass\n", False),
    ],
)
def test_a_method_that_another_hides_sets_nothing(linked, more: str, *, kept: bool) -> None:
    one = wrapper(linked, HIDES + more)
    assert bool(one.composition.assignments(one.node("w.W")).get("m")) is kept


def test_a_private_method_hides_none_of_a_base(linked) -> None:
    text = HIDES.replace("build", "__build") + "    def __build(self, c):\n        pass\n"
    one = wrapper(linked, text)
    assert one.composition.assignments(one.node("w.W"))["m"]


ONE_ATTRIBUTE = """
class Far:
    def build(self):
        self.far = Small()
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.above, (self.one, self.two) = Small(), (Large(), Other())
        self.register_buffer("buffer", None)
class Plain(Base):
    def later(self):
        def inner():
            self.inner = Other()
        with Large() as self.opened:
            self.late = inner()
class Computed(Base):
    def __init__(self):
        for name in ("a", "b"):
            setattr(self, name, Small())
class Handed(Plain):
    def __init__(self):
        Far.build(self)
def put(self):
    self.put = Small()
Plain.put_here = put
"""


@pytest.mark.parametrize("name", ["Base", "Plain", "Computed", "Handed"])
@pytest.mark.parametrize(
    "attribute", ["above", "one", "two", "buffer", "inner", "opened", "late", "a", "far", "put", "never"]
)
def test_one_attribute_alone_is_what_it_is_among_all(linked, name: str, attribute: str) -> None:
    def said(assignments) -> list[tuple[int, str, list[str]]]:
        return [(one.line, one.condition, sorted(map(str, one.values))) for one in assignments]

    alone, among = (wrapper(linked, ONE_ATTRIBUTE) for _ in range(2))
    every = among.composition.assignments(among.node(f"w.{name}"))
    assert said(alone.composition.assigned(alone.node(f"w.{name}"), attribute)) == said(every.get(attribute, []))


def test_a_constructor_is_not_followed_for_what_no_line_names(linked) -> None:
    one = wrapper(linked, ONE_ATTRIBUTE)
    node = one.node("w.Plain")
    assert one.composition.assigned(node, "never") == []
    assert node.key not in one.composition._assignments
