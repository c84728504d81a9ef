"""Analyses of the small tree with some texts replaced, and of real releases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.model import Analysis
from specint.facts.store import Store
from specint.pipeline import analyze
from specint.source.locate import open_tree
from specint.source.tree import Tree


@pytest.fixture(scope="session")
def small_tree(fixture_tree: Callable[[str], Path]) -> Tree:
    return open_tree(str(fixture_tree("sglang_small") / "sglang"))


@pytest.fixture(scope="session")
def judged(small_tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Analysis]:
    """`judged({module: text})`: the small tree with some modules replaced or added; kept between calls."""
    cache = tmp_path_factory.mktemp("facts")
    return lambda texts=None: analyze(small_tree.overlay(texts or {}), store=Store(cache), jobs=1)


@pytest.fixture(scope="session")
def analysed_release(
    release: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Analysis]:
    """`analysed_release("0.5.9")`: once a session."""
    known: dict[str, Analysis] = {}

    def of(version: str) -> Analysis:
        if version not in known:
            store = Store(tmp_path_factory.mktemp("release"))
            known[version] = analyze(open_tree(str(release(version))), store=store)
        return known[version]

    return of
