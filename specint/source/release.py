"""A release of SGLang by its number: fetched once by pip as a wheel, kept, never installed, unpacked or run."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from specint.aside import die_with_parent
from specint.errors import SpecintError

Progress = Callable[[str], None]

VERSION = re.compile(r"v?(\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9.]+)?)", re.IGNORECASE)
SERIES = re.compile(r"v?(\d+\.\d+)", re.IGNORECASE)
RANGE = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?\s*([<>=!~].*)")
PINNED = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*===?\s*(\S+)")
OFFERED = re.compile(r"\(from versions: ([^)]*)")
UNREACHABLE = re.compile(
    r"retrying|connection|timed? ?out|name resolution|could not fetch url|proxy|ssl|certificate|HTTP error|network",
    re.IGNORECASE,
)
LONGEST_NAME = 200
"""What names a release has no more characters; a version of thousands of digits is none that can be compared."""
# Releases from 0.5.11 on are wheels of one platform and one Python. Which of them is read makes no difference to us, so
# every one is asked for; pip takes several platforms at a time, but one Python.
PYTHONS = ("3.11", "3.12", "3.10", "3.13")
PLATFORMS = (
    *(f"manylinux_2_{minor}_{machine}" for machine in ("x86_64", "aarch64") for minor in range(40, 16, -1)),
    *(f"{name}_{machine}" for machine in ("x86_64", "aarch64") for name in ("manylinux2014", "linux")),
    *(f"macosx_{major}_0_{machine}" for machine in ("arm64", "x86_64") for major in range(15, 10, -1)),
    "win_amd64",
)


class Release(NamedTuple):
    """One version of one distribution on the package index."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Releases(NamedTuple):
    """Some versions of a distribution, the newest of which is meant; `among` is as pip writes it, "" for all."""

    name: str
    among: str

    def __str__(self) -> str:
        return f"{self.name} {self.among or 'latest'}"


def releases_named(spec: str) -> Releases | None:
    """The releases that "latest", "0.5" (whatever begins so) or ">=0.5.9,<0.6" names; None if it is of no such form."""
    if len(spec) > LONGEST_NAME:
        return None
    if spec.strip().lower() == "latest":
        return Releases("sglang", "")
    if series := SERIES.fullmatch(spec.strip()):
        return Releases("sglang", f"=={series[1]}.*")
    if ranged := RANGE.fullmatch(spec.strip()):
        from packaging.specifiers import InvalidSpecifier, SpecifierSet  # slow to import

        try:
            return Releases(_plain(ranged[1] or "sglang"), str(SpecifierSet(ranged[2])))
        except InvalidSpecifier:
            return None
    return None


def newest(releases: Releases, *, timeout: float = 600.0) -> Release:
    """The newest of some releases that the index offers; one that is no final release only where there is nothing else.

    Raises SpecintError where there is none, and when pip or the network is missing.
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    folder = _writable(None)
    nothing = Release(releases.name, "0+nothing")  # pip then names all that there are
    offered, complaint = _offered(nothing, folder, timeout)
    found = list(SpecifierSet(releases.among).filter(offered))
    if not found:
        if not offered:
            raise _failure(Release(releases.name, releases.among or "latest"), complaint, offered)
        hint = f"the newest is {max(offered, key=Version)}"
        raise SpecintError("no such release on the package index", str(releases), hint)
    return Release(releases.name, max(found, key=Version))


def release_named(spec: str) -> Release | None:
    """The release that "0.5.9", "v0.5.9" or "sglang==0.5.9" names; None if it is not of that form."""
    if len(spec) > LONGEST_NAME:
        return None
    name, number = "sglang", spec.strip()
    if pinned := PINNED.fullmatch(number):
        name, number = pinned.groups()
    found = VERSION.fullmatch(number)
    return Release(_plain(name), found[1].lower()) if found else None


def _plain(name: str) -> str:
    """The one spelling of a distribution's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def fetch(
    release: Release, cache_dir: Path | None, *, progress: Progress | None = None, timeout: float = 600.0
) -> Path:
    """The release's wheel, from the cache or else from the index that the user's pip is set up for.

    Without a cache folder, or where it can't be written, the wheel is kept until this process ends. Raises
    SpecintError for a release that the index doesn't have, and when pip or the network is missing.
    """
    if cache_dir is not None and (wheel := cached(release, cache_dir)):
        return wheel
    folder = _writable(cache_dir)
    if progress:
        progress(f"fetching {release}")
    scratch = Path(tempfile.mkdtemp(prefix=".fetching-", dir=folder))
    try:
        fresh = _downloaded(release, scratch, timeout)
        if not _is_whole(fresh):
            raise SpecintError("pip delivered a damaged wheel", str(release), "try again")
        wheel = folder / fresh.name
        fresh.replace(wheel)  # one step: another process sees a whole wheel or none, and a second one changes nothing
        return wheel
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def cached(release: Release, cache_dir: Path) -> Path | None:
    """The release's wheel if it was fetched before and is whole."""
    start = f"{release.name.replace('-', '_')}-{release.version}-"
    try:
        found = sorted(path for path in (cache_dir / "releases").iterdir() if path.name.lower().startswith(start))
    except OSError:
        return None
    return next((path for path in found if path.suffix == ".whl" and _is_whole(path)), None)


