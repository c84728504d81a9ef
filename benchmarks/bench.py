"""What specint costs, in one table: medians of several runs, as ratios to parsing the same files in the same session.

    make bench                                 # SGLang 0.5.9 and 0.5.23, fetched once
    make bench BENCH="--runs 5 --quick"        # without the other tools
    python benchmarks/bench.py --tree 0.5.9=path/to/sglang

Times are whole commands, from the start of their process to its end, so the start of Python is in all of them. Memory
is the largest resident size of any one process of the command; what is smaller than this script (some 20 MB) can't be
seen. The runs of all rows alternate, so that a slow minute of the machine falls on every row. Every tool has its own
default configuration.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from specint.errors import SpecintError
from specint.source.release import fetch, release_named

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent / ".bench-venv"
BIN = Path(sys.executable).parent
RELEASES = ("0.5.9", "0.5.23")
READ = ("models", "speculative", "model_executor", "managers")
ONE_FILE = "models/kimi_k25.py"
HOOK, WRAPPER = "get_embed_and_head", "kimi"
PARSE = "import ast, sys\nfor path in open(sys.argv[1]).read().split('\\n'): ast.parse(open(path, 'rb').read())"


@dataclass(frozen=True)
class Run:
    """One execution of a command."""

    seconds: float
    megabytes: float
    code: int
    output: str


@dataclass
class Row:
    """One line of the table: a command, what its exit code may be, and the row that it is compared with."""

    name: str
    command: Callable[[], list[str]]
    against: str = ""
    good: Iterable[int] = (0, 1)
    says: str = ""  # what the output of a run that worked has; pylint's exit code alone doesn't tell
    slow: bool = False
    finds: bool = False  # it looks for defects, so the table says whether it named the missing hook
    runs: list[Run] = field(default_factory=list)
    problem: str = ""

    @property
    def seconds(self) -> float:
        return statistics.median(run.seconds for run in self.runs)

    @property
    def megabytes(self) -> float:
        return max(run.megabytes for run in self.runs)


def main() -> None:
    options = arguments()
    trees = dict(entry.split("=", 1) for entry in options.tree)
    tools = {} if options.quick else other_tools()
    results = {}
    with tempfile.TemporaryDirectory(prefix="specint-bench-") as scratch:
        for version in trees or options.releases:
            tree = Path(trees[version]).resolve() if version in trees else unpacked(version)
            folder = Path(scratch) / version
            folder.mkdir()
            files = sorted(path for name in READ for path in (tree / "srt" / name).rglob("*.py"))
            if not files:
                sys.exit(f"{tree}: no files in {', '.join(READ)}; give the folder `sglang` of a release")
            rows = the_rows(tree, files, folder, tools, quick=options.quick)
            measure(rows, folder, options.runs, options.slow_runs)
            results[version] = (files, rows)
    print(table(results, options.runs, options.slow_runs))
    if options.json:
        Path(options.json).write_text(json.dumps(as_data(results), indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each row; the table has their median (3)")
    parser.add_argument("--slow-runs", type=int, default=1, help="runs of the rows that read the whole tree slowly (1)")
    parser.add_argument("--releases", nargs="*", default=RELEASES, help="which SGLang releases (%(default)s)")
    parser.add_argument(
        "--tree", action="append", default=[], metavar="VERSION=PATH", help="unpacked, instead of those"
    )
    parser.add_argument("--quick", action="store_true", help="without stock pylint on the whole tree, ty and pyrefly")
    parser.add_argument("--json", metavar="FILE", help="every single run, as JSON")
    return parser.parse_args()


def the_rows(tree: Path, files: list[Path], folder: Path, tools: dict[str, str], *, quick: bool) -> list[Row]:
    one = str(tree / "srt" / ONE_FILE)
    listed = folder / "files.txt"
    listed.write_text("\n".join(map(str, files)), encoding="utf-8")
    warm = folder / "warm"
    specint, pylint = str(BIN / "specint"), str(BIN / "pylint")
    report = [specint, "report", "--sglang", str(tree), "--format", "json"]
    check = [specint, "check", one, "--sglang", str(tree)]

    def cold() -> list[str]:
        return [*report, "--cache-dir", tempfile.mkdtemp(prefix="cold-", dir=folder)]

    floor = "ast.parse of the same files"
    rows = [
        Row("python -c pass", lambda: [sys.executable, "-c", "pass"], floor),
        Row(floor, lambda: [sys.executable, "-c", PARSE, str(listed)], floor),
        Row("specint report --no-cache", lambda: [*report, "--no-cache"], floor),
        Row("specint report, cold cache", cold, floor),
        Row("specint report, warm", lambda: [*report, "--cache-dir", str(warm)], floor),
        Row("specint check of one file, warm", lambda: [*check, "--cache-dir", str(warm)], floor, finds=True),
        Row("pylint of one file", lambda: [pylint, one], "pylint of one file", range(32), "rated at", finds=True),
        Row(
            "the same with specint's plugin, index warm",
            lambda: [pylint, "--load-plugins=specint", one],
            "pylint of one file",
            range(32),
            "rated at",
            finds=True,
        ),
    ]
    if quick:
        return rows
    everything = [str(path) for path in files]
    stock = [pylint, "--disable=all", "--enable=no-member", "--score=n", *everything]
    rows.append(Row("stock pylint, no-member (E1101)", lambda: stock, floor, range(32), slow=True, finds=True))
    rows += [
        other_row("ty", tools, ["check", "--output-format=concise", *everything], floor),
        other_row(
            "pyrefly", tools, ["check", f"--search-path={tree.parent}", "--output-format=min-text", *everything], floor
        ),
    ]
    return rows


def other_row(name: str, tools: dict[str, str], options: list[str], floor: str) -> Row:
    path = tools.get(name, "")
    row = Row(name, lambda: [path, *options], floor, slow=True, finds=True)
    row.problem = "" if path else "not installed"
    return row


def measure(rows: list[Row], folder: Path, runs: int, slow_runs: int) -> None:
    """Runs every row, in turns; the warm rows' cache is filled before."""
    # The plugin has no option for its cache, so the variable; the same for all rows, as a user would have it.
    environment = {
        **os.environ,
        "SPECINT_CACHE_DIR": str(folder / "warm"),
        "PYTHONDONTWRITEBYTECODE": "",
        "NO_COLOR": "1",
    }
    for row in rows:
        if "warm" in row.name:
            executed(row.command(), environment, folder)
    for turn in range(max(runs, slow_runs)):
        for row in rows:
            if row.problem or turn >= (slow_runs if row.slow else runs):
                continue
            if sys.stderr.isatty():
                print(f"\r{folder.name}, run {turn + 1}: {row.name:<50}", end="", file=sys.stderr, flush=True)
            run = executed(row.command(), environment, folder)
            if run.code in row.good and row.says in run.output:
                row.runs.append(run)
            else:
                said = [line for line in run.output.splitlines() if line.strip()]
                row.problem = f"exit code {run.code}: {said[-1][:70] if said else 'nothing said'}"
        for left in folder.glob("cold-*"):
            shutil.rmtree(left)
    if sys.stderr.isatty():
        print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)


