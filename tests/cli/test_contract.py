"""`specint contract` as a user runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

HOOK = "self.target_worker.model_runner.model.get_embed_and_head()"


@pytest.fixture
def newer(fixture_tree: Callable[[str], Path], tmp_path: Path) -> Path:
    """The small tree one release on: its worker asks a target for one member more."""
    shutil.copytree(fixture_tree("sglang_small") / "sglang", tmp_path / "new" / "sglang")
    worker = tmp_path / "new/sglang/srt/speculative/eagle_worker.py"
    text = worker.read_text()
    assert HOOK in text
    worker.write_text(text.replace(HOOK, f"{HOOK}\n        self.target_worker.model_runner.model.set_head_bias(1)", 1))
    return tmp_path / "new" / "sglang"


def test_contract_shows_each_requirement_with_its_strength_and_its_caller(
    specint: Callable[..., object], fixture_tree: Callable[[str], Path]
) -> None:
    done = specint("contract", "--sglang", fixture_tree("sglang_small") / "sglang", "--format", "json")
    assert done.returncode == 0
    requirements = json.loads(done.stdout)["contract"]["requirements"]
    (embed,) = [r for r in requirements if r["member"] == "get_embed_and_head"]
    assert (embed["role"], embed["strength"], embed["call"]["unpacks"]) == ("target", "required", 2)
    assert embed["sites"][0]["file"] == "sglang/srt/speculative/eagle_worker.py"


def test_diff_names_the_new_member_and_its_line(
    specint: Callable[..., object], fixture_tree: Callable[[str], Path], newer: Path
) -> None:
    done = specint("contract", "--diff", fixture_tree("sglang_small") / "sglang", newer)
    assert done.returncode == 0
    assert "set_head_bias(arg): required" in done.stdout
    assert "sglang/srt/speculative/eagle_worker.py:" in done.stdout
    assert "1 changes from SGLang" in done.stdout


def test_diff_says_which_of_ones_own_models_the_step_breaks(
    specint: Callable[..., object], fixture_tree: Callable[[str], Path], newer: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from sglang.srt.models.oak import OakForCausalLM\n\n\n"
        "class MyModel(OakForCausalLM):\n    pass\n\n\nEntryClass = MyModel\n"
    )
    done = specint("contract", "--diff", fixture_tree("sglang_small") / "sglang", newer, own)
    assert done.returncode == 1, done.stderr
    assert "MyModel: EAGLE missing: set_head_bias (ok before)" in done.stdout


def test_a_worker_outside_of_the_tree_joins_the_contract_under_its_own_name(
    specint: Callable[..., object], fixture_tree: Callable[[str], Path], tmp_path: Path
) -> None:
    plugin = tmp_path / "my_plugin.py"
    plugin.write_text(
        "from sglang.srt.speculative.spec_info import SpeculativeAlgorithm\n\n\n"
        "class MyWorker:\n"
        "    def __init__(self, server_args, gpu_id, target_worker):\n"
        "        bias(target_worker.model_runner.model)\n\n\n"
        "def bias(model):\n"
        '    if not hasattr(model, "get_head_bias"):\n'
        '        raise ValueError("no bias")\n'
        "    return model.get_head_bias()\n\n\n"
        "def load():\n"
        '    @SpeculativeAlgorithm.register("MINE")\n'
        "    def _worker(server_args):\n"
        "        return MyWorker\n"
    )
    tree = fixture_tree("sglang_small") / "sglang"
    done = specint("contract", "--sglang", tree, "--callers", plugin, "--format", "json")
    assert done.returncode == 0, done.stderr
    contract = json.loads(done.stdout)["contract"]
    (worker,) = contract["workers"]["MINE"]
    assert worker.endswith("my_plugin.MyWorker")
    (asked,) = [r for r in contract["requirements"] if r["member"] == "get_head_bias"]
    assert (asked["algorithms"], asked["strength"], asked["role"]) == (["MINE"], "raises", "target")


def test_an_unknown_interface_is_an_error_with_a_suggestion(
    specint: Callable[..., object], fixture_tree: Callable[[str], Path]
) -> None:
    done = specint("contract", "--sglang", fixture_tree("sglang_small") / "sglang", "--interface", "eplp")
    assert done.returncode == 2
    assert "eplb" in done.stderr
