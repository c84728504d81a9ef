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


NOTHING = ["self.nothing (object)"]

# How an object may come by an attribute that no line names: (a constructor, more of the class) -> what breaks.
OPEN = {
    "closed": ("pass", "", NOTHING),
    "setattr under a computed name": ("setattr(self, config.name, 1)", "", []),
    "setattr under a name that is written out": ("setattr(self, 'other', 1)", "", NOTHING),
    "setattr of another object": ("setattr(config, config.name, 1)", "", NOTHING),
    "a table of names": ("for name in ('nothing', 'other'):\n    setattr(self, name, 1)", "", []),
    "a table of other names": ("for name in ('one', 'other'):\n    setattr(self, name, 1)", "", NOTHING),
    "its __dict__": ("self.__dict__.update(config)", "", []),
    "another's __dict__": ("config.__dict__.update(config)", "", NOTHING),
    "vars": ("vars(self).update(config)", "", []),
    "exec": ("exec(config.code)", "", []),
    "handed to somebody": ("config.fill(self)", "", []),
    "handed to somebody by name": ("config.fill(model=self)", "", []),
    "handed to a function that only looks": ("print(len(self))", "", NOTHING),
    "handed to a base": ("nn.Module.__init__(self)", "", NOTHING),
    "another object handed to somebody": ("config.fill(config)", "", NOTHING),
    "__setattr__": ("pass", "    def __setattr__(self, name, value):\n        pass\n", []),
    "__getattribute__": ("pass", "    def __getattribute__(self, name):\n        return 1\n", []),
    "__new__ of another class": ("pass", "    def __new__(cls, config):\n        return Deep(config)\n", []),
    "a plain __new__": ("pass", "    def __new__(cls, config):\n        return super().__new__(cls)\n", NOTHING),
    "a class attribute": ("pass", "    nothing = 1\n", []),
    "a nested class": ("pass", "    class nothing: ...\n", []),
    "an annotation alone": ("pass", "    nothing: int\n", NOTHING),
    "a method of the name": ("pass", "    def nothing(self):\n        return 1\n", []),
    "set in another method": ("pass", "    def late(self):\n        self.nothing = 1\n", []),
    "registered": ("self.register_buffer('nothing', config.x)", "", []),
    "registered under another name": ("self.register_buffer('other', config.x)", "", NOTHING),
    "what every module has": ("self.nothing = self.training", "", []),
}


@pytest.mark.parametrize("name", OPEN)
def test_object_that_may_have_more_than_its_lines_say(linked, name: str) -> None:
    init, more, expected = OPEN[name]
    assert broken(linked, model("return self.nothing", init, more)) == expected


CORE = "self.model.core"

# The order of a constructor: what is left when it has run, as (what, condition) of `self.model.core`.
ORDER = {
    "an object": ("self.model = Deep(config)", []),
    "None": ("self.model = None", []),
    "an object, then None": ("self.model = Deep(config)\nself.model = None", []),
    "None, then an object": ("self.model = None\nself.model = Deep(config)", []),
    "an object, or None": (
        "if config.a:\n    self.model = Deep(config)\nelse:\n    self.model = None",
        ["none not config.a"],
    ),
    "None, or an object": (
        "if config.a:\n    self.model = None\nelse:\n    self.model = Deep(config)",
        ["none config.a"],
    ),
    "three arms": (
        "if config.a:\n    self.model = Deep(config)\nelif config.b:\n    self.model = None\n"
        "else:\n    self.model = Deep(config)",
        ["none not config.a and config.b"],
    ),
    "an arm that doesn't set it": (
        "if config.a:\n    self.model = Deep(config)\nelif config.b:\n    pass\nelse:\n    self.model = Deep(config)",
        ["unset not config.a"],
    ),
    "an arm that raises": (
        "if config.a:\n    self.model = Deep(config)\nelif config.b:\n    raise ValueError\n"
        "else:\n    self.model = Deep(config)",
        [],
    ),
    "nested, every way": (
        "if config.a:\n    if config.b:\n        self.model = Deep(config)\n    else:\n"
        "        self.model = Deep(config)\nelse:\n    self.model = Deep(config)",
        [],
    ),
    "None first, replaced on every way": (
        "self.model = None\nif config.a:\n    if config.b:\n        self.model = Deep(config)\n    else:\n"
        "        self.model = Deep(config)\nelse:\n    self.model = Deep(config)",
        [],
    ),
    "in a method that the constructor calls": ("self.build(config)", []),
    "in a method that it calls under a condition": ("if config.a:\n    self.build(config)", ["unset"]),
    "None, then in a method": ("self.model = None\nself.build(config)", []),
    "in a loop": ("for one in config.all:\n    self.model = Deep(config)", ["unset"]),
    "in a with": ("with config.lock:\n    self.model = Deep(config)", []),
    "behind a return": ("if config.a:\n    return\nself.model = Deep(config)", ["unset config.a"]),
    "None by an expression, first half": ("self.model = None if config.a else Deep(config)", ["none config.a"]),
    "an object that nobody knows, or None": ("self.model = config.make() if config.a else None", ["none not config.a"]),
    "an object or what nobody knows": ("self.model = Deep(config) or config.make()", []),
    "two at once": ("self.other, self.model = 1, Deep(config) if config.a else None", ["none not config.a"]),
}
BUILD = "    def build(self, config):\n        self.model = Deep(config)\n"


