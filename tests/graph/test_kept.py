"""What an object keeps after its constructor, a module a case, all linked at once: what Python leaves there.

A case is the body of the constructor of `W` (`c` is a configuration that nothing is known about), or the module's text
with that body as `W`; `self.m` is what is asked for.
"""

from __future__ import annotations

import textwrap

import pytest

INNER = "from torch import nn\nclass Small(nn.Module): ...\nclass Large(nn.Module): ...\nclass Other(nn.Module): ...\n"
HEAD = """
import contextlib
import copy
import dataclasses
import functools
import itertools
import operator
import types
import typing
from typing import NamedTuple, Optional, cast
from torch import nn
from pack import inner
from pack.inner import Small, Large, Other

"""
S, L, SL = "Small", "Large", "Large Small"

STATEMENTS = {
    # loops
    "for k in (Small, Large):\n    self.m = k(c)": SL,
    "for a, k in [(1, Small)]:\n    self.m = k(c)": S,
    "for a, (b, k) in [(Other, (Large, Small))]:\n    self.m = k(c)": S,
    "for i, k in enumerate([Small]):\n    self.m = k(c)": S,
    "for k, l in zip([Small], [Large]):\n    self.m = l(c)": L,
    "for k in {'a': Small}.values():\n    self.m = k(c)": S,
    "for a, k in {'a': Small}.items():\n    self.m = k(c)": S,
    "for a in {'a': Small}:\n    self.m = a": "",
    "for k in reversed([Small]):\n    self.m = k(c)": S,
    "for k in sorted([Small]):\n    self.m = k(c)": S,
    "for k in itertools.chain([Small], [Large]):\n    self.m = k(c)": SL,
    "for k in c.all:\n    self.m = k(c)": "",
    "for i in c.all:\n    self.m = Small(c)\n    break": S,
    "while c.x:\n    self.m = Small(c)": S,
    "self.m = [k(c) for k in (Small,)][0]": S,
    "self.m = [k(c) for i in c.all for k in (Small,)][0]": S,
    "self.m = {i: k(c) for i, k in {'a': Small}.items()}['a']": S,
    "self.m = list(k(c) for k in (Small,))[0]": S,
    "self.m = next(k(c) for k in (Small, Large))": SL,
    # names that are put together
    "setattr(self, 'm', Small(c))": S,
    "object.__setattr__(self, 'm', Small(c))": S,
    "self.__dict__['m'] = Small(c)": S,
    "vars(self)['m'] = Small(c)": S,
    "for name in ('m', 'n'):\n    setattr(self, name, Small(c))": S,
    "for name, k in (('m', Small), ('n', Large)):\n    setattr(self, name, k(c))": S,
    "for name, k in {'m': Small, 'n': Large}.items():\n    setattr(self, name, k(c))": S,
    "for i in range(3):\n    setattr(self, 'm', Small(c))": S,
    "while c.x:\n    setattr(self, 'm', Small(c))": S,
    "name = 'm'\nsetattr(self, name, Small(c))": S,
    "name = 'n'\nsetattr(self, name, Small(c))": "",
    "name = 'm' if c.x else 'n'\nsetattr(self, name, Small(c))": S,
    "setattr(self, f'{c.x}', Small(c))": "",
    "for x in ('m',):\n    setattr(self, f'{x}', Small(c))": S,
    "for x in ('m',):\n    setattr(self, x + '', Small(c))": S,
    "setattr(c, 'm', Small(c))": "",
    # choices
    "match c.x:\n    case 1:\n        self.m = Small(c)\n    case _:\n        self.m = Large(c)": SL,
    "match c.x:\n    case 1:\n        k = Small\n    case _:\n        k = Large\nself.m = k(c)": SL,
    "if c.x:\n    return\nself.m = Small(c)": S,
    "if c.x:\n    self.m = Small(c)\n    return\nself.m = Large(c)": SL,
    "if c.x:\n    raise ValueError\nself.m = Small(c)": S,
    "self.m = Small(c) if c.x else Large(c) if c.y else Other(c)": "Large Other Small",
    "self.m = c.x and Small(c) or Large(c)": SL,
    "self.m = (c.x, Small(c))[1]": S,
    "self.m = {True: Small, False: Large}[c.x](c)": SL,
    # calls
    "self.m = functools.partial(Small, c)()": S,
    "make = functools.partial(Small, c)\nself.m = make()": S,
    "self.m = (lambda: Small(c))()": S,
    "self.m = (lambda k: k(c))(Small)": S,
    "self.m = (lambda k=Small: k(c))()": S,
    "self.m = cast(Small, c.made)": S,
    "self.m = typing.cast(Small, c.made)": S,
    "self.m = type(Small(c))(c)": S,
    "self.m = next(iter([Small(c)]))": S,
    "self.m = list(map(lambda k: k(c), [Small]))[0]": S,
    "self.m = list(filter(None, [Small(c)]))[0]": S,
    "self.m = getattr(inner, 'Small')(c)": S,
    "self.m = getattr(c, 'made', Small(c))": S,
    "self.m = getattr(inner, 'Nothing', Small)(c)": S,
    "self.m = getattr(inner, c.name)(c)": "",
    "self.m = isinstance(Small(c), nn.Module)": "",
    "self.m = Small": "",
    "self.m = Small(c).forward": "",
    "self.m = Small(c).weight": "",
    "self.m = str(Small(c))": "",
    # what holds others
    "t = [Small(c)] + [Large(c)]\nself.m = t[c.x]": SL,
    "t = [Small(c)] * 2\nself.m = t[1]": S,
    "*a, b = Small(c), Large(c)\nself.m = b": L,
    "a, *_, b = Small(c), Other(c), Large(c)\nself.m = b": L,
    "t = {'a': Small}\nself.m = t.get('a')(c)": S,
    "t = {'a': Small}\nself.m = t.pop('a')(c)": S,
    "t = {}\nself.m = t.setdefault('a', Small(c))": S,
    "t = dict(a=Small, b=Large)\nself.m = t['b'](c)": L,
    "t = dict([('a', Small)])\nself.m = t['a'](c)": S,
    "t = {**{'a': Small}, 'b': Large}\nself.m = t['a'](c)": S,
    "t = {'a': {'b': Small}}\nself.m = t['a']['b'](c)": S,
    "t = {'a': [Large, Small]}\nself.m = t['a'][1](c)": S,
    "t = {c.x: Small, 'b': Large}\nself.m = t[c.y](c)": SL,
    "t = (Small, Large)\na, b = t\nself.m = b(c)": L,
    "t = types.SimpleNamespace(a=Small(c))\nself.m = t.a": S,
}
MODULES = {
    "what entering gives": (
        "class Box:\n    def __enter__(self):\n        return Small(1)\n    def __exit__(self, *e): ...",
        "with Box() as b:\n    self.m = b",
        S,
    ),
    "what entering gives, on a stack": (
        "class Box:\n    def __enter__(self):\n        return Small(1)\n    def __exit__(self, *e): ...",
        "with contextlib.ExitStack() as s:\n    self.m = s.enter_context(Box())",
        S,
    ),
    "what a context yields": (
        "@contextlib.contextmanager\ndef opened(k):\n    yield k(1)",
        "with opened(Small) as b:\n    self.m = b",
        S,
    ),
    "what a generator yields": ("def all_of(c):\n    yield Small(c)", "for x in all_of(c):\n    self.m = x", S),
    "what a generator yields, first": ("def all_of(c):\n    yield Small(c)", "self.m = next(all_of(c))", S),
    "what a generator yields, listed": ("def all_of(c):\n    yield Small(c)", "self.m = list(all_of(c))[0]", S),
    "what a generator hands on": (
        "def all_of(c):\n    yield from [Small(c)]",
        "for x in all_of(c):\n    self.m = x",
        S,
    ),
    "a property": ("class P:\n    @property\n    def own(self):\n        return Small(1)", "self.m = P().own", S),
    "a property by its annotation": (
        "class P:\n    @property\n    def own(self) -> Small:\n        return self.c.made",
        "self.m = P().own",
        S,
    ),
    "a property that tells more than its annotation": (
        "class P:\n    @property\n    def own(self) -> nn.Module:\n        return Large(1)",
        "self.m = P().own",
        L,
    ),
    "a cached property": (
        "class P:\n    @functools.cached_property\n    def own(self):\n        return Small(1)",
        "self.m = P().own",
        S,
    ),
    "a property with a setter": (
        "class P:\n    @property\n    def own(self):\n        return Small(1)\n"
        "    @own.setter\n    def own(self, value):\n        return Large(1)",
        "self.m = P().own",
        S,
    ),
    "a method is no property": ("class P:\n    def own(self):\n        return Small(1)", "self.m = P().own", ""),
    "a class method": ("class P:\n    @classmethod\n    def own(cls):\n        return Small(1)", "self.m = P.own()", S),
    "a class method makes its class": (
        "class P:\n    @classmethod\n    def own(cls):\n        return cls()\n    part = Small(1)",
        "self.m = P.own().part",
        S,
    ),
    "a static method": (
        "class P:\n    @staticmethod\n    def own(k):\n        return k(1)",
        "self.m = P.own(Small)",
        S,
    ),
    "a method of an object": ("class P:\n    def own(self, k):\n        return k(1)", "self.m = P().own(Small)", S),
    "a method of the class above": (
        "class A:\n    def own(self):\n        return Small(1)\n"
        "class P(A):\n    def own(self):\n        return super().own()",
        "self.m = P().own()",
        S,
    ),
    "a method of the class above, by its name": (
        "class A:\n    def own(self):\n        return Small(1)\n"
        "class P(A):\n    def own(self):\n        return A.own(self)",
        "self.m = P().own()",
        S,
    ),
    "an overridden method": (
        "class A:\n    def own(self):\n        return self.part()\n    def part(self):\n        return Small(1)\n"
        "class P(A):\n    def part(self):\n        return Large(1)",
        "self.m = P().own()",
        L,
    ),
    "a class attribute": ("class P:\n    kind = Small", "self.m = P.kind(c)", S),
    "a class attribute of an object": ("class P:\n    kind = Small", "self.m = P().kind(c)", S),
    "a class attribute of an heir": (
        "class A:\n    kind = Small\nclass P(A):\n    kind = Large",
        "self.m = P().kind(c)",
        L,
    ),
    "a name that a class has from another": (
        "class A:\n    def own(self):\n        return Small(1)\nclass P:\n    mine = A.own",
        "self.m = P().mine()",
        S,
    ),
    "a nested class": ("class P:\n    class Nested:\n        kind = Small", "self.m = P.Nested.kind(c)", S),
    "a class that calls": ("class P:\n    def __call__(self):\n        return Small(1)", "self.m = P()()", S),
    "a cached function": ("@functools.lru_cache\ndef make(c):\n    return Small(c)", "self.m = make(c)", S),
    "a function that calls itself": ("def make(n):\n    return make(n - 1) if n else Small(1)", "self.m = make(c)", S),
    "two functions that call each other": (
        "def one(n):\n    return two(n) if n else Small(1)\ndef two(n):\n    return one(n) if n else Large(1)",
        "self.m = one(c)",
        SL,
    ),
    "a function by its annotation": ("def make(c) -> Small:\n    return c.made", "self.m = make(c)", S),
    "a function by its annotation in quotes": (
        "def make(c) -> 'Optional[Small]':\n    return c.made",
        "self.m = make(c)",
        S,
    ),
    "a function handed over": ("def use(f, c):\n    return f(c)", "self.m = use(Small, c)", S),
    "a default": ("def use(c, k=Small):\n    return k(c)", "self.m = use(c)", S),
    "a default that is overridden by place": ("def use(c, k=Small):\n    return k(c)", "self.m = use(c, Large)", L),
    "a module's name under a condition": ("if inner.X:\n    K = Small\nelse:\n    K = Large", "self.m = K(c)", SL),
    "a module's name, replaced": ("K = Small\nK = Large", "self.m = K(c)", L),
    "a module's loop": ("for K in (Small, Large):\n    pass", "self.m = K(c)", SL),
    "an attribute that a part's method gives": (
        "class P:\n    def fill(self):\n        self.own = Small(1)",
        "p = P()\np.fill()\nself.m = p.own",
        S,
    ),
    "an object that answers for another": (
        "class A:\n    own = Small(1)\nclass P:\n    def __init__(self):\n        self.a = A()\n"
        "    def __getattr__(self, name):\n        return getattr(self.a, name)",
        "self.m = P().own",
        S,
    ),
}


def module(before: str, body: str) -> str:
    inside = textwrap.indent(body, " " * 8)
    return f"{HEAD}{before}\n\nclass W(nn.Module):\n    def __init__(self, c):\n{inside}\n"


@pytest.fixture(scope="module")
def kept(linked_for_all) -> dict[str, str]:
    cases = {**{text: ("", text) for text in STATEMENTS}, **{name: one[:2] for name, one in MODULES.items()}}
    modules = {f"w{number}": module(*parts) for number, parts in enumerate(cases.values())}
    found = linked_for_all(inner=INNER, **modules)
    held = {case: found.holds(f"w{number}.W", "m") for number, case in enumerate(cases)}
    return {case: " ".join(sorted(name.removeprefix("inner.") for name in names)) for case, names in held.items()}


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_a_constructor_leaves(kept: dict[str, str], text: str) -> None:
    assert kept[text] == STATEMENTS[text]


@pytest.mark.parametrize("name", MODULES)
def test_what_a_constructor_leaves_with_what_stands_beside_it(kept: dict[str, str], name: str) -> None:
    assert kept[name] == MODULES[name][-1]
