"""Whose model, or which part of one, an expression is: one worker whose constructor reads them all.

`target` is the target's model, `draft: lm_head` a part of the draft's. Nothing: it is no model.
"""

from __future__ import annotations

import textwrap

import pytest

from specint.facts import model as facts

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
import copy
from functools import partial
from typing import Optional, List
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.model_executor.model_runner import ModelRunner

class Box:
    def __init__(self, kept, other=None):
        self.kept = kept
        self.other = other

    @property
    def inside(self):
        return self.kept

    @staticmethod
    def same(thing):
        return thing

class Crate:
    def __init__(self, kept):
        self.kept = kept

class Heir(Crate):
    def __init__(self, worker):
        super().__init__(worker)

class Shelf:
    def __init__(self, kept):
        self.kept = kept

class Special(ModelRunner):
    pass

def same(thing):
    return thing

def second(one, two):
    return two

def pair(one, two):
    return two, one

def either(one, two, which):
    if which:
        return one
    return two

def annotated(worker: TpModelWorker):
    return worker.model_runner.model

def optional(worker: Optional[TpModelWorker] = None):
    return worker.model_runner.model

def handed_part(head):
    return head

def deep(model):
    return model.a.b.c

class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker, runner: ModelRunner, stranger):
        self.target_worker = target_worker
        self.runner = target_worker.model_runner
        self.draft = TpModelWorker(server_args, gpu_id, is_draft_worker=True)
        self.all = [self.draft.model_runner]
        self.by_name = {"draft": self.draft, "target": target_worker}
        self.late = None
        self.box = Shelf(target_worker)
        self.heir = Heir(self.draft)
        model = target_worker.model_runner.model
        draft = self.draft.model_runner.model
        alias = again = model
        one, two = model, draft
        (three, (four, five)) = (model, (draft, 1))
        first, *rest = [model, draft]
        runners = [target_worker.model_runner, self.draft.model_runner]
        for walked in runners:
            pass
        for number, counted in enumerate(self.all):
            pass
        for key, valued in self.by_name.items():
            pass
        both = model
        if stranger:
            both = draft
        replaced = draft
        replaced = model
        ask = partial(second, 1)
        taker = lambda thing: thing
        def inner_function():
            return model
        self.set_late()
{lines}

    def set_late(self):
        self.late = self.draft.model_runner.model

    def given(self):
        return self.target_worker.model_runner.model

    @property
    def drafting(self):
        return self.draft
"""
PARTS = {
    "model": "target",
    "draft": "draft",
    "target_worker": "",
    "target_worker.model_runner": "",
    "target_worker.model_runner.model": "target",
    "self.target_worker.model_runner.model": "target",
    "self.runner.model": "target",
    "self.draft.model_runner.model": "draft",
    "runner.model": "both",
    "stranger.model": "",
    "stranger.model_runner.model": "",
    "self.nobody.model": "",
    "self.draft.nobody.model": "",
    # names
    "alias": "target",
    "again": "target",
    "one": "target",
    "two": "draft",
    "three": "target",
    "four": "draft",
    "five": "",
    "first": "target",
    "walked.model": "draft, target",
    "counted.model": "draft",
    "number": "",
    "valued.model_runner.model": "draft, target",
    "both": "draft, target",
    "replaced": "target",
    "(walrus := model)": "target",
    # containers
    "[model, draft][0]": "target",
    "[model, draft][1]": "draft",
    "[model, draft][gpu_id]": "draft, target",
    "(model, draft)[-1]": "draft",
    "{'a': model, 'b': draft}['b']": "draft",
    "dict(a=model)['a']": "target",
    "self.all[0].model": "draft",
    "self.all[gpu_id].model": "draft",
    "self.by_name['draft'].model_runner.model": "draft",
    "self.by_name['target'].model_runner.model": "target",
    "self.by_name.get('target').model_runner.model": "target",
    "[r.model for r in runners][0]": "target",
    "[r.model for r in runners][1]": "draft",
    "next(iter([model]))": "target",
    "list((draft,))[0]": "draft",
    # choices
    "model if gpu_id else draft": "draft, target",
    "model or draft": "draft, target",
    "stranger or model": "target",
    "getattr(target_worker.model_runner, 'model')": "target",
    "getattr(target_worker.model_runner, 'model', None)": "target",
    "getattr(target_worker, 'model_runner').model": "target",
    # functions
    "same(model)": "target",
    "same(thing=draft)": "draft",
    "second(model, draft)": "draft",
    "second(two=model, one=draft)": "target",
    "pair(model, draft)[0]": "draft",
    "pair(model, draft)[1]": "target",
    "either(model, draft, 1)": "draft, target",
    "annotated(target_worker)": "target",
    "annotated(self.draft)": "draft",
    "ask(model)": "target",
    "(lambda: model)()": "target",
    "taker(model)": "target",
    "inner_function()": "target",
    "copy.copy(model)": "target",
    "self.given()": "target",
    "self.drafting.model_runner.model": "draft",
    "self.late": "draft",
    # objects of other classes
    "Box(model).kept": "target",
    "Box(1, draft).other": "draft",
    "Box(model, other=draft).other": "draft",
    "Box(model).inside": "target",
    "Box.same(model)": "target",
    "self.box.kept.model_runner.model": "target",
    "self.heir.kept.model_runner.model": "draft",
    "TpModelWorker(server_args, gpu_id).model_runner.model": "target",
    "TpModelWorker(server_args, gpu_id, is_draft_worker=True).model_runner.model": "draft",
    # parts
    "model.lm_head": "target: lm_head",
    "draft.lm_head": "draft: lm_head",
    "model.a.b": "target: a.b",
    "model.a.b.c": "",
    "deep(model)": "",
    "model.layers[0]": "target: layers[]",
    "model.layers[0].mlp": "target: layers[].mlp",
    "handed_part(model.lm_head)": "target: lm_head",
    "getattr(model, 'lm_head', None)": "target: lm_head",
    "getattr(model, 'inner', model)": "target, target: inner",
    "model.forward(1)": "",
    "model.__class__": "",
}


@pytest.fixture(scope="module")
def parts(engines) -> dict[str, str]:
    lines = textwrap.indent("\n".join(PARTS), " " * 8)
    found = engines({MODULE: WORKER.replace("{lines}", lines)})
    function = found.function(MODULE, "NGRAMWorker.__init__")
    steps = [step for step in function.facts.body.steps if isinstance(step, facts.Evaluate)][-len(PARTS) :]

    def told(step: facts.Evaluate) -> str:
        of = found.receivers.parts(step.value, function, step)
        ways = ((role, ".".join(path).replace(".[]", "[]")) for path, roles in of.items() for role in roles)
        return ", ".join(sorted(f"{role}: {way}" if way else role for role, way in ways))

    return {text: told(step) for text, step in zip(PARTS, steps, strict=True)}


@pytest.mark.parametrize("text", PARTS)
def test_whose_model_or_part(parts: dict[str, str], text: str) -> None:
    assert parts[text] == PARTS[text]


# Who calls a function: the calls, as they are written, in the functions `ask…` of one module.
CALLS = """
from functools import partial

