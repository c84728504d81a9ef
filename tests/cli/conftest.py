"""The command line as a user runs it: a process of its own, with an empty cache that all tests share."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """No colours, no width and no environment of the one who runs the tests."""
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "SPECINT_DEBUG")}
    return {**kept, "SPECINT_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def specint(tmp_path: Path, clean_environment: dict[str, str]) -> Run:
    """`specint("check", ...)`: runs it in an empty folder (or `cwd`)."""

    def run(*arguments: object, cwd: Path = tmp_path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "specint", *map(str, arguments)],
            cwd=cwd,
            env={**clean_environment, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )

    return run


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """What is started hears Ctrl-C, also where the tests were started by a shell with `&`, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def small(fixture_tree: Callable[[str], Path]) -> Path:
    """The small SGLang."""
    return fixture_tree("sglang_small") / "sglang"


@pytest.fixture
def copied(tmp_path: Path, small: Path) -> Path:
    """The small SGLang, to be changed."""
    return Path(shutil.copytree(small, tmp_path / "sglang"))
