"""Ways in which a model is handed on without its name: what is spread, gathered, inherited, or another scope's.

Each snippet stands in the worker of the small tree that asks nothing by itself; `more` is beside it in the module.
"""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
import copy
import dataclasses
from typing import NamedTuple, cast
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs

{more}

class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        model = target_worker.model_runner.model
{snippet}
"""
ASK = "def ask(model, other=None):\n    model.hook()\n    if other is not None:\n        other.second()\n"
PASS = ASK + "def hand(*args, **kwargs):\n    return ask(*args, **kwargs)\n"
PASS_TWICE = PASS + "def again(*rest, **words):\n    return hand(*rest, **words)\n"
BASE = "class Base:\n    def __init__(self, model, size=1):\n        model.hook()\n        self.kept = model\n"
HANDING_ON = """
class Heir(Base):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
"""
HEIR = BASE + "class Heir(Base):\n    pass\n"
RECORD = "class Record(NamedTuple):\n    model: object = None\n    size: int = 0\n"
DATA = "@dataclasses.dataclass\nclass Data:\n    model: object = None\n    size: int = 0\n"
MADE = """
class Made:
    def __init__(self, one):
        self.one = one
        self.one.hook()

    @classmethod
    def of(cls, one):
        return cls(one)
"""
MADE_LATER = """
class Made:
    def __init__(self, one):
        self.one = one

    @classmethod
    def of(cls, one):
        return cls(one)

    @classmethod
    def twice(cls, given):
        return cls.of(given)
"""
NEWEST = """
class Made:
    def __new__(cls, one):
        found = super().__new__(cls)
        found.one = one
        return found
"""
SUPER = """
class Base:
    def __init__(self, given):
        self.given = given

    @property
    def model(self):
        return self.given

class Heir(Base):
    @property
    def model(self):
        return super().model

    def ask(self):
        super().model.hook()
