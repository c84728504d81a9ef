"""What a body reaches for, and where a chain breaks: nothing is concluded from what can't be followed."""

from __future__ import annotations

import pytest

from specint.graph.attributes import Attributes
from specint.graph.dataflow import DataFlow

HEAD = """
from torch import nn
from pack.layers import Table, Open

class Core(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.table = Table()

class Deep(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.core = Core(config)
"""
LAYERS = """
from torch import nn

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(1)

class Open(nn.Module):
    def __init__(self, method):
        super().__init__()
        method.create_weights(self)
"""


def broken(linked, text: str, name: str = "hook", model: str = "Model") -> list[str]:
    """`chain (kind condition)` for each reach of `Model.hook` that fails."""
    one = linked(layers=LAYERS, w=HEAD + text)
    flow = DataFlow(Attributes(one.project, one.hierarchy, one.composition))
    member = one.member(f"w.{model}", name)
    assert member is not None
    assert member.function is not None
    found = flow.breaks(one.node(f"w.{model}"), member.function)
    return [f"{b.chain} ({b.arm.kind}{' ' if b.arm.condition else ''}{b.arm.condition})" for b in found]


def model(body: str, init: str = "self.model = Deep(config)", more: str = "") -> str:
    lines = "\n".join(f"        {line}" for line in init.splitlines())
    inside = "\n".join(f"        {line}" for line in body.splitlines())
    constructor = f"    def __init__(self, config):\n        super().__init__()\n{lines}\n"
    return f"class Model(nn.Module):\n{constructor}    def hook(self, x=None):\n{inside}\n{more}"


def test_chain_that_exists_is_followed_to_its_end(linked) -> None:
    assert broken(linked, model("return self.model.core.table.weight")) == []


def test_chain_breaks_where_no_class_has_the_part(linked) -> None:
    assert broken(linked, model("return self.model.table.weight")) == ["self.model.table (object)"]


def test_attribute_of_the_object_itself_that_nothing_sets(linked) -> None:
    assert broken(linked, model("return self.head")) == ["self.head (object)"]


def test_method_that_the_inner_class_lacks(linked) -> None:
    assert broken(linked, model("return self.model.core.hook()")) == ["self.model.core.hook (object)"]


def test_break_inside_a_method_that_is_called(linked) -> None:
    more = "    def part(self):\n        return self.model.nothing\n"
    assert broken(linked, model("return self.part()", more=more)) == ["self.model.nothing (object)"]


def test_local_names_and_properties_are_followed(linked) -> None:
    more = "    @property\n    def inner(self):\n        return self.model.core\n"
    assert broken(linked, model("inner = self.inner\nreturn inner.nothing", more=more)) == ["inner.nothing (object)"]


def test_what_is_written_or_deleted_must_have_its_base(linked) -> None:
    body = "del self.model.table.weight\nself.model.table.weight = x"
    assert broken(linked, model(body)) == ["self.model.table (object)", "self.model.table (object)"]


def test_setting_a_new_attribute_is_no_reach(linked) -> None:
    assert broken(linked, model("self.model.layers_to_keep = x")) == []


@pytest.mark.parametrize(
    "body",
    [
        "if hasattr(self.model, 'table'):\n    return self.model.table",
        "if not hasattr(self.model, 'table'):\n    raise ValueError\nreturn self.model.table",
        "return getattr(self.model, 'table', None)",
        "return self.model.table if hasattr(self.model, 'table') else None",
        "return hasattr(self.model, 'table') and self.model.table",
        "try:\n    return self.model.table\nexcept AttributeError:\n    return None",
    ],
)
def test_what_the_body_looks_at_does_not_break(linked, body: str) -> None:
    assert broken(linked, model(body)) == []


@pytest.mark.parametrize(
    "init",
    [
        "self.model = Open(config)",
        "self.model = config.build()",
        "self.model = nn.Linear(1, 1)",
        "self.model = nn.ModuleList([Deep(config)])",
        "self.model = Deep(config) if config.x else config.build()",
        "self.model = Deep(config)\nself.model.table = 1",
    ],
)
def test_what_cannot_be_known_does_not_break(linked, init: str) -> None:
    assert broken(linked, model("if self.y:\n    return self.model.table", init + "\nself.y = 1")) == []


@pytest.mark.parametrize(
    "more",
    [
        "    def __getattr__(self, name):\n        return 1\n",
        "    def load(self, names):\n        for name in names:\n            setattr(self, name, 1)\n",
        "    def load(self, names):\n        self.register_buffer(names[0], 1)\n",
    ],
)
def test_class_with_computed_names_has_any_attribute(linked, more: str) -> None:
    assert broken(linked, model("return self.nothing", more=more)) == []


TWO = "if config.deep:\n    self.model = Deep(config)\nelse:\n    self.model = Core(config)"


def test_only_the_arm_that_lacks_the_part_breaks(linked) -> None:
    assert broken(linked, model("return self.model.table", TWO)) == ["self.model.table (object config.deep)"]


def test_a_condition_on_state_may_choose_the_arm(linked) -> None:
    init = TWO + "\nself.deep = config.deep"
    assert broken(linked, model("if not self.deep:\n    return self.model.table", init)) == []


def test_part_that_every_arm_lacks_breaks_under_any_condition(linked) -> None:
    found = broken(linked, model("if self.deep:\n    return self.model.nothing", TWO + "\nself.deep = config.deep"))
    assert found == ["self.model.nothing (object config.deep)", "self.model.nothing (object not config.deep)"]


