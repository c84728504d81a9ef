"""What functions give back (a pair, one thing, or what can't be known), and who takes it apart: no analysis, one class.

Each case is a method of one model that holds an inner one.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.checks.arrival import Arrival, results, takes_apart, unpacks
from specint.facts.load import Loader
from specint.facts.store import Store
from specint.graph.composition import Composition
from specint.graph.effects import Effects, Held, Run
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project
from specint.source.tree import Origin, TextTree

HEAD = """
from torch import nn

class Inner(nn.Module):
    def forward(self, x):
        return x, 1

    def alone(self, x):
        return 1

class Box:
    pass

def pair(x):
    return x, 1

def single(x):
    return [x]

def either(x):
    if x:
        return x, 1
    return 1

def nothing(x):
    pass

def counts(x):
    yield x, 1

def same(x):
    return x

class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.inner = Inner()
        self.other = Inner()
"""
ONE, PAIR, OPEN, EITHER = "one", "pair", "?", "one|pair"
RETURNED = {
    "return x, 1": PAIR,
    "return (x, 1, 2)": PAIR,
    "return [x, 1]": PAIR,
    "return (x,)": ONE,
    "return ()": ONE,
    "return x, *y": OPEN,
    "return 1": ONE,
    "return x + 1": ONE,
    "return None": ONE,
    "return": ONE,
    "pass": ONE,
    "return x": OPEN,
    "return self.x": OPEN,
    "return y[x]": OPEN,
    "return x or y": OPEN,
    "return not x": ONE,
    "return (x, 1) if y else 1": EITHER,
    "return (x, 1) if y else (y, 2)": PAIR,
    "return (z := (x, 1))": PAIR,
    "if x:\n    return x, 1\nreturn 1": EITHER,
    "yield x, 1": OPEN,
    # names
    "z = x, 1\nreturn z": PAIR,
    "z = 1\nreturn z": ONE,
    "z = x\nreturn z": OPEN,
    "return z\nz = x, 1": OPEN,
    "z = 1\nz += 1\nreturn z": ONE,
    "for z in x:\n    return z": OPEN,
    "a, b = x\nreturn a": ONE,
    "a, b = x\nreturn a, b": PAIR,
    "return unknown": OPEN,
    "x = 1\nreturn x": "?|one",
    # items
    "z = x, 1\nreturn z[0]": ONE,
    "z = x, 1\nreturn z[y]": OPEN,
    "return x[0]": OPEN,
    "return pair(self.inner)[0]": ONE,
    # calls
    "return self.inner(x)": PAIR,
    "return self.inner.alone(x)": ONE,
    "return self.inner.forward(x)": PAIR,
    "return pair(self.inner)": PAIR,
    "return single(self.inner)": ONE,
    "return either(self.inner)": EITHER,
    "return nothing(self.inner)": ONE,
    "return counts(self.inner)": OPEN,
    "return same(self.inner)": OPEN,
    "return Box()": ONE,
    "return unknown(x)": OPEN,
    "return self.NAME(x)": OPEN,
    "z = self.inner(x)\nreturn z": PAIR,
    # what the conditions on the way say
    "z = either(self.inner)\nif isinstance(z, tuple):\n    return z\nreturn 1": EITHER,
    "z = either(self.inner)\nif isinstance(z, tuple):\n    return 1\nreturn z": ONE,
    "z = either(self.inner)\nif not isinstance(z, tuple):\n    return z\nreturn 1": ONE,
    "z = either(self.inner)\nif isinstance(z, (tuple, list)):\n    return 1\nreturn z": ONE,
    "z = either(self.inner)\nif isinstance(z, list):\n    return 1\nreturn z": ONE,
    "z = either(self.inner)\nif isinstance(z, Box):\n    return z\nreturn 1": ONE,
    "z = either(self.inner)\nif isinstance(z, Box):\n    return 1\nreturn z": EITHER,
    "z = either(self.inner)\nif isinstance(y, tuple):\n    return 1\nreturn z": EITHER,
    "if isinstance(x, tuple):\n    return x\nreturn 1, 2": PAIR,
    "if isinstance(x, tuple):\n    return 1, 2\nreturn x": EITHER,
}
RESULTS = {
    "z = self.inner(x)": ("z", 1),
    "z = self.inner.forward(x)": ("z", 1),
    "z = self.other(x)": ("", None),
    "z = pair(self.inner)": ("z", 1),
    "z = pair(x=self.inner)": ("z", 1),
    "z = pair(x)": ("", None),
    "y\nz = self.inner(x)\nw = z": ("w z", 2),
    "w = x\nz = w": ("", None),
    "return self.inner(x)": ("", 1),
    "z = [self.inner(x)]": ("", 1),
    "z = self.NAME(x)": ("z", 1),
    "z = super().forward(x)": ("", None),
}
APART = {
    "a, b = self.inner(x)": True,
    "a, = self.inner(x)": False,
    "z = self.inner(x)\na, b = z": True,
    "a, b = x": False,
    "z = self.inner(x)\na = z[0]": True,
    "z = self.inner(x)\na = z[-1]": True,
    "z = self.inner(x)\na = z[y]": False,
    "a = self.inner(x)[0]": True,
    "a = x[0]": False,
    "z = self.inner(x)\nif len(z) == 2:\n    pass": True,
    "z = self.inner(x)\nif type(z) is tuple:\n    pass": True,
    "z = self.inner(x)\nif isinstance(z, tuple):\n    pass": True,
    "z = self.inner(x)\nif isinstance(z, (list, Box)):\n    pass": True,
    "z = self.inner(x)\nif isinstance(z, Box):\n    pass": False,
    "z = self.inner(x)\nif isinstance(y, tuple):\n    pass": False,
    "z = self.inner(x)\nif len(x) == 2:\n    pass": False,
    "z = self.inner(x)\nf(*z)": True,
    "z = self.inner(x)\nf(*x)": False,
    "z = self.inner(x)\nf(z)": False,
    "z = self.inner(x)\nself.a, self.b = z": True,
}
UNPACKS = {"a, b = x": True, "a, *b = x": True, "(a,) = x": False, "a = x, y": False, "self.a, b = x": True, "x": False}


@pytest.fixture(scope="module")
def model():
    """The effects of the class with a method for each body, and what runs one."""
    bodies = list(dict.fromkeys((*RETURNED, *RESULTS, *APART, *UNPACKS)))
    text = HEAD
    for number, body in enumerate(bodies):
        lines = textwrap.indent(body.replace("NAME", f"m{number}"), " " * 8)
        text += f"\n    def m{number}(self, x, y=None):\n{lines}\n"
    tree = TextTree({"pack/m.py": text.encode()}, Origin(version="", source=""), "pack")
    project = Project(Loader(tree, Store(None), version="", jobs=1).module, "pack")
    hierarchy = Hierarchy(project)
    composition = Composition(project, hierarchy)
    flow = Effects(composition, lambda node, name: hierarchy.lookup(node, name) is not None)
    node = project.class_by_key("pack.m.Model")
    assert node is not None
    methods = {body: f"m{number}" for number, body in enumerate(bodies)}

    def run(body: str) -> Run:
        member = hierarchy.lookup(node, methods[body])
        assert member is not None
        return Run(member.function, Held(node))

    (inner,) = flow.held(Held(node), "inner")
    return flow, run, inner


@pytest.mark.parametrize("body", RETURNED)
def test_what_a_function_gives_back(model, body: str) -> None:
    flow, run, _ = model
    assert "|".join(sorted(Arrival(flow).returned(run(body)))) == RETURNED[body]


@pytest.mark.parametrize("body", RESULTS)
def test_names_that_hold_what_the_inner_model_returned(model, body: str) -> None:
    flow, run, inner = model
    one = run(body)
    names, place = results(flow, one, inner)
    line = place.line - one.function.facts.line if place is not None else None
    assert (" ".join(sorted(names)), line) == RESULTS[body]


@pytest.mark.parametrize("body", APART)
def test_who_takes_it_apart(model, body: str) -> None:
    flow, run, inner = model
    one = run(body)
    names, _ = results(flow, one, inner)
    steps = one.function.facts.body.steps
    assert any(takes_apart(flow, step, one, inner, names) for step in steps) is APART[body]


@pytest.mark.parametrize("body", UNPACKS)
def test_statement_that_binds_several_names(model, body: str) -> None:
    _, run, _ = model
    assert any(map(unpacks, run(body).function.facts.body.steps)) is UNPACKS[body]
