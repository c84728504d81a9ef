"""A plugin of pytest for `run.py`: collects the tests once, and tries each mutant in a child of this warm process.

A child puts the changed code into the functions that are loaded, and runs the mutant's tests until one fails. Starting
pytest anew would take longer than most of them take to fail. What is changed elsewhere (a class body, a default, a
table) runs on import, so such a mutant gets a fresh interpreter.

Nothing here looks at a clock: a test may take `PATIENCE` times the processor time it took unchanged, and a few seconds.
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

PLAN = os.environ.get("SPECINT_MUTANTS_PLAN")
ALONE = os.environ.get("SPECINT_MUTANTS_ALONE")
PATIENCE = 10
GRACE = 3
"""Seconds for what a test finds done when others ran before it: fixtures of the session, imports in functions."""

MEMORY = 4 << 30
LONGEST = 600


class Judge:
    """Writes a line for each mutant of the plan: its number, a verdict, and the test that failed.

    The plan is a list of `[file, start, end, new, tests]` with the `seconds` of each test.
    """

    def __init__(self, plan: dict[str, Any], answers: int) -> None:
        self.mutants: list[tuple[str, int, int, str, list[str]]] = plan["mutants"]
        self.seconds: dict[str, float] = plan["seconds"]
        self.answers = os.fdopen(answers, "w")
        self.sound: dict[tuple[str, bool], bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.functions = loaded_functions(Path("specint").resolve())
        for number, (file, start, end, new, tests) in enumerate(self.mutants):
            path = Path(file).resolve()
            text = path.read_bytes()
            path.write_bytes(text[:start] + new.encode() + text[end:])  # for whoever reads or starts specint itself
            shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
            try:
                verdict, test = self.judged(path, text, tests)
            finally:
                path.write_bytes(text)
            print(json.dumps([number, verdict, test]), file=self.answers, flush=True)
        return True

    def judged(self, path: Path, text: bytes, tests: list[str]) -> tuple[str, str | None]:
        """A test that fails in such a child of the unchanged code too says nothing, and the others are asked."""
        changes, changed = self.changes(path, text), path.read_bytes()
        while tests:
            verdict, test = self.tried(tests, changes)
            if test is None:
                return verdict, None
            key = (test, changes is None)
            if key not in self.sound:
                path.write_bytes(text)
                self.sound[key] = self.tried([test], None if changes is None else [])[0] == "survived"
                path.write_bytes(changed)
            if self.sound[key]:
                return verdict, test
            tests = [one for one in tests if one != test]
        return "survived", None

    def changes(self, path: Path, text: bytes) -> list[tuple[FunctionType, CodeType]] | None:
        """What the functions that are loaded get; None where more than functions changed."""
        changed = changed_functions(compiled(path, text), compiled(path, path.read_bytes()))
        if changed is None:
            return None
        found: list[tuple[FunctionType, CodeType]] = []
        for old, new in changed:
            functions = [one for one in self.functions.get(old, ()) if one.__code__.co_filename == str(path)]
            if not functions or old.co_freevars != new.co_freevars:
                return None
            found += [(function, new) for function in functions]
        return found

    def tried(
        self, tests: Sequence[str], changes: list[tuple[FunctionType, CodeType]] | None
    ) -> tuple[str, str | None]:
        """What a child that runs these tests says, and the test at which it ended."""
        with tempfile.TemporaryDirectory() as scratch:
            running = Path(scratch, "running")
            child = os.fork()
            if child == 0:
                try:
                    os.environ["TMPDIR"] = tempfile.tempdir = scratch
                    code = alone(tests, running) if changes is None else self.run(tests, changes, running)
                except BaseException:
                    code = 3
                os._exit(code)
            _, status = os.waitpid(child, 0)
            test = running.read_text() if running.exists() else tests[0]
        if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) >= 128:
            return "endless", test
        return ("killed", test) if os.WEXITSTATUS(status) else ("survived", None)

    def run(self, tests: Sequence[str], changes: list[tuple[FunctionType, CodeType]], running: Path) -> int:
        bounded()
        silence = os.open(os.devnull, os.O_RDWR)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        for function, code in changes:
            function.__code__ = code
        items = [self.items[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            running.write_text(item.nodeid)
            allow(self.seconds[item.nodeid])
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return 1
        return 0


class Alone:
    """What a fresh interpreter does with one mutant: the same limits, and which test is running."""

    def __init__(self, plan: dict[str, Any], running: Path) -> None:
        self.seconds: dict[str, float] = plan["seconds"]
        self.running = running

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.running.write_text(item.nodeid)
        allow(self.seconds[item.nodeid])
        yield


def allow(seconds: float) -> None:
    """The process ends where it uses far more of the processor than it did: a mutant that runs without end."""
    signal.setitimer(signal.ITIMER_PROF, GRACE + PATIENCE * seconds)


def bounded() -> None:
    """Also for what a test starts, whose processor time is not this process's."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))


def alone(tests: Sequence[str], running: Path) -> int:
    """The same in a fresh interpreter."""
    names = running.with_name("names")
    names.write_text("\n".join(tests))
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", __name__, f"@{names}"]
    environment = os.environ | {"SPECINT_MUTANTS_ALONE": str(running)}
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 128 - done.returncode if done.returncode < 0 else done.returncode


# -- code --------------------------------------------------------------------------------------------------------------


def compiled(path: Path, text: bytes) -> CodeType:
    return compile(text, str(path), "exec", dont_inherit=True)


def loaded_functions(folder: Path) -> dict[CodeType, list[FunctionType]]:
    """Every function of a package that is loaded, by its code."""
    found: dict[CodeType, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and Path(thing.__code__.co_filename).is_relative_to(folder):
            found.setdefault(thing.__code__, []).append(thing)
    return found


def changed_functions(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """The outermost functions that differ; None where what runs on import differs itself."""
    found: list[tuple[CodeType, CodeType]] = []
    if (old.co_code, old.co_names, len(old.co_consts)) != (new.co_code, new.co_names, len(new.co_consts)):
        return None
    for before, after in zip(old.co_consts, new.co_consts, strict=True):
        if not isinstance(before, CodeType) or not isinstance(after, CodeType):
            if type(before) is not type(after) or before != after:
                return None
        elif before.co_flags & inspect.CO_OPTIMIZED:
            found += [(before, after)] if before != after else []
        else:
            inner = changed_functions(before, after)
            if inner is None:
                return None
            found += inner
    return found


def pytest_configure(config: pytest.Config) -> None:
    if PLAN and ALONE:
        bounded()
        config.pluginmanager.register(Alone(json.loads(Path(PLAN).read_text()), Path(ALONE)))
    elif PLAN:
        answers = int(os.environ["SPECINT_MUTANTS_ANSWERS"])
        config.pluginmanager.register(Judge(json.loads(Path(PLAN).read_text()), answers))
