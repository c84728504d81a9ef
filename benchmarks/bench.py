"""What specint costs, in tables: medians of several runs, as ratios to parsing the same files in the same session.

    make bench                                 # SGLang 0.5.9 and 0.5.23 beside other tools, then growth over releases
    make bench BENCH="--runs 5 --quick"        # without the other tools and growth
    python benchmarks/bench.py --tree 0.5.9=path/to/sglang

Times are whole commands, from the start of their process to its end, so the start of Python is in all of them. Memory
is the largest resident size of any one process of the command; what is smaller than this script (some 20 MB) can't be
seen. The runs of all rows alternate, so that a slow minute of the machine falls on every row. Every tool has its own
default configuration, and none of them has PyTorch: with it installed, type checkers read that too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from growth import RELEASES as GROWTH
from growth import growth
from measuring import (
    BIN,
    FLOOR,
    NAMES,
    READ,
    Row,
    files_read,
    lines_of,
    measure,
    preflight_rows,
    specint_rows,
    unpacked,
)

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent / ".bench-venv"
RELEASES = ("0.5.9", "0.5.23")
ONE_FILE = "models/kimi_k25.py"
PLAIN = "pylint of one file"
OTHERS = ("mypy", "pyright", "ty", "pyrefly")


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
            files = files_read(tree)
            rows = the_rows(tree, files, folder, tools, quick=options.quick)
            measure(rows, folder, options.runs, options.slow_runs)
            results[version] = (files, rows)
    print(table(results, options.runs, options.slow_runs))
    if not options.quick:
        print(f"\n{growth(GROWTH, {version: Path(path).resolve() for version, path in trees.items()}, options.runs)}")
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
    parser.add_argument(
        "--quick", action="store_true", help="without the tools that read the whole tree slowly, and without growth"
    )
    parser.add_argument("--json", metavar="FILE", help="every single run, as JSON")
    return parser.parse_args()


def the_rows(tree: Path, files: list[Path], folder: Path, tools: dict[str, str], *, quick: bool) -> list[Row]:
    one = str(tree / "srt" / ONE_FILE)
    pylint = str(BIN / "pylint")
    check = [str(BIN / "specint"), "check", one, "--sglang", str(tree), "--cache-dir", str(folder / "warm")]
    with_plugin = [pylint, "--load-plugins=specint", one]
    rows = [
        Row("python -c pass", lambda: [sys.executable, "-c", "pass"], FLOOR),
        *specint_rows(tree, files, folder),
        *preflight_rows(tree, folder),
        Row("specint check of one file, warm", lambda: check, FLOOR, finds=True),
        Row(PLAIN, lambda: [pylint, one], PLAIN, range(32), "rated at", finds=True),
        Row(
            "the same with specint's plugin, index warm", lambda: with_plugin, PLAIN, range(32), "rated at", finds=True
        ),
    ]
    if quick:
        return rows
    everything = [str(path) for path in files]
    stock = [pylint, "--disable=all", "--enable=no-member", "--score=n", *everything]
    rows.append(Row("stock pylint, no-member (E1101)", lambda: stock, FLOOR, range(32), slow=True, finds=True))
    options = {
        # SGLang has no __init__.py in srt/, so mypy must be told where its packages begin
        "mypy": ["--namespace-packages", "--explicit-package-bases", "--ignore-missing-imports", "--no-incremental"],
        "pyright": [],
        "ty": ["check", "--output-format=concise"],
        "pyrefly": ["check", f"--search-path={tree.parent}", "--output-format=min-text"],
    }
    return rows + [other_row(name, tools, [*options[name], *everything], tree.parent) for name in OTHERS]


def other_row(name: str, tools: dict[str, str], options: list[str], top: Path) -> Row:
    path = tools.get(name, "")
    # a type checker that found errors says so by its exit code; 2 and more is a wrong call or a crash
    row = Row(name, lambda: [path, *options], FLOOR, slow=True, finds=True, top=top)
    row.problem = "" if path else "not installed"
    return row


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
        count = lines_of(files)
        lines.append(f"{version}: {len(files)} files, {count:,} lines in {', '.join(READ)}.")
    lines.append(
        "The ratio is to `ast.parse` of the same files, for pylint of one file to pylint without the plugin. "
        f"The last column: whether a line of the output names `{NAMES[0]}` for {ONE_FILE} (missing in 0.5.9 only)."
    )
    return "\n".join(lines)


def cells_of(row: Row, rows: list[Row]) -> list[str]:
    if not row.runs:
        return [row.problem or "not run", "", "", ""]
    base = next(other for other in rows if other.name == row.against)
    ratio = f"{row.seconds / base.seconds:.2f}" if base.runs else "?"
    return [
        f"{row.seconds:.2f}",
        ratio,
        f"{row.megabytes:.0f}",
        ("yes" if row.runs[-1].named else "no") if row.finds else "",
    ]


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
    """The type checkers, in an environment of their own; the table says which couldn't be installed."""
    if not (TOOLS / "bin").is_dir():
        subprocess.run([sys.executable, "-m", "venv", str(TOOLS)], check=True)
    found = {}
    for name in OTHERS:
        path = TOOLS / "bin" / name
        if not path.exists():
            pip = [str(TOOLS / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, name], check=False, capture_output=True, stdin=subprocess.DEVNULL)
        if path.exists():
            found[name] = str(path)
    return found


if __name__ == "__main__":
    main()
