"""What every test may ask for: a real SGLang release, and the small trees in `fixtures/`."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import platformdirs
import pytest

from specint.errors import SpecintError
from specint.source.release import Release, fetch

FIXTURES = Path(__file__).parent.parent / "fixtures"
CACHE_VARIABLE = "SPECINT_TEST_CACHE"
WANTED = re.compile(r"sglang/.*\.py|sglang-[^/]*\.dist-info/.*")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the expected outputs anew; read the difference in review"
    )


# -- what did not run --------------------------------------------------------------------------------------------------

SKIPPED = "SPECINT_TEST_SKIPPED"
"""A file to which is added what was skipped, for whoever runs pytest several times (`.ci/run`)."""
LEFT_OUT = ("slow", "release", "browser", "smoke", "programs")
_not_run: Counter[str] = Counter()


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        marks = [name for name in LEFT_OUT if item.get_closest_marker(name)]
        _not_run[f"left out by -m or -k: marked {', '.join(marks)}" if marks else "left out by -m or -k"] += 1


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        _not_run[f"skipped: {report.longrepr[2].removeprefix('Skipped: ')}"] += 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker of pytest-xdist leaves out the same tests, and says so to the one that prints."""
    for reason, number in getattr(node, "workeroutput", {}).get("not_run", {}).items():
        _not_run[reason] = max(_not_run[reason], number)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        left_out = {reason: number for reason, number in _not_run.items() if reason.startswith("left out")}
        session.config.workeroutput["not_run"] = left_out


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The last thing that a run prints: how many tests did not run, and why."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or hasattr(config, "workeroutput") or not _not_run:
        return
    lines = [f"{number} {reason}" for reason, number in _not_run.most_common()]
    terminal.write_line("\n".join(["Not run:", *(f"  {line}" for line in lines)]))
    if path := os.environ.get(SKIPPED):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"  {line}\n" for line in lines if " skipped: " in line)
    _not_run.clear()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """`golden(name, data)`: `data` is what `golden/<name>` beside the test holds; --update-golden makes it so."""
    folder = request.path.parent / "golden"

    def compare(name: str, data: bytes) -> None:
        path = folder / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assert path.exists(), f"no {path}: `pytest --update-golden` writes it"
        assert data.decode() == path.read_bytes().decode()  # a format may end its lines in another way

    return compare


@pytest.fixture(scope="session")
def release_folder() -> Callable[[str], Path]:
    """`release_folder("0.5.9")`: the folder with the release's wheel, its `sglang` and its `.dist-info`.

    What can't be fetched fails the test in CI, and skips it, with the reason, elsewhere.
    """
    known: dict[str, Path | SpecintError] = {}  # a failure too: without a network, every attempt costs seconds

    def folder(version: str) -> Path:
        if version not in known:
            try:
                known[version] = fetched(version)
            except SpecintError as error:
                known[version] = error
        home = known[version]
        if isinstance(home, Path):
            return home
        message = f"{home}; {CACHE_VARIABLE}=DIR names a folder that has DIR/{version}/sglang and its wheel"
        if os.environ.get("CI"):
            pytest.fail(message, pytrace=False)
        pytest.skip(message)

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


@pytest.fixture
def work() -> Callable[..., int]:
    """`work(function, *arguments)`: how many Python calls that takes. No clock: the same on every machine, so that it
    can be said how the cost grows."""

    def count(function: Callable[..., object], *arguments: object) -> int:
        calls = 0

        def called(frame: FrameType, event: str, _: object) -> None:
            nonlocal calls
            calls += event == "call"

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            function(*arguments)
        finally:
            sys.setprofile(before)
        return calls

    return count


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
            wheel = fetch(Release("sglang", version), Path(scratch))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(fresh, [name for name in archive.namelist() if WANTED.fullmatch(name)])
            wheel.rename(fresh / wheel.name)
            shutil.rmtree(home, ignore_errors=True)  # what an interrupted run of something else left
            fresh.rename(home)
    return home


def complete(home: Path) -> bool:
    return (home / "sglang" / "srt").is_dir() and any(home.glob("sglang-*.whl"))


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
