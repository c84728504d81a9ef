"""Every Python file of folders and wheels through facts: which fail, how long it takes, and what the worst ones cost.

    make corpora CORPORA="path/to/site-packages some.whl"
    python benchmarks/corpora.py --table LABEL=PATH ...

Each file is read in a process of its own, so that its memory can be told; time is that of reading alone. A crash (any
exception but the clear refusal of a file) ends with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.source.tree import decode

WORST = 5


class Read(msgspec.Struct, frozen=True):
    """One file: `outcome` is "" where it was read, else what was said; `crash` is what must never happen."""

    path: str
    lines: int
    seconds: float
    megabytes: float
    outcome: str = ""
    crash: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", metavar="[LABEL=]PATH")
    parser.add_argument("--table", action="store_true", help="only the rows of the table in docs/robustness.md")
    options = parser.parse_args()
    crashed = False
    for given in options.corpora:
        label, equals, path = given.partition("=")
        reads = list(read_all(Path(path if equals else given)))
        crashed |= any(one.crash for one in reads)
        print(row(label, reads) if options.table else report(label, reads))
    return int(crashed)


def read_all(corpus: Path) -> Iterator[Read]:
    with tempfile.TemporaryDirectory() as scratch:
        if corpus.is_file():
            with zipfile.ZipFile(corpus) as archive:
                archive.extractall(scratch, [name for name in archive.namelist() if name.endswith(".py")])
            corpus = Path(scratch)
        for path in sorted(corpus.rglob("*.py")):
            if path.is_file():
                yield read_alone(path, path.relative_to(corpus).as_posix())


def read_alone(path: Path, shown: str) -> Read:
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        try:
            answer = msgspec.msgpack.encode(read_here(path, shown))
        except BaseException as error:
            answer = msgspec.msgpack.encode(Read(shown, 0, 0, 0, crash=f"{type(error).__name__}: {error}"))
        os.write(sink, answer)
        os._exit(0)
    os.close(sink)
    with os.fdopen(source, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return msgspec.msgpack.decode(answer, type=Read) if answer else Read(shown, 0, 0, 0, crash="the process died")


def read_here(path: Path, shown: str) -> Read:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data = path.read_bytes()
    outcome = ""
    began = time.perf_counter()
    try:
        found = extract(decode(data, shown), name="corpus.module", path=shown)
        assert facts.decode(facts.encode(found)) == found
    except SpecintError as error:
        outcome = str(error)
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return Read(shown, data.count(b"\n"), seconds, used / 1024, outcome)


def row(label: str, reads: list[Read]) -> str:
    refused = sum(bool(one.outcome) for one in reads)
    crashes = sum(bool(one.crash) for one in reads)
    slowest, largest = max(reads, key=lambda one: one.seconds), max(reads, key=lambda one: one.megabytes)
    cells = (
        label,
        f"{len(reads):,}",
        f"{sum(one.lines for one in reads):,}",
        str(refused),
        str(crashes),
        f"{sum(one.seconds for one in reads):.1f}",
        f"{slowest.seconds:.2f} s, {slowest.path.rpartition('/')[2]}",
        f"{largest.megabytes:.0f} MB, {largest.path.rpartition('/')[2]}",
    )
    return f"| {' | '.join(cells)} |"


def report(label: str, reads: list[Read]) -> str:
    total = (
        f"{len(reads):,} files, {sum(one.lines for one in reads):,} lines, {sum(one.seconds for one in reads):.1f} s"
    )
    lines = [f"{label}: {total}", f"  {sum(bool(one.outcome) for one in reads)} refused:"]
    lines += [f"    {one.outcome}" for one in reads if one.outcome]
    lines += [f"  CRASH {one.path}: {one.crash}" for one in reads if one.crash]
    slowest = sorted(reads, key=lambda one: -one.seconds)[:WORST]
    lines += ["  slowest:", *(f"    {one.seconds:.2f} s  {one.lines:,} lines  {one.path}" for one in slowest)]
    largest = sorted(reads, key=lambda one: -one.megabytes)[:WORST]
    lines += ["  most memory:", *(f"    {one.megabytes:.0f} MB  {one.lines:,} lines  {one.path}" for one in largest)]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
