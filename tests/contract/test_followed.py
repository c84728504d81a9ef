"""Ways in which a model reaches the line that asks it: callables that are kept, partials, names given in passing.

Each snippet stands in the worker of the small tree that asks nothing by itself; `more` is beside it in the module.
"""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
import functools
from functools import partial
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs

{more}

class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        model = target_worker.model_runner.model
{snippet}

    def give(self):
        return self.target_worker.model_runner.model
"""
KEEPER = """
class Keeper:
    def __init__(self, get, other=None):
        self._get = get
        self.run()

    def run(self):
        self._get().hook()
"""
ASKER = """
def ask(first, model, times=1):
    return model.hook(times)
"""


@pytest.fixture
def asked(read, small_tree):
    """`asked(snippet, more="")`: what the worker asks of the target, as (member, use, strength)."""

    def ask(snippet: str, more: str = ""):
        text = WORKER.format(more=more, snippet=textwrap.indent(textwrap.dedent(snippet), "        "))
        found = read(small_tree, {MODULE: text})
        return {(r.member, r.use, r.strength) for r in found.contract.requirements if "NGRAM" in r.algorithms}

    return ask


KEPT = {
    "a lambda by keyword": ("Keeper(get=lambda: model)", KEEPER),
    "a lambda by position": ("Keeper(lambda: self.target_worker.model_runner.model)", KEEPER),
    "a lambda in a local": ("get = lambda: model\nget().hook()", ""),
    "a lambda that asks": ("self.later = lambda: model.hook()", ""),
    "a lambda with a parameter": ("(lambda one: one.hook())(model)", ""),
    "a lambda handed to what calls it": (
        "apply(lambda one: one.hook(), model)",
        "def apply(what, to):\n    what(to)\n",
    ),
    "a lambda kept in a table": ("table = {'a': lambda: model}\ntable['a']().hook()", ""),
    "a function within": ("def get():\n    return model\nKeeper(get)", KEEPER),
    "a bound method": ("Keeper(self.give)", KEEPER),
    "a bound method in a local": ("get = self.give\nget().hook()", ""),
    "a bound method in a table": ("for get in (self.give,):\n    get().hook()", ""),
    "a partial by position": ("partial(ask, 1, model)()", ASKER),
    "a partial that is kept": ("self.later = functools.partial(ask, 1)\nself.later(model)", ASKER),
    "a partial by keyword": ("kept = partial(ask, model=model)\nkept(1)", ASKER),
    "a partial of a partial": ("partial(partial(ask, 1), model)(times=2)", ASKER),
    "a partial that gives the model": ("Keeper(partial(give, model))", KEEPER + "def give(one):\n    return one\n"),
    "a partial handed to what calls it": (
        "apply(partial(ask, 1), model)",
        ASKER + "def apply(what, to):\n    what(to)\n",
    ),
    "a name given in passing": ("if (found := model) is not None:\n    found.hook()", ""),
    "a name given in a call": ("print(found := self.target_worker.model_runner.model)\nfound.hook()", ""),
    "a name given in a loop": ("while (found := model):\n    found.hook()", ""),
    "a name given and used at once": ("self.x = (found := model) and found.hook()", ""),
    "a comprehension over models": ("self.x = [one.hook() for one in (model,)]", ""),
    "a generator over pairs": ("self.x = any(one.hook() for _, one in enumerate([model]))", ""),
    "a dict of models": ("self.x = {k: one.hook() for k, one in {'a': model}.items()}", ""),
}


HOLDING = """
import contextlib


class Holding:
    def __init__(self, one):
        self.one = one

    def __enter__(self):
        return self.one

    def __exit__(self, *args):
        pass


@contextlib.contextmanager
def holding(one):
    yield one


@contextlib.contextmanager
def holding_more(one):
    yield 1, one


def models(one):
    yield one


def all_of(one):
    yield from models(one)
"""
SIDES_OF = """
from collections import namedtuple
from typing import NamedTuple

