"""Algorithms that are registered by a call, in every form in which that can be written, and files named as callers."""

from __future__ import annotations

import textwrap

import pytest

from specint.facts.store import Store
from specint.pipeline import analyze, contract_read
from specint.source.tree import Origin, TextTree

REGISTRY = """
def register_algorithm(name, factory=None, **options):
    def keep(made):
        return made
    return keep if factory is None else keep(factory)


"""
WORKER = """
from functools import partial
from sglang.srt.speculative import spec_registry
from sglang.srt.speculative.ngram_worker import NGRAMWorker
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm
from sglang.srt.speculative.spec_registry import register_algorithm as _register


class OwnWorker(NGRAMWorker):
    def __init__(self, server_args, gpu_id, target_worker):
        super().__init__(server_args, gpu_id, target_worker)
        target_worker.model_runner.model.own_hook()


class OtherWorker(NGRAMWorker):
    def __init__(self, server_args, gpu_id, target_worker):
        super().__init__(server_args, gpu_id, target_worker)
        target_worker.model_runner.model.other_hook()


def make(server_args):
    return OwnWorker


def make_other(server_args):
    return OtherWorker


{forms}
"""
FORMS = {
    "a decorator": "@SpeculativeAlgorithm.register('OWN')\ndef factory(server_args):\n    return OwnWorker",
    "a decorated class": "@SpeculativeAlgorithm.register('OWN')\nclass Mine(OwnWorker):\n    pass",
    "a call of the call": "SpeculativeAlgorithm.register('OWN', supports_overlap=True)(make)",
    "a call of the call, with the class": "SpeculativeAlgorithm.register('OWN')(OwnWorker)",
    "a lambda": "SpeculativeAlgorithm.register('OWN')(lambda server_args: OwnWorker)",
    "a partial": "SpeculativeAlgorithm.register('OWN')(partial(make))",
    "the registry's function": "spec_registry.register_algorithm('OWN', OwnWorker)",
    "the registry's function under another name": "_register('OWN')(make)",
    "by keywords": "_register(name='OWN', factory=make)",
    "a name that is kept": "NAME = 'OWN'\n_register(NAME, make)",
    "a decorator that is kept": (
        "own = SpeculativeAlgorithm.register('OWN')\n\n@own\ndef factory(args):\n    return OwnWorker"
    ),
    "a decorator that is kept and called": "own = SpeculativeAlgorithm.register('OWN')\nown(make)",
    "the method under another name": "reg = SpeculativeAlgorithm.register\nreg('OWN')(make)",
    "a partial of the method": "reg = partial(SpeculativeAlgorithm.register, supports_overlap=True)\nreg('OWN')(make)",
    "a function that hands on": (
        "def mine(name):\n    return SpeculativeAlgorithm.register(name)\n\n@mine('OWN')\ndef factory(args):\n"
        "    return OwnWorker"
    ),
    "a loop over names": "for name in ('OWN', 'SAME'):\n    SpeculativeAlgorithm.register(name)(make)",
    "a loop over pairs": (
        "for name, made in (('OTHER', make_other), ('OWN', make)):\n    SpeculativeAlgorithm.register(name)(made)"
    ),
    "a loop over a table": (
        "TABLE = {'OTHER': OtherWorker, 'OWN': OwnWorker}\nfor name, made in TABLE.items():\n    _register(name, made)"
    ),
    "in a function that a loader calls": "def plugin():\n    SpeculativeAlgorithm.register('OWN')(make)",
    "a class that behaves as one": (
        "class Own:\n    def is_eagle(self):\n        return False\n    def create_worker(self, server_args):\n"
        "        return OwnWorker\n\n_register('OWN', spec_class=Own)"
    ),
    "a worker that hands all on": (
        "class Open(OwnWorker):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"
        "_register('OWN', Open)"
    ),
}


def tree_with(small_tree, path: str, text: str):
    base = small_tree.overlay({"sglang.srt.speculative.spec_registry": REGISTRY})
    return base.beside(TextTree({path: text.encode()}, Origin(version="", source=""), "own"))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_registers(small_tree, tmp_path, form: str) -> None:
    tree = tree_with(small_tree, "own/worker.py", WORKER.format(forms=FORMS[form]))
    contract, said = contract_read(tree, store=Store(tmp_path), callers=tuple(tree.files("own")), jobs=1)
    hooks = {r.member: r.algorithms for r in contract.requirements if r.member in ("own_hook", "other_hook")}
    assert "OWN" in hooks.get("own_hook", ())
    assert "OTHER" not in hooks["own_hook"]
    assert "OWN" not in hooks.get("other_hook", ())
    assert not said


