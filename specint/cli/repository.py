"""What has changed in the git repository that a check is about."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from specint.errors import SpecintError
from specint.outputs.places import repository_of

_REDIRECTING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")


def changed_since(reference: str, folders: Iterable[Path]) -> frozenset[Path]:
    """What differs from `reference` in the repositories that hold the folders: committed or not, untracked too.

    Where the history since then has branches, it is compared with where this branch left off: what others did
    meanwhile is no change of ours. Paths are absolute and may be gone.
    """
    tops = {top for folder in folders if (top := repository_of(folder))}
    if not tops:
        raise SpecintError("is of no use outside a git repository", "--changed-since")
    changed: set[Path] = set()
    for top in sorted(tops):
        start = _start(top, reference)
        # Without looking for renames: the old name has changed as well.
        names = _git(top, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", start, "--")
        names += _git(top, "ls-files", "--others", "--exclude-standard", "-z")
        changed.update(top / name for name in names.split("\0") if name)
    return frozenset(changed)


def _start(top: Path, reference: str) -> str:
    try:
        commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}").strip()
    except SpecintError as error:
        if "git" in error.hint:
            raise
        hint = "a shallow clone may lack it: fetch it, or clone with the whole history"
        raise SpecintError(f"git knows no commit `{reference}` in {top.name}", "--changed-since", hint) from None
    try:
        return _git(top, "merge-base", commit, "HEAD").strip() or commit
    except SpecintError:  # no commit in common, or none that a shallow clone still has
        return commit


def _git(top: Path, *arguments: str) -> str:
    # A hook sets these for the repository that it runs in; the one we ask about may be another.
    environment = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    try:
        done = subprocess.run(
            ["git", "-C", str(top), "-c", "core.quotePath=false", *arguments],
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise SpecintError(f"git can't be run: {error.strerror}", "--changed-since", "install git") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SpecintError(said[-1] if said else f"git {arguments[0]} failed", "--changed-since")
    return done.stdout.decode(errors="surrogateescape")
