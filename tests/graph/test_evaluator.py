"""What an expression can be, as far as an object keeps it: one constructor a case, and the classes it leaves behind.

The answer is what Python would do: every class that some run leaves there, and none that no run can leave there.
"""

from __future__ import annotations

import textwrap

import pytest

INNER = "from torch import nn\nclass Small(nn.Module): ...\nclass Large(nn.Module): ...\nclass Other(nn.Module): ...\n"
HEAD = """
import functools
import typing
from typing import Dict, List, Optional, Tuple, Type, Union, cast
from torch import nn
from pack import inner
from pack.inner import Small, Large, Other

"""


@pytest.fixture
def kept(linked):
    """`kept(body, before="", more="")`: the classes of `self.m` once `W.__init__(self, c, …)` has run its body."""

    def of(body: str, before: str = "", more: str = "", params: str = "c") -> set[str]:
        body = textwrap.indent(textwrap.dedent(body), "        ")
        text = f"{HEAD}{before}\nclass W(nn.Module):\n    def __init__(self, {params}):\n{body}\n{more}"
        found = linked(inner=INNER, w=text).holds("w.W", "m")
        return {name.removeprefix("inner.") for name in found}

    return of


S, L, SL = {"Small"}, {"Large"}, {"Small", "Large"}

# What reaches the line that assigns.
REACHING = {
    "one after the other": ("k = Small\nk = Large\nself.m = k(c)", L),
    "assigned later": ("k = Small\nself.m = k(c)\nk = Large", S),
    "assigned on the same line": ("k = Small; k = Large; self.m = k(c)", L),
    "replaced under a condition": ("k = Small\nif c.x:\n    k = Large\nself.m = k(c)", SL),
    "replaced where it is read": ("k = Small\nif c.x:\n    k = Large\n    self.m = k(c)", L),
    "read in the other branch": ("k = Small\nif c.x:\n    k = Large\nelse:\n    self.m = k(c)", S),
    "read in the other branch, in a later round": (
        "k = Small\nfor i in c.all:\n    if i:\n        k = Large\n    else:\n        self.m = k(c)",
        SL,
    ),
    "after the loop that reads": ("k = Small\nfor i in c.all:\n    self.m = k(c)\nk = Large", S),
    "given anew in an outer round only": (
        "k = Other\nfor i in c.all:\n    k = Small\n    for j in i:\n        self.m = k(c)\n        k = Large",
        SL,
    ),
    "given in both branches": ("if c.x:\n    k = Small\nelse:\n    k = Large\nself.m = k(c)", SL),
    "given in both branches, and before": (
        "k = Other\nif c.x:\n    k = Small\nelse:\n    k = Large\nk = Small\nself.m = k(c)",
        S,
    ),
    "an earlier round of the loop": ("k = Small\nfor i in c.all:\n    self.m = k(c)\n    k = Large", SL),
    "an earlier round of a while": ("k = Small\nwhile c.more:\n    self.m = k(c)\n    k = Large", SL),
    "an earlier round of an outer loop": (
        "k = Small\nfor i in c.all:\n    for j in i:\n        self.m = k(c)\n    k = Large",
        SL,
    ),
    "given anew in every round": ("k = Other\nfor i in c.all:\n    k = Small\n    self.m = k(c)\n    k = Large", S),
    "after the loop": ("k = Small\nfor i in c.all:\n    k = Large\nself.m = k(c)", SL),
    "a loop that is over gives nothing later": ("for i in c.all:\n    k = Large\nk = Small\nself.m = k(c)", S),
    "in a try": ("k = Small\ntry:\n    k = Large\nexcept KeyError:\n    pass\nself.m = k(c)", SL),
    "in a handler": ("try:\n    k = Small\nexcept KeyError:\n    k = Large\nself.m = k(c)", SL),
    "in a with": ("with c.lock:\n    k = Small\nself.m = k(c)", S),
    "in a finally": ("k = Large\ntry:\n    c.go()\nfinally:\n    k = Small\nself.m = k(c)", S),
}

