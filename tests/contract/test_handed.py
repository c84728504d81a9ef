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
    "what a kept callable gives": (
        "from sglang.srt.layers.backend import start\n\n\nclass Keeper:\n    def __init__(self, get_model):\n"
        "        self._get_model = get_model\n\n    def run(self):\n        start(self._get_model())\n\n\n",
        "Keeper(get_model=lambda: self.model)",
        "def start(one):\n    one.hook()\n",
        {},
    ),
    "what a kept callable gives that gives itself": (
        "from typing import Callable\nfrom sglang.srt.layers.backend import Backend\n\n\n@dataclass\nclass Keeper:\n"
        "    get: Callable[[], 'ModelRunner']\n\n    def run(self):\n        Backend(self.get())\n\n\n",
        "Keeper(get=lambda: self).run()",
        BACKEND,
        {},
    ),
    "a local name for its model": (
        "from sglang.srt.layers.backend import start\n",
        "one = self.model; start(one)",
        "def start(one):\n    one.hook()\n",
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


NEXTN = "sglang.srt.models.oak_nextn"
EAGLE = "sglang.srt.speculative.eagle_worker_v2"
BINDS = """

class OakBound(OakForCausalLMNextN):
    def bind_target(self, target_model, times=1):
{body}


def body_of(model):
    return getattr(model, "language_model", model)
"""
BODIES = {
    "a member": ("target_model.hook()", "hook", "required"),
    "a part": ("self.x = target_model.model.hook", "model.hook", "required"),
    "through a function": ("body_of(target_model).hook()", "hook", "any-of"),
    "guarded": ("if hasattr(target_model, 'hook'):\n    target_model.hook()", "hook", "optional"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_method_of_the_draft_asks_the_target(read, small_tree, name: str) -> None:
    body, member, strength = BODIES[name]
    line = "        embed, head = read_embed_and_head(target_model, draft_model=self.draft_runner.model)"
    worker = small_tree.read(small_tree.find(EAGLE)).decode()
    assert line in worker
    worker = worker.replace(line, f"{line}\n        self.draft_runner.model.bind_target(target_model, times=2)")
    indented = "\n".join(f"        {one}" for one in body.split("\n"))
    model = small_tree.read(small_tree.find(NEXTN)).decode() + BINDS.format(body=indented)
    found = read(small_tree, {EAGLE: worker, NEXTN: model})
    asked = [one for one in found.of(member, "target") if any("oak_nextn" in site.file for site in one.sites)]
    assert strength in {one.strength for one in asked}
    assert {a for one in asked for a in one.algorithms} == {"EAGLE", "EAGLE3"}