Pair = namedtuple("Pair", ["target", "draft"])
Words = namedtuple("Words", "target, draft")
Typed = NamedTuple("Typed", [("target", object), ("draft", object)])


class Written(NamedTuple):
    target: object
    draft: object = None


class Heir(namedtuple("Base", "target draft")):
    pass
"""
ONE = "def one(model):\n    return model.hook()\n"
RUNNER = "from sglang.srt.model_executor.model_runner import ModelRunner\n"
OWN_FIELD = """
import dataclasses
from sglang.srt.model_executor.model_runner import ModelRunner


@dataclasses.dataclass
class Asker:
    worker: TpModelWorker
    runner: ModelRunner | None = None

    def ask(self):
        self.worker.model_runner.model.hook()
"""
KEPT |= {
    "a method caller": ("import operator\noperator.methodcaller('hook', 1)(model)", ""),
    "a method caller that is kept": ("from operator import methodcaller\nask = methodcaller('hook')\nask(model)", ""),
    "a case that names the model": ("match model:\n    case found:\n        found.hook()", ""),
    "a case that takes a pair apart": ("match (1, model):\n    case (1, found):\n        found.hook()", ""),
    "a case that takes a dict apart": ("match {'t': model}:\n    case {'t': found}:\n        found.hook()", ""),
    "a case of an attribute": (
        "match self.target_worker.model_runner:\n    case ModelRunner(model=found):\n        found.hook()",
        RUNNER,
    ),
    "what is mapped": ("list(map(lambda one: one.hook(), [model]))", ""),
    "a function that is mapped": ("list(map(one, [model]))", ONE),
    "what is mapped by a pool": ("self.pool.map(one, [model])", ONE),
    "what filters": ("list(filter(one, [model]))", ONE),
    "what sorts": ("sorted([model], key=lambda one: one.hook())", ""),
    "what folds": ("functools.reduce(lambda a, one: one.hook(), [model], 1)", ""),
    "a thread": ("import threading\nthreading.Thread(target=one, args=(model,)).start()", ONE),
    "a thread by keyword": ("import threading\nthreading.Thread(target=one, kwargs={'model': model}).start()", ONE),
    "what is submitted": ("self.pool.submit(one, model)", ONE),
    "a record": ("Pair(target=model, draft=None).target.hook()", SIDES_OF),
    "a record by position": ("pair = Words(model, None)\npair.target.hook()", SIDES_OF),
    "a record that is unpacked": ("target, _ = Typed(model, None)\ntarget.hook()", SIDES_OF),
    "a record by number": ("Written(model)[0].hook()", SIDES_OF),
    "a record that is gone through": ("for one in Written(model):\n    one.hook()", SIDES_OF),
    "an heir of a record": ("target, _ = Heir(model, None)\ntarget.hook()", SIDES_OF),
    "a namespace": ("import types\nsides = types.SimpleNamespace(target=model)\nsides.target.hook()", ""),
    "a context manager": ("with Holding(model) as found:\n    found.hook()", HOLDING),
    "a function as context manager": ("with holding(model) as found:\n    found.hook()", HOLDING),
    "a context that is unpacked": ("with holding_more(model) as (_, found):\n    found.hook()", HOLDING),
    "a null context": ("import contextlib\nwith contextlib.nullcontext(model) as found:\n    found.hook()", ""),
    "an exit stack": (
        "with contextlib.ExitStack() as stack:\n    found = stack.enter_context(holding(model))\n    found.hook()",
        HOLDING,
    ),
    "what is yielded": ("for one in models(model):\n    one.hook()", HOLDING),
    "what is yielded on": ("for one in all_of(model):\n    one.hook()", HOLDING),
    "a weak reference": ("import weakref\nkept = weakref.ref(model)\nkept().hook()", ""),
    "a list that is filled": ("kept = []\nkept.append(model)\nkept[0].hook()", ""),
    "a dict that is filled": ("kept = {}\nkept['a'] = model\nkept['a'].hook()", ""),
    "a list on the worker": ("self.kept = []\nself.kept.append(model)\nfor one in self.kept:\n    one.hook()", ""),
    "a dict on the worker": ("self.kept = {}\nself.kept['a'] = model\nself.kept['a'].hook()", ""),
    "a default of a function within": ("def one(found=model):\n    found.hook()\none()", ""),
    "a default of a lambda": ("later = lambda found=model: found.hook()\nlater()", ""),
    "a field that is annotated": ("Asker(target_worker).ask()", OWN_FIELD),
    "an attribute of the class": ("NGRAMWorker.kept = model\nself.kept.hook()", ""),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_line_that_asks_is_found(asked, name: str) -> None:
    snippet, more = KEPT[name]
    assert ("hook", "call", "required") in asked(snippet, more)


HELPERS = """
def take(head):
    return head.weight