# One expression, whatever stands around it.
EXPRESSIONS = {
    "a class of a module": ("self.m = inner.Small(c)", S),
    "a constructor as an argument": ("self.m = nn.Identity()", set()),
    "two names at once": ("a, b = Small, Large\nself.m = b(c)", L),
    "two names that change places": ("a, b = Small, Large\na, b = b, a\nself.m = a(c)", L),
    "two names that change places, the other": ("a, b = Small, Large\na, b = b, a\nself.m = b(c)", S),
    "nested names": ("a, (b, d) = Other, (Small, Large)\nself.m = b(c)", S),
    "a chain of names": ("a = b = Small\nself.m = a(c)", S),
    "a chain with the attribute": ("self.m = self.n = Small(c)", S),
    "the attribute last in a chain": ("self.n = self.m = Small(c)", S),
    "walrus in place": ("self.m = (k := Small(c))", S),
    "either of or": ("self.m = c.made or Small(c)", S),
    "either of and": ("self.m = c.x and Small(c)", S),
    "one of two": ("self.m = Small(c) if c.x else Large(c)", SL),
    "a comparison is no object": ("k = Small(c)\nself.m = k is None", set()),
    "a negation is no object": ("k = Small(c)\nself.m = not k", set()),
    "by the first index": ("pair = (Small(c), Large(c))\nself.m = pair[0]", S),
    "by the last index": ("pair = [Small(c), Large(c)]\nself.m = pair[-1]", L),
    "past the end": ("pair = (Small(c), Large(c))\nself.m = pair[2]", set()),
    "at minus the length": ("pair = (Small(c), Large(c))\nself.m = pair[-2]", S),
    "by any index": ("pair = (Small(c), Large(c))\nself.m = pair[c.i]", SL),
    "of a spread list": ("rest = [Small(c)]\nboth = [Large(c), *rest]\nself.m = both[c.i]", SL),
    "of a dict by key": ("table = {'a': Small, 'b': Large}\nself.m = table['a'](c)", S),
    "of a dict that takes in another": (
        "one = {'a': Small}\ntable = {'b': Large, **one}\nself.m = table[c.key](c)",
        SL,
    ),
    "of a comprehension": ("made = [Small(c) for _ in c.all]\nself.m = made[0]", S),
    "a loop over objects": ("for one in [Small(c), Large(c)]:\n    self.m = one", SL),
    "a loop over pairs": ("for name, k in (('a', Small), ('b', Large)):\n    self.m = k(c)", SL),
    "a list in a list": ("deep = [[Small(c)]]\nself.m = deep[0][0]", S),
    "getattr": ("self.n = Small(c)\nself.m = getattr(self, 'n')", S),
    "getattr with a default": ("self.m = getattr(c, 'made', Small(c))", S),
    "the type of an object": ("k = Small(c)\nself.m = type(k)(c)", S),
    "cast": ("self.m = cast(Small, c.made)", S),
    "typing.cast": ("self.m = typing.cast(Small, c.made)", S),
    "a loop over iter": ("for k in iter((Small, Large)):\n    self.m = k(c)", SL),
    "a loop over reversed": ("for k in reversed((Small, Large)):\n    self.m = k(c)", SL),
    "the first of reversed": ("k = list(reversed((Small, Large)))[0]\nself.m = k(c)", SL),
    "a loop over a set": ("for k in set((Small, Large)):\n    self.m = k(c)", SL),
    "list of a tuple": ("self.m = list((Small(c), Large(c)))[1]", L),
    "tuple of a list": ("self.m = tuple([Small(c)])[0]", S),
    "the number that enumerate gives": ("for i, one in enumerate([Small(c)]):\n    self.m = i", set()),
    "the object that enumerate gives": ("for i, one in enumerate([Small(c)]):\n    self.m = one", S),
    "the first that zip gives": ("for a, b in zip([Small(c)], [Large(c)]):\n    self.m = a", S),
    "the second that zip gives": ("for a, b in zip([Small(c)], [Large(c)]):\n    self.m = b", L),
    "dict.get": ("table = {'a': Small}\nself.m = table.get(c.key)(c)", S),
    "dict.get with a default": ("table = {'a': Small}\nself.m = table.get(c.key, Large)(c)", SL),
    "dict.pop with a default": ("table = {'a': Small}\nself.m = table.pop(c.key, Large)(c)", SL),
    "dict.setdefault": ("table = {'a': Small}\nself.m = table.setdefault(c.key, Large)(c)", SL),
    "dict.values": ("table = {'a': Small}\nfor k in table.values():\n    self.m = k(c)", S),
    "a copy of a dict": ("table = {'a': Small}\nself.m = table.copy()['a'](c)", S),
    "a copy of a list": ("table = [Small, Large]\nself.m = table.copy()[1](c)", L),
}

