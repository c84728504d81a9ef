"""A rule is a folder and a module, and nothing else: the one in `rules/README.md`, added to a copy of specint, runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
RULE = """
id = "W7789"
symbol = "spec-near-name"
severity = "warning"
summary = "A class lacks a member and has a method with almost its name"
since = "0.1"
default = true
headline = "spell it as the worker does"
what_it_does = "Compares names."
why_bad = "Nobody calls the method."
references = []
"""
GOOD = """
from torch import nn


class NearModel(nn.Module):
    def get_embed_and_head(self):
        return self.embed_tokens.weight, self.output_head.weight


EntryClass = NearModel
"""


def snippet() -> str:
    """The check as `rules/README.md` has it."""
    page = (ROOT / "rules/README.md").read_text(encoding="utf-8")
    found = re.search(r"^   ```python\n(.*?)^   ```$", page, re.M | re.S)
    assert found
    return dedent(found[1])


def test_rule_of_the_readme_is_found_by_itself_and_speaks(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> None:
    for name in ("specint", "rules"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "rules/spec-near-name"
    folder.mkdir()
    (folder / "rule.toml").write_text(RULE)
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(GOOD.replace("_head(", "_heads("))
    (tmp_path / "specint/checks/rules/near_name.py").write_text(snippet(), encoding="utf-8")
    models = tmp_path / "models"
    models.mkdir()
    (models / "near.py").write_text((folder / "bad.py").read_text())
    small = str(fixture_tree("sglang_small") / "sglang")

    def specint(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "specint", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "SPECINT_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    (found,) = json.loads(specint("check", "models", "--sglang", small, "--select", "W7789", "--format", "json"))[
        "findings"
    ]
    assert (found["rule"], found["file"], found["member"]) == ("spec-near-name", "models/near.py", "get_embed_and_head")
    assert re.fullmatch(
        r"NearModel lacks get_embed_and_head, for which .* asks?, and has get_embed_and_heads", found["message"]
    )
    assert found["evidence"][0]["what"] == "get_embed_and_heads is here"
    assert "called here" in found["evidence"][1]["what"]
    assert "spec-near-name" in specint("rules")