def take_on(head):
    return take_later(head)


def take_later(head):
    return head.weight


def take_special(head):
    return head.inner if isinstance(head, Special) else None
"""
READ = {
    "an attribute getter": ("import operator\noperator.attrgetter('hook')(model)", ""),
    "an attribute getter that is kept": ("from operator import attrgetter\nget = attrgetter('hook')\nget(model)", ""),
    "one of several": ("from operator import attrgetter\nself.x, self.y = attrgetter('hook', 'other')(model)", ""),
    "an attribute getter that is mapped": (
        "from operator import attrgetter\nlist(map(attrgetter('hook'), [model]))",
        "",
    ),
    "getattr, handed over ahead": ("partial(getattr, model, 'hook')()", ""),
    "getattr, the name later": ("get = functools.partial(getattr, model)\nget('hook')", ""),
}


@pytest.mark.parametrize("name", READ)
def test_a_callable_that_reads_is_found(asked, name: str) -> None:
    snippet, more = READ[name]
    assert ("hook", "read", "required") in asked(snippet, more)


def test_a_default_makes_a_getter_optional(asked) -> None:
    assert ("hook", "read", "optional") in asked("partial(getattr, model, 'hook', None)()")


def test_a_setter_that_is_handed_over_ahead_writes(asked) -> None:
    assert ("hook", "write", "required") in asked("partial(setattr, model, 'hook')(1)")


CASES = {
    "the model": ("case found:", "required"),
    "a type": ("case Special() as found:", "optional"),
    "a guard": ("case found if hasattr(found, 'hook'):", "optional"),
    "behind None": ("case None:\n        pass\n    case found:", "required"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_asks_as_its_pattern_does(asked, name: str) -> None:
    case, strength = CASES[name]
    assert ("hook", "call", strength) in asked(f"match model:\n    {case}\n        found.hook()")


def test_a_copy_that_is_written_to_is_not_the_model(asked) -> None:
    assert not {use for _, use, _ in asked("import copy\nconfig = copy.deepcopy(model.config)\nconfig.x = 1")} & {
        "write"
    }


PARTS = {
    "handed to a helper": (
        "take(model.head)",
        {("head", "read", "required"), ("head.weight", "read", "required")},
    ),
    "an alias that is handed on": (
        "head = model.head\ntake(head=head)",
        {("head", "read", "required"), ("head.weight", "read", "required")},
    ),
    "handed on twice": (
        "take_on(model.head)",
        {("head", "read", "required"), ("head.weight", "read", "required")},
    ),
    "looked at before it is handed on": (
        "head = getattr(model, 'head', None)\nif head is not None:\n    take(head)",
        {("head", "read", "optional"), ("head.weight", "read", "conditional")},
    ),
    "of a type, in the helper": (
        "take_special(model.head)",
        {("head", "read", "required"), ("head.inner", "read", "optional")},
    ),
    "a part of a part": ("model.model.hook()", {("model", "read", "required"), ("model.hook", "call", "required")}),
    "a part of a member": (
        "self.x = model.lm_head.weight",
        {("lm_head", "read", "required"), ("lm_head.weight", "read", "required")},
    ),
    "an alias of a part": (
        "body = model.model\nbody.hook()",
        {("model", "read", "required"), ("model.hook", "call", "required")},
    ),
    "an element": (
        "for one in model.layers:\n    one.attn()",
        {("layers", "read", "required"), ("layers[].attn", "call", "required")},
    ),
    "an element by number": (
        "model.layers[0].attn()",
        {("layers", "read", "required"), ("layers[].attn", "call", "required")},
    ),
    "a method of a member": (
        "self.x = model.table.keys()",
        {("table", "read", "required"), ("table.keys", "call", "required")},
    ),
    "guarded": (
        "head = getattr(model, 'head', None)\nif hasattr(head, 'weight'):\n    self.x = head.weight",
        {("head", "read", "optional"), ("head.weight", "read", "optional")},
    ),
    "of what None stands for": (
        "head = getattr(model, 'head', None)\nself.x = head.weight",
        {("head", "read", "optional"), ("head.weight", "read", "required")},
    ),
    "of what something else stands for": (
        "table = getattr(model, 'table', {})\nself.x = table.hook()",
        {("table", "read", "optional"), ("table.hook", "call", "conditional")},
    ),
    "one of two ways": (
        "body = getattr(model, 'inner', model)\nbody.hook()",
        {("inner", "read", "optional"), ("inner.hook", "call", "any-of"), ("hook", "call", "any-of")},
    ),
    "a part in a nested function": (
        "body = model.model.layers\ndef later(i):\n    return body[i].attn\nself.x = later(0)",
        {
            ("model", "read", "required"),
            ("model.layers", "read", "required"),
            ("model.layers[].attn", "read", "required"),
        },
    ),
    "a name of its own in a nested function": (
        "body = model.model\ndef later(body):\n    return body.attn\nself.x = later(0)",
        {("model", "read", "required")},
    ),
    "a write into a part": (
        "model.head.weight = 1",
        {("head", "read", "required"), ("head.weight", "write", "required")},
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_requirement_has_a_path(asked, name: str) -> None:
    snippet, expected = PARTS[name]
    assert asked(snippet, HELPERS) == expected


NAMES = {
    "a loop over names": ("for name in ('hook', 'other'):\n    getattr(model, name)()", ("call", "required")),
    "a loop over pairs": (
        "for name, n in (('hook', 1), ('other', 2)):\n    getattr(model, name)(n)",
        ("call", "required"),
    ),
    "a table": ("for name in {'hook': 1, 'other': 2}:\n    getattr(model, name)()", ("call", "required")),
    "a comprehension": ("self.x = [getattr(model, name) for name in ('hook', 'other')]", ("read", "required")),
    "guarded in a loop": (
        "for name in ('hook', 'other'):\n    if hasattr(model, name):\n        getattr(model, name)()",
        ("call", "optional"),
    ),
    "insisted on in a loop": (
        "for name in ('hook', 'other'):\n    if not hasattr(model, name):\n        raise ValueError(name)",
        ("read", "raises"),
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_out_of_a_loop(asked, name: str) -> None:
    snippet, (use, strength) = NAMES[name]
    assert {("hook", use, strength), ("other", use, strength)} <= asked(snippet)


SIDES = {
    "a tuple": "for one in (target, draft):\n    one.hook()",
    "a list that is kept": "both = [target, draft]\nfor one in both:\n    one.hook()",
    "pairs": "for kind, one in (('t', target), ('d', draft)):\n    one.hook()",
    "a comprehension": "self.x = [one.hook() for one in (target, draft)]",
}


@pytest.mark.parametrize("name", SIDES)
def test_what_is_asked_of_both_models_is_asked_of_each(read, small_tree, name: str) -> None:
    made = (
        "self.draft = TpModelWorker(server_args=server_args, gpu_id=gpu_id, is_draft_worker=True)\n"
        "target, draft = self.target_worker.model_runner.model, self.draft.model_runner.model\n"
    )
    text = WORKER.format(more="", snippet=textwrap.indent(made + SIDES[name], "        "))
    found = read(small_tree, {MODULE: text})
    assert {r.role for r in found.of("hook")} == {"target", "draft"}
    assert {r.strength for r in found.of("hook")} == {"required"}
