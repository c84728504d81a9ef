"""A plugin of pytest for `run.py`: collects the tests once, and tries each mutant in a child of this warm process.

First all tests run in a child whose functions say when they come by a mutant's line: so it is known which tests do, and
how much of the processor each takes. Then every mutant gets a child that puts the changed code into the functions that
are loaded, and runs those tests until one fails. Starting pytest anew would take longer than most of them take to fail.
What is changed outside of functions (a class body, a default, a table) runs on import: that gets a fresh interpreter.

Nothing here looks at a clock: a test may take `PATIENCE` times the processor time it took unchanged, and a few seconds.
"""

from __future__ import annotations

import ast
import builtins
import gc
import importlib
import inspect
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

PLAN = os.environ.get("SPECINT_MUTANTS_PLAN")
ALONE = os.environ.get("SPECINT_MUTANTS_ALONE")
PATIENCE = 10
GRACE = 3
"""Seconds for what a test finds done when others ran before it: fixtures of the session, imports in functions."""

MEMORY = 4 << 30
LONGEST = 600
PROBE = "__mutant_met__"

Changes = list[tuple[FunctionType, CodeType]]


class Planned(NamedTuple):
    """A mutant: which bytes of which line of a file are replaced, and the test that killed it before ("" for none)."""

    file: str
    line: int
    start: int
    end: int
    new: str
    killer: str


