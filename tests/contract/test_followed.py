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
