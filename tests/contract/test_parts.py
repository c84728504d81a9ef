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

from sglang.srt.model_loader.utils import get_model_architecture

draft_of_all = TpModelWorker(1, 2, is_draft_worker=True)

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

class HeirOfHeir(Heir):
    def __init__(self, worker):
        self.name = 1
        super().__init__(worker)

class NoConstructor(Heir):
    pass

class Usual:
    def __init__(self, kept=None, more=draft_of_all):
        self.kept = kept
        self.more = more

class Silent(Usual):
    def __init__(self, worker):
        super().__init__()

class Mute(Usual):
    def __init__(self, worker):
        self.worker = worker

class Eager(TpModelWorker):
    pass

class EagerDraft(TpModelWorker):
    def __init__(self, server_args, gpu_id):
        super().__init__(server_args, gpu_id, is_draft_worker=True)

class Own(TpModelWorker):
    def __init__(self, server_args):
        self.draft_model_runner = 1

class Lists(TpModelWorker):
    draft_model_runner: int

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

def unboxed(box: Box):
    return box.kept


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
        def by_default(thing=model):
            return thing
        told_class, told_name = get_model_architecture(server_args)
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
    "HeirOfHeir(self.draft).kept.model_runner.model": "draft",
    "NoConstructor(self.draft).kept.model_runner.model": "draft",
    "Silent(target_worker).kept.model_runner.model": "",
    "Silent(target_worker).more.model_runner.model": "draft",
    "Usual(target_worker).kept.model_runner.model": "target",
    "Usual(target_worker).more.model_runner.model": "draft",
    "Mute(target_worker).worker.model_runner.model": "target",
    "Special(1, server_args).model": "target",
    "Special(1, server_args, is_draft_worker=True).model": "draft",
    "Special(1, server_args, True).model": "draft",
    "EagerDraft(server_args, gpu_id).model_runner.model": "draft",
    # a name that only another worker defines
    "Eager(server_args, gpu_id, is_draft_worker=True).draft_model_runner.model": "draft",
    "Eager(server_args, gpu_id).draft_model_runner.model": "draft",
    "Own(server_args).draft_model_runner.model": "",
    "Lists(server_args, gpu_id).draft_model_runner.model": "draft",
    "Box(1).draft_model_runner.model": "",
    # parameters
    "unboxed(Box(model))": "target",
    "by_default()": "target",
    "by_default(draft)": "draft",
    # a model's class
    "get_model_architecture(server_args)[0]": "class",
    "get_model_architecture(server_args)[1]": "",
    "told_class": "class",
    "told_name": "",
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


def spelled(parts: dict[tuple[str, ...], frozenset[str]]) -> str:
    ways = ((role, ".".join(path).replace(".[]", "[]")) for path, roles in parts.items() for role in roles)
    return ", ".join(sorted(f"{role}: {way}" if way else role for role, way in ways))


@pytest.fixture(scope="module")
def parts(engines) -> dict[str, str]:
    lines = textwrap.indent("\n".join(PARTS), " " * 8)
    loader = {"sglang.srt.model_loader.utils": "def get_model_architecture(model_config):\n    return None, None\n"}
    found = engines({MODULE: WORKER.replace("{lines}", lines), **loader})
    function = found.function(MODULE, "NGRAMWorker.__init__")
    steps = [step for step in function.facts.body.steps if isinstance(step, facts.Evaluate)][-len(PARTS) :]

    return {
        text: spelled(found.receivers.parts(step.value, function, step))
        for text, step in zip(PARTS, steps, strict=True)
    }


# What a function's own parameters are to it, of all that its callers hand over.
INSIDE_CALLS = """
any_part(model.a)
any_part(model.b)
part_or_nothing(model.a)
part_or_nothing(None)
part_or_model(model.a)
part_or_model(draft)
perhaps_another_part(model.a if gpu_id else model.b)
perhaps_nothing(model.a if gpu_id else None)
perhaps_a_model(model.a if gpu_id else draft)
perhaps_a_box(model.a if gpu_id else Box(1))
perhaps_both_models(model if gpu_id else draft)
boxed(Box(draft))
again_and_again(model)
by_name_or_place(model, two=draft)
by_name_or_place(two=model, one=model)
one_known(self.draft.model_runner)
one_known(stranger)
"""
INSIDE = {
    "any_part(part)": {"part": "target: a, target: b", "part.weight": "target: a.weight, target: b.weight"},
    "part_or_nothing(part)": {"part": "target: a", "part.weight": "target: a.weight"},
    "part_or_model(part)": {"part": "draft, target: a", "part.weight": "draft: weight, target: a.weight"},
    # one argument that may be several: that it may be a part is known, and not which
    "perhaps_another_part(part)": {"part": "target: …", "part.weight": ""},
    "perhaps_nothing(part)": {"part": "target: a"},
    "perhaps_a_model(part)": {"part": "draft, target: …"},
    "perhaps_a_box(part)": {"part": "target: …"},
    "perhaps_both_models(one)": {"one": "draft, target"},
    "said_to_be(thing: TpModelWorker)": {"thing.model_runner.model": "both"},
    "of_target(target_worker)": {"target_worker.model_runner.model": "target"},
    "of_another(target_worker: Box)": {"target_worker.model_runner.model": "target", "target_worker.kept": ""},
    "of_own_kind(target_worker: Eager)": {"target_worker.draft_model_runner.model": "draft"},
    "boxed(box: Box)": {"box.kept": "draft"},
    "nobody_calls(thing, model)": {"thing": "", "model": "", "thing.model": ""},
    "again_and_again(thing)": {"again_and_again(thing)": "", "thing": "target"},
    "only_by_itself(thing)": {"only_by_itself(thing)": "", "thing": ""},
    "by_name_or_place(one, two)": {"one": "target", "two": "draft, target"},
    "one_known(runner)": {"runner.model": "draft"},
    "left_out(worker: Optional[TpModelWorker] = None)": {"worker.model_runner.model": "both"},
    "with_default(worker=draft_of_all)": {"worker.model_runner.model": "draft"},
}