def test_none_that_a_later_assignment_always_replaces_is_gone(linked) -> None:
    init = "self.model = None\nif config.deep:\n    self.model = Deep(config)\nelse:\n    self.model = Core(config)"
    assert broken(linked, model("return self.model.training", init)) == []


def test_none_that_stays_under_a_condition(linked) -> None:
    init = "self.model = None\nif config.deep:\n    self.model = Deep(config)"
    assert broken(linked, model("return self.model.core", init)) == ["self.model.core (none not config.deep)"]


def test_attribute_that_is_set_under_a_condition_only(linked) -> None:
    init = "if not config.vision_only:\n    self.model = Deep(config)"
    assert broken(linked, model("return self.model.core", init)) == ["self.model.core (unset config.vision_only)"]


def test_none_chosen_in_an_expression_keeps_its_condition(linked) -> None:
    init = "self.model = Deep(config) if config.deep else None"
    assert broken(linked, model("return self.model.core", init)) == ["self.model.core (none not config.deep)"]


def test_branch_that_raises_leaves_nothing_unset(linked) -> None:
    init = "if config.deep:\n    self.model = Deep(config)\nelse:\n    raise ValueError"
    assert broken(linked, model("return self.model.core", init)) == []


@pytest.mark.parametrize(
    "body",
    [
        "if self.model is None:\n    raise ValueError\nreturn self.model.core",
        "assert self.model is not None\nreturn self.model.core",
        "return self.model.core if self.model else None",
        "if self.ready:\n    return self.model.core",
    ],
)
def test_none_that_the_body_looks_at(linked, body: str) -> None:
    init = "self.ready = config.deep\nself.model = None\nif config.deep:\n    self.model = Deep(config)"
    assert broken(linked, model(body, init)) == []


def test_none_that_another_method_fills(linked) -> None:
    more = "    def late(self, config):\n        self.model = Deep(config)\n"
    assert broken(linked, model("return self.model.core", "self.model = None", more)) == []


def test_subclass_that_replaces_what_its_parent_built(linked) -> None:
    text = model("return self.model.table") + (
        "class Child(Model):\n    def __init__(self, config):\n        super().__init__(config)\n"
        "        self.model = Core(config)\n"
    )
    assert broken(linked, text, model="Child") == []
    assert broken(linked, text) == ["self.model.table (object)"]


@pytest.mark.parametrize(
    "init",
    [
        "self.model = Deep(config) if config.deep else None",
        "self.ready, self.model = 1, Deep(config) if config.deep else None",
        "self.model, self.ready = Deep(config) if config.deep else None, 1",
        "[self.ready, (self.other, self.model)] = [1, (2, Deep(config) if config.deep else None)]",
        "self.ready = 1; self.model = Deep(config) if config.deep else None",
        "setattr(self, 'model', Deep(config) if config.deep else None)",
        "self.__dict__.update(ready=1, model=Deep(config) if config.deep else None)",
        "self.other = self.model = Deep(config) if config.deep else None",
    ],
)
def test_choice_of_none_is_found_on_any_side_of_an_assignment(linked, init: str) -> None:
    assert broken(linked, model("return self.model.core", init)) == ["self.model.core (none not config.deep)"]


@pytest.mark.parametrize(
    "init",
    [
        "self.model = None; self.model = Deep(config)",
        "self.model, self.other = None, 1; self.model = Deep(config)",
        "self.other, self.model = None, Deep(config)",
    ],
)
def test_what_else_stands_on_the_line_of_an_assignment_is_not_its_value(linked, init: str) -> None:
    assert broken(linked, model("return self.model.core", init)) == []


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        ("try:\n    self.model = Deep(config)\nexcept KeyError:\n    self.model = Deep(config)", []),
        (
            "try:\n    config.go()\nexcept KeyError:\n    self.model = Deep(config)\n"
            "else:\n    self.model = Deep(config)",
            [],
        ),
        ("try:\n    config.go()\nexcept KeyError:\n    pass\nelse:\n    self.model = Deep(config)", ["unset"]),
        ("try:\n    self.model = Deep(config)\nexcept KeyError:\n    pass", ["unset"]),
        ("try:\n    self.model = Deep(config)\nfinally:\n    config.go()", []),
        ("try:\n    config.go()\nfinally:\n    self.model = Deep(config)", []),
    ],
    ids=["try, except", "except, else", "else alone", "try alone", "try, finally", "finally"],
)
def test_every_way_through_a_try(linked, init: str, expected: list[str]) -> None:
    found = broken(linked, model("return self.model.core", init))
    assert [one.partition("(")[2].rstrip(")").strip() for one in found] == expected


FOLLOWED = """
    def load(self, is_next):
        return self.model.decoder
    def choose(self, is_next=False):
        return self.model.core if not is_next else self.model.decoder
    def made(self, x):
        return bool(x)
"""


@pytest.mark.parametrize(
    ("body", "is_broken"),
    [
        ("return self.load(x)", True),
        ("if self.ready:\n    return self.load(x)", True),
        ("if x:\n    return self.load(x)", False),
        ("is_next = self.made(x)\nif is_next:\n    return self.load(x)", False),
        ("return self.load(x) if isinstance(x, int) else None", False),
        ("for one in x:\n    self.load(one)", True),
        ("return self.choose()", False),
    ],
)
def test_call_that_hangs_on_what_is_handed_over_breaks_nothing_for_certain(linked, body: str, is_broken: bool) -> None:
    init = "self.ready = config.ready\nself.model = Deep(config)"
    assert bool(broken(linked, model(body, init, FOLLOWED))) is is_broken
