"""Names and values out of tables and loops that are written out: each round for itself."""

from __future__ import annotations

import pytest

from specint.graph.attributes import Attributes

HEAD = """
from torch import nn
class Small(nn.Module): ...
class Large(nn.Module): ...
KINDS = {"small": Small, "large": Large}
PAIRS = (("small", Small), ("large", Large))
NAMES = ["small", "large"]
CLASSES = [Small, Large]
MADE = {name: cls for name, cls in PAIRS}
"""


def held(linked, body: str) -> dict[str, set[str]]:
    """What each attribute of an object can be an object of."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    tree = linked(m=f"{HEAD}class W(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n{lines}\n")
    found = tree.composition.assignments(tree.node("m.W"))
    return {name: {node.name for one in each for node in one.classes} for name, each in found.items()}


EACH = {"small": {"Small"}, "large": {"Large"}}
LOOPS = {
    "pairs": "for name, cls in (('small', Small), ('large', Large)):\n    setattr(self, name, cls(c))",
    "pairs of the module": "for name, cls in PAIRS:\n    setattr(self, name, cls(c))",
    "items of a table": "for name, cls in KINDS.items():\n    setattr(self, name, cls(c))",
    "keys of a table": "for name in KINDS:\n    setattr(self, name, KINDS[name](c))",
    "keys by a method": "for name in KINDS.keys():\n    setattr(self, name, KINDS.get(name)(c))",
    "a table that is made": "for name, cls in MADE.items():\n    setattr(self, name, cls(c))",
    "a table of keywords": "for name, cls in dict(small=Small, large=Large).items():\n    setattr(self, name, cls(c))",
    "zip": "for name, cls in zip(NAMES, CLASSES):\n    setattr(self, name, cls(c))",
    "enumerate": "for number, name in enumerate(NAMES):\n    setattr(self, name, CLASSES[number](c))",
    "a local name between": "for name, cls in PAIRS:\n    made = cls(c)\n    setattr(self, name, made)",
    "a list of pairs in a local name": "rows = list(PAIRS)\nfor name, cls in rows:\n    self.__dict__[name] = cls(c)",
    "a method that registers": "for name, cls in PAIRS:\n    self.add_module(name, cls(c))",
    "setattr of object": "for name, cls in PAIRS:\n    object.__setattr__(self, name, cls(c))",
    "loop in a loop": "for names in (NAMES,):\n    for name in names:\n        setattr(self, name, KINDS[name](c))",
    "no loop": "name = 'small'\nsetattr(self, name, Small(c))\nself.large = KINDS['large'](c)",
}


@pytest.mark.parametrize("form", LOOPS)
def test_each_name_gets_what_its_round_gives(linked, form: str) -> None:
    assert held(linked, LOOPS[form]) == EACH


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("f'{kind}_model'", "small_model"),
        ("kind + '_model'", "small_model"),
        ("'the_' + kind", "the_small"),
        ("f'layer{0}'", "layer0"),
    ],
)
def test_name_that_is_put_together(linked, name: str, attribute: str) -> None:
    assert held(linked, f"for kind in ('small',):\n    setattr(self, {name}, Small(c))") == {attribute: {"Small"}}


def test_what_is_not_written_out_stays_one_value_of_many(linked) -> None:
    body = "for cls in c.classes + CLASSES:\n    self.one = cls(c)\nfor name in c.names:\n    setattr(self, name, 1)"
    assert set(held(linked, body)) == {"one"}


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ("for name in NAMES:\n    setattr(self, name, 1)", False),
        ("for name in c.names:\n    setattr(self, name, 1)", True),
        ("[setattr(self, name, 1) for name in c.names]", True),
        ("self.__dict__.update(c)", True),
        ("vars(self).update(c)", True),
        ("self.__dict__[c.name] = 1", True),
        ("self.__dict__['name'] = 1", False),
        ("self.register_buffer(f'{c.name}_x', 1)", True),
        ("self.register_buffer('x', 1)", False),
        ("setattr(c, c.name, 1)", False),
    ],
)
def test_names_that_can_not_be_known_open_an_object(linked, line: str, is_open: bool) -> None:
    lines = "\n".join(f"        {one}" for one in line.splitlines())
    tree = linked(m=f"{HEAD}class W(nn.Module):\n    def __init__(self, c):\n        super().__init__()\n{lines}\n")
    found = Attributes(tree.project, tree.hierarchy, tree.composition)
    assert found.is_open(tree.node("m.W")) is is_open


EXPRESSIONS = {
    "getattr with a name of a loop": ("for name in ('a',):\n    self.m = getattr(self, name)", {"Small"}),
    "getattr with several": ("for name in ('a', 'b'):\n    self.m = getattr(self, name)", {"Small", "Large"}),
    "getattr with a default": ("self.m = getattr(self, 'nowhere', Large(c))", {"Large"}),
    "a comprehension by its index": ("self.m = [k(c) for k in CLASSES][1]", {"Large"}),
    "a table of a comprehension": ("self.m = {n: k(c) for n, k in PAIRS}['small']", {"Small"}),
    "a comprehension with a condition": ("self.m = [k(c) for k in CLASSES if k][0]", {"Small", "Large"}),
    "a comprehension of dicts": ("self.m = [{'k': k} for k in CLASSES][1]['k'](c)", {"Large"}),
    "a comprehension of empty dicts": ("self.m = [{} for _ in CLASSES][0]", set()),
    "next": ("self.m = next(iter([Small(c)]))", {"Small"}),
    "a slice": ("self.m = [Small(c), Large(c)][1:][0]", {"Small", "Large"}),
    "a key that is not written out": ("self.m = KINDS[c.kind](c)", {"Small", "Large"}),
    "a key that is one of two": ("kind = 'small' if c.x else 'large'\nself.m = KINDS[kind](c)", {"Small", "Large"}),
    "pop with a default": ("self.m = KINDS.pop('large', Small)(c)", {"Large", "Small"}),
    "values of a table": ("for cls in KINDS.values():\n    self.m = cls(c)", {"Small", "Large"}),
    "first of the values": ("self.m = list(KINDS.values())[0](c)", {"Small"}),
    "a text is no container": ("self.m = ('a' + 'b')[0]", set()),
}


@pytest.mark.parametrize("form", EXPRESSIONS)
def test_expression(linked, form: str) -> None:
    body, expected = EXPRESSIONS[form]
    assert held(linked, f"self.a = Small(c)\nself.b = Large(c)\n{body}")["m"] == expected


@pytest.mark.parametrize(
    "text",
    [
        "for cls in (A, B):\n    cls.hook = later",
        "for cls in [A, B]:\n    setattr(cls, 'hook', later)",
        "for name in ('hook',):\n    setattr(A, name, later)\n    setattr(B, name, later)",
    ],
)
def test_classes_are_given_members_in_a_loop_of_the_module(linked, text: str) -> None:
    tree = linked(m=f"class A: ...\nclass B: ...\ndef later(self): ...\n{text}\n")
    for name in ("m.A", "m.B"):
        member = tree.member(name, "hook")
        assert member is not None
        assert (member.kind, member.conditional) == ("method", False)
        assert member.function is not None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("one = Small(c); self.m = one; one = Large(c)", {"Small"}),
        ("one = Small(c); one = Large(c); self.m = one", {"Large"}),
        ("one = Small(c)\none = Large(c); self.m = one", {"Large"}),
        ("for k in c.all: self.m = one if k else Small(c); one = Large(c)", {"Small", "Large"}),
    ],
)
def test_assignments_on_one_line_are_told_apart(linked, body: str, expected: set[str]) -> None:
    assert held(linked, body)["m"] == expected
