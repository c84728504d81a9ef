"""What a module registers as an algorithm: one form a line, as a plugin may write it."""

from __future__ import annotations

import pytest

from specint.contract.registrations import Registration, may_register, registrations

MODULE = "sglang.srt.speculative.plugin"
HEAD = """
import functools
from functools import partial
from sglang.srt.speculative import spec_info
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

class Worker:
    pass

class Other:
    pass

class Own:
    def is_eagle(self):
        return True

def make(args):
    return Worker

WORD = "deep"
NAME = "LATE"
MAKE = lambda args: Worker

def register_worker(name, worker=None):
    return SpeculativeAlgorithm.register(name, worker)

def unrelated(name, worker):
    return worker

"""
PLAIN = {"X": "Worker"}
FORMS = {
    "a call": ("SpeculativeAlgorithm.register('x', Worker)", PLAIN),
    "by the module": ("spec_info.SpeculativeAlgorithm.register('x', Worker)", PLAIN),
    "by keyword": ("SpeculativeAlgorithm.register(name='x', worker=Worker)", PLAIN),
    "another method that says so": ("SpeculativeAlgorithm.register_worker('x', Worker)", PLAIN),
    "a method that doesn't": ("SpeculativeAlgorithm.from_string('x', Worker)", {}),
    "of another class": ("Other.register('x', Worker)", {}),
    "a function of the workers' package": ("register_worker('x', Worker)", PLAIN),
    "a function that doesn't say so": ("unrelated('x', Worker)", {}),
    "a function that hands on": (
        "def put(name, worker):\n    return SpeculativeAlgorithm.register(name, worker)\n\nput('x', Worker)",
        PLAIN,
    ),
    "a function that does more": (
        "def put(name, worker):\n    if name:\n        return None\n"
        "    return SpeculativeAlgorithm.register(name, worker)\n\nput('x', Worker)",
        {},
    ),
    "a function that hands on something else": (
        "def put(name, worker):\n    return SpeculativeAlgorithm.register(worker, name)\n\nput('x', Worker)",
        {},
    ),
    "another name for it": ("put = SpeculativeAlgorithm.register\nput('x', Worker)", PLAIN),
    "a partial of it": ("put = partial(SpeculativeAlgorithm.register, 'x')\nput('x', Worker)", PLAIN),
    "a partial by its module": ("put = functools.partial(register_worker)\nput('x', Worker)", PLAIN),
    "no partial": ("put = list(register_worker)\nput('x', Worker)", {}),
    "in a function": ("def load():\n    SpeculativeAlgorithm.register('x', Worker)", PLAIN),
    "in a method": ("class L:\n    def load(self):\n        SpeculativeAlgorithm.register('x', Worker)", PLAIN),
    "in a function of a function": (
        "def load():\n    def later():\n        SpeculativeAlgorithm.register('x', Worker)",
        PLAIN,
    ),
    "a name of the module": ("SpeculativeAlgorithm.register(NAME, Worker)", {"LATE": "Worker"}),
    "no name": ("SpeculativeAlgorithm.register()", {}),
    "a name that isn't known": ("SpeculativeAlgorithm.register(make(1), Worker)", {}),
    "a text that is no name": ("SpeculativeAlgorithm.register('a b', Worker)", {}),
    "nothing but a name": ("SpeculativeAlgorithm.register('x')", {"X": ""}),
    "with other names": (
        "SpeculativeAlgorithm.register('x', Worker, aliases=['y', 'z'])",
        {"X": "Worker, also y z"},
    ),
    "with words": (
        "SpeculativeAlgorithm.register('x', Worker, kind='fast', more=WORD)",
        {"X": "Worker, words DEEP FAST"},
    ),
    "with a function": ("SpeculativeAlgorithm.register('x', make)", {"X": "make"}),
    "with a lambda": ("SpeculativeAlgorithm.register('x', lambda args: Worker)", {"X": "<lambda>"}),
    "with a name for a lambda": ("SpeculativeAlgorithm.register('x', MAKE)", {"X": "<lambda>"}),
    "with a partial": ("SpeculativeAlgorithm.register('x', partial(make, 1))", {"X": "make"}),
    "with what is no partial": ("SpeculativeAlgorithm.register('x', list(make))", {"X": ""}),
    "with a class that answers": ("SpeculativeAlgorithm.register('x', Worker, Own)", {"X": "Worker, as Own"}),
    "applied at once": ("SpeculativeAlgorithm.register('x')(Worker)", PLAIN),
    "applied later": ("put = SpeculativeAlgorithm.register('x')\nput(Worker)", PLAIN),
    "as a decorator of a class": (
        "@SpeculativeAlgorithm.register('x')\nclass Mine:\n    pass",
        {"X": "Mine"},
    ),
    "as a decorator of a function": (
        "@SpeculativeAlgorithm.register('x')\ndef mine(args):\n    return Worker",
        {"X": "mine"},
    ),
    "as a decorator that was kept": (
        "put = SpeculativeAlgorithm.register('x')\n\n@put\nclass Mine:\n    pass",
        {"X": "Mine"},
    ),
    "another decorator": ("@partial\nclass Mine:\n    pass", {}),
    "in a loop over names": (
        "for name in ('x', 'y'):\n    SpeculativeAlgorithm.register(name, Worker)",
        {"X": "Worker", "Y": "Worker"},
    ),
    "in a loop over pairs": (
        "for name, worker in [('x', Worker), ('y', Other)]:\n    SpeculativeAlgorithm.register(name, worker)",
        {"X": "Worker", "Y": "Other"},
    ),
    "in a loop over a table": (
        "for name, worker in {'x': Worker, 'y': Other}.items():\n    SpeculativeAlgorithm.register(name, worker)",
        {"X": "Worker", "Y": "Other"},
    ),
    "in a loop in a loop": (
        "for name in ('x',):\n    for worker in (Worker, Other):\n        SpeculativeAlgorithm.register(name, worker)",
        {"X": "Worker Other"},
    ),
    "in a loop under a condition": (
        "for name in ('x', 'y'):\n    if name:\n        SpeculativeAlgorithm.register(name, Worker)",
        {"X": "Worker", "Y": "Worker"},
    ),
    "in a loop with other names": (
        "for name, more in (('x', ['z']),):\n    SpeculativeAlgorithm.register(name, Worker, aliases=more)",
        {"X": "Worker, also z"},
    ),
    "in a loop over a table's keys": (
        "for name in {'x': Worker, 'y': Other}:\n    SpeculativeAlgorithm.register(name, Worker)",
        {"X": "Worker", "Y": "Worker"},
    ),
    "in a loop over a named table": (
        "ALL = {'x': Worker}\nfor name, worker in ALL.items():\n    SpeculativeAlgorithm.register(name, worker)",
        PLAIN,
    ),
    "in a loop over a named list": (
        "ALL = ['x']\nfor name in ALL:\n    SpeculativeAlgorithm.register(name, Worker)",
        PLAIN,
    ),
    "in a loop over what another name is": (
        "ALL = ['x']\nTHOSE = ALL\nfor name in THOSE:\n    SpeculativeAlgorithm.register(name, Worker)",
        PLAIN,
    ),
    "in a loop over rows that aren't pairs": (
        "for name, worker in [('x', Worker, 1)]:\n    SpeculativeAlgorithm.register(name, worker)",
        {},
    ),
    "in a loop over nested pairs": (
        "for name, (one, two) in [('x', (Other, Worker))]:\n    SpeculativeAlgorithm.register(name, two)",
        PLAIN,
    ),
    "in a loop over a table that takes in another": (
        "for name, worker in {**OTHERS, 'x': Worker}.items():\n    SpeculativeAlgorithm.register(name, worker)",
        PLAIN,
    ),
    "in a loop over what a call gives": (
        "for name in make(1):\n    SpeculativeAlgorithm.register(name, Worker)",
        {},
    ),
    "behind a loop": (
        "for other in ('x', 'y'):\n    pass\nSpeculativeAlgorithm.register('z', Worker)",
        {"Z": "Worker"},
    ),
    "in a loop with a name in a list": (
        "for name, more in (('x', 'z'), ('y', 'w')):\n    SpeculativeAlgorithm.register(name, Worker, aliases=[more])",
        {"X": "Worker, also z", "Y": "Worker, also w"},
    ),
    "in a loop with a name that is put together": (
        "for name in ('x', 'y'):\n    SpeculativeAlgorithm.register(name, Worker, aliases=(f'{name}_fast',))",
        {"X": "Worker, also x_fast", "Y": "Worker, also y_fast"},
    ),
    "in a loop with a partial": (
        "for name, made in (('x', Worker), ('y', Other)):\n    SpeculativeAlgorithm.register(name, partial(made, 1))",
        {"X": "Worker", "Y": "Other"},
    ),
    "a name that is put together": ("SpeculativeAlgorithm.register(WORD + '_fast', Worker)", {"DEEP_FAST": "Worker"}),
    "a name that is put together of what isn't known": ("SpeculativeAlgorithm.register(f'{make}_x', Worker)", {}),
    "twice": (
        "SpeculativeAlgorithm.register('x', Worker, aliases=['y'])\n"
        "SpeculativeAlgorithm.register('X', Other, aliases=['z'], kind='k')",
        {"X": "Worker Other, also y z, words K"},
    ),
}


