"""Which workers an algorithm has, and what those are worth that only a server's setting brings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCHEDULER = "sglang.srt.managers.scheduler"
ARGUMENTS = "sglang.srt.server_args"
EXTRA = "sglang.srt.speculative.extra_worker"
WORKER = """
from sglang.srt.managers.tp_worker import TpModelWorker
from sglang.srt.server_args import ServerArgs


class ExtraWorker:
    def __init__(self, server_args: ServerArgs, gpu_id: int, target_worker: TpModelWorker):
        target_worker.model_runner.model.extra_hook()
        target_worker.model_runner.model.get_embed_and_head()
"""


@pytest.fixture
def chosen(read, small_tree, fixture_tree: Callable[[str], Path]):
    """`chosen(condition)`: a tree whose scheduler also makes an extra worker under a condition (SGLang 0.5.7 does)."""

    def build(condition: str):
        top = fixture_tree("sglang_small") / "sglang" / "srt"
        scheduler = (top / "managers" / "scheduler.py").read_text(encoding="utf-8").rstrip()
        scheduler += (
            f"\n        if {condition}:\n"
            "            from sglang.srt.speculative.extra_worker import ExtraWorker\n\n"
            "            self.draft_worker = ExtraWorker(server_args, gpu_id, target_worker=self.tp_worker)\n"
        )
        arguments = (top / "server_args.py").read_text(encoding="utf-8").rstrip() + "\n    many_layers: bool = False\n"
        return read(small_tree, {SCHEDULER: scheduler, ARGUMENTS: arguments, EXTRA: WORKER})

    return build


def test_worker_that_every_algorithm_gets(chosen) -> None:
    found = chosen("True")
    assert [one.settings for one in found.of("extra_hook", "target")] == [()]
    assert [one.algorithms for one in found.of("get_embed_and_head", "target", "NGRAM")] == [()], "every server asks"


def test_worker_of_one_algorithm(chosen) -> None:
    assert chosen("self.spec_algorithm.is_ngram()").algorithms("extra_hook") == {"NGRAM"}


def test_worker_behind_a_setting_asks_under_that_setting_only(chosen) -> None:
    found = chosen("server_args.many_layers")
    assert [one.settings for one in found.of("extra_hook", "target", "NGRAM")] == [("server_args.many_layers",)]


def test_what_an_algorithm_asks_anyway_stays_required(chosen) -> None:
    found = chosen("server_args.many_layers")
    asked = {one.algorithms: one.settings for one in found.of("get_embed_and_head", "target")}
    (plain,) = [names for names, settings in asked.items() if not settings]
    assert {"EAGLE", "EAGLE3"} <= set(plain)
    assert "NGRAM" not in plain, "only the setting brings it a worker that asks"


def test_what_only_another_worker_of_an_algorithm_asks_is_apart(chosen) -> None:
    apart = chosen("server_args.many_layers").contract.apart
    (extra,) = [worker for worker in apart if worker.endswith(".ExtraWorker")]
    asked_by_others = {worker: functions for worker, functions in apart.items() if worker != extra}
    own = "sglang/srt/speculative/extra_worker.py:ExtraWorker.__init__"
    assert own not in apart[extra]
    assert asked_by_others
    assert all(own in functions for functions in asked_by_others.values())


def test_name_that_thousands_call_costs_what_there_is_of_it(read, small_tree, work) -> None:
    def asked_in(number: int):
        crowd = "\n\n".join(
            f"class C{one}:\n    def step(self, model):\n        self.other.step(model)\n        model.hook()"
            for one in range(number)
        )
        return read(small_tree, {"sglang.srt.managers.crowd": crowd})

    assert asked_in(1100).algorithms("get_embed_and_head") >= {"EAGLE", "EAGLE3"}
    assert work(asked_in, 2400) < 3 * work(asked_in, 1200), "every pair of them would be four times the work"
