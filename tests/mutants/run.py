"""How many small mistakes in the rooms that decide the tests would notice: `make mutants`.

    python tests/mutants/run.py                  300 mutants from a fixed seed
    python tests/mutants/run.py --sample 30      fewer
    python tests/mutants/run.py --only 'graph/*' of these files
    python tests/mutants/run.py --again          those that survived last time, after tests were added

Works on a copy of the checkout: an edit meanwhile changes nothing. The fast tests run there once, with coverage, which
says for each line which tests come by and how much of the processor they take (`watch.py`). A mutant then meets the
tests of its line, the likeliest first, until one fails or their time is up (`--seconds`, as recorded): "survived" means
that none of these failed. Each mutant is tried in a child of one warm process, which has the tests ready (`judge.py`).
What killed one is remembered as long as the test and the package stay as they are: a run that was stopped goes on.
A test that takes many times the processor time it took before is a mutant that runs without end: killed. No answer
depends on the clock, so none depends on what else the machine does.

Not mutmut or cosmic-ray: neither takes a sample by a seed, and both choose tests by the function, which of an evaluator
are all of them.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from mutate import Mutant, compiles, mutants
from watch import ROOMS, packed, unpacked

ROOT = Path(__file__).parent.parent.parent
CANDIDATES = tuple(f"tests/{room}" for room in ROOMS)
FAST = "not slow and not release and not browser and not smoke and not programs"
"""As `make test-fast`."""
KEPT = ROOT / ".mutants"
SEED = 1
WATCH = "tests.mutants.watch"
JUDGE = "tests.mutants.judge"


class Record(NamedTuple):
    """What the tests did to the unchanged code: `seconds` of each test, and the tests that come by each line."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, frozenset[str]]]
    package: str
    files: dict[str, str]

    def state(self, test: str) -> str:
        """The package and the test's file as they are: what a test did with a mutant, it does as long as both stay."""
        return f"{self.package} {self.files[test.partition('::')[0]]}"


def main() -> int:
    """Prints the survivors, and the share killed as the last line; 1 where that is below `--at-least`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"which ones ({SEED})")
    parser.add_argument("--only", default="*", help="a pattern of files, below specint/")
    parser.add_argument("--again", action="store_true", help="only those that survived the last run")
    parser.add_argument("--seconds", type=float, default=30, help="how long its tests may take, as recorded (30)")
    parser.add_argument("--at-least", type=float, default=0, help="the share in percent below which this fails")
    parser.add_argument("--stale", action="store_true", help="an older record of the lines will do")
    parser.add_argument("--verbose", "-v", action="store_true", help="each mutant, killed or not")
    asked = parser.parse_args()
    os.nice(19)
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="specint-mutants-") as folder:
        top = copied(Path(folder) / "checkout")
        record = recorded(top, stale=asked.stale)
        chosen = sample(top, asked)
        if not chosen:
            parser.error("no mutants: nothing in these rooms matches, or nothing survived last time")
        return report(chosen, judged(top, chosen, record, asked.seconds, asked.verbose), asked.at_least)


def sample(top: Path, asked: argparse.Namespace) -> list[Mutant]:
    """The mutants to try."""
    every = [
        one
        for room in ROOMS
        for path in sorted((top / "specint" / room).rglob("*.py"))
        if fnmatch.fnmatch(str(path.relative_to(top / "specint")), asked.only)
        for one in mutants(str(path.relative_to(top)), path.read_bytes())
    ]
    survivors = KEPT / "survivors.json"
    if asked.again:
        titles = set(json.loads(survivors.read_text())) if survivors.exists() else set()
        return [one for one in every if one.title in titles]
    random.Random(asked.seed).shuffle(every)
    trying = (one for one in every if compiles(one.applied((top / one.file).read_bytes())))
    return list(islice(trying, asked.sample))


def copied(top: Path) -> Path:
    """The checkout as git sees it, uncommitted changes included."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, top / name)
    return top


