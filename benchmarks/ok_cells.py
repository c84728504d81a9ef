"""Draws cells of a report that say "ok", to be tried to break: read beside the source, one by one.

    specint report --sglang 0.5.23 --format json -o report.json
    python benchmarks/ok_cells.py report.json --seed 13 --number 60

The same number from each algorithm, drafts and targets apart, so that columns where nearly everything is ok don't take
all of it. For each cell: the class, and for each member that the algorithm insists on, where it comes from.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any


def drawn(report: dict[str, Any], seed: int, number: int) -> list[tuple[dict[str, Any], str]]:
    """The cells: a model and an algorithm each."""
    strata: dict[tuple[str, str], list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for model in report["models"]:
        for algorithm, verdict in model["algorithms"].items():
            if verdict["verdict"] == "ok":
                strata[algorithm, model["roles"][0]].append((model, algorithm))
    chance = random.Random(seed)
    rows = [chance.sample(cells, len(cells)) for _, cells in sorted(strata.items())]
    found: list[tuple[dict[str, Any], str]] = []
    while len(found) < number and any(rows):
        found += [row.pop() for row in rows if row][: number - len(found)]
    return found


def insisted(report: dict[str, Any], algorithm: str, role: str) -> list[str]:
    """The members that an algorithm fails without, whatever the settings."""
    return sorted(
        {
            asked["group"] or asked["member"]
            for asked in report["contract"]["requirements"]
            if asked["role"] in (role, "both") and algorithm in asked["algorithms"]
            if asked["strength"] in ("required", "raises", "any-of") and not asked["settings"]
            if asked["condition"] is None and (role == "target" or asked["unconditional"])
        }
    )


def main() -> None:
    """Prints the cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--number", type=int, default=60)
    options = parser.parse_args()
    report = json.loads(options.report.read_text(encoding="utf-8"))
    for model, algorithm in drawn(report, options.seed, options.number):
        role = model["roles"][0]
        print(f"{algorithm} {role} {model['name']} {model['file']}:{model['line']}")
        for label in insisted(report, algorithm, role):
            for member in label.split("|"):
                status = model["members"].get(member, {})
                if status.get("status") == "present" and status["file"]:
                    where = f"{status['file']}:{status['line']}"
                    print(f"    {member}: {status['way']} {where} {status['reason'] or ''}".rstrip())


if __name__ == "__main__":
    main()
