"""How SGLang's own folder is recognised, and what it says about itself: its name, its version."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from specint.reading import head_of

USUAL_NAME = "sglang"
VERSION_TEXT = re.compile(
    r"""^(?:__version__|version)\b[^=\n]*=(?:[ \t]*\w+[ \t]*=)*[ \t]*["']([\w.+!-]{1,80})["']""", re.MULTILINE
)
OWN_IMPORT = re.compile(r"^[ \t]*(?:from|import)\s+(\w[\w.]*?)\.srt\b", re.MULTILINE)


def is_sglang(folder: Path) -> bool:
    """Whether a folder is the package SGLang, under whatever name."""
    srt = folder / "srt"
    return (srt / "models").is_dir() or (srt / "speculative").is_dir() or (folder.name == USUAL_NAME and srt.is_dir())


def package_name(folder: Path) -> str:
    """The package's dotted name, by its own imports: the folder may have been renamed or be part of another package."""
    files = sorted(folder.glob("srt/models/*.py"))[:5] + sorted(folder.glob("srt/speculative/*.py"))[:5]
    return name_in_imports(map(head_of, files), folder.name)


def name_in_imports(texts: Iterable[str], folder: str) -> str:
    """The name that some of the package's files use for it, or else its folder's."""
    names: Counter[str] = Counter(name for text in texts for name in OWN_IMPORT.findall(text))
    if folder in names or not names:
        return folder.replace(".", "_")
    return max(sorted(names), key=lambda name: names[name])


def version_beside(folder: Path, package: str) -> str | None:
    """The version that the metadata beside an installed package or in an unpacked wheel gives."""
    holder = folder.parent
    of_package = sorted(holder.glob(f"{package}-*.dist-info/METADATA"))
    every = of_package or sorted(holder.glob("*.dist-info/METADATA"))
    if len(every) == 1 or of_package:
        return version_in_metadata(head_of(every[-1]))
    infos = [*sorted(holder.glob(f"{package}*.egg-info/PKG-INFO")), holder / "PKG-INFO"]
    return next((version for info in infos if (version := version_in_metadata(head_of(info)))), None)


def version_in_source(folder: Path) -> str:
    """The version that the source states, or "unknown": a checkout has none where its build writes it."""
    names = [folder / "_version.py", folder / "version.py", folder.parent / "pyproject.toml"]
    return next((version for name in names if (version := stated_version(head_of(name)))), "unknown")


def stated_version(source: str) -> str | None:
    """The version that a `version.py` or a `pyproject.toml` assigns."""
    found = VERSION_TEXT.search(source)
    return found[1] if found else None


def version_in_metadata(metadata: str) -> str | None:
    """The `Version` field of a METADATA or PKG-INFO text."""
    head = metadata.replace("\r\n", "\n").partition("\n\n")[0]
    found = re.search(r"^Version:[ \t]*([\w.+!-]{1,80})", head, re.MULTILINE | re.IGNORECASE)
    return found[1] if found else None
