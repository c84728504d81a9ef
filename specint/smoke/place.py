"""Which SGLang is read and run: an environment's own, or a tree put before it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from specint.errors import SpecintError
from specint.launch.pins import requirements
from specint.smoke.model import Ready
from specint.source.archive import ArchiveTree
from specint.source.folder import FolderTree
from specint.source.tree import Tree

ASK = """
import sys
if sys.path[0] == "":
    del sys.path[0]  # anybody may write to the folder for temporary files
from importlib.util import find_spec
spec = find_spec("sglang")
print(next(iter(spec.submodule_search_locations)) if spec else "")
"""


def interpreter(named: str | None) -> str:
    """The interpreter to run SGLang with: the one named, that of the active environment, or specint's own."""
    if named is not None:
        path = Path(named).expanduser()
        if path.is_dir():
            path = path / "bin" / "python"
        if not path.exists():
            raise SpecintError("no such interpreter", named, "give the python of the environment that has SGLang")
        return str(path.absolute())
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        active = Path(os.environ.get(variable, "/nowhere"), "bin", "python")
        if active.exists():
            return str(active)
    return sys.executable


def installed(python: str) -> Path | None:
    """Where an environment has SGLang; nothing of it is imported."""
    try:
        done = subprocess.run(
            [python, "-c", ASK], capture_output=True, text=True, timeout=60, check=False, cwd=tempfile.gettempdir()
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SpecintError(f"can't be run: {error}", python) from None
    found = done.stdout.strip()
    return Path(found) if found else None


def mismatches(tree: Tree, ready: Ready) -> tuple[str, ...]:
    """What the environment has in another version than this SGLang asks for, and that decides how models are made."""
    pinned = requirements(tree).get("transformers")
    if pinned is None or pinned == ready.transformers:
        return ()
    return (
        f"SGLang {ready.sglang} asks for transformers {pinned}, the environment has {ready.transformers}: "
        "configurations, and what is built from them, can differ or fail for that alone",
    )


@contextmanager
def runnable(tree: Tree) -> Iterator[Path]:
    """A folder that holds the tree's package, for the import path; an archive is unpacked for as long as it runs."""
    if isinstance(tree, FolderTree):
        folder = tree.root.absolute()
        for _ in tree.package.split("."):
            folder = folder.parent
        if folder / tree.package.replace(".", "/") != tree.root.absolute():
            raise SpecintError("the folder isn't named as the package", str(tree.root), "rename it, or name its parent")
        yield folder
    elif isinstance(tree, ArchiveTree):
        with tempfile.TemporaryDirectory(prefix="specint-sglang-") as scratch:
            with zipfile.ZipFile(tree.path) as archive:
                archive.extractall(scratch)
            inside = next(Path(scratch).rglob(f"{tree.package.replace('.', '/')}/srt"))
            yield inside.parents[len(tree.package.split("."))]
    else:
        raise SpecintError("can't be run", tree.origin.source, "give --sglang a release, a wheel or a folder")
