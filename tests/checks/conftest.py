"""Analyses of the small tree with some modules replaced or added; what is known of the others is kept between tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specint.analysis.model import Analysis
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree


@pytest.fixture(scope="session")
def analysed(fixture_tree: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Analysis]:
    """`analysed({module: text}, …)`: the small tree with these modules; further options are those of `analyze`."""
    tree = open_tree(str(fixture_tree("sglang_small") / "sglang"))
    cache = tmp_path_factory.mktemp("facts")

    def run(texts: dict[str, str] | None = None, **options: Any) -> Analysis:
        return analyze(tree.overlay(texts or {}), store=Store(cache), jobs=1, **options)

    return run