# Through functions and methods.
FUNCTIONS = {
    "a function with two returns": (
        "self.m = make(c)",
        "def make(c):\n    if c.x:\n        return Small(c)\n    return Large(c)",
        "",
        SL,
    ),
    "a function that hands its parameter back": ("self.m = same(Small(c))", "def same(x):\n    return x", "", S),
    "a default that nobody overrides": ("self.m = make()", "def make(k=Small):\n    return k(1)", "", S),
    "a default that is overridden": ("self.m = make(Large)", "def make(k=Small):\n    return k(1)", "", L),
    "a keyword-only parameter": ("self.m = make(k=Large)", "def make(*, k=Small):\n    return k(1)", "", L),
    "a pair, taken apart": (
        "self.n, self.o = make(c)\n_, k = make(c)\nself.m = k",
        "def make(c):\n    return Small(c), Large(c)",
        "",
        L,
    ),
    "a return annotation": ("self.m = make(c)", "def make(c) -> Small:\n    return c.made", "", S),
    "a return annotation that the body makes sharper": (
        "self.m = make(c)",
        "def make(c) -> Small:\n    return Large(c)",
        "",
        L,
    ),
    "a method of its own": ("self.m = self.make(c)", "", "    def make(self, c):\n        return Small(c)\n", S),
    "a static method": (
        "self.m = self.make(c)",
        "",
        "    @staticmethod\n    def make(c):\n        return Small(c)\n",
        S,
    ),
    "a static method that hands its argument back": (
        "self.m = self.same(Small(c))",
        "",
        "    @staticmethod\n    def same(x):\n        return x\n",
        S,
    ),
    "a class method": (
        "self.m = self.make(c)",
        "",
        "    body = Small\n    @classmethod\n    def make(cls, c):\n        return cls.body(c)\n",
        S,
    ),
    "a property": (
        "self.m = self.made",
        "",
        "    @property\n    def made(self):\n        return Small(1)\n",
        S,
    ),
    "a property by its annotation": (
        "self.m = self.made",
        "",
        "    @property\n    def made(self) -> Small:\n        return self.c.made\n",
        S,
    ),
    "an object that is called": (
        "f = Factory()\nself.m = f(c)",
        "class Factory:\n    def __call__(self, c):\n        return Small(c)",
        "",
        S,
    ),
    "a class attribute of another class": (
        "self.m = Table.body(c)",
        "class Table:\n    body = Small",
        "",
        S,
    ),
    "a class within a class": (
        "self.m = self.Nested(c)",
        "",
        "    class Nested(nn.Module): ...\n",
        {"w.W.Nested"},
    ),
    "an attribute of a part": (
        "part = Part(c)\nself.m = part.own",
        "class Part:\n    def __init__(self, c):\n        self.own = Small(c)",
        "",
        S,
    ),
    "an element of a part's list": (
        "part = Part(c)\nself.m = part.all[0]",
        "class Part:\n    def __init__(self, c):\n        self.all = []\n        self.all.append(Small(c))",
        "",
        S,
    ),
    "one of a part's two": (
        "part = Part(c)\nself.m = part.b",
        "class Part:\n    def __init__(self, c):\n        self.a, self.b = Small(c), Large(c)",
        "",
        L,
    ),
    "a field by its annotation": (
        "part = Part()\nself.m = part.own",
        "class Part:\n    own: Small",
        "",
        S,
    ),
    "a part's attribute by its annotation": (
        "part = Part(c)\nself.m = part.own",
        "class Part:\n    def __init__(self, c):\n        self.own: Small = c.made",
        "",
        S,
    ),
    "a part's attribute that a loop gives": (
        "part = Part(c)\nself.m = part.own",
        "class Part:\n    def __init__(self, c):\n        for self.own in [Small(c)]:\n            pass",
        "",
        S,
    ),
    "a nested function": (
        "def make():\n    return Small(c)\nself.m = make()",
        "",
        "",
        S,
    ),
    "a name of the outer function": (
        "k = Small\ndef make():\n    return k(c)\nself.m = make()",
        "",
        "",
        S,
    ),
    "a table of the module": ("self.m = KINDS[c.kind](c)", "KINDS = {'a': Small}\n", "", S),
    "a name of the module": ("self.m = Kind(c)", "Kind = Small\n", "", S),
    "a generator gives no object by itself": (
        "self.m = make(c)",
        "def make(c):\n    yield Small(c)",
        "",
        set(),
    ),
}

