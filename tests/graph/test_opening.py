"""What answers for a name that no line of a class gives: the body of a `__getattr__`, and what it does for `hook`.

The paths are those of the objects that it asks instead; `plain` where nothing else can answer.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.graph.opening import is_open, opening, replaces

INNER = ("inner",)
BODIES = {
    # to whom it hands on
    "getattr of a part": ("return getattr(self.inner, name)", [INNER], True),
    "getattr of a part of a part": ("return getattr(self.inner.core, name)", [("inner", "core")], True),
    "getattr of a local name": ("part = self.inner\nreturn getattr(part, name)", [INNER], True),
    "a local name of a local name": ("a = self.inner\nb = a\nreturn getattr(b, name)", [INNER], True),
    "a name that is given twice": ("part = self.inner\npart = self.other\nreturn getattr(part, name)", [], False),
    "a name that a loop gives": ("for part in self.inner:\n    return getattr(part, name)", [], False),
    "getattr of another name": ("return getattr(self.inner, 'other')", [], False),
    "getattr with a default": ("return getattr(self.inner, name, None)", [], False),
    "getattr of itself": ("return getattr(self, name)", [], False),
    "getattr of something else": ("return getattr(other, name)", [], False),
    "a part out of the table": ("return getattr(self.__dict__['inner'], name)", [INNER], True),
    "a part out of the modules": ("return getattr(self._modules['inner'], name)", [INNER], True),
    "a part out of the modules by get": ("return getattr(self._modules.get('inner'), name)", [INNER], True),
    "a part out of the table of tables": (
        "return getattr(self.__dict__['_modules']['inner'], name)",
        [INNER],
        True,
    ),
    "a part out of vars": ("return getattr(vars(self)['inner'], name)", [INNER], True),
    "a part out of another table": ("return getattr(self.table['inner'], name)", [], False),
    "a part by the method above": ("return getattr(super().__getattr__('inner'), name)", [INNER], True),
    "a part by object's method": ("return getattr(object.__getattribute__(self, 'inner'), name)", [INNER], True),
    "either of two": ("if self.x:\n    return getattr(self.a, name)\nreturn getattr(self.b, name)", None, True),
    # to itself, and to the classes above
    "the method above": ("return super().__getattr__(name)", [], True),
    "the method of a base": ("return nn.Module.__getattr__(self, name)", [], True),
    "another method above": ("return super().find(name)", [], False),
    "its own table": ("return self.__dict__[name]", [], True),
    "its own modules": ("return self._modules[name]", [], True),
    "its own vars": ("return vars(self)[name]", [], True),
    "another's table": ("return other.__dict__[name]", [], False),
    "a table of its own": ("return self.table[name]", [], False),
    "above, then a part": (
        "try:\n    return super().__getattr__(name)\nexcept AttributeError:\n    return getattr(self.inner, name)",
        [INNER],
        True,
    ),
    "an error": ("raise AttributeError(name)", [], True),
    "nothing": ("pass", [], False),
    "a value": ("return 1", [], False),
    "a call": ("return self.find(name)", [], False),
    "a way that falls through": ("if self.x:\n    return getattr(self.inner, name)", [INNER], False),
    # what the name decides
    "for this name": ("if name == 'hook':\n    return getattr(self.inner, name)\nraise AttributeError", [INNER], True),
    "for another name": ("if name == 'x':\n    return getattr(self.inner, name)\nraise AttributeError", [], True),
    "not for this name": (
        "if name != 'hook':\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "for some names": (
        "if name in ('hook', 'x'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "not for some names": (
        "if name not in ['hook', 'x']:\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "for names of the module": (
        "if name in NAMES:\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "for a frozen set of them": (
        "if name in FROZEN:\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "for names that nobody knows": (
        "if name in unknown:\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "by how it begins": (
        "if name.startswith('ho'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "by how it doesn't begin": (
        "if name.startswith('_'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "by how it ends": (
        "if name.endswith(('x', 'ok')):\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "not by how it begins": (
        "if not name.startswith('_'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "by both": (
        "if name == 'hook' and name.startswith('_'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "by either": (
        "if name == 'hook' or name.startswith('_'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "by neither": (
        "if name == 'x' or name.startswith('_'):\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "by something else": (
        "if self.on and name == 'x':\n    return getattr(self.inner, name)\nraise AttributeError",
        [],
        True,
    ),
    "by something else or this": (
        "if self.on or name == 'x':\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "behind a return for others": (
        "if name != 'hook':\n    return getattr(self.other, name)\nreturn getattr(self.inner, name)",
        [INNER],
        True,
    ),
    "by a comparison of something else": (
        "if self.kind == 'x':\n    return getattr(self.inner, name)\nraise AttributeError",
        [INNER],
        True,
    ),
    "by an order": ("if name > 'x':\n    return getattr(self.inner, name)\nraise AttributeError", [INNER], True),
}
HEAD = "from torch import nn\nNAMES = ('hook', 'x')\nFROZEN = frozenset(['x'])\n"


def method(body: str, name: str = "__getattr__", params: str = "self, name") -> str:
    return f"    def {name}({params}):\n{textwrap.indent(textwrap.dedent(body), ' ' * 8)}\n"


@pytest.mark.parametrize("case", BODIES)
def test_what_a_body_does_for_one_name(linked, case: str) -> None:
    body, paths, plain = BODIES[case]
    tree = linked(m=f"{HEAD}class W:\n{method(body)}")
    found = opening(tree.hierarchy, tree.node("m.W"), "hook")
    assert found is not None
    assert (list(found.paths), found.is_plain) == ([("a",), ("b",)] if paths is None else paths, plain)
    assert found.place == f"pack/m.py:{HEAD.count(chr(10)) + 2}"


ABOVE = "class Base:\n" + method("return getattr(self.outer, name)")
ASKS = method("if self.x:\n    return getattr(self.inner, name)\nreturn super().__getattr__(name)")


def test_who_asks_above_gets_what_the_classes_above_answer(linked) -> None:
    tree = linked(m=f"{ABOVE}class W(Base):\n{ASKS}")
    found = opening(tree.hierarchy, tree.node("m.W"), "hook")
    assert (found.paths, found.is_plain) == ((INNER, ("outer",)), True)
    assert found.member.owner.name == "W"


def test_who_asks_nobody_above_hides_it(linked) -> None:
    tree = linked(m=f"{ABOVE}class W(Base):\n{method('return getattr(self.inner, name)')}")
    found = opening(tree.hierarchy, tree.node("m.W"), "hook")
    assert (found.paths, found.is_plain) == ((INNER,), True)


def test_what_is_not_plain_above_is_not_plain_below(linked) -> None:
    above = "class Base:\n" + method("return self.find(name)")
    tree = linked(m=f"{above}class W(Base):\n{ASKS}")
    assert opening(tree.hierarchy, tree.node("m.W"), "hook").is_plain is False


def test_both_methods_that_answer_count(linked) -> None:
    both = method("return getattr(self.a, name)") + method(
        "if name == 'x':\n    return getattr(self.b, name)\nreturn super().__getattribute__(name)", "__getattribute__"
    )
    tree = linked(m=f"class W:\n{both}")
    assert opening(tree.hierarchy, tree.node("m.W"), "hook").paths == (("a",),)
    assert opening(tree.hierarchy, tree.node("m.W"), "x").paths == (("b",), ("a",))


def test_nothing_answers_for_a_plain_class(linked) -> None:
    tree = linked(m="class W:\n    def other(self, name):\n        return getattr(self.inner, name)\n")
    assert opening(tree.hierarchy, tree.node("m.W"), "hook") is None
    assert not is_open(tree.hierarchy, tree.node("m.W"))


@pytest.mark.parametrize("params", ["self", "self, name, more", "*names"])
def test_method_that_can_not_be_read_is_not_plain(linked, params: str) -> None:
    tree = linked(m=f"class W:\n{method('return getattr(self.inner, name)', params=params)}")
    found = opening(tree.hierarchy, tree.node("m.W"), "hook")
    assert (found.paths, found.is_plain) == ((), False)


NEW = {
    "super": ("return super().__new__(cls)", False),
    "object": ("return object.__new__(cls)", False),
    "a name for it": ("made = super().__new__(cls)\nmade.x = 1\nreturn made", False),
    "either of two names": ("a = object.__new__(cls)\nb = super().__new__(cls)\nreturn b if cls.x else a", True),
    "another class": ("return Other()", True),
    "another class, perhaps": ("if cls.x:\n    return Other()\nreturn super().__new__(cls)", True),
    "a name that is given something else": ("made = super().__new__(cls)\nmade = Other()\nreturn made", True),
    "a loop's name": ("for made in cls.all:\n    return made", True),
    "another class's": ("return Other.__new__(cls)", True),
    "nothing": ("pass", True),
}


@pytest.mark.parametrize("case", NEW)
def test_new_that_makes_another_object_opens_a_class(linked, case: str) -> None:
    body, opens = NEW[case]
    tree = linked(m=f"class Other: ...\nclass W:\n{method(body, '__new__', 'cls')}")
    node = tree.node("m.W")
    assert (replaces(tree.hierarchy, node) is not None) is opens
    assert is_open(tree.hierarchy, node) is opens