@pytest.mark.parametrize("name", ORDER)
def test_what_is_left_of_an_attribute(linked, name: str) -> None:
    init, expected = ORDER[name]
    more = BUILD if "build" in init else ""
    found = broken(linked, model(f"return {CORE}", init, more))
    assert [one.partition(" (")[2].rstrip(")") for one in found] == expected
    assert all(one.startswith(CORE) for one in found)


LOOKS = {
    "nothing": "return self.model.core",
    "another attribute's None": "if x is None:\n    raise ValueError\nreturn self.model.core",
    "behind the reach": "a = self.model.core\nassert self.model is not None\nreturn a",
    "in another branch": "if self.model is None:\n    pass\nreturn self.model.core",
    "a handler of something else": "try:\n    return self.model.core\nexcept KeyError:\n    pass",
    "in a nested test": "if x:\n    return self.model.core",
}
LOOKS_AT = {
    "is not None": "if self.model is not None:\n    return self.model.core",
    "its truth": "return self.model and self.model.core",
    "the truth of a name for it": "m = self.model\nif m:\n    return m.core",
    "not, and a return": "if not self.model:\n    return\nreturn self.model.core",
    "in a while": "while self.model:\n    return self.model.core",
    "any handler": "try:\n    return self.model.core\nexcept Exception:\n    pass",
    "a bare handler": "try:\n    return self.model.core\nexcept:\n    pass",
    "in the handler": "try:\n    x()\nexcept KeyError:\n    return self.model.core",
    "its class": "if isinstance(self.model, Deep):\n    return self.model.core",
    "by getattr": "if getattr(self, 'model', None):\n    return self.model.core",
}
HALF = "self.model = None\nif config.deep:\n    self.model = Deep(config)"


@pytest.mark.parametrize("name", LOOKS)
def test_what_looks_at_nothing_breaks(linked, name: str) -> None:
    assert broken(linked, model(LOOKS[name], HALF)) == ["self.model.core (none not config.deep)"]


@pytest.mark.parametrize("name", LOOKS_AT)
def test_what_looks_first_does_not_break(linked, name: str) -> None:
    assert broken(linked, model(LOOKS_AT[name], HALF)) == []


# Where an attribute is reached for, in whatever form: each breaks at `self.model.nothing`.
FORMS = [
    "return self.model.nothing",
    "return self.model.nothing()",
    "return self.model.nothing.weight",
    "return [self.model.nothing]",
    "return {'a': self.model.nothing}",
    "return x[self.model.nothing]",
    "return self.model.nothing + 1",
    "return f'{self.model.nothing}'",
    "return not self.model.nothing",
    "return self.model.nothing == 1",
    "return print(self.model.nothing)",
    "return print(end=self.model.nothing)",
    "self.model.nothing.weight = x",
    "x[self.model.nothing] = 1",
    "self.model.nothing[0] = x",
    "for one in self.model.nothing:\n    pass",
    "with self.model.nothing:\n    pass",
    "while self.model.nothing:\n    pass",
    "if self.model.nothing:\n    pass",
    "assert self.model.nothing",
    "del self.model.nothing.weight",
    "y = (z := self.model.nothing)",
    "return (self.model.nothing, 1)[0]",
    "return getattr(self.model, 'nothing')",
    "return self.model.nothing if x else 1",
    "super().forward(self.model.nothing)",
]
NO_FORMS = [
    "self.model.nothing = x",
    "return lambda: self.model.nothing",
    "return [self.model.nothing for i in x]",
    "def later():\n    return self.model.nothing\nreturn later",
    "return 'self.model.nothing'",
    "return x.model.nothing",
]