UNREAD = {
    "it takes all it gets": "class W:\n    def __init__(self, **kwargs):\n        kwargs['target_worker'].go()",
    "its factory computes it": "def W(args):\n    return globals()[args.worker]",
    "it comes from elsewhere": "from elsewhere import W",
}


@pytest.mark.parametrize("why", UNREAD)
def test_what_is_not_known_is_never_ok(small_tree, tmp_path, why: str) -> None:
    text = WORKER.format(forms=f"{UNREAD[why]}\n\nSpeculativeAlgorithm.register('OWN')(W)")
    tree = tree_with(small_tree, "own/worker.py", text)
    analysis = analyze(tree, store=Store(tmp_path), callers=tuple(tree.files("own")), jobs=1)
    words = {model.algorithms["OWN"].verdict for model in analysis.models}
    assert "ok" not in words
    assert "unknown" in words
    assert [one.file for one in analysis.diagnostics if "OWN" in one.what and one.severity == "error"] == [
        "own/worker.py"
    ]


SILENT = {
    "nothing at all": ("x = 1", True),
    "only names": ("from sglang.srt.managers.tp_worker import TpModelWorker", True),
    "a model that can't be followed": ("def go(things):\n    things[0].hook()", True),
    "what holds a runner": (
        "from sglang.srt.model_executor.model_runner import ModelRunner\n\n\nclass Recorder:\n"
        "    def __init__(self, runner: ModelRunner):\n        self.runner = runner\n\n"
        "    def start(self):\n        self.runner.model.record_hook()",
        False,
    ),
    "what is handed a worker": (
        "def go(target_worker):\n    target_worker.model_runner.model.record_hook()",
        False,
    ),
    "what registers": ("from sglang.srt.speculative.spec_info import SpeculativeAlgorithm\n\n"
                       "@SpeculativeAlgorithm.register('OWN')\nclass W:\n    def __init__(self, target_worker):\n"
                       "        self.t = target_worker", False),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_a_caller_that_adds_nothing_is_told(small_tree, tmp_path, name: str) -> None:
    text, told = SILENT[name]
    tree = tree_with(small_tree, "own/caller.py", textwrap.dedent(text))
    _, said = contract_read(tree, store=Store(tmp_path), callers=tuple(tree.files("own")), jobs=1)
    assert [(one.file, one.severity) for one in said] == ([("own/caller.py", "warning")] if told else [])


@pytest.mark.parametrize("interface", ["speculative", "eplb", "runtime"])
def test_what_a_named_caller_asks_counts_in_every_interface(small_tree, tmp_path, interface: str) -> None:
    tree = tree_with(small_tree, "own/caller.py", SILENT["what holds a runner"][0])
    found, _ = contract_read(
        tree, store=Store(tmp_path), callers=tuple(tree.files("own")), interfaces=(interface,), jobs=1
    )
    assert "record_hook" in {one.member for one in found.requirements}


def test_an_algorithm_that_a_fork_registers_in_a_package_of_its_own(small_tree, read) -> None:
    text = (
        "from sglang.srt.speculative.race.worker import RaceWorker\n"
        "from sglang.srt.speculative.spec_info import SpeculativeAlgorithm\n\n"
        "@SpeculativeAlgorithm.register('RACE')\ndef _factory(args):\n    return RaceWorker\n"
    )
    worker = (
        "from sglang.srt.speculative.ngram_worker import NGRAMWorker\n\n\nclass RaceWorker(NGRAMWorker):\n"
        "    def __init__(self, server_args, gpu_id, target_worker):\n"
        "        super().__init__(server_args, gpu_id, target_worker)\n"
        "        target_worker.model_runner.model.race_hook()\n"
    )
    found = read(small_tree, {"sglang.srt.speculative.race": text, "sglang.srt.speculative.race.worker": worker})
    assert found.algorithms("race_hook") == {"RACE"}
