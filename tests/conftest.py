"""What every test may ask for: a real SGLang release, and the small trees in `fixtures/`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs
import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
CACHE_VARIABLE = "SPECINT_TEST_CACHE"
WANTED = re.compile(r"sglang/.*\.py|sglang-[^/]*\.dist-info/.*")
FOREIGN_TAGS = [
    ("3.11", "cp311", "manylinux_2_34_x86_64"),
    ("3.12", "cp312", "manylinux_2_34_x86_64"),
    ("3.10", "cp310", "manylinux_2_34_x86_64"),
    ("3.12", "cp312", "manylinux_2_34_aarch64"),
]
"""Releases from 0.5.11 on are wheels of one platform; pip hands them out elsewhere only when told which."""


@pytest.fixture(scope="session")
def release_folder() -> Callable[[str], Path]:
    """`release_folder("0.5.9")`: the folder with the release's wheel, its `sglang` and its `.dist-info`."""
    known: dict[str, Path] = {}

    def folder(version: str) -> Path:
        if version not in known:
            known[version] = fetched(version)
        return known[version]

    return folder


@pytest.fixture(scope="session")
def release(release_folder: Callable[[str], Path]) -> Callable[[str], Path]:
    """`release("0.5.9")`: the unpacked `sglang` folder of that release, fetched once for all runs."""
    return lambda version: release_folder(version) / "sglang"


@pytest.fixture(scope="session")
def release_wheel(release_folder: Callable[[str], Path]) -> Callable[[str], Path]:
    """`release_wheel("0.5.9")`: the wheel as the index hands it out."""
    return lambda version: next(release_folder(version).glob("sglang-*.whl"))


@pytest.fixture(scope="session")
def fixture_tree() -> Callable[[str], Path]:
    """`fixture_tree("sglang_small")`: the folder of that name in `fixtures/`; copy it before changing anything."""

    def tree(name: str) -> Path:
        path = FIXTURES / name
        assert path.is_dir(), f"no fixtures/{name}; there are {sorted(p.name for p in FIXTURES.iterdir())}"
        return path

    return tree


def fetched(version: str) -> Path:
    """The folder of a release in the test cache; a folder that is there is complete."""
    cache = Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_path("specint-tests", appauthor=False))
    home = cache / version
    if complete(home):
        return home
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f".{version}.lock"):
        if complete(home):  # another worker was faster
            return home
        with tempfile.TemporaryDirectory(prefix=f".{version}-", dir=cache) as scratch:
            fresh = Path(scratch) / version
            fresh.mkdir()
            download(version, fresh)
            with zipfile.ZipFile(next(fresh.glob("*.whl"))) as wheel:
                wheel.extractall(fresh, [name for name in wheel.namelist() if WANTED.fullmatch(name)])
            shutil.rmtree(home, ignore_errors=True)  # what an interrupted run of something else left
            fresh.rename(home)
    return home


def complete(home: Path) -> bool:
    return (home / "sglang" / "srt").is_dir() and any(home.glob("sglang-*.whl"))


def download(version: str, folder: Path) -> None:
    """Lets pip put the wheel into `folder`; where it can't, the test fails in CI and is skipped elsewhere."""
    said = ""
    for tag in [(), *FOREIGN_TAGS]:
        platform = ["--python-version", tag[0], "--abi", tag[1], "--platform", tag[2]] if tag else []
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        done = subprocess.run(
            [*pip, "--only-binary=:all:", *platform, "--dest", str(folder), f"sglang=={version}"],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode == 0:
            return
        said = said or (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
    message = f"SGLang {version} could not be fetched: {said} ({CACHE_VARIABLE}=DIR names a folder that has it)"
    if os.environ.get("CI"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time, so that parallel workers fetch a release once; the system frees it when one dies."""
    try:
        import fcntl
    except ImportError:  # Windows: two may fetch the same release, and the second replaces the first's folder
        yield
        return
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
