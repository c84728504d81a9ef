"""Short runs of what `make fuzz` does at length: at random, and by coverage where atheris is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from grammar import Grammar, Random  # noqa: E402
from invariants import check_facts, check_tree  # noqa: E402
from semantic import run  # noqa: E402

pytestmark = pytest.mark.programs


def test_facts_of_generated_modules() -> None:
    read = sum(check_facts(Grammar(Random(seed)).module()) for seed in range(1500))
    assert read > 1000, "most of what the grammar makes is Python"


def test_trees_with_generated_modules(tmp_path: Path) -> None:
    for seed in range(12):
        names = ("models.fuzz0", "models.fuzz1", "speculative.fuzz_worker")
        check_tree({name: Grammar(Random(seed * 3 + i)).module() for i, name in enumerate(names)}, tmp_path)


def test_python_and_specint_say_the_same_of_generated_classes_and_workers() -> None:
    counts, differences = run(trees=400, workers=80)
    assert not differences, "\n".join(map(str, differences[:5]))
    answers = counts["present"] + counts["missing"] + counts["unknown"]
    assert counts["unknown"] < answers / 10
    assert counts["calls that break"] > 100
    assert 10 < counts["needed"] < 80


needs_atheris = pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="pip install atheris")


LARGE = "import os, sys; bytearray(1100 << 20); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
"""A process that once was larger than the fuzzer may be, and then is the fuzzer: its peak must not count."""


@needs_atheris
@pytest.mark.parametrize(("kind", "runs"), [("facts", 3000), ("tree", 20)])
def test_inputs_by_coverage(kind: str, runs: int, tmp_path: Path) -> None:
    options = [f"-runs={runs}", "-seed=1", "-max_len=1000", "-rss_limit_mb=1000"]
    command = [sys.executable, "-c", LARGE, str(HERE / "target.py"), kind, *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
