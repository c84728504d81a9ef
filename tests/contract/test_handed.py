"""Code elsewhere that a runner hands itself, or its model, to: a backend, a table of backends."""

from __future__ import annotations

import pytest

RUNNER = "sglang.srt.model_executor.model_runner"
HERE = "        self.graph_runner = GraphRunner(self)"
BACKEND = """
class Backend:
    def __init__(self, model_runner):
        self.layout = model_runner.model.hook()
"""
ANNOTATED = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sglang.srt.model_executor.model_runner import ModelRunner


class Backend:
    def __init__(self, runner: "ModelRunner"):
        self.runner = runner

    def start(self):
        return self.runner.model.hook()
"""
TABLE = """
BACKENDS = {}


def register(name):
    def keep(function):
        BACKENDS[name] = function
        return function
    return keep


@register("one")
def make(runner):
    from sglang.srt.layers.backend import Backend

    return Backend(runner)
"""
WAYS = {
    "itself": ("from sglang.srt.layers.backend import Backend\n", "Backend(self)", BACKEND, {}),
    "itself, inside the method": ("", "from sglang.srt.layers.backend import Backend; Backend(self)", BACKEND, {}),
    "itself, by the module": ("from sglang.srt.layers import backend\n", "backend.Backend(self)", BACKEND, {}),
    "itself, by keyword": (
        "from sglang.srt.layers.backend import Backend\n", "Backend(model_runner=self)", BACKEND, {},
    ),
    "its model": (
        "from sglang.srt.layers.backend import start\n",
        "start(self.model)",
        "def start(one):\n    one.hook()\n",
        {},
    ),
    "a callable that gives its model": (
        "from sglang.srt.layers.backend import start\n",
        "start(lambda: self.model)",
        "def start(give):\n    give().hook()\n",
        {},
    ),
    "through a table": (
        "from sglang.srt.layers.registry import BACKENDS\n",
        "BACKENDS[server_args.device](self)",
        ANNOTATED,
        {"sglang.srt.layers.registry": TABLE},
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_what_a_runner_is_handed_to_asks_too(read, small_tree, way: str) -> None:
    imports, made, text, more = WAYS[way]
    statements = "\n".join(f"        {one.strip()}" for one in made.split(";"))
    file = small_tree.find(RUNNER)
    runner = small_tree.read(file).decode().replace(HERE, f"{HERE}\n{statements}")
    texts = {RUNNER: imports + runner, "sglang.srt.layers.backend": text, **more}
    found = read(small_tree, texts, interfaces=("speculative", "runtime", "eplb"))
    assert found.strengths("hook", role="both") == ["required"]