# -- the unchanged code ------------------------------------------------------------------------------------------------


def recorded(top: Path, *, stale: bool) -> Record:
    """Which tests come by which lines; kept beside the checkout. Only test files that changed are run anew, and all of
    them where the package did, unless a `stale` record will do."""
    stored = KEPT / "record.json"
    nothing = {"package": "", "files": {}, "seconds": {}, "names": [], "sets": [], "lines": {}}
    kept: dict[str, Any] = json.loads(stored.read_text()) if stored.exists() else nothing
    package = digest(top, [*top.glob("specint/**/*.py"), *top.glob("rules/**/*.*")])
    files = {
        str(path.relative_to(top)): digest(top, [path, top / "tests/conftest.py", top / room / "conftest.py"])
        for room in CANDIDATES
        for path in sorted((top / room).rglob("test_*.py"))
    }
    whole = package != kept["package"] and not (stale and kept["files"])
    changed = [name for name in files if whole or files[name] != kept["files"].get(name)]
    if changed:
        print(f"recording which tests come by which lines: {len(changed)} files", flush=True)
        fresh = run_recorded(top, changed)
        old = nothing if whole else kept
        lines = _merged(unpacked(old), unpacked(fresh), tuple(f"{name}::" for name in changed))
        kept = {"package": package, "files": files, "seconds": old["seconds"] | fresh["seconds"], **packed(lines)}
        stored.write_text(json.dumps(kept))
        for test in fresh["failed"]:
            print(f"left out, as it fails without any change: {test}")
    return Record(kept["seconds"], unpacked(kept), package, files)


def _merged(
    old: dict[str, dict[int, frozenset[str]]], fresh: dict[str, dict[int, frozenset[str]]], anew: tuple[str, ...]
) -> dict[str, dict[int, frozenset[str]]]:
    """What was recorded before, without the test files that were run anew, and what is recorded now."""
    none: frozenset[str] = frozenset()

    @cache
    def left(tests: frozenset[str]) -> frozenset[str]:
        return frozenset(test for test in tests if not test.startswith(anew))

    return {
        file: {
            line: left(old.get(file, {}).get(line, none)) | fresh.get(file, {}).get(line, none)
            for line in old.get(file, {}).keys() | fresh.get(file, {}).keys()
        }
        for file in old.keys() | fresh.keys()
    }


