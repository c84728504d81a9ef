"""What single expressions can be, told in full: one method reads them all.

`Small` is the class and `Small()` an object of it, `def f` a function, `(a, b)` a tuple or list of known length, `[a]`
one of any length, `{k: v}` a dict, `torch.x` something from outside and `torch.x()` what calling it gives, `?`
what can't be followed, `-` nothing, and `a | b` one or the other. The answer is what Python would do.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.facts import model as facts
from specint.graph.evaluation import Frame
from specint.graph.evaluator import Evaluator
from specint.graph.value import (
    ClassValue,
    ConstantValue,
    ElementsOf,
    ExternalValue,
    FunctionValue,
    Instance,
    ModuleValue,
    PartialValue,
    SequenceValue,
    TableValue,
    Unknown,
    Value,
    Values,
)

INNER = """
class Small:
    kind = "small"
    made = None
    listed: list

    def __init__(self, size=1):
        self.size = size
        self.both, (self.left, self.right) = 1, (2, 3)
        self.all = []
        self.all.append(Other())
        for self.looped in (4, 5):
            pass

    @property
    def other(self):
        return Other()

    @property
    def told(self) -> Other:
        return self.unknown()

    @classmethod
    def build(cls, size=2):
        return cls(size)

    @classmethod
    def itself(cls):
        return cls

    @staticmethod
    def plain(x, y=6):
        return x, y

    def me(self):
        return self

    def __call__(self, x):
        return x

class Other:
    class Nested: ...

class Heir(Small):
    kind = "heir"

    def me(self):
        return super().me()

class Forwards:
    def __init__(self):
        self.inner = Small()

    def __getattr__(self, name):
        return getattr(self.inner, name)

class Field:
    own: Other
    late: "Small" = None
"""
HEAD = """
import functools
import os
import torch
from functools import partial
from typing import Annotated, Any, Dict, Final, List, Optional, Tuple, Type, Union, cast
from pack import inner
from pack.inner import Small, Other, Heir, Forwards, Field

NUMBER = 7
KIND = Small
TABLE = {"a": Small, "b": Other}
RENAMED = NUMBER

def f(x, y=8, *args, z=9, **more):
    return x

def two(x, y=8):
    return x, y

def later(x):
    k = x
    return k

def branches(x):
    if x:
        return 1
    return "b"

def nothing(x):
    pass

def annotated(x) -> Small:
    return x.unknown()

def makes():
    def within(x):
        return x
    return within

def counts(n):
    yield n

async def waits(x):
    return x

def recursive(x):
    return recursive(x)

class W:
    def __init__(self, c, a: Small, b: Optional[Other] = None, d=10, *rest, k: int = 11, **more):
        self.own = Small(12)
        self.n = 13
        local = 14
        small = Small()
        heir = Heir()
        listed = [1, 2]
        grown = [1]
        grown = grown + [2]
        table = {"x": 1, "y": 2}
        for one in (20, 21):
            pass
        for n, m in (("p", 22), ("q", 23)):
            pass
        first, second = 24, 25
        head, *tail = [26, 27, 28]
        once = partial(two, 1)
        twice = partial(once, 2)
        keyed = functools.partial(two, y=3)
        def inside(x=29):
            return local, x
        class Local: ...
        import json
        annotated_name: Other = c.x
        with c.lock as held:
            pass
        try:
            c.go()
        except KeyError as error:
            pass
{lines}

    def method(self, x):
        return self.n, x

    @property
    def prop(self):
        return self.n

def outside(w: W):
    return w.own
