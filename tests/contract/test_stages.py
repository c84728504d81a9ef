"""Algorithms that refuse several pipeline stages, and what is then asked of nobody."""

from __future__ import annotations

import textwrap

import pytest

OPTIONS = "sglang.srt.server_args"
SCHEDULER = "sglang.srt.managers.scheduler"
FIELDS = "    pp_size: int = 1\n    tp_size: int = 1\n    enable_mark: bool = False\n    mode: str = 'none'\n"
METHOD = "\n    def check(self):\n"

REFUSED = {
    "a raise for one": (
        "if self.speculative_algorithm == 'NGRAM' and self.pp_size > 1:\n    raise ValueError",
        {"NGRAM"},
    ),
    "an assert for one": ("if self.speculative_algorithm == 'NGRAM':\n    assert self.pp_size == 1", {"NGRAM"}),
    "nested": (
        "if self.pp_size != 1:\n    if self.speculative_algorithm.upper() == 'NGRAM':\n        raise",
        {"NGRAM"},
    ),
    "rows": ("if self.speculative_algorithm == 'NGRAM':\n    assert (self.tp_size, self.pp_size) == (1, 1)", {"NGRAM"}),
    "one of many": (
        "if self.speculative_algorithm in ('NGRAM', 'EAGLE3') and not self.pp_size <= 1:\n    raise ValueError",
        {"NGRAM", "EAGLE3"},
    ),
    "all but one": (
        "if self.pp_size > 1 and self.speculative_algorithm is not None:\n"
        "    assert self.speculative_algorithm == 'EAGLE' and not self.enable_mark",
        {"EAGLE3", "NGRAM", "DFLASH", "DSPARK"},
    ),
    "after a return": (
        "if self.speculative_algorithm != 'NGRAM':\n    return\nif self.pp_size == 1:\n    return\nraise ValueError",
        {"NGRAM"},
    ),
    "with another setting": (
        "if self.speculative_algorithm == 'NGRAM' and self.pp_size > 1 and self.mode != 'p':\n    raise ValueError",
        set(),
    ),
    "whatever the algorithm": ("if self.pp_size > 1:\n    raise ValueError", set()),
    "under a switch": (
        "if self.enable_mark:\n    assert self.pp_size == 1 or self.speculative_algorithm is None",
        set(),
    ),
    "a warning": ("if self.speculative_algorithm == 'NGRAM' and self.pp_size > 1:\n    print('slow')", set()),
}


def with_check(small_tree, body: str, more: str = "") -> dict[str, str]:
    text = small_tree.read(small_tree.find(OPTIONS)).decode()
    return {OPTIONS: text + FIELDS + METHOD + textwrap.indent(body, "        ") + "\n" + more}


@pytest.mark.parametrize("name", REFUSED)
def test_what_refuses_stages(read, small_tree, name: str) -> None:
    body, refused = REFUSED[name]
    contract = read(small_tree, with_check(small_tree, body)).contract
    assert set(contract.one_stage) == refused


CALLED = "\n\ndef handle(args):\n    if args.pp_size != 1:\n        raise ValueError\n"


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        ("if self.speculative_algorithm == 'NGRAM':\n    handle(self)", {"NGRAM"}),
        ("if self.is_odd():\n    return\nif self.speculative_algorithm == 'NGRAM':\n    handle(self)", {"NGRAM"}),
        ("if self.speculative_algorithm == 'NGRAM' and self.enable_mark:\n    handle(self)", set()),
        ("handle(self)", set()),
    ],
)
def test_the_caller_says_for_whom(read, small_tree, call: str, refused: set[str]) -> None:
    assert set(read(small_tree, with_check(small_tree, call, CALLED)).contract.one_stage) == refused


STEP = """
    def step(self, batch, proxy):
        {first}
            return self.draft_worker.go(batch, proxy=proxy)
        {rest}
"""


@pytest.mark.parametrize(
    ("first", "rest", "line"),
    [
        ("if not self.pp_group.is_last_rank:", "pass", None),
        ("if self.parallel.pp_size > 1:", "pass", None),
        ("if self.parallel.pp_rank != 0:", "return self.draft_worker.go(batch, proxy=proxy)", "rest"),
        ("if self.ready:", "pass", "first"),
    ],
)
def test_a_worker_that_refuses_stages_is_not_asked_there(read, small_tree, first: str, rest: str, line) -> None:
    text = small_tree.read(small_tree.find(SCHEDULER)).decode() + STEP.format(first=first, rest=rest)
    body, _ = REFUSED["a raise for one"]
    worker = """
class NGRAMWorker:
    def __init__(self, server_args, gpu_id: int, target_worker):
        self.target_worker = target_worker

    def go(self, batch): pass
"""
    texts = {**with_check(small_tree, body), SCHEDULER: text, "sglang.srt.speculative.ngram_worker": worker}
    found = read(small_tree, texts)
    sites = [
        one.site.line
        for demand in found.contract.demands
        for one in demand.lacking
        if demand.member == "go" and one.class_.endswith(".NGRAMWorker")
    ]
    first_line = text.count("\n", 0, text.index("proxy=proxy")) + 1
    assert sites == {None: [], "first": [first_line], "rest": [first_line + 1]}[line]