ANNOTATIONS = {
    "Small": S,
    "'Small'": S,
    "inner.Small": S,
    "Optional[Small]": S,
    "Union[Small, Large]": SL,
    "Small | None": S,
    "Small | Large": SL,
    "typing.Optional[Small]": S,
    "List[Small]": set(),
    "Type[Small]": set(),
    "int": set(),
}


@pytest.mark.parametrize("name", REACHING)
def test_what_reaches_a_line(kept, name: str) -> None:
    body, expected = REACHING[name]
    assert kept(body) == expected


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(kept, name: str) -> None:
    body, expected = EXPRESSIONS[name]
    assert kept(body) == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_through_functions_and_parts(kept, name: str) -> None:
    body, before, more, expected = FUNCTIONS[name]
    assert kept(body, before, more) == expected


@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_annotated_parameter(kept, annotation: str) -> None:
    assert kept("self.m = made", params=f"c, made: {annotation}") == ANNOTATIONS[annotation]


@pytest.mark.parametrize(
    ("annotation", "expression", "expected"),
    [
        ("List[Small]", "made[0]", S),
        ("list[Small]", "made[c.i]", S),
        ("Dict[str, Small]", "made[c.key]", S),
        ("Tuple[Small, Large]", "made[1]", L),
        ("tuple[Small, Large]", "made[0]", S),
        ("Type[Small]", "made(c)", S),
        ("type[Small]", "made(c)", S),
        ("Optional[Type[Small]]", "made(c)", S),
        ("Optional[List[Small]]", "made[0]", S),
    ],
)
def test_element_or_result_of_an_annotated_parameter(kept, annotation: str, expression: str, expected) -> None:
    assert kept(f"self.m = {expression}", params=f"c, made: {annotation}") == expected


DECIDING = {
    "handed back": ("return a", {"a"}),
    "by another name": ("k = a\nreturn k", {"a"}),
    "a part of it, under a condition on another": ("if b:\n    k = a.part\n    return k[0]", {"a"}),
    "what a loop goes through": ("for k in a:\n    k = wrapped(k, b)\n    return k", {"a", "b"}),
    "what a comprehension goes through": ("return [k for k in a.parts if k]", {"a"}),
    "what a function is called with": ("return getattr(a, b)", {"a", "b"}),
    "named on the way": ("return (k := b)", {"b"}),
    "looked at, and nothing else": ("print(a)\nself.kept = b\nreturn 1", set()),
    "never": ("self.kept = a", set()),
}


@pytest.mark.parametrize("name", DECIDING)
def test_parameters_that_decide_what_comes_back(linked, name: str) -> None:
    body, deciding = DECIDING[name]
    text = f"class W:\n    def made(self, a, b):\n{textwrap.indent(body, ' ' * 8)}\n"
    one = linked(w=text)
    member = one.hierarchy.lookup(one.node("w.W"), "made")
    assert member.function.deciding == deciding


def test_a_call_asks_nothing_of_what_does_not_decide_its_result(linked, work) -> None:
    """The function only prints what comes out of a long chain."""

    def cost(extra: str) -> int:
        chain = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(20)) + "def f20(x):\n    return x\n"
        text = (
            f"class Small: ...\n{chain}\ndef pick(a, b):\n    print(b)\n    return a\n"
            f"class W:\n    def __init__(self, c):\n        self.m = pick(Small(), {extra})\n"
        )
        one = linked(w=text)
        return work(one.holds, "w.W", "m")

    assert cost("f0(Small())") < cost("Small()") + 50, "following the chain takes thousands of calls"


def test_what_a_call_hands_over_stands_in_place_of_the_default(linked) -> None:
    """SGLang 0.5.23: a draft's block size is asked for with 16 in place of a default of None."""
    asks = "def resolve(given, default=None):\n    return given.size if given.size is not None else default\n"
    one = linked(w=f"{asks}class W:\n    def __init__(self, c):\n        self.m = resolve(c, default=16)\n")
    (given,) = one.composition.assignments(one.node("w.W"))["m"]
    assert not given.is_none
    plain = linked(w=f"{asks}class W:\n    def __init__(self, c):\n        self.m = resolve(c)\n")
    (left,) = plain.composition.assignments(plain.node("w.W"))["m"]
    assert left.is_none