@pytest.fixture(scope="module")
def inside(engines) -> dict[tuple[str, str], str]:
    bodies = (f"def {head}:\n{textwrap.indent(chr(10).join(those), '    ')}\n" for head, those in INSIDE.items())
    text = WORKER.replace("{lines}", textwrap.indent(INSIDE_CALLS, " " * 8)) + "\n".join(["", *bodies])
    found = engines({MODULE: text})
    told = {}
    for head, those in INSIDE.items():
        function = found.function(MODULE, head.partition("(")[0])
        for expr, step in zip(those, function.facts.body.steps, strict=True):
            told[head, expr] = spelled(found.receivers.parts(step.value, function, step))
    return told


@pytest.mark.parametrize(("head", "expr"), [(head, expr) for head, those in INSIDE.items() for expr in those])
def test_what_a_parameter_is_to_its_function(inside, head: str, expr: str) -> None:
    assert inside[head, expr] == INSIDE[head][expr]


def test_the_routine_that_wrappers_hand_their_language_model_to(engines) -> None:
    name = "general_mm_embed_routine"
    text = f"def {name}(input_ids, language_model, other):\n    language_model.hook\n    other\n"
    text += (
        f"def another(language_model):\n    language_model.hook\n\nclass C:\n    def {name}(self, language_model):\n"
    )
    found = engines({"sglang.srt.managers.mm_utils": text + "        language_model.hook\n"})
    told = {}
    for qualname in (name, "another", f"C.{name}"):
        function = found.function("sglang.srt.managers.mm_utils", qualname)
        told[qualname] = [spelled(found.receivers.parts(s.value, function, s)) for s in function.facts.body.steps]
    assert told == {name: ["inner: hook", ""], "another": [""], f"C.{name}": [""]}


@pytest.mark.parametrize("text", PARTS)
def test_whose_model_or_part(parts: dict[str, str], text: str) -> None:
    assert parts[text] == PARTS[text]


# Who calls a function: the calls, as they are written, in the functions `ask…` of one module.
CALLS = """
from functools import partial
from sglang.srt.managers.tp_worker import TpModelWorker

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

class Worker(TpModelWorker):
    def __init__(self, x):
        pass

def build(worker_class: type[Worker], other_cls, made_class_of):
    worker_class(15)
    other_cls(16)
    made_class_of(17)

class Local:
    def named(self, named):
        named(18)

    def asks(self):
        self.named(19)
        for named in []:
            named(20)

def named(x):
    def inner():
        named(21)
    return x

def over(base: Base, heir: Heir):
    Heir.run(heir, 22)

class HeirOfHeir(Heir):
    def nobody(self):
        pass

def below(it: HeirOfHeir):
    it.run(24)
    it.only()

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
    "Heir.run": [
        *("self.run(2)", "base.run(1)", "heir.run(3)", "Heir.run(heir, 22)", "it.run(24)"),
    ],
    "Stranger.run": ["stranger.run(4)"],
    "Base.build": ["Base.build(7)", "base.build(8)"],
    "Base.plain": ["Base.plain(9)"],
    "Base.only": ["self.only()", "unknown.only()", "it.only()"],
    "Base.__init__": ["super().__init__(3)", "Base(12)"],
    "Own.__init__": ["Own()"],
    "Stranger.__init__": ["Stranger(14)"],
    "Worker.__init__": ["worker_class(15)"],
    "Local.named": ["self.named(19)"],
    "named": ["named(21)"],
    "HeirOfHeir.nobody": [],
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
    "Heir.run(heir, 22)": "self=heir x=22",
    "it.run(24)": "x=24",
    "worker_class(15)": "x=15",
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