"""
CAST = "class Keeper:\n    def __init__(self, given):\n        self.model = given\n"

SPREAD = {
    "a tuple that is kept": ("pair = (model, 1)\nask(*pair)", ASK),
    "a list that is kept": ("models = [model]\nask(*models)", ASK),
    "an attribute": ("self.pair = (model,)\nask(*self.pair)", ASK),
    "what a function gives": ("ask(*both(model))", ASK + "def both(one):\n    return one, 1\n"),
    "behind another argument": ("rest = (model,)\ndo(1, *rest)", ASK + "def do(times, one):\n    ask(one)\n"),
    "a table written in the call": ("ask(**{'model': model})", ASK),
    "a table that is kept": ("words = {'model': model}\nask(**words)", ASK),
    "a table made by dict": ("words = dict(model=model)\nask(**words)", ASK),
    "a table that is filled": ("words = {}\nwords['model'] = model\nask(**words)", ASK),
    "two tables": ("words = {'other': 1}\nask(**{**words, 'model': model})", ASK),
    "arguments handed on": ("hand(model)", PASS),
    "a keyword handed on": ("hand(model=model)", PASS),
    "handed on twice": ("again(model)", PASS_TWICE),
    "a keyword handed on twice": ("again(model=model)", PASS_TWICE),
    "gathered and taken by index": ("first(1, model)", ASK + "def first(*given):\n    ask(given[1])\n"),
    "gathered and gone through": ("each(model)", "def each(*given):\n    for one in given:\n        one.hook()\n"),
    "gathered and unpacked": ("both(1, model)", "def both(*given):\n    _, one = given\n    one.hook()\n"),
    "gathered under names": ("named(model=model)", "def named(**given):\n    given['model'].hook()\n"),
    "gathered under names, and got": ("named(model=model)", "def named(**given):\n    given.get('model').hook()\n"),
    "gathered under names, and popped": ("named(one=model)", "def named(**given):\n    given.pop('one').hook()\n"),
    "gathered under names, gone through": (
        "named(one=model)",
        "def named(**given):\n    for one in given.values():\n        one.hook()\n",
    ),
    "gathered by a method": (
        "Keeper(model)",
        "class Keeper:\n    def __init__(self, *given):\n        self.given = given\n        self.given[0].hook()\n",
    ),
    "an heir's constructor that hands on": (
        "Heir(model)",
        BASE
        + "class Heir(Base):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n",
    ),
    "an heir's constructor that hands on keywords": (
        "Heir(model=model)",
        BASE
        + "class Heir(Base):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n",
    ),
    "a decorator": (
        "asks(model)",
        "def wrapped(func):\n    def inner(*args, **kwargs):\n        return func(*args, **kwargs)\n    return inner\n"
        "@wrapped\ndef asks(one):\n    one.hook()\n",
    ),
    "a lambda that hands on": ("go = lambda *given: ask(*given)\ngo(model)", ASK),
}
OTHERS = {
    "an inherited constructor": ("Heir(model)", HEIR),
    "an inherited constructor, two levels": ("Lower(model)", HEIR + "class Lower(Heir):\n    pass\n"),
    "an inherited constructor, by keyword": ("Heir(size=2, model=model)", HEIR),
    "what an inherited constructor keeps": (
        "Heir(model).go()",
        "class Base:\n    def __init__(self, model):\n        self.kept = model\n"
        "class Heir(Base):\n    def go(self):\n        self.kept.hook()\n",
    ),
    "a class method that makes one": ("Made.of(model)", MADE),
    "what a class method makes": ("Made.of(model).one.hook()", MADE_LATER),
    "a class method that calls another": ("Made.twice(model).one.hook()", MADE_LATER),
    "what a class method of an heir makes": (
        "Heir.of(model).one.hook()",
        MADE_LATER + "class Heir(Made):\n    pass\n",
    ),
    "a constructor called on the own class": (
        "Made(None).other(model).one.hook()",
        "class Made:\n    def __init__(self, one):\n        self.one = one\n"
        "    def other(self, given):\n        return type(self)(given)\n",
    ),
    "a constructor called on its class": (
        "Made(None).other(model).one.hook()",
        "class Made:\n    def __init__(self, one):\n        self.one = one\n"
        "    def other(self, given):\n        return self.__class__(given)\n",
    ),
    "a global": ("global KEPT\nKEPT = model\nlater()", "KEPT = None\ndef later():\n    KEPT.hook()\n"),
    "a global that is only given within": ("global KEPT\nKEPT = model\nlater()", "def later():\n    KEPT.hook()\n"),
    "a global given by a function": (
        "keep(model)\nlater()",
        "KEPT = None\ndef keep(one):\n    global KEPT\n    KEPT = one\ndef later():\n    KEPT.hook()\n",
    ),
    "a global that a function gives": (
        "keep(model)\ngiven().hook()",
        "KEPT = None\ndef keep(one):\n    global KEPT\n    KEPT = one\ndef given():\n    return KEPT\n",
    ),
    "a global read where it is given": ("global KEPT\nKEPT = model\nKEPT.hook()", "KEPT = None\n"),
    "a name of the function around": (
        "kept = None\ndef keep():\n    nonlocal kept\n    kept = model\nkeep()\nkept.hook()",
        "",
    ),
    "a record with one field replaced": ("one = Record(size=1)._replace(model=model)\none.model.hook()", RECORD),
    "a record replaced by keyword table": (
        "one = Record()\none = one._replace(**{'model': model})\none.model.hook()",
        RECORD,
    ),
    "a dataclass with one field replaced": ("one = dataclasses.replace(Data(), model=model)\none.model.hook()", DATA),
    "a copy with one field replaced": ("one = copy.replace(Data(), model=model)\none.model.hook()", DATA),
    "a copy": ("one = copy.copy(Data(model=model))\none.model.hook()", DATA),
    "a property through super": ("Heir(model).ask()", SUPER),
    "a property that gives that of the base": ("Heir(model).model.hook()", SUPER),
    "a cast to a text": ("cast('Keeper', self.kept).model.hook()\nself.kept = Keeper(model)", CAST),
    "a cast of what is unknown": ("Keeper(model)\ncast('Keeper', server_args.x).model.hook()", CAST),
    "a private attribute": ("self.__model = model\nself.__model.hook()", ""),
    "a private attribute by its other name": ("self.__model = model\nself._NGRAMWorker__model.hook()", ""),
}


@pytest.fixture
def asked(read, small_tree):
    """`asked(snippet, more="")`: what the worker asks of the target, as (member, use, strength)."""

    def ask(snippet: str, more: str = ""):
        text = WORKER.format(more=more, snippet=textwrap.indent(textwrap.dedent(snippet), "        "))
        found = read(small_tree, {MODULE: text})
        return {(r.member, r.use, r.strength) for r in found.contract.requirements if "NGRAM" in r.algorithms}

    return ask


@pytest.mark.parametrize("name", sorted(SPREAD))
def test_what_is_spread_or_gathered(asked, name: str) -> None:
    assert asked(*SPREAD[name]) == {("hook", "call", "required")}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_ways_without_a_name(asked, name: str) -> None:
    assert asked(*OTHERS[name]) == {("hook", "call", "required")}