def executed(command: list[str], environment: dict[str, str], folder: Path) -> Run:
    with tempfile.TemporaryFile(dir=folder) as output:
        start = time.perf_counter()
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=folder, env=environment
            )
        except OSError as error:
            return Run(0, 0, -1, f"{command[0]}: {error.strerror}")
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return Run(seconds, usage.ru_maxrss * unit / 2**20, child.returncode, text)


def table(results: dict[str, tuple[list[Path], list[Row]]], runs: int, slow_runs: int) -> str:
    """Markdown, so that it can be pasted where it is quoted."""
    lines = [
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; "
        f"medians of {runs} runs (of {slow_runs} for the last rows)",
        "",
    ]
    head, rule = ["what"], ["---"]
    for version in results:
        head += [f"{version}: s", "ratio", "MB", "names the hook"]
        rule += ["---:"] * 3 + [":---:"]
    lines += [f"| {' | '.join(head)} |", f"|{'|'.join(rule)}|"]
    for index, first in enumerate(next(iter(results.values()))[1]):
        cells = [first.name]
        for _, rows in results.values():
            cells += cells_of(rows[index], rows)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [""]
    for version, (files, _) in results.items():
        count = sum(path.read_bytes().count(b"\n") for path in files)
        lines.append(f"{version}: {len(files)} files, {count:,} lines in {', '.join(READ)}.")
    lines.append(
        "The ratio is to `ast.parse` of the same files, for pylint of one file to pylint without the plugin. "
        f"The last column: whether a line of the output names `{HOOK}` for {ONE_FILE} (missing in 0.5.9 only)."
    )
    return "\n".join(lines)


def cells_of(row: Row, rows: list[Row]) -> list[str]:
    if not row.runs:
        return [row.problem or "not run", "", "", ""]
    base = next(other for other in rows if other.name == row.against)
    ratio = f"{row.seconds / base.seconds:.2f}" if base.runs else "?"
    return [f"{row.seconds:.2f}", ratio, f"{row.megabytes:.0f}", ("yes" if named(row) else "no") if row.finds else ""]


def named(row: Row) -> bool:
    return any(HOOK in line and WRAPPER in line.lower() for line in row.runs[-1].output.splitlines())


def as_data(results: dict[str, tuple[list[Path], list[Row]]]) -> list[dict[str, object]]:
    return [
        {
            "sglang": version,
            "what": row.name,
            "seconds": [round(run.seconds, 4) for run in row.runs],
            "megabytes": [round(run.megabytes, 1) for run in row.runs],
            "problem": row.problem,
        }
        for version, (_, rows) in results.items()
        for row in rows
    ]


def other_tools() -> dict[str, str]:
    """ty and pyrefly, in an environment of their own; what can't be installed is left out of the table."""
    if not (TOOLS / "bin").is_dir():
        subprocess.run([sys.executable, "-m", "venv", str(TOOLS)], check=True)
    found = {}
    for name in ("ty", "pyrefly"):
        path = TOOLS / "bin" / name
        if not path.exists():
            pip = [str(TOOLS / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, name], check=False, capture_output=True, stdin=subprocess.DEVNULL)
        if path.exists():
            found[name] = str(path)
    return found


def unpacked(version: str) -> Path:
    """The `sglang` folder of a release; unpacked, because the other tools can't read inside a wheel."""
    home = Path(platformdirs.user_cache_path("specint-bench", appauthor=False)) / version
    if not (home / "sglang" / "srt").is_dir():
        release = release_named(version)
        if release is None:
            sys.exit(f"{version}: not a release number")
        try:
            wheel = fetch(release, home.parent)
        except SpecintError as error:
            sys.exit(f"{error}; --tree {version}=PATH takes an unpacked one")
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as scratch, zipfile.ZipFile(wheel) as archive:
            fresh = Path(scratch) / version
            archive.extractall(fresh, [name for name in archive.namelist() if name.endswith((".py", "METADATA"))])
            shutil.rmtree(home, ignore_errors=True)
            fresh.rename(home)
    return home / "sglang"


if __name__ == "__main__":
    main()
