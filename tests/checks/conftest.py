"""Analyses of the small tree with some modules replaced or added; what is known of the others is kept between tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
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


@pytest.fixture(scope="session")
def told() -> Callable[[Finding], str]:
    """`told(finding)`: all that a finding says, as text."""
    return _told


def _told(finding: Finding) -> str:
    """All that a finding says, as text."""
    lines = [
        f"{finding.file}:{finding.line}:{finding.column}: {finding.id} {finding.rule}",
        f"  {finding.class_}.{finding.member} ({', '.join(finding.algorithms) or 'every server'})",
        f"  {finding.message}",
        *(f"  {one.file}:{one.line}: {one.what}" for one in finding.evidence),
        f"  met by: {', '.join(finding.hooks)}",
    ]
    if finding.edit is not msgspec.UNSET:
        edit = finding.edit
        lines.append(f"  fix: {edit.kind} {edit.class_}.{edit.member}: {edit.decide or edit.doubt or 'safe'}")
        lines += [f"  | {line}".rstrip() for one in edit.splices for line in one.lines]
    return "\n".join(lines)
