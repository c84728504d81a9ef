"""The image for CI: what it copies is there, its base and its user are named exactly."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).parents[2]
LINES = (TOP / "docs/ci/Dockerfile").read_text(encoding="utf-8").splitlines()


def test_what_is_copied_is_there() -> None:
    copied = [line.split()[1:-1] for line in LINES if line.startswith("COPY ") and "--from" not in line]
    assert {name for names in copied for name in names} >= {"pyproject.toml", "specint", "rules"}
    assert [name for names in copied for name in names if not (TOP / name).exists()] == []


def test_the_base_has_one_exact_version_that_is_supported() -> None:
    bases = {line.split()[1] for line in LINES if line.startswith("FROM ")}
    assert len(bases) == 1
    found = re.fullmatch(r"python:(3\.\d+)\.\d+-slim-\w+(@sha256:[0-9a-f]{64})?", bases.pop())
    assert found is not None
    assert f"Programming Language :: Python :: {found[1]}" in (TOP / "pyproject.toml").read_text(encoding="utf-8")


def test_it_runs_as_an_ordinary_user() -> None:
    assert [line for line in LINES if line.startswith("USER ")] == ["USER 1000"]
