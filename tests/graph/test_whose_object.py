"""Whose object a function works on: `self` in a method, nobody's in a static method, that of the method around it."""

from __future__ import annotations

import pytest

from specint.graph.attributes import Attributes
from specint.graph.dataflow import DataFlow
from specint.graph.effects import Effects

HEAD = "from torch import nn\nclass Small(nn.Module): ...\n"
METHODS = {
    "a method": ("def adopt(self, other, head):\n    {}", "self", True),
    "a class method": ("@classmethod\ndef adopt(cls, other, head):\n    {}", "cls", True),
    "a static method": ("@staticmethod\ndef adopt(other, head):\n    {}", "other", False),
    "a static method by another name": (
        "import abc\n@abc.abstractmethod\n@builtins.staticmethod\ndef adopt(self, head):\n    {}",
        "self",
        False,
    ),
    "a constructor of another class": ("def __new__(cls, head):\n    {}", "cls", False),
    "a function with a parameter in a method": (
        "def adopt(self):\n    def inner(other, head):\n        {}\n    inner(None, None)",
        "self",
        True,
    ),
    "its parameter": (
        "def adopt(self):\n    def inner(other, head):\n        {}\n    inner(None, None)",
        "other",
        False,
    ),
    "a parameter that hides the object": (
        "def adopt(self):\n    def inner(self, head):\n        {}\n    inner(None, None)",
        "self",
        False,
    ),
    "a local name that hides the object": (
        "def adopt(this):\n    def inner(head):\n        this = head\n        {}\n    inner(None)",
        "this",
        False,
    ),
    "a function in a function in a method": (
        "def adopt(me):\n    def middle():\n        def inner(head):\n            {}\n        inner(1)\n    middle()",
        "me",
        True,
    ),
    "a function in a static method": (
        "@staticmethod\ndef adopt(other, head):\n    def inner():\n        {}\n    inner()",
        "other",
        False,
    ),
}


def model(method: str, line: str) -> str:
    text = method.format(line)
    return f"{HEAD}class Model(nn.Module):\n" + "\n".join(f"    {one}" for one in text.splitlines()) + "\n"


@pytest.mark.parametrize("spelling", ["{}.head = head", "setattr({}, 'head', head)", "{}.__dict__['head'] = head"])
@pytest.mark.parametrize("kind", METHODS)
def test_attribute_belongs_to_the_object_that_it_is_put_on(linked, kind: str, spelling: str) -> None:
    method, name, is_own = METHODS[kind]
    tree = linked(m=model(method, spelling.format(name)))
    node = tree.node("m.Model")
    assert ("head" in tree.composition.assignments(node)) is is_own
    assert bool(list(tree.composition.evaluator.self_binds(node, "head"))) is is_own


@pytest.mark.parametrize("kind", METHODS)
def test_writes_and_reads_are_of_the_object_that_is_named(linked, kind: str) -> None:
    method, name, is_own = METHODS[kind]
    tree = linked(m=model(method, f"{name}.head = {name}.body"))
    node = tree.node("m.Model")
    effects = Effects(tree.composition, lambda *_: None)
    member = "__new__" if "__new__" in method else "adopt"
    written = [one for one in effects.writes(node, member) if one.attribute == "head"]
    assert any(one.holders for one in written) is is_own
    read = {one.attribute for run in effects.runs(node, member) for one in effects.own_reads(run)}
    assert ("body" in read) is is_own


@pytest.mark.parametrize(
    "kind", ["a static method", "a static method by another name", "a constructor of another class"]
)
def test_reach_of_another_object_is_no_break(linked, kind: str) -> None:
    method, name, _ = METHODS[kind]
    tree = linked(m=model(method, f"return {name}.nowhere"))
    flow = DataFlow(Attributes(tree.project, tree.hierarchy, tree.composition))
    member = tree.member("m.Model", "__new__" if "__new__" in method else "adopt")
    assert flow.breaks(tree.node("m.Model"), member.function) == ()


def test_what_a_function_in_the_constructor_sets_is_set_by_the_constructor(linked) -> None:
    text = (
        "class Model(nn.Module):\n    def __init__(self, config):\n        def build(cls):\n"
        "            self.body = cls()\n        build(Small)\n"
        "        def later():\n            self.other = Small()\n        self.hook = later\n"
    )
    tree = linked(m=HEAD + text)
    found = tree.composition.assignments(tree.node("m.Model"))
    assert [one.late for one in found["body"]] == [False]
    assert tree.holds("m.Model", "body") == {"m.Small": ""}
    assert [one.late for one in found["other"]] == [True]


