"""What a caller's constants decide: a line that no caller reaches asks for nothing, one that a caller reaches does."""

from __future__ import annotations

import textwrap

import pytest

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs

def ask(model, need=True, *, how=None):
    if need:
        model.hook()
    if how is not None:
        model.other()

def early(model, need):
    if not need:
        return
    model.hook()

def inner(model):
    model.hook()

def outer(model, need):
    if need:
        inner(model)

{more}
class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.server_args = server_args
        model = target_worker.model_runner.model
{snippet}
"""
THROUGH = "def through(model, needed):\n    outer(model, needed)\n"
CASES = {
    "ask(model)": {"hook"},
    "ask(model, False)": set(),
    "ask(model, need=False)": set(),
    "ask(model, need=None)": set(),
    "ask(model, False, how=1)": {"other"},
    "ask(model, how=None)": {"hook"},
    "ask(model, need=False)\nask(model)": {"hook"},
    "ask(model, server_args.x)": {"hook"},
    "ask(model, need=bool(gpu_id))": {"hook"},
    "early(model, False)": set(),
    "early(model, True)": {"hook"},
    "outer(model, False)": set(),
    "outer(model, True)": {"hook"},
    "through(model, None)": set(),
    "through(model, gpu_id)": {"hook"},
    "outer(model, False)\nouter(model, gpu_id > 1)": {"hook"},
}


@pytest.mark.parametrize("snippet", CASES)
def test_callers_constants_decide(read, small_tree, snippet: str) -> None:
    text = WORKER.format(more=THROUGH if "through" in snippet else "", snippet=textwrap.indent(snippet, "        "))
    found = read(small_tree, {MODULE: text})
    asked = [r for r in found.contract.requirements if "NGRAM" in r.algorithms and r.strength == "required"]
    assert {r.member for r in asked} == CASES[snippet]
