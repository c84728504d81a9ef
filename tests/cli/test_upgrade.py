"""`specint check --against`: what an upgrade takes from models of one's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

HEAD = "from sglang.srt.models.oak import OakForCausalLM\n"
CLASS = "\n\nclass {0}(OakForCausalLM):\n    def wave(self):\n        return 1\n"
ASKS = "\n    def ask(self):\n        if hasattr(self.model, 'wave'):\n            return self.model.wave()\n"
OWN = HEAD + CLASS.format("Mine") + "\n\nEntryClass = Mine\n"


@pytest.fixture
def releases(tmp_path: Path, small: Path) -> tuple[Path, Path]:
    """Two releases whose models have a hook that the first one asks for."""
    found = []
    for name, more in (("before", ASKS), ("after", "")):
        tree = shutil.copytree(small, tmp_path / name / "sglang")
        runner = tree / "srt/model_executor/model_runner.py"
        runner.write_text(runner.read_text() + more)
        classes = "".join(CLASS.format(f"Trial{number}") for number in range(3))
        (tree / "srt/models/trial.py").write_text(f"{HEAD}{classes}\n\nEntryClass = [Trial0, Trial1, Trial2]\n")
        found.append(tree)
    return found[0], found[1]


@pytest.mark.parametrize("upgrades", [True, False])
def test_hook_that_nobody_asks_for_after_the_upgrade_is_noted_on_ones_own_model(specint, releases, tmp_path, upgrades):
    own = tmp_path / "own.py"
    own.write_text(OWN)
    before, after = releases
    against = after if upgrades else before
    done = specint("check", own, "--sglang", before, "--against", against, "--format", "json", "--ignore", "E7722")
    notes = [one for one in json.loads(done.stdout)["findings"] if one["rule"] == "spec-contract-drift"]
    assert [(one["class"].rpartition(".")[2], one["member"]) for one in notes] == (
        [("Mine", "wave")] if upgrades else []
    )