class Base:
    def run(self, x):
        pass

    @classmethod
    def build(cls, x):
        pass

    @staticmethod
    def plain(x):
        pass

    def only(self):
        pass

    def __init__(self, x=1):
        pass

class Heir(Base):
    def run(self, x):
        super().run(x)

    def go(self):
        self.run(2)
        self.only()

class Own(Base):
    def __init__(self):
        super().__init__(3)

class Stranger:
    def run(self, x):
        pass

    def __init__(self, x):
        pass

def helper(x):
    return x

def keeps(f):
    f(8)

def ask(base: Base, heir: Heir, stranger: Stranger, unknown):
    helper(1)
    helper(x=2)
    base.run(1)
    heir.run(3)
    stranger.run(4)
    Base.run(base, 5)
    unknown.run(6)
    unknown.only()
    Base.build(7)
    base.build(8)
    Base.plain(9)
    kept = partial(helper, 10)
    kept()
    named = helper
    named(11)
    keeps(helper)
    Base(12)
    Own()
    Stranger(14)

def shadowed(helper):
    helper(99)
"""
CALLERS = {
    "helper": [
        *("helper(1)", "helper(10)", "helper(x=2)", "kept()", "named(11)", "f(8)"),
        "helper(99)",  # of what can't be followed, where no other function has the name
    ],
    "Base.run": ["super().run(x)", "base.run(1)", "Base.run(base, 5)"],
    "Heir.run": ["self.run(2)", "base.run(1)", "heir.run(3)"],
    "Stranger.run": ["stranger.run(4)"],
    "Base.build": ["Base.build(7)", "base.build(8)"],
    "Base.plain": ["Base.plain(9)"],
    "Base.only": ["self.only()", "unknown.only()"],
    "Base.__init__": ["super().__init__(3)", "Base(12)"],
    "Own.__init__": ["Own()"],
    "Stranger.__init__": ["Stranger(14)"],
}
ARGUMENTS = {
    "helper(1)": "x=1",
    "helper(x=2)": "x=2",
    "kept()": "",
    "named(11)": "x=11",
    "super().run(x)": "x=x",
    "base.run(1)": "x=1",
    "Base.run(base, 5)": "self=base x=5",
    "Base.build(7)": "x=7",
    "base.build(8)": "x=8",
    "Base.plain(9)": "x=9",
    "super().__init__(3)": "x=3",
    "Base(12)": "x=12",
}


@pytest.mark.parametrize("name", CALLERS)
def test_who_calls_a_function_and_with_what(engines, name: str) -> None:
    found = engines({MODULE: CALLS})
    function = found.function(MODULE, name)
    callers = found.receivers.callers(function)
    assert sorted(facts.spell(one.expr) for one in callers) == sorted(CALLERS[name])
    for one in callers:
        given = found.receivers.arguments(one, function)
        told = " ".join(f"{parameter}={facts.spell(value)}" for parameter, value in given.items())
        assert told == ARGUMENTS.get(facts.spell(one.expr), told), facts.spell(one.expr)
