"""Everything that is said of one class and one member: one file with many classes, judged at once.

Told as: the status, how the class comes by it, who provides it and at which line of the class's own file; the inner
models that were asked, each with what it says; the reason. Lines count from the class statement.
"""

from __future__ import annotations

import re

import pytest

MINE = "sglang.srt.models.mine"
HEAD = """
import elsewhere
from torch import nn
from sglang.srt.models.oak import OakForCausalLM
from sglang.srt.models.pine import PineForCausalLM

def loose(self):
    return 1

class Empty(nn.Module):
    def forward(self, x): ...
"""
INIT = "    def __init__(self, c):\n        super().__init__()\n"
FORWARD = "    def forward(self, x):\n        return self.m(x)\n"
MEMBER = "get_embed_and_head"
OWN = f"    def {MEMBER}(self): ...\n"
CASES = {
    # its own
    "a method": (f"class X(nn.Module):\n{OWN}", "present own X @2"),
    "a method under a condition": (
        f"class X(nn.Module):\n    if FLAG:\n        def {MEMBER}(self): ...\n",
        "present own X @3: defined under a condition",
    ),
    "a function that is assigned": (f"class X(nn.Module):\n    {MEMBER} = loose\n", "present own X @2"),
    "inherited": ("class X(OakForCausalLM):\n    pass\n", "present inherited OakForCausalLM"),
    "a property": (
        f"class X(nn.Module):\n    @property\n    def {MEMBER}(self):\n        return 1\n",
        "present property X @3",
    ),
    "a property that raises": (
        f"class X(nn.Module):\n    @property\n    def {MEMBER}(self):\n        raise AttributeError\n",
        "missing: its property always raises (mine.py @3)",
    ),
    "a property that may raise": (
        f"class X(nn.Module):\n    @property\n    def {MEMBER}(self):\n        if self.x:\n            raise KeyError\n"
        "        return 1\n    x = 1\n",
        "present property X @3",
    ),
    "a property that reads what isn't there": (
        f"class X(nn.Module):\n    @property\n    def {MEMBER}(self):\n        return self.nobody\n",
        "missing: its property reads self.nobody, and there is no nobody (mine.py @4)",
    ),
    "nothing": ("class X(nn.Module):\n    pass\n", "missing"),
    # attributes
    "set by the constructor": (
        f"class X(nn.Module):\n{INIT}        self.{MEMBER} = c.f\n",
        "present attribute X @4",
    ),
    "set under a condition": (
        f"class X(nn.Module):\n{INIT}        if c.on:\n            self.{MEMBER} = c.f\n",
        "present attribute X @5: set where c.on",
    ),
    "set in either branch": (
        f"class X(nn.Module):\n{INIT}        if c.on:\n            self.{MEMBER} = c.f\n        else:\n"
        f"            self.{MEMBER} = c.g\n",
        "present attribute X @5: set where c.on",
    ),
    "set for certain later": (
        f"class X(nn.Module):\n{INIT}        if c.on:\n            self.{MEMBER} = c.f\n        self.{MEMBER} = c.g\n",
        "present attribute X @6",
    ),
    "only set to None": (
        f"class X(nn.Module):\n{INIT}        self.{MEMBER} = None\n",
        "present attribute X @4: it is only ever set to None",
    ),
    "None at first": (
        f"class X(nn.Module):\n{INIT}        self.{MEMBER} = None\n"
        f"    def late(self, c):\n        self.{MEMBER} = c.f\n",
        "present attribute X @6: None until late sets it",
    ),
    "set by another method alone": (
        f"class X(nn.Module):\n    def late(self, c):\n        self.{MEMBER} = c.f\n",
        "present attribute X @3: set in late, not by the constructor",
    ),
    # what can't be known
    "a base outside": (
        "class X(elsewhere.Thing):\n    pass\n",
        "unknown: it inherits from elsewhere.Thing, outside of the tree",
    ),
    "a method that makes another object": (
        "class X(nn.Module):\n    def __new__(cls, c):\n        return c.made()\n",
        "unknown: X.__new__ may make an object of another class (mine.py @2)",
    ),
    "a method that answers somehow": (
        "class X(nn.Module):\n    def __getattr__(self, name):\n        return self.find(name)\n",
        "unknown: X forwards what it doesn't know by __getattr__ (mine.py @2)",
    ),
    "a method that hands on": (
        f"class X(nn.Module):\n{INIT}        self.part = OakForCausalLM(c)\n"
        "    def __getattr__(self, name):\n        return getattr(self.part, name)\n",
        "present forwarded OakForCausalLM: X.__getattr__ hands it on to self.part (mine.py @5)",
    ),
    "a method that hands on in vain": (
        f"class X(nn.Module):\n{INIT}        self.part = Empty()\n"
        "    def __getattr__(self, name):\n        return getattr(self.part, name)\n",
        "missing: X.__getattr__ hands it on to self.part, which lacks it too (mine.py @5)",
    ),
    # inner models
    "an inner model": (
        f"class X(nn.Module):\n{INIT}        self.m = OakForCausalLM(c)\n{FORWARD}",
        "missing; m present: OakForCausalLM present",
    ),
    "one of two inner models": (
        f"class X(nn.Module):\n{INIT}        if c.on:\n            self.m = OakForCausalLM(c)\n        else:\n"
        f"            self.m = PineForCausalLM(c)\n{FORWARD}",
        "missing; m present: OakForCausalLM present, PineForCausalLM missing",
    ),
    "an inner model that can't be followed": (
        f"class X(nn.Module):\n{INIT}        self.m = elsewhere.build(c)\n{FORWARD}",
        "missing; m unknown: m can't be followed: it is built by elsewhere.build, outside of the tree",
    ),
    "a model within its body": (
        f"class Body(nn.Module):\n{INIT}        self.llm = OakForCausalLM(c)\n"
        "    def forward(self, x):\n        return self.llm(x)\n\n"
        f"class X(nn.Module):\n{INIT}        self.m = Body(c)\n{FORWARD}",
        "missing; m.llm present: OakForCausalLM present",
    ),
    "a model within a body that its forward doesn't run": (
        f"class Body(nn.Module):\n{INIT}        self.llm = OakForCausalLM(c)\n"
        "    def forward(self, x):\n        return x\n\n"
        f"class X(nn.Module):\n{INIT}        self.m = Body(c)\n{FORWARD}",
        "missing",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def answers(judged) -> dict[str, str]:
    text, names, lines = HEAD, {}, {}
    for number, (case, (written, _)) in enumerate(CASES.items()):
        name = f"X{number:02}"
        source = re.sub(r"\bX\b", name, re.sub(r"\bBody\b", f"Body{number:02}", written))
        lines[name] = text.count("\n") + source[: source.index(f"class {name}")].count("\n") + 1
        names[case], text = name, text + "\n" + source
        lines[name] += 1
    found = judged({MINE: f"{text}\nEntryClass = [{', '.join(names.values())}]\n"})
    models = {one.name: one for one in found.models if one.class_.startswith(MINE)}

    def told(name: str) -> str:
        status = models[name].members[MEMBER]
        first = lines[name] - 1
        here = status.file.endswith("mine.py") and f"@{status.line - first}"
        provider = (status.provider or "").rpartition(".")[2]
        words = " ".join(filter(None, [status.status, status.way, provider, here]))
        inners = ", ".join(f"{one.holder.rpartition('.')[2]} {one.status}" for one in status.inners)
        if status.inner is not None:
            words += f"; {status.inner} {status.inner_status}: {inners}".rstrip(": ")
        reason = re.sub(r"[\w./]*mine\.py:(\d+)", lambda m: f"mine.py @{int(m[1]) - first}", status.reason or "")
        return re.sub(rf"\b{name}\b", "X", f"{words}: {reason}" if reason else words)

    return {case: told(name) for case, name in names.items()}


@pytest.mark.parametrize("case", CASES)
def test_all_that_is_said_of_a_member(answers: dict[str, str], case: str) -> None:
    assert answers[case] == CASES[case][1]
