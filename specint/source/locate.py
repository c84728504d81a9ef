"""What a user calls SGLang, found: the installed package, a path of any kind, or the number of a release."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from specint.errors import SpecintError
from specint.reading import SHORT, head_of, named_path
from specint.source.folder import FolderTree
from specint.source.models import Models, open_models
from specint.source.package import (
    USUAL_NAME,
    is_sglang,
    name_in_imports,
    package_name,
    stated_version,
    version_beside,
    version_in_metadata,
    version_in_source,
)
from specint.source.release import Progress, Release, cached, fetch, newest, release_named, releases_named
from specint.source.tree import Origin, Tree

if TYPE_CHECKING:
    from zipfile import ZipFile

    from specint.source.archive import ArchiveTree

__all__ = ["Models", "is_sglang", "open_models", "open_tree"]

SOMEWHERE = "give --sglang a release (0.5.9), a wheel, or the path of a checkout or an installed sglang"
IN_ARCHIVE = re.compile(r"((?:[^/]+/)*?)([^/]+)/srt/models/")


def open_tree(
    spec: str | None,
    *,
    cache_dir: Path | None = None,
    relative_to: Path | None = None,
    progress: Progress | None = None,
    timeout: float = 600.0,
) -> Tree:
    """The SGLang that `spec` names, ready to be read; nothing of it is imported.

    Args:
        spec: None for the installed one; a release ("0.5.9", "sglang==0.5.9"), which always means a release (write
            "./0.5.9" for a folder of that name); "latest", "0.5" or ">=0.5.9,<0.6" for the newest of those; or a path:
            the package's folder, one that holds it (a checkout, `python/`, an unpacked wheel, site-packages), a wheel
            or zip file. A fork may bear another name.
        cache_dir: where fetched releases are kept; None keeps them for this process only.
        relative_to: the folder that a relative path starts from, if not the working directory.
        progress: called with a few words before something slow.
        timeout: seconds that a fetch may take.

    Raises SpecintError if there is no such thing or no SGLang in it.
    """
    if spec is None or not spec.strip():
        return _installed()
    path = (relative_to or Path()) / named_path(spec)
    if release := _release(spec, path, cache_dir, progress, timeout):
        wheel = fetch(release, cache_dir, progress=progress, timeout=timeout)
        return _in_archive(wheel, str(release))
    if path.is_dir():
        return _in_folder(path, spec)
    if path.is_file():
        return _in_archive(path, spec)
    raise _nothing_at(path, spec)


def _release(
    spec: str, path: Path, cache_dir: Path | None, progress: Progress | None, timeout: float
) -> Release | None:
    """The release that is meant, if one is; "0.5" is the newest of its kind, unless one of that number was fetched."""
    release, releases = release_named(spec), releases_named(spec)
    if releases is None or (release and cache_dir and cached(release, cache_dir)) or (not release and path.exists()):
        return release
    if progress:
        progress(f"looking for {releases}")
    return newest(releases, timeout=timeout)


def _installed() -> Tree:
    found = next((folder for folder in _places_of_the_installed() if is_sglang(folder)), None)
    if found is None:
        raise SpecintError("no installed sglang found", "", SOMEWHERE)
    version = version_beside(found, USUAL_NAME)
    if version is None:
        from importlib.metadata import PackageNotFoundError, distribution

        try:  # an editable install has its metadata far from its code
            version = distribution(USUAL_NAME).version
        except PackageNotFoundError:
            version = version_in_source(found)
    return FolderTree(found, USUAL_NAME, Origin(version=version, source=str(found)))


def _places_of_the_installed() -> Iterator[Path]:
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    try:  # of a top-level name this imports nothing; it asks the finders of editable installs too
        specs = [find_spec(USUAL_NAME)]
    except (ImportError, ValueError, AttributeError):
        specs = []
    # specint may live in an environment of its own (pipx, pre-commit) while another is active.
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if prefix := os.environ.get(variable):
            for site in _site_packages(Path(prefix)):
                specs.append(PathFinder.find_spec(USUAL_NAME, [str(site), *_added_paths(site)]))
    for spec in specs:
        for place in (spec and spec.submodule_search_locations) or ():
            yield Path(place)


def _site_packages(prefix: Path) -> list[Path]:
    return sorted(prefix.glob("lib/python3*/site-packages")) or sorted(prefix.glob("Lib/site-packages"))


def _added_paths(site: Path) -> Iterator[str]:
    """The folders that the `.pth` files of an environment add; their `import` lines are not run."""
    for file in sorted(site.glob("*.pth")):
        lines = head_of(file).splitlines()
        yield from (str(site / line.strip()) for line in lines if line.strip() and not line.startswith(("#", "import")))


def _in_folder(path: Path, spec: str) -> FolderTree:
    at = Path(os.path.abspath(path))  # noqa: PTH100 - `.` needs a name, and links keep theirs
    found = _packages_in(at)
    if not found:
        above = next((parent for parent in at.parents if is_sglang(parent)), None)
        hint = f"did you mean {above}?" if above else SOMEWHERE
        raise SpecintError("no SGLang in this folder", spec, hint)
    if len(found) > 1:
        names = ", ".join(str(folder.relative_to(at)) for folder in found)
        raise SpecintError("more than one SGLang in this folder", spec, f"name one: {names}")
    folder = found[0]
    package = package_name(folder)
    version = version_beside(folder, package) or version_in_source(folder)
    return FolderTree(folder, package, Origin(version=version, source=spec))


def _packages_in(at: Path) -> list[Path]:
    """The package's folder: this one, or one at a usual place below; the usual name goes before a fork's."""
    if is_sglang(at):
        return [at]
    holders = [at, at / "python", at / "src", *_site_packages(at)]
    for holder in holders:
        if is_sglang(holder / USUAL_NAME):
            return [holder / USUAL_NAME]
    found = [child for holder in holders for child in _folders_of(holder) if is_sglang(child)]
    return sorted(set(found))


def _folders_of(folder: Path) -> list[Path]:
    try:
        return [child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")]
    except OSError:
        return []


def _in_archive(path: Path, spec: str) -> ArchiveTree:
    from specint.source.archive import ArchiveTree, open_archive  # zipfile is slow to import

    if path.name.endswith((".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
        raise SpecintError("is a source archive", spec, "unpack it and give the folder")
    if path.suffix == ".py":
        raise SpecintError("is one file, not SGLang", spec, SOMEWHERE)
    with open_archive(path) as archive:
        names = archive.namelist()
        inside, package = _package_among(names, spec)
        models = sorted(name for name in names if name.startswith(f"{inside}{package}/srt/models/"))
        dotted = name_in_imports((_member_text(archive, name) for name in models[:10]), package)
        if f"/{inside}{package}".endswith("/" + dotted.replace(".", "/")):  # part of a larger package
            inside, package = inside[: len(inside) + len(package) - len(dotted)], dotted
        texts = (_member_text(archive, name) for name in _stating_version(names, inside, package))
        stated = (version_in_metadata(text) or stated_version(text) for text in texts)
        version = next((version for version in stated if version), "unknown")
    return ArchiveTree(path, package, Origin(version=version, source=spec), inside=inside)


def _package_among(names: Iterable[str], spec: str) -> tuple[str, str]:
    """Which folder of an archive holds the package, and the package's name."""
    found = {match.groups() for name in names if (match := IN_ARCHIVE.match(name)) and ".." not in name}
    if not found:
        raise SpecintError("no SGLang in this file", spec, SOMEWHERE)
    inside, package = min(found, key=lambda pair: (pair[1] != USUAL_NAME, pair[0].count("/"), pair))
    return inside, package


def _member_text(archive: ZipFile, name: str) -> str:
    try:
        with archive.open(name) as member:  # never all of it: a few bytes can stand for gigabytes
            return member.read(SHORT).decode("utf-8", errors="replace")
    except Exception:
        return ""


def _stating_version(names: Iterable[str], inside: str, package: str) -> list[str]:
    infos = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    return [*infos[:1], f"{inside}{package}/_version.py", f"{inside}{package}/version.py"]


def _nothing_at(path: Path, spec: str) -> SpecintError:
    try:
        siblings = sorted(child.name for child in path.parent.iterdir())
    except OSError:
        siblings = []
    near = difflib.get_close_matches(path.name, siblings, n=1)
    if near:
        return SpecintError("no such file or folder", spec, f"did you mean {path.parent / near[0]}?")
    return SpecintError("no such file, folder or release", spec, SOMEWHERE)