def told(one: Registration) -> str:
    words = " ".join(sorted(one.words - {one.name}))
    return ", ".join(
        filter(
            None,
            [
                " ".join(maker.name for maker in one.makers),
                one.aliases and f"also {' '.join(one.aliases)}",
                one.behaves_as and f"as {' '.join(node.name for node in one.behaves_as)}",
                words and f"words {words}",
            ],
        )
    )


@pytest.mark.parametrize("name", FORMS)
def test_what_is_registered(engines, name: str) -> None:
    text, expected = FORMS[name]
    found = engines({MODULE: HEAD + text})
    module = found.project.module(MODULE)
    registered = registrations(found.project, found.roots, [module])
    assert {algorithm: told(one) for algorithm, one in registered.items()} == expected
    assert all(one.name == algorithm and one.file == module.path for algorithm, one in registered.items())
    assert all(one.line > HEAD.count("\n") for one in registered.values())


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("register('x')", True),
        ("from a import register_worker", True),
        ("from a import b", False),
        ("def f():\n    register('x')", True),
        ("def f():\n    return thing.register", True),
        ("@register('x')\ndef f():\n    pass", True),
        ("@a.register\nclass C:\n    pass", True),
        ("class C:\n    @register\n    def f(self):\n        pass", True),
        ("def f():\n    return 'register'", False),
        ("x = 'register'", False),
        ("@other\nclass C:\n    pass", False),
    ],
)
def test_module_that_may_register(engines, text: str, speaks: bool) -> None:
    found = engines({MODULE: text})
    assert may_register(found.project.module(MODULE), found.code) is speaks
