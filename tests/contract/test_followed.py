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


@pytest.mark.parametrize("name", KEPT)
def test_the_line_that_asks_is_found(asked, name: str) -> None:
    snippet, more = KEPT[name]
    assert ("hook", "call", "required") in asked(snippet, more)


PARTS = {
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
    assert asked(snippet) == expected


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