ABOVE = """
from torch import nn
class Small(nn.Module): ...
class Large(nn.Module): ...
class Top(nn.Module):
    def __init__(self, c):
        self.kept = Small(c)
    def make(self, c):
        self.made = Small(c)
        return Small(c)
class Middle(Top):
    def __init__(self, c):
        self.kept = Large(c)
    def make(self, c):
        self.other = self.nowhere
        return Large(c)
class Mixed:
    def make(self, c):
        return Small(c)
class Low(Middle, Mixed):
    def __init__(self, c):
        {above}.__init__(c)
        self.result = {above}.make(c)
    def make(self, c):
        return {above}.make(c)
"""
SUPERS = {
    "super()": "Middle",
    "super(Low, self)": "Middle",
    "super(__class__, self)": "Middle",
    "super(type(self), self)": "Middle",
    "super(self.__class__, self)": "Middle",
    "super(Middle, self)": "Top",
}


@pytest.mark.parametrize("above", SUPERS)
def test_super_begins_behind_the_class_that_it_names(linked, above: str) -> None:
    tree = linked(m=ABOVE.format(above=above))
    node = tree.node("m.Low")
    is_top = SUPERS[above] == "Top"
    assert set(tree.holds("m.Low", "kept")) == {"m.Small" if is_top else "m.Large"}
    assert set(tree.holds("m.Low", "result")) == {"m.Small" if is_top else "m.Large"}
    effects = Effects(tree.composition, lambda *_: None)
    ran = [run.function.facts.qualname for run in effects.runs(node, "make")]
    assert ran == ["Low.make", f"{SUPERS[above]}.make"]
    flow = DataFlow(Attributes(tree.project, tree.hierarchy, tree.composition))
    broken = flow.breaks(node, tree.member("m.Low", "make").function)
    assert [one.name for one in broken] == ([] if is_top else ["nowhere"])


def test_super_behind_a_class_outside_of_the_tree(linked) -> None:
    text = (
        "from torch import nn\nclass Small: ...\nclass Mixed:\n    def make(self):\n        return Small()\n"
        "class Low(nn.Module, Mixed):\n    def __init__(self):\n        self.kept = super(nn.Module, self).make()\n"
    )
    assert linked(m=text).holds("m.Low", "kept") == {"m.Small": ""}


HANDED = """
from torch import nn
class Small(nn.Module): ...
class Large(nn.Module): ...
class Base(nn.Module):
    def build(self, cls):
        self.kept = cls()
        return self.make()
    def make(self):
        return Small()
    @classmethod
    def plan(cls):
        return cls.make_class()
    @classmethod
    def make_class(cls):
        return Small()
    @classmethod
    def another(cls):
        return cls(1)
class Heir(Base):
    def __init__(self):
        super().__init__()
        self.m = {call}
    def make(self):
        return Large()
    @classmethod
    def make_class(cls):
        return Large()
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("self.build(Small)", "m.Large"),
        ("super().build(Small)", "m.Large"),
        ("Base.build(self, Small)", "m.Large"),
        ("Base.build(self, cls=Small)", "m.Large"),
        ("Base.make(self)", "m.Small"),
        ("super(Heir, self).make()", "m.Small"),
        ("self.plan()", "m.Large"),
        ("Heir.plan()", "m.Large"),
        ("Base.plan()", "m.Small"),
        ("super().plan()", "m.Large"),
        ("self.another()", "m.Heir"),
        ("Base.another()", "m.Base"),
    ],
)
def test_method_runs_on_the_object_that_is_handed_to_it(linked, call: str, expected: str) -> None:
    tree = linked(m=HANDED.format(call=call))
    assert set(tree.holds("m.Heir", "m")) == {expected}
    if "build" in call:
        assert set(tree.holds("m.Heir", "kept")) == {"m.Small"}
        (kept,) = tree.composition.assignments(tree.node("m.Heir"))["kept"]
        assert not kept.late


def test_attribute_that_is_handed_on_to_another_object_is_what_that_has(linked) -> None:
    text = (
        "class Small: ...\nclass Inner:\n    def __init__(self):\n        self.part = Small()\n"
        "class Outer:\n    def __init__(self):\n        self.inner = Inner()\n        self.m = self.part\n"
        "    def __getattr__(self, name):\n        return getattr(self.inner, name)\n"
    )
    assert set(linked(m=text).holds("m.Outer", "m")) == {"m.Small"}


def test_object_that_asks_itself_has_nothing(linked) -> None:
    text = (
        "class Outer:\n    def __init__(self):\n        self.m = self.part\n        self.inner = self\n"
        "    def __getattr__(self, name):\n        return getattr(self.inner, name)\n"
    )
    assert linked(m=text).holds("m.Outer", "m") == {}
