"""`make site`: every page and every rule in one site that asks for nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from specint.checks.catalog import all_rules

pytestmark = [pytest.mark.programs, pytest.mark.slow]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "site" / "build.py", folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_rule_and_every_page_is_there(site: Path) -> None:
    for rule in all_rules():
        assert rule.id in (site / "rules" / f"{rule.symbol}.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").exists()
    assert "spec-missing-delegation" in (site / "search" / "search_index.js").read_text(encoding="utf-8")


def test_nothing_is_fetched_to_show_it(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(https?:[^\" >]+)")
    asked = {
        url
        for page in site.rglob("*.html")
        for tag, url in ((m[0], m[1]) for m in loaded.finditer(page.read_text(encoding="utf-8")))
        if "canonical" not in tag
    }
    assert asked == set()