class Judge:
    """Writes a line for each mutant of the plan: its number, a verdict, the test that failed, how many were asked."""

    def __init__(self, plan: dict[str, Any], answers: int) -> None:
        self.mutants = [Planned(*one) for one in plan["mutants"]]
        self.budget: float = plan["seconds"]
        self.answers = os.fdopen(answers, "w")
        self.sound: dict[tuple[str, bool], bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        for file in dict.fromkeys(one.file for one in self.mutants):  # some are imported where they are used
            importlib.import_module(file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        self.functions = loaded_functions(Path("specint").resolve())
        known = self.recorded()
        self.seconds: dict[str, float] = known["seconds"]
        met = {int(number): tests for number, tests in known["met"].items()}
        Path("seconds.json").write_text(json.dumps(self.seconds))
        for number, mutant in enumerate(self.mutants):
            path = Path(mutant.file).resolve()
            text = path.read_bytes()
            # on disk too, for whoever reads or starts specint itself
            path.write_bytes(text[: mutant.start] + mutant.new.encode() + text[mutant.end :])
            shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
            tests = self.chosen(mutant, met.get(number))
            try:
                verdict, test = self.judged(path, text, tests) if tests else ("not tested", None)
            finally:
                path.write_bytes(text)
            print(json.dumps([number, verdict, test, len(tests)]), file=self.answers, flush=True)
        return True

    # -- which tests ---------------------------------------------------------------------------------------------------

    def recorded(self) -> dict[str, Any]:
        """Which of the tests that pass come by which mutants, and the seconds of each."""
        changes: Changes = []
        for file in dict.fromkeys(one.file for one in self.mutants):
            path = Path(file).resolve()
            text = path.read_bytes()
            lines = {number: one.line for number, one in enumerate(self.mutants) if one.file == file}
            for old, new in changed_functions(compiled(path, text), probed(path, text, lines)) or ():
                changes += [(function, new) for function in self.of_file(old, path)]
        with tempfile.TemporaryDirectory() as scratch:
            target = Path(scratch, "record")
            child = os.fork()
            if child == 0:
                try:
                    silent(scratch)
                    code = self.record(changes, target)
                except BaseException:
                    code = 3
                os._exit(code)
            os.waitpid(child, 0)
            found: dict[str, Any] = json.loads(target.read_text())
        return found

    def record(self, changes: Changes, target: Path) -> int:
        recorder = Recorder()
        setattr(builtins, PROBE, recorder.meets)
        for function, code in changes:
            function.__code__ = code
        items = list(self.items.values())
        items[0].config.pluginmanager.register(recorder)
        run(items, lambda _: None, stop=False)
        passed = recorder.seconds.keys() - recorder.failed
        met = {
            number: sorted({t for one in places for t in recorder.users.get(one, {one})} & passed)
            for number, places in recorder.met.items()
        }
        target.write_text(json.dumps({"seconds": {t: recorder.seconds[t] for t in sorted(passed)}, "met": met}))
        return 0

    def chosen(self, mutant: Planned, met: list[str] | None) -> list[str]:
        """The tests that come by, the likeliest first: what killed it before, those that have the name of its module,
        those of its room; and quick ones before slow ones. Of a line that runs on import anybody's may be."""
        room, stem = "tests/" + mutant.file.split("/")[1] + "/", Path(mutant.file).stem
        inside = Path(mutant.file).resolve()
        on_import = met is None and not runs_in_function(inside.read_text(), mutant.line)

        def place(test: str) -> tuple[bool, bool, bool, bool, float]:
            named = stem in test or stem.replace("_", "-") in test
            took = self.seconds[test]
            return (test != mutant.killer, took > 1, not named, not test.startswith(room), took)

        taken: list[str] = []
        left = self.budget
        for test in sorted(self.seconds if on_import else met or (), key=place):
            left -= self.seconds[test]
            if left < 0:
                break
            taken.append(test)
        return taken

    # -- one mutant ----------------------------------------------------------------------------------------------------

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

    def changes(self, path: Path, text: bytes) -> Changes | None:
        """What the functions that are loaded get; None where more than functions changed."""
        changed = changed_functions(compiled(path, text), compiled(path, path.read_bytes()))
        if changed is None:
            return None
        found: Changes = []
        for old, new in changed:
            functions = self.of_file(old, path)
            if not functions or old.co_freevars != new.co_freevars or any(map(self.functions.get, nested(old))):
                return None
            found += [(function, new) for function in functions]
        return found

    def of_file(self, code: CodeType, path: Path) -> list[FunctionType]:
        return [one for one in self.functions.get(code, ()) if one.__code__.co_filename == str(path)]

    def tried(self, tests: Sequence[str], changes: Changes | None) -> tuple[str, str | None]:
        """What a child that runs these tests says, and the test at which it ended."""
        with tempfile.TemporaryDirectory() as scratch:
            running = Path(scratch, "running")
            child = os.fork()
            if child == 0:
                try:
                    silent(scratch)
                    code = alone(tests, running) if changes is None else self.run(tests, changes, running)
                except BaseException:
                    code = 3
                os._exit(code)
            _, status = os.waitpid(child, 0)
            test = running.read_text() if running.exists() else tests[0]
        if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) >= 128:
            return "endless", test
        return ("killed", test) if os.WEXITSTATUS(status) else ("survived", None)

    def run(self, tests: Sequence[str], changes: Changes, running: Path) -> int:
        bounded()
        for function, code in changes:
            function.__code__ = code

        def begins(item: pytest.Item) -> None:
            running.write_text(item.nodeid)
            allow(self.seconds[item.nodeid])

        return run([self.items[test] for test in tests], begins, stop=True)


class Recorder:
    """Who comes by which mutant. What a fixture of several tests runs counts for each test that uses it."""

    def __init__(self) -> None:
        self.here = ""
        self.met: dict[int, set[str]] = defaultdict(set)
        self.users: dict[str, set[str]] = defaultdict(set)
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def meets(self, number: int) -> None:
        self.met[number].add(self.here)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.here = item.nodeid
        indices = item.callspec.indices if hasattr(item, "callspec") else {}
        for name in getattr(item, "fixturenames", ()):
            self.users[fixture(name, indices.get(name, 0))].add(item.nodeid)
        began = time.process_time()
        yield
        self.seconds[item.nodeid] = round(time.process_time() - began, 3)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        before = self.here
        if fixturedef.scope != "function":
            self.here = fixture(fixturedef.argname, getattr(request, "param_index", 0))
        result = yield
        self.here = before
        return result


def fixture(name: str, parameter: int) -> str:
    """Who runs what a fixture of several tests runs: the fixture, with one of its parameters."""
    return f"fixture {name} {parameter}"


class Alone:
    """What a fresh interpreter does with one mutant: the same limits, and which test is running."""

    def __init__(self, running: Path) -> None:
        self.seconds: dict[str, float] = json.loads(Path("seconds.json").read_text())
        self.running = running

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.running.write_text(item.nodeid)
        allow(self.seconds[item.nodeid])
        yield


def run(items: list[pytest.Item], begins: Any, *, stop: bool) -> int:
    """Runs tests as pytest's own loop does; 1 where one fails."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        begins(item)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if stop and item.session.testsfailed:
            return 1
    return 0


def silent(scratch: str) -> None:
    """In a child: nothing is printed, and what is left in a temporary folder goes with the child."""
    os.environ["TMPDIR"] = tempfile.tempdir = scratch
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


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


def probed(path: Path, text: bytes, lines: dict[int, int]) -> CodeType:
    """A module whose functions say when they come to the statement of a line, by its number."""
    tree = ast.parse(text)
    for number, line in lines.items():
        found = statement_at(tree, line)
        if found is not None:
            body, index = found
            call = ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(number)], [])
            body.insert(index, ast.copy_location(ast.Expr(call), body[index]))
    return compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)


def statement_at(tree: ast.AST, line: int, *, inside: bool = False) -> tuple[list[ast.stmt], int] | None:
    """The innermost statement of a function around a line: the list that it is in, and where."""
    found = None
    for _, value in ast.iter_fields(tree):
        parts = value if isinstance(value, list) else [value]
        for index, part in enumerate(parts):
            first, last = getattr(part, "lineno", 0), getattr(part, "end_lineno", 0) or 0
            if not isinstance(part, ast.AST) or (first and not first <= line <= last):
                continue
            if inside and isinstance(part, ast.stmt) and first:
                found = value, index
            within = inside or isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))
            found = statement_at(part, line, inside=within) or found
    return found


def runs_in_function(text: str, line: int) -> bool:
    return statement_at(ast.parse(text), line) is not None


def loaded_functions(folder: Path) -> dict[CodeType, list[FunctionType]]:
    """Every function of a package that is loaded, by its code."""
    found: dict[CodeType, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and Path(thing.__code__.co_filename).is_relative_to(folder):
            found.setdefault(thing.__code__, []).append(thing)
    return found


def nested(code: CodeType) -> Iterator[CodeType]:
    """The functions that a function makes, which may be kept by somebody."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from nested(one)


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
    if ALONE:
        bounded()
        config.pluginmanager.register(Alone(Path(ALONE)))
    elif PLAN:
        answers = int(os.environ["SPECINT_MUTANTS_ANSWERS"])
        config.pluginmanager.register(Judge(json.loads(Path(PLAN).read_text()), answers))
