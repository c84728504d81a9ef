"""The environments with a real SGLang, and `specint smoke` run in one of them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REQUIRED = "SPECINT_SMOKE_REQUIRED"

spec = importlib.util.spec_from_file_location("smoke_environments", Path(__file__).with_name("environments.py"))
assert spec is not None
assert spec.loader is not None
environments = importlib.util.module_from_spec(spec)
spec.loader.exec_module(environments)


@pytest.fixture(scope="session")
def environment() -> Callable[[str], Path]:
    """`environment("0.5.9")`: its interpreter; without one the test is skipped, or fails where it is required."""

    def interpreter(release: str) -> Path:
        found = environments.interpreter(release)
        if found is not None:
            return found
        message = f"no environment with SGLang {release}: `make smoke-env` makes it in {environments.home(release)}"
        if release in os.environ.get(REQUIRED, "").split():
            pytest.fail(message, pytrace=False)
        pytest.skip(message)

    return interpreter


@pytest.fixture(scope="session")
def smoke(
    environment: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, Any]]:
    """`smoke("0.5.9", "LlamaForCausalLM", ...)`: what `specint smoke --format json` prints, and its exit code."""
    cache = tmp_path_factory.mktemp("cache")

    def run(release: str, *arguments: str, **variables: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "specint", "smoke", *arguments]
        command += ["--python", str(environment(release)), "--device", "cpu", "--format", "json"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**os.environ, "SPECINT_CACHE_DIR": str(cache), **variables},
            cwd=cache,
            timeout=900,
        )
        assert done.stdout, done.stderr
        return {**json.loads(done.stdout), "exit": done.returncode}

    return run
