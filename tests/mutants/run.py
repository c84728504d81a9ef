"""How many small mistakes in the rooms that decide the tests would notice: `make mutants`.

    python tests/mutants/run.py                  300 mutants from a fixed seed
    python tests/mutants/run.py --sample 30      fewer
    python tests/mutants/run.py --only 'graph/*' of these files
    python tests/mutants/run.py --again          those that survived last time, after tests were added

    python tests/mutants/run.py --only graph/value.py tests/graph/test_value.py      by these tests alone: seconds

Works on a copy of the checkout: an edit meanwhile changes nothing. The fast tests run there once (about 100 seconds of
the processor), and it is noted which of them come by the line of each mutant. A mutant then meets those, the likeliest
first, until one fails or their time is up (`--seconds`): "survived" means that none of these failed. Each is tried in a
child of one warm process, which has the tests ready (`judge.py`). What killed one is remembered as long as the test and
the package stay as they are: a run that was stopped goes on. A test that takes many times the processor time that it
took before is a mutant that runs without end: killed. No answer depends on the clock, so none depends on what else the
machine does.

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
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from mutate import Mutant, compiles, mutants

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("graph", "contract", "compliance", "checks")
CANDIDATES = tuple(f"tests/{room}" for room in ROOMS)
FAST = "not slow and not release and not browser and not smoke and not programs"
"""As `make test-fast`."""
KEPT = ROOT / ".mutants"
SEED = 1
JUDGE = "tests.mutants.judge"


def main() -> int:
    """Prints the survivors, and the share killed as the last line; 1 where that is below `--at-least`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=300, help="how many mutants (300)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"which ones ({SEED})")
    parser.add_argument("--only", default="*", help="a pattern of files, below specint/")
    parser.add_argument("--again", action="store_true", help="only those that survived the last run")
    parser.add_argument("--seconds", type=float, default=30, help="what a mutant's tests may take (30)")
    parser.add_argument("--at-least", type=float, default=0, help="the share in percent below which this fails")
    parser.add_argument("tests", nargs="*", default=CANDIDATES, help="by which tests (those of the rooms)")
    parser.add_argument("--verbose", "-v", action="store_true", help="each mutant, killed or not")
    asked = parser.parse_args()
    os.nice(19)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="specint-mutants-") as folder:
        top = copied(Path(folder) / "checkout")
        chosen = sample(top, asked)
        if not chosen:
            parser.error("no mutants: nothing in these rooms matches, or nothing survived last time")
        return report(chosen, judged(top, chosen, asked), asked.at_least)


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


def judged(top: Path, chosen: Sequence[Mutant], asked: argparse.Namespace) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with "killed", "endless", "survived" or "not tested", as `judge.py` says it."""
    stored = KEPT / "killers.json"
    killers: dict[str, tuple[str, str]] = json.loads(stored.read_text()) if stored.exists() else {}
    package = digest(top, [*top.glob("specint/**/*.py"), *top.glob("rules/**/*.*"), *top.glob("tests/**/conftest.py")])
    open_: list[Mutant] = []
    for mutant in chosen:
        killer, state = killers.get(mutant.title, ("", ""))
        if killer and state == now(top, package, killer):
            yield mutant, "killed"
        else:
            open_.append(mutant)
    if len(open_) < len(chosen):
        print(f"{len(chosen) - len(open_)} of {len(chosen)} are killed by what killed them last time", flush=True)
    plan = top / "plan.json"
    mutants = [(one.file, one.line, one.start, one.end, one.new, killers.get(one.title, ("", ""))[0]) for one in open_]
    plan.write_text(json.dumps({"mutants": mutants, "seconds": asked.seconds}))
    began = time.monotonic()
    for number, verdict, test, count in answered(top, plan, asked.tests) if open_ else ():
        mutant = open_[number]
        if test is not None:
            killers[mutant.title] = test, now(top, package, test)
            stored.write_text(json.dumps(killers, indent=0))
        if asked.verbose or verdict in ("survived", "not tested"):
            took = f"{time.monotonic() - began:.1f} s"
            by = f" by {test}" if test else f", {count} tests"
            print(f"{number + 1}/{len(open_)} {verdict}{by}, {took}: {mutant.title}", flush=True)
        began = time.monotonic()
        yield mutant, verdict


def now(top: Path, package: str, test: str) -> str:
    """The package and a test's file as they are: what it did with a mutant, it does as long as both stay."""
    path = top / test.partition("::")[0]
    return f"{package} {digest(top, [path])}" if path.exists() else ""


def answered(top: Path, plan: Path, tests: Sequence[str]) -> Iterator[tuple[int, str, str | None, int]]:
    """Lines of the warm process: a mutant's number, the verdict, the test that failed, how many tests were asked."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", JUDGE, "-m", FAST, "-q", "-p", "no:cacheprovider", *tests],
        cwd=top,
        env=environment(top, SPECINT_MUTANTS_PLAN=str(plan), SPECINT_MUTANTS_ANSWERS=str(writing)),
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[writing],
        start_new_session=True,
    )
    os.close(writing)
    number = -1
    try:
        with os.fdopen(reading) as answers:
            for line in answers:
                number, *rest = json.loads(line)
                yield (number, *rest)
        said, _ = process.communicate()
    finally:
        if process.poll() is None:  # it and its child, where somebody stopped this
            os.killpg(process.pid, signal.SIGKILL)
    if number + 1 < len(json.loads(plan.read_text())["mutants"]):
        sys.exit(f"{said[-3000:]}\nmutants: the tests can't be run")


def report(chosen: Sequence[Mutant], verdicts: Iterable[tuple[Mutant, str]], at_least: float) -> int:
    """Of what was judged until that was all, or somebody stopped it: the order is by chance, so a part tells too."""
    found: list[tuple[Mutant, str]] = []
    try:
        found.extend(verdicts)
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # `timeout` says it twice
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
