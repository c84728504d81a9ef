"""The hooks, run by pre-commit itself from a repository that has this working tree in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs

ROOT = Path(__file__).parent.parent.parent
SHIPPED = ("specint", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
CONFIG = """\
repos:
  - repo: {source}
    rev: {revision}
    hooks:
      - id: specint
        args: [--sglang=python/sglang]
        files: ^python/sglang/srt/models/
      - id: specint-all
        args: [--sglang=python/sglang, --changed-since=HEAD]
        files: ^python/sglang/srt/
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def repository(folder: Path) -> str:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return git(folder, "rev-parse", "HEAD")


@pytest.mark.slow
def test_hooks_find_what_the_commit_breaks(tmp_path: Path, fixture_tree: Callable[[str], Path]) -> None:
    source, work = tmp_path / "source", tmp_path / "work"
    source.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    revision = repository(source)
    shutil.copytree(fixture_tree("sglang_small") / "sglang", work / "python" / "sglang")
    (work / "tool.py").write_text("import os\n")
    (work / ".pre-commit-config.yaml").write_text(CONFIG.format(source=source, revision=revision))
    repository(work)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--color=never", *arguments],
            cwd=work,
            env={
                **os.environ,
                "PRE_COMMIT_HOME": str(tmp_path / "home"),
                "SPECINT_CACHE_DIR": str(tmp_path / "cache"),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            timeout=600,
        )

    models = work / "python/sglang/srt/models"
    oak, kumo = models / "oak.py", models / "kumo_k2.py"

    # A file without findings of its own, which the first hook lets pass; the second sees the wrappers around it.
    oak.write_text(oak.read_text() + "# changed\n")
    git(work, "add", "-A")
    touched = run()
    assert touched.returncode == 1, touched.stdout + touched.stderr
    assert "specint.............................................................(" not in touched.stdout
    first, _, second = touched.stdout.partition("specint (all models)")
    assert "Passed" in first
    assert "Failed" in second
    assert "python/sglang/srt/models/kumo_k2.py:16:0: E7701" in second

    git(work, "reset", "-q", "--hard")
    kumo.write_text("# changed\n" + kumo.read_text())
    git(work, "add", "-A")
    broken = run("specint")
    assert broken.returncode == 1
    assert "python/sglang/srt/models/kumo_k2.py:17:0: E7701" in broken.stdout
    assert "quartz" not in broken.stdout, "only the files of the commit"

    git(work, "reset", "-q", "--hard")
    (work / "tool.py").write_text("import sys\n")
    git(work, "add", "-A")
    other = run()
    assert other.returncode == 0, other.stdout
    assert other.stdout.count("Skipped") == 2
