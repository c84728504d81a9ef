"""Which sites belong together, which shape a signature must fit, and which line is told."""

from __future__ import annotations

import textwrap

import pytest

from specint.contract.model import CallShape, failing_site, telling_site

MODULE = "sglang.srt.speculative.ngram_worker"
WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class NGRAMWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        self.target_worker = target_worker
        self.model = target_worker.model_runner.model
        self.pool = target_worker.model_runner.token_to_kv_pool
        self.special = target_worker.model_runner.special
        self.start()
"""


@pytest.fixture
def hook(read, small_tree):
    """`hook(methods)`: what the worker with these methods asks of the target's `hook`."""

    def ask(methods: str):
        text = WORKER + textwrap.indent(textwrap.dedent(methods), "    ")
        found = read(small_tree, {MODULE: text}).of("hook", "target", "NGRAM")
        return next(one for one in found if one.use == "call")

    return ask


def shape(*keywords: str) -> CallShape:
    return CallShape(keywords=tuple(sorted(keywords)))


APART = {
    "two branches": """
        def start(self):
            if self.special:
                self.model.hook(a=1)
            else:
                self.model.hook(b=1)
        """,
    "an early return, and the call in a method of its own": """
        def start(self):
            pool = self.target_worker.model_runner.token_to_kv_pool
            if hasattr(pool, "wide"):
                self.wide()
                return
            self.model.hook(b=1)

        def wide(self):
            self.model.hook(a=1)
        """,
    "the same question in two methods": """
        def start(self):
            self.one()
            self.other()

        def one(self):
            if self.special is None:
                self.model.hook(a=1)

        def other(self):
            if self.special is not None:
                self.model.hook(b=1)
        """,
    "two answers to one question": """
        def start(self):
            if self.special == "a":
                self.model.hook(a=1)
            if self.special == "b":
                self.model.hook(b=1)
        """,
    "two calls of a helper": """
        def start(self):
            if isinstance(self.pool, int):
                self.one()
            else:
                self.other()

        def one(self):
            self.model.hook(a=1)

        def other(self):
            self.model.hook(b=1)
        """,
}


@pytest.mark.parametrize("name", APART)
def test_sites_that_no_server_reaches_both_are_not_merged(hook, name: str) -> None:
    found = hook(APART[name])
    assert set(found.shapes) == {shape("a"), shape("b")}
    assert found.call == shape("a", "b"), "to be shown"


TOGETHER = {
    "one after the other": """
        def start(self):
            self.model.hook(a=1)
            self.model.hook(b=1)
        """,
    "in steps of two kinds, which every server makes": """
        def step(self, batch):
            if batch.decodes:
                self.model.hook(a=1)
            else:
                self.model.hook(b=1)

        def start(self):
            pass
        """,
    "under two conditions that have nothing to do with each other": """
        def start(self):
            if self.special:
                self.model.hook(a=1)
            if self.pool:
                self.model.hook(b=1)
        """,
}


@pytest.mark.parametrize("name", TOGETHER)
def test_sites_that_one_server_may_reach_are_merged(hook, name: str) -> None:
    assert hook(TOGETHER[name]).shapes == (shape("a", "b"),)


def test_what_is_called_anyway_is_part_of_every_alternative(hook) -> None:
    found = hook(
        """
        def start(self):
            self.model.hook(x=1)
            if self.special:
                self.model.hook(a=1)
            else:
                self.model.hook(b=1)
        """
    )
    assert set(found.shapes) == {shape("a", "x"), shape("b", "x")}


def lines(one) -> list[int]:
    return sorted(site.line for site in one.sites)


def test_line_that_a_plain_server_reaches_is_told(hook) -> None:
    found = hook(
        """
        def start(self):
            if self.special:
                self.model.hook()

        def step(self, batch):
            if batch.ready:
                self.model.hook()
        """
    )
    first, second = lines(found)
    assert telling_site([found], ["NGRAM"]).line == second > first


def test_line_behind_the_callers_condition_is_told_last(hook) -> None:
    found = hook(
        """
        def warm(self):
            self.model.hook()

        def start(self):
            if self.special and self.pool:
                self.warm()
            self.later()

        def later(self):
            self.model.hook()
        """
    )
    assert telling_site([found], ["NGRAM"]).function == "NGRAMWorker.later"


def test_check_is_no_site_of_the_call_and_the_raise_is_where_it_fails(hook) -> None:
    found = hook(
        """
        def start(self):
            if not hasattr(self.model, "hook"):
                raise ValueError("no hook")
            self.model.hook()
        """
    )
    (site,) = found.sites
    assert failing_site([found], ["NGRAM"]).line == site.line - 1 == found.decided_by.line
    assert telling_site([found], ["NGRAM"]).line == site.line


def test_one_of_two_is_no_way_round_what_is_asked_for_anyway(read, small_tree) -> None:
    methods = """
        def start(self):
            if hasattr(self.model, "better"):
                self.model.better()
            else:
                self.model.hook()
            self.model.hook()
        """
    text = WORKER + textwrap.indent(textwrap.dedent(methods), "    ")
    found = read(small_tree, {MODULE: text})
    assert found.strengths("hook", "target", "NGRAM") == ["required"]
    assert found.strengths("better", "target", "NGRAM") == ["optional"]