@pytest.mark.parametrize("body", FORMS)
def test_reach_in_any_form(linked, body: str) -> None:
    assert set(broken(linked, model(body))) == {"self.model.nothing (object)"}


@pytest.mark.parametrize("body", NO_FORMS)
def test_what_is_no_reach_of_this_body(linked, body: str) -> None:
    assert broken(linked, model(body)) == []


WAYS = {
    "a property": ("return self.part.nothing", "    @property\n    def part(self):\n        return self.model\n"),
    "a method": ("return self.part().nothing", "    def part(self):\n        return self.model\n"),
    "a name": ("m = self.model\nreturn m.nothing", ""),
    "a name for a name": ("m = self.model\nn = m\nreturn n.nothing", ""),
    "walrus": ("return (m := self.model).nothing", ""),
    "getattr": ("return getattr(self, 'model').nothing", ""),
    "a choice": ("return (self.model if x else self.model).nothing", ""),
}
UNFOLLOWED = {
    "a parameter": ("return x.nothing", ""),
    "a name that is set twice": ("m = self.model\nif x:\n    m = x\nreturn m.nothing", ""),
    "a method of two returns": (
        "return self.part().nothing",
        "    def part(self):\n        if self.y:\n            return 1\n        return self.model\n",
    ),
    "a return under a condition": (
        "return self.part().nothing",
        "    def part(self):\n        if self.y:\n            return self.model\n",
    ),
    "a generator": ("return self.part().nothing", "    def part(self):\n        yield 1\n        return self.model\n"),
    "an item": ("return self.model[0].nothing", ""),
    "a call of nobody's": ("return x(self.model).nothing", ""),
}


@pytest.mark.parametrize("name", WAYS)
def test_way_to_an_object_is_followed(linked, name: str) -> None:
    body, more = WAYS[name]
    found = broken(linked, model(body, more=more))
    assert len(found) >= 1
    assert all("nothing (object" in one for one in found)


@pytest.mark.parametrize("name", UNFOLLOWED)
def test_way_to_an_object_that_is_not_followed_breaks_nowhere(linked, name: str) -> None:
    body, more = UNFOLLOWED[name]
    assert broken(linked, model(body, "self.model = Deep(config)\nself.y = 1", more)) == []


FAILS = """
class Fails(nn.Module):
    def ask(self):
        return self.gone
    @property
    def head(self):
        return self.gone
"""


def test_a_method_that_is_handed_back_is_not_run(linked) -> None:
    assert broken(linked, FAILS + model("return self.model.ask", "self.model = Fails()")) == []
    assert broken(linked, FAILS + model("return self.model.ask()", "self.model = Fails()")) == ["self.gone (object)"]


def test_what_fails_in_a_property_that_is_looked_at_breaks_nothing(linked) -> None:
    looked = "if hasattr(self.model, 'head'):\n    return self.model.head"
    assert broken(linked, FAILS + model(looked, "self.model = Fails()")) == []
    assert broken(linked, FAILS + model("return self.model.head", "self.model = Fails()")) == ["self.gone (object)"]


def test_what_the_object_has_itself_hides_a_method_of_its_class(linked) -> None:
    hides = FAILS + "class Hides(Fails):\n    def __init__(self):\n        super().__init__()\n        self.ask = len\n"
    assert broken(linked, hides + model("return self.model.ask()", "self.model = Hides()")) == []


def test_a_part_of_the_constructor_that_runs_twice_has_the_last_word_too(linked) -> None:
    twice = (
        "class Base(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self._build()\n        self.part = None\n"
        "class Twice(Base):\n    def __init__(self):\n        super().__init__()\n        self._build()\n"
        "    def _build(self):\n        self.part = Deep(1)\n"
    )
    assert broken(linked, twice + model("return self.model.part.core", "self.model = Twice()")) == []


@pytest.mark.parametrize(
    "more",
    [
        "    def __init__(self):\n        super().__init__()\n        self.head = Deep(1)\n",
        "    def __getattr__(self, name):\n        return 1\n",
    ],
)
def test_a_property_that_fails_is_asked_for_elsewhere(linked, more: str) -> None:
    """Of what lies beside it under its name, as modules do, and of `__getattr__`."""
    heir = FAILS + f"class Heir(Fails):\n{more}"
    assert broken(linked, heir + model("return self.model.head", "self.model = Heir()")) == []