def _is_whole(wheel: Path) -> bool:
    import zipfile  # slow to import

    return wheel.is_file() and zipfile.is_zipfile(wheel)


def _writable(cache_dir: Path | None) -> Path:
    if cache_dir is not None:
        folder = (cache_dir / "releases").absolute()  # pip runs in a folder of its own
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            pass  # read-only or full: the run is slower next time, no worse
    try:
        folder = Path(tempfile.mkdtemp(prefix="specint-"))
    except OSError as error:
        raise SpecintError(f"no folder to put a release into: {error.strerror}", "", "set SPECINT_CACHE_DIR") from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _downloaded(release: Release, folder: Path, timeout: float) -> Path:
    offered, complaint = _offered(release, folder, timeout)
    wheel = next(folder.glob("*.whl"), None)
    if wheel is not None:
        return wheel
    raise _failure(release, complaint, offered)


def _offered(release: Release, folder: Path, timeout: float) -> tuple[list[str], str]:
    """Put the release's wheel into the folder; where there is none, what there is instead, and pip's complaint."""
    # No source distribution, ever: to get a wheel from one, pip would run its build.
    command = [*_pip(), "download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--retries=1"]
    command += ["--only-binary=:all:", f"--dest={folder}"]
    offered: list[str] = []
    complaint = ""
    for platform in _platforms():
        complaint = _run([*command, *platform, f"{release.name}=={release.version}"], release, folder, timeout)
        if any(folder.glob("*.whl")):
            break
        listed = OFFERED.search(complaint)
        offered += listed[1].split(", ") if listed else []
        if listed is None or (listed[1].strip() == "none" and UNREACHABLE.search(complaint)):
            break  # asking for another platform would end the same way
    return [version for version in offered if VERSION.fullmatch(version)], complaint


def _platforms() -> Iterator[list[str]]:
    yield []
    for python in PYTHONS:
        tag = "cp" + python.replace(".", "")
        yield [
            f"--python-version={python}",
            "--implementation=cp",
            *(f"--abi={abi}" for abi in (tag, "abi3", "none")),
            *(f"--platform={platform}" for platform in PLATFORMS),
        ]


def _pip() -> list[str]:
    from importlib.util import find_spec

    if sys.executable and find_spec("pip"):
        # -P: a `pip.py` in the folder that is being checked must not be what runs.
        return [sys.executable, "-P", "-m", "pip"]
    for name in ("pip", "pip3"):
        if found := shutil.which(name):
            return [found]
    hint = "install pip, or download the wheel yourself and give its path"
    raise SpecintError("no pip to fetch a release with", "", hint)


def _run(command: list[str], release: Release, folder: Path, timeout: float) -> str:
    """pip's complaint, "" if it had none.

    pip runs in the empty folder: where there is a file `sglang==1.0+x.zip`, that is what it takes and builds.
    """
    import subprocess

    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "ignore"},
            preexec_fn=partial(die_with_parent, os.getpid()) if sys.platform == "linux" else None,
        )
    except subprocess.TimeoutExpired:
        hint = "try again, or download the wheel yourself and give its path"
        raise SpecintError(f"pip did not finish within {timeout:g} s", str(release), hint) from None
    except OSError as error:
        raise SpecintError(f"pip can't be started: {error.strerror}", command[0]) from None
    return "" if done.returncode == 0 else done.stderr.decode(errors="replace") or f"exit code {done.returncode}"


def _failure(release: Release, complaint: str, offered: list[str]) -> SpecintError:
    if offered:
        near = ", ".join(nearest(release.version, offered))
        if release.version in offered:
            return SpecintError("no wheel that can be read", str(release), f"releases near it: {near}")
        return SpecintError("no such release on the package index", str(release), f"the nearest are {near}")
    if UNREACHABLE.search(complaint):
        hint = "check the network and pip's settings, or give the path of a wheel or checkout"
        return SpecintError("can't be fetched: the package index can't be reached", str(release), hint)
    if OFFERED.search(complaint):
        return SpecintError(
            f"the package index has no {release.name}", str(release), "is pip set up for the right one?"
        )
    errors = [line.partition("ERROR: ")[2] or line for line in complaint.strip().splitlines() if line.strip()]
    said = next((line for line in errors if line), "nothing")
    return SpecintError(f"pip failed: {said[:300]}", str(release), "pip download --no-deps says more")


def nearest(version: str, offered: list[str], count: int = 4) -> list[str]:
    """The offered versions around one, in order."""
    from packaging.version import Version

    known = sorted(set(offered), key=Version)
    at = sum(Version(other) < Version(version) for other in known)
    start = max(0, min(at - count // 2, len(known) - count))
    return known[start : start + count]
