"""What has changed in the git repository that a check is about.

A repository's own configuration can name programs for git to run, and the repository may be anybody's: none of them is.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from specint.analysis.places import repository_of
from specint.errors import SpecintError

_REDIRECTING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
# The monitor of the file system, hooks (the index may be written), and transports: an object that a partial clone lacks
# would be fetched, by whatever command the remote names.
_NO_PROGRAMS = ("-c", "core.fsmonitor=", "-c", f"core.hooksPath={os.devnull}", "-c", "core.alternateRefsCommand=")
_NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
_DIFF = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "-z")


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
        names = _git(top, *_without_filters(top), *_DIFF, start, "--")
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


def _without_filters(top: Path) -> list[str]:
    """Options that switch off the filters through which git would compare a file: Git LFS, or any other program."""
    try:
        listed = _git(top, "config", "-z", "--name-only", "--get-regexp", r"^filter\.")
    except SpecintError as error:
        if "git" in error.hint:
            raise
        return []  # there are none
    filters = sorted({name.rpartition(".")[0] for name in listed.split("\0") if name})
    if odd := next((name for name in filters if "=" in name), None):
        raise SpecintError(
            f"git's {odd!r} can't be switched off", "--changed-since", "take it out of the configuration"
        )
    off = [f"{name}.{key}" for name in filters for key in ("clean=", "process=", "required=false")]
    return [word for setting in off for word in ("-c", setting)]


def _git(top: Path, *arguments: str) -> str:
    # A hook sets these for the repository that it runs in; the one we ask about may be another.
    environment = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    try:
        done = subprocess.run(
            ["git", "-C", str(top), "-c", "core.quotePath=false", *_NO_PROGRAMS, *arguments],
            capture_output=True,
            check=False,
            env={**environment, **_NO_TRANSPORT},
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise SpecintError(f"git can't be run: {error.strerror}", "--changed-since", "install git") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise SpecintError(said[-1] if said else f"git {arguments[0]} failed", "--changed-since")
    return done.stdout.decode(errors="surrogateescape")
