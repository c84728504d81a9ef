"""What schedulers ask of workers: under which names, under which conditions, and which classes don't answer."""

from __future__ import annotations

import textwrap

import pytest

SCHEDULER = "sglang.srt.managers.scheduler"
WORKER = "sglang.srt.speculative.ngram_worker"
STEP = """
    def step(self, batch, proxy):
{body}
"""
CLASS = """
from sglang.srt.managers.tp_worker import TpModelWorker


class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker

{methods}
"""
UNANSWERED = {
    "it has no such method": ("self.draft_worker.go(batch)", "", "has no go"),
    "it doesn't take a keyword": (
        "self.draft_worker.go(batch, proxy=proxy)", "def go(self, batch): pass", "doesn't take proxy"
    ),
    "it takes fewer": ("self.draft_worker.go(batch, proxy)", "def go(self, batch): pass", "takes at most 1"),
    "it needs more": ("self.draft_worker.go(batch)", "def go(self, batch, proxy): pass", "needs proxy"),
    "by an alias": ("worker = self.draft_worker\nworker.go(batch)", "", "has no go"),
    "by another name": (
        "self.model_worker = self.draft_worker or self.tp_worker\nself.model_worker.go(1)", "", "has no go"
    ),
    "a read": ("return self.draft_worker.pool", "", "has no pool"),
    "under its algorithm": ("if self.spec_algorithm.is_ngram():\n    self.draft_worker.go(batch)", "", "has no go"),
    "where there is a worker": ("if self.draft_worker is not None:\n    self.draft_worker.go(batch)", "", "has no go"),
}  # fmt: skip
ANSWERED = {
    "it has the method": ("self.draft_worker.go(batch)", "def go(self, batch): pass"),
    "it takes all": ("self.draft_worker.go(batch, proxy=proxy)", "def go(self, batch, **kwargs): pass"),
    "it is a property": ("return self.draft_worker.pool", "@property\ndef pool(self): return 1"),
    "it is set on itself": ("return self.draft_worker.pool", "def fill(self):\n    self.pool = 1"),
    "it answers for all": ("return self.draft_worker.pool", "def __getattr__(self, name): return 1"),
    "it is looked for": ("if hasattr(self.draft_worker, 'go'):\n    self.draft_worker.go(batch)", ""),
    "its lack is caught": ("try:\n    self.draft_worker.go(batch)\nexcept AttributeError:\n    pass", ""),
    "another algorithm's": ("if self.spec_algorithm.is_eagle():\n    self.draft_worker.go(batch)", ""),
    "a part of another worker": ("return self.draft_worker.draft_worker.pool", "draft_worker = None"),
}  # fmt: skip


def lacking(read, small_tree, body: str, methods: str) -> list[str]:
    text = small_tree.read(small_tree.find(SCHEDULER)).decode()
    step = STEP.format(body=textwrap.indent(body, "        "))
    worker = CLASS.format(methods=textwrap.indent(methods, "    "))
    found = read(small_tree, {SCHEDULER: text + step, WORKER: worker})
    return [
        one.reason
        for demand in found.contract.demands
        for one in demand.lacking
        if one.class_.endswith(".NGRAMWorker") and one.algorithms == ("NGRAM",)
    ]


@pytest.mark.parametrize("name", UNANSWERED)
def test_a_worker_that_does_not_answer(read, small_tree, name: str) -> None:
    body, methods, reason = UNANSWERED[name]
    (found,) = lacking(read, small_tree, body, methods)
    assert found.startswith(reason)


@pytest.mark.parametrize("name", ANSWERED)
def test_a_worker_that_answers(read, small_tree, name: str) -> None:
    assert lacking(read, small_tree, *ANSWERED[name]) == []