def run_recorded(top: Path, files: list[str]) -> dict[str, Any]:
    target = top / "record.json"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", WATCH, "-m", FAST, "-q", "-p", "no:cacheprovider", *files],
        cwd=top,
        env=environment(top, SPECINT_MUTANTS_RECORD=str(target)),
        stdout=subprocess.PIPE,
        text=True,
    )
    if not target.exists():
        sys.exit(f"{done.stdout[-3000:]}\nmutants: the tests can't be run")
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def digest(top: Path, paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(f"{path.relative_to(top)}\0".encode() + path.read_bytes())
    return found.hexdigest()


def environment(top: Path, **more: str) -> dict[str, str]:
    """Only this checkout's code, in the same order every time, and no plugin that takes a second to import."""
    fixed = {"PYTHONPATH": str(top), "PYTHONHASHSEED": "0", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return os.environ | fixed | more


# -- the mutants -------------------------------------------------------------------------------------------------------


def judged(
    top: Path, chosen: Sequence[Mutant], record: Record, seconds: float, verbose: bool
) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with "killed", "endless", "survived" or "not tested", as `judge.py` says it."""
    stored = KEPT / "killers.json"
    killers: dict[str, tuple[str, str]] = json.loads(stored.read_text()) if stored.exists() else {}
    open_: list[tuple[Mutant, list[str]]] = []
    for mutant in chosen:
        killer, state = killers.get(mutant.title, ("", ""))
        if killer.partition("::")[0] in record.files and state == record.state(killer):
            yield mutant, "killed"
        else:
            open_.append((mutant, chosen_tests(mutant, record, seconds, killer)))
    if len(open_) < len(chosen):
        print(f"{len(chosen) - len(open_)} of {len(chosen)} are killed by what killed them last time", flush=True)
    plan = top / "plan.json"
    mutants = [(one.file, one.start, one.end, one.new, tests) for one, tests in open_]
    plan.write_text(json.dumps({"mutants": mutants, "seconds": record.seconds}))
    began = time.monotonic()
    for number, said, test in answered(top, plan) if open_ else ():
        mutant, tests = open_[number]
        verdict = said if tests else "not tested"
        if test is not None:
            killers[mutant.title] = test, record.state(test)
            stored.write_text(json.dumps(killers, indent=0))
        if verbose or verdict in ("survived", "not tested"):
            took = f"{time.monotonic() - began:.1f} s"
            by = f" by {test}" if test else f", {len(tests)} tests"
            print(f"{number + 1}/{len(open_)} {verdict}{by}, {took}: {mutant.title}", flush=True)
        began = time.monotonic()
        yield mutant, verdict


def answered(top: Path, plan: Path) -> Iterator[tuple[int, str, str | None]]:
    """Lines of the warm process: a mutant's number, the verdict, the test that failed."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", JUDGE, "-m", FAST, "-q", "-p", "no:cacheprovider", *CANDIDATES],
        cwd=top,
        env=environment(top, SPECINT_MUTANTS_PLAN=str(plan), SPECINT_MUTANTS_ANSWERS=str(writing)),
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[writing],
    )
    os.close(writing)
    number = -1
    with os.fdopen(reading) as answers:
        for line in answers:
            number, verdict, test = json.loads(line)
            yield number, verdict, test
    said, _ = process.communicate()
    if number + 1 < len(json.loads(plan.read_text())["mutants"]):
        sys.exit(f"{said[-3000:]}\nmutants: the tests can't be run")


def chosen_tests(mutant: Mutant, record: Record, seconds: float, killer: str) -> list[str]:
    """The tests that come by the mutated lines, the likeliest first: what killed it before, those that have the name of
    its module, those of its room; and quick ones before slow ones."""
    by_line = record.lines.get(mutant.file, {})
    last = mutant.line + mutant.old.count("\n")
    tests = {test for line in range(mutant.line, last + 1) for test in by_line.get(line, ())}
    if not tests:  # a line that runs on import: whoever comes by the module
        tests = {test for found in by_line.values() for test in found}
    room, stem = "tests/" + mutant.file.split("/")[1] + "/", Path(mutant.file).stem

    def place(test: str) -> tuple[bool, bool, bool, bool, float]:
        named = stem in test or stem.replace("_", "-") in test
        took = record.seconds[test]
        return (test != killer, took > 1, not named, not test.startswith(room), took)

    taken: list[str] = []
    for test in sorted(tests, key=place):
        seconds -= record.seconds[test]
        if seconds < 0:
            break
        taken.append(test)
    return taken


def report(chosen: Sequence[Mutant], verdicts: Iterable[tuple[Mutant, str]], at_least: float) -> int:
    """Of what was judged until that was all, or somebody stopped it: the order is by chance, so a part tells too."""
    found: list[tuple[Mutant, str]] = []
    try:
        found.extend(verdicts)
    except KeyboardInterrupt:
        print(f"stopped after {len(found)} of {len(chosen)}")
    counts = Counter(verdict for _, verdict in found)
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, verdict in found:
        rooms[mutant.file.split("/")[1]][verdict] += 1
    left = [mutant.title for mutant, verdict in found if verdict not in ("killed", "endless")]
    (KEPT / "survivors.json").write_text(json.dumps(left, indent=1))
    for room, those in rooms.items():
        print(f"{room}: {share(those):.1f} % of {those.total()} killed")
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts.most_common())
    print(f"{share(counts):.1f} % of {len(found)} mutants killed ({words})")
    return int(share(counts) < at_least)


def share(counts: Counter[Any]) -> float:
    return 100 * (counts["killed"] + counts["endless"]) / max(counts.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