"""
VALUES = {
    # constants
    "1": "1",
    "'a'": "'a'",
    "None": "None",
    "1.5": "1.5",
    "b'x'": "?",
    "not c": "False | True",
    "1 < 2": "False | True",
    "c is None": "False | True",
    # names
    "local": "14",
    "NUMBER": "7",
    "RENAMED": "7",
    "KIND": "Small",
    "Small": "Small",
    "inner": "module pack.inner",
    "torch": "torch",
    "os.path": "os.path",
    "f": "def f",
    "unknown_name": "?",
    **{name: f"builtins.{name}" for name in ("len", "getattr", "hasattr", "setattr", "isinstance", "super", "type")},
    **{name: f"builtins.{name}" for name in ("int", "list", "print")},
    "self": "W()",
    "c": "?",
    "a": "Small()",
    "b": "None | Other()",
    "d": "10",
    "k": "11",
    "rest": "?",
    "first": "24",
    "second": "25",
    "head": "26",
    "one": "20 | 21",
    "n": "'p' | 'q'",
    "m": "22 | 23",
    "inside": "def inside",
    "annotated_name": "Other()",
    "json": "json",
    # containers
    "(1, 'a')": "(1, 'a')",
    "[1, 2]": "(1, 2)",
    "{1}": "(1)",
    "()": "()",
    "[*listed, 3]": "[1 | 2 | 3]",
    "{'a': 1, 'b': 2}": "{'a': 1, 'b': 2}",
    "{**table, 'z': 3}": "{'x': 1, 'y': 2, 'z': 3}",
    "listed[0]": "1",
    "listed[-1]": "2",
    "listed[5]": "?",
    "listed[c.i]": "1 | 2",
    "listed[True]": "1 | 2",
    "listed[0:1]": "[1 | 2]",
    "table['x']": "1",
    "table['nobody']": "1 | 2",
    "table[c.key]": "1 | 2",
    "table[one]": "1 | 2",
    "[1] + [2]": "[1 | 2]",
    "[1] + c.x": "[1]",
    "c.x + [1]": "[1]",
    "c.x + c.y": "?",
    "grown": "[1 | 2]",
    "1 + 2": "?",
    "[x for x in listed]": "(1, 2)",
    "[x for x in listed if x]": "[1 | 2]",
    "[x for x in c.all]": "[-]",
    "[(x, y) for x in (1, 2) for y in (3, 4)]": "((1, 3), (1, 4), (2, 3), (2, 4))",
    "{x: y for x, y in (('a', 1), ('b', 2))}": "{'a': 1, 'b': 2}",
    "{x: 1 for x in c.all}": "[1]",
    "listed[one]": "?",
    # choices
    "1 if c else 2": "1 | 2",
    "c and 1": "1",
    "1 or 2": "1 | 2",
    "(w := 3)": "3",
    "(lambda x: x)(small)": "Small()",
    "await_me": "?",
    # texts
    "f'a{NUMBER}'": "'a7'",
    "f'{one}-{NUMBER}'": "'20-7' | '21-7'",
    "f'a{c.x}'": "?",
    "'a' + 'b'": "'ab'",
    # attributes
    "self.n": "13",
    "self.own": "Small()",
    "self.own.kind": "'small'",
    "self.own.both": "1",
    "self.own.left": "2",
    "self.own.right": "3",
    "self.own.looped": "4 | 5",
    "self.own.all[0]": "Other()",
    "self.own.made": "None",
    "self.own.other": "Other()",
    "self.own.told": "Other()",
    "self.own.nobody": "?",
    "self.prop": "13",
    "self.method": "def method of W()",
    "heir.kind": "'heir'",
    "Small.kind": "'small'",
    "Small.__name__": "'Small'",
    "Small.build": "def build of Small",
    "Small.plain": "def plain of Small",
    "Small.me": "def me",
    "small.build": "def build of Small",
    "Other.Nested": "Nested",
    "Other().Nested": "Nested",
    "inner.Small": "Small",
    "inner.nobody": "module pack.inner.nobody",
    "torch.nn.Linear": "torch.nn.Linear",
    "Forwards().kind": "'small'",
    "Forwards().inner": "Small()",
    "Field().own": "Other()",
    "Field().late": "None | Small()",
    "c.x.y": "?",
    # calls
    "Small()": "Small()",
    "Small.build()": "Small()",
    "Heir.build()": "Heir()",
    "heir.itself()": "Heir",
    "small.build()": "Small()",
    "Small.plain(small)": "(Small(), 6)",
    "small.plain(small, y=heir)": "(Small(), Heir())",
    "small.me()": "Small()",
    "heir.me()": "Heir()",
    "Small.me(heir)": "Heir()",
    "small(heir)": "Heir()",
    "self.method(small)": "(13, Small())",
    "f(small)": "Small()",
    "f(x=small)": "Small()",
    "two(small)": "(Small(), 8)",
    "two(small, heir)": "(Small(), Heir())",
    "two(y=small, x=heir)": "(Heir(), Small())",
    "later(small)": "Small()",
    "branches(c)": "'b' | 1",
    "nothing(1)": "?",
    "annotated(1)": "Small()",
    "annotated(c)": "Small()",
    "makes()(small)": "Small()",
    "inside()": "(14, 29)",
    "inside(small)": "(14, Small())",
    "recursive(1)": "?",
    "once(2)": "(1, 2)",
    "once()": "(1, 8)",
    "twice()": "(1, 2)",
    "keyed(4)": "(4, 3)",
    "keyed(4, y=5)": "(4, 5)",
    "partial(Small, 1)()": "Small()",
    "partial(torch.x)()": "?",
    "torch.zeros(1)": "torch.zeros()",
    "torch.zeros(1).x": "torch.zeros.x()",
    "torch.zeros(1)(2)": "?",
    "c.x()": "?",
    "TABLE['a']()": "Small()",
    "TABLE.get('b')()": "Other()",
    # Python's own
    "getattr(self, 'n')": "13",
    "getattr(self, 'nobody', 34)": "34",
    "getattr(self, 'n', 34)": "13 | 34",
    "getattr(self, c.name)": "?",
    "getattr(small, 'kind')": "'small'",
    "cast(Small, c)": "Small()",
    "type(small)": "Small",
    "type(small)()": "Small()",
    "list(listed)": "(1, 2)",
    "list(table)": "('x', 'y')",
    "tuple()": "?",
    "sorted(listed)": "[1 | 2]",
    "set(listed)": "[1 | 2]",
    "enumerate(['a'])": "((0, 'a'))",
    "list(enumerate(['a']))[0]": "(0, 'a')",
    "enumerate(c.all)": "[(-, -)]",
    "zip([1, 2], ['a', 'b'])": "((1, 'a'), (2, 'b'))",
    "zip([1, 2], c.all)": "[(1 | 2, -)]",
    "next(iter(listed))": "1 | 2",
    "next(iter(listed), None)": "1 | 2 | None",
    "dict(a=1)": "{'a': 1}",
    "dict(table, z=3)": "{'x': 1, 'y': 2, 'z': 3}",
    "dict([('a', 1)])": "{'a': 1}",
    "table.get('x')": "1",
    "table.get('x', 3)": "1 | 3",
    "table.get(c.k)": "1 | 2",
    "table.pop('x')": "1",
    "table.setdefault('x', 3)": "1 | 3",
    "table.items()": "(('x', 1), ('y', 2))",
    "table.values()": "(1, 2)",
    "table.keys()": "('x', 'y')",
    "table.copy()": "{'x': 1, 'y': 2}",
    "listed.copy()": "(1, 2)",
    "listed.pop()": "1 | 2",
    "small.get('x')": "?",
}


def told(values: Values) -> str:
    return " | ".join(sorted(map(one_told, values))) or "-"


def one_told(value: Value) -> str:
    match value:
        case ClassValue(node=node):
            return node.name
        case Instance(node=node):
            return f"{node.name}()"
        case FunctionValue(node=node, receiver=receiver):
            return f"def {node.name}" + (f" of {one_told(receiver)}" if receiver and node.outer is None else "")
        case ModuleValue(name=name):
            return f"module {name}"
        case ConstantValue(value=constant):
            return repr(constant)
        case SequenceValue(items=items):
            return f"({', '.join(map(told, items))})"
        case TableValue(entries=entries):
            return f"{{{', '.join(f'{told(key)}: {told(item)}' for key, item in entries)}}}"
        case ElementsOf(elements=elements):
            return f"[{told(elements)}]"
        case ExternalValue(name=name, called=called):
            return f"{name}()" if called else name
        case PartialValue(callee=callee):
            return f"partial {one_told(callee)}"
        case Unknown():
            return "?"
    return str(value)


@pytest.fixture(scope="module")
def values(linked_for_all) -> dict[str, str]:
    lines = textwrap.indent("\n".join(f"c.out = {text}" for text in VALUES), " " * 8)
    tree = linked_for_all(inner=INNER, w=HEAD.replace("{lines}", lines))
    evaluator = Evaluator(tree.project, tree.hierarchy)
    node = tree.node("w.W")
    function = tree.member("w.W", "__init__").function
    frame = Frame(function.module, function, Instance(node))
    binds = (step for step in function.facts.body.steps if isinstance(step, facts.Bind))
    steps = [step for step in binds if isinstance(step.target, facts.Attribute) and step.target.name == "out"]
    return {text: told(evaluator.evaluate(step.value, frame, step)) for text, step in zip(VALUES, steps, strict=True)}


@pytest.mark.parametrize("text", VALUES)
def test_what_an_expression_can_be(values: dict[str, str], text: str) -> None:
    assert values[text] == VALUES[text]
