"""`specint report --compare`: both sides are looked at in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

WORKER = """
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm


class MyWorker:
    def __init__(self, server_args, gpu_id, target_worker):
        target_worker.model_runner.model.get_head_bias()


def load():
    @SpeculativeAlgorithm.register("MINE")
    def _worker(server_args):
        return MyWorker
"""


def test_workers_of_ones_own_ask_both_releases(specint: Callable[..., object], small: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "my_worker.py"
    plugin.write_text(WORKER, encoding="utf-8")
    done = specint("report", "--sglang", small, "--compare", small, "--callers", plugin, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "MINE" in document["contract"]["algorithms"]
    compared = document["compared"]
    assert compared["algorithms_added"] == [], "the other side knows the worker too"
    assert compared["changes"] == []


def test_what_is_compared_with_must_be_there(specint: Callable[..., object], small: Path, tmp_path: Path) -> None:
    done = specint("report", "--sglang", small, "--compare", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
