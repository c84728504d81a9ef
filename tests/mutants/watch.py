"""A plugin of pytest for `run.py`: says which tests come by which lines, and how long they take."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOMS = ("graph", "contract", "compliance", "checks")
RECORD = os.environ.get("SPECINT_MUTANTS_RECORD")


class Recorder:
    """Coverage by test. What a fixture of several tests runs counts for each test that uses it."""

    def __init__(self, target: Path) -> None:
        import coverage

        self.target = target
        self.coverage = coverage.Coverage(
            include=[f"specint/{room}/*" for room in ROOMS], data_file=None, config_file=False, messages=False
        )
        self.coverage.start()
        self.users: dict[str, set[str]] = defaultdict(set)
        self.seconds: dict[str, float] = {}
        self.failed: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed[report.nodeid] = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        for name in getattr(item, "fixturenames", ()):
            self.users[name].add(item.nodeid)
        began = time.process_time()
        yield
        self.seconds[item.nodeid] = round(time.process_time() - began, 3)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Iterator[None]:
        shared = fixturedef.scope != "function"
        if shared:
            self.coverage.switch_context(f"fixture {fixturedef.argname}")
        result = yield
        if shared:
            self.coverage.switch_context(request.node.nodeid if request.node.nodeid in self.seconds else self.item)
        return result

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.item = item.nodeid

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        passed = self.seconds.keys() - self.failed.keys()
        top = Path.cwd()
        lines: dict[str, dict[int, frozenset[str]]] = {}
        for file in data.measured_files():
            found: dict[int, frozenset[str]] = {}
            for line, contexts in data.contexts_by_lineno(file).items():
                tests: set[str] = set()
                for context in contexts:
                    tests |= self.users[context[8:]] if context.startswith("fixture ") else {context} - {""}
                found[line] = frozenset(tests & passed)
            lines[str(Path(file).relative_to(top))] = found
        self.target.write_text(json.dumps({"seconds": self.seconds, **packed(lines), "failed": [*self.failed]}))


def packed(lines: dict[str, dict[int, frozenset[str]]]) -> dict[str, Any]:
    """The tests of each line as data: every name and every set of tests is written once."""
    sets: dict[frozenset[str], int] = {}
    numbered = {file: {n: sets.setdefault(tests, len(sets)) for n, tests in by.items()} for file, by in lines.items()}
    names = {name: number for number, name in enumerate(sorted({name for one in sets for name in one}))}
    return {"names": [*names], "sets": [sorted(names[name] for name in one) for one in sets], "lines": numbered}


def unpacked(data: dict[str, Any]) -> dict[str, dict[int, frozenset[str]]]:
    """The tests of each line."""
    names = data["names"]
    sets = [frozenset(names[number] for number in one) for one in data["sets"]]
    return {file: {int(line): sets[n] for line, n in by.items()} for file, by in data["lines"].items()}


def pytest_configure(config: pytest.Config) -> None:
    if RECORD:
        config.pluginmanager.register(Recorder(Path(RECORD)))
