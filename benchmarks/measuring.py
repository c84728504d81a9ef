"""Commands as rows of a table: run in turns, timed from the start of their process to its end."""

from __future__ import annotations

import json
import os
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

BIN = Path(sys.executable).parent
READ = ("models", "speculative", "model_executor", "managers")
NAMES = ("get_embed_and_head", "kimi")
"""What a line says that finds the hook missing in the wrapper."""
FLOOR = "ast.parse of the same files"
PARSE = "import ast, sys\nfor path in open(sys.argv[1]).read().split('\\n'): ast.parse(open(path, 'rb').read())"


@dataclass(frozen=True)
class Run:
    """One execution of a command."""

    seconds: float
    megabytes: float
    code: int
    heard: bool = False  # the row's `says` was said
    named: bool = False  # a line of the output has all of `NAMES`
    last: str = ""


@dataclass
class Row:
    """One line of the table: a command, what its exit code may be, and the row that it is compared with."""

    name: str
    command: Callable[[], list[str]]
    against: str = ""
    good: Iterable[int] = (0, 1)
    says: str = ""  # what the output of a run that worked has; pylint's exit code alone doesn't tell
    slow: bool = False
    top: Path | None = None  # the working directory, for tools that take module names from it
    finds: bool = False  # it looks for defects, so the table says whether it named the missing hook
    runs: list[Run] = field(default_factory=list)
    problem: str = ""

    @property
    def seconds(self) -> float:
        return statistics.median(run.seconds for run in self.runs)

    @property
    def megabytes(self) -> float:
        return max(run.megabytes for run in self.runs)


def files_read(tree: Path) -> list[Path]:
    """What specint reads of a tree to judge its models, nearly all of it."""
    files = sorted(path for name in READ for path in (tree / "srt" / name).rglob("*.py"))
    if not files:
        sys.exit(f"{tree}: no files in {', '.join(READ)}; give the folder `sglang` of a release")
    return files


def specint_rows(tree: Path, files: list[Path], folder: Path) -> list[Row]:
    """The floor, and a report without a cache, with a cold one and with a warm one."""
    listed = folder / "files.txt"
    listed.write_text("\n".join(map(str, files)), encoding="utf-8")
    report = [str(BIN / "specint"), "report", "--sglang", str(tree), "--format", "json"]

    def cold() -> list[str]:
        return [*report, "--cache-dir", tempfile.mkdtemp(prefix="cold-", dir=folder)]

    return [
        Row(FLOOR, lambda: [sys.executable, "-c", PARSE, str(listed)], FLOOR),
        Row("specint report --no-cache", lambda: [*report, "--no-cache"], FLOOR),
        Row("specint report, cold cache", cold, FLOOR),
        Row("specint report, warm", lambda: [*report, "--cache-dir", str(folder / "warm")], FLOOR),
    ]


LAUNCH = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-5, "torch_dtype": "bfloat16", "rope_theta": 500000.0,
    "hidden_act": "silu", "tie_word_embeddings": False,
}  # fmt: skip
LAUNCHES = 50


def preflight_rows(tree: Path, folder: Path) -> list[Row]:
    """One launch with a draft, by a process of its own with a cold and a warm cache; and many by one process.

    What was fetched (SGLang's pinned Transformers) is there in all of them: nobody measures a network.
    """
    draft = {**LAUNCH, "architectures": ["LlamaForCausalLMEagle3"], "num_hidden_layers": 1, "draft_vocab_size": 32000}
    for name, config in (("target", LAUNCH), ("draft", draft)):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config), encoding="utf-8")
    flags = ["--model-path", str(folder / "target"), "--speculative-algorithm", "EAGLE3"]
    flags += ["--speculative-draft-model-path", str(folder / "draft")]
    many = folder / "launches.jsonl"
    rows = [{"id": str(n), "argv": [*flags, "--mem-fraction-static", f"0.{50 + n % 40}"]} for n in range(LAUNCHES)]
    many.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    asked = [str(BIN / "specint"), "preflight", "--sglang", str(tree), "--gpu", "h200"]
    kept = platformdirs.user_cache_path("specint", appauthor=False) / "releases"

    def cold() -> list[str]:
        cache = Path(tempfile.mkdtemp(prefix="cold-", dir=folder))
        (cache / "releases").symlink_to(kept)
        return [*asked, "--cache-dir", str(cache), "--", *flags]

    warm = [*asked, "--cache-dir", str(folder / "warm")]
    return [
        Row("specint preflight of one launch, cold cache", cold, FLOOR),
        Row("specint preflight of one launch, warm", lambda: [*warm, "--", *flags], FLOOR),
        Row(f"specint preflight of {LAUNCHES} launches, warm", lambda: [*warm, "--launches", str(many)], FLOOR),
    ]


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
            run = executed(row.command(), environment, folder, row.top, row.says)
            if run.code in row.good and run.heard:
                row.runs.append(run)
            else:
                row.problem = f"exit code {run.code}: {run.last[:70] or 'nothing said'}"
        for left in folder.glob("cold-*"):
            shutil.rmtree(left)
    if sys.stderr.isatty():
        print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)


def executed(
    command: list[str], environment: dict[str, str], folder: Path, top: Path | None = None, says: str = ""
) -> Run:
    """Run a command. Its output is read line by line: what this process ever held counts as its children's memory."""
    with tempfile.TemporaryFile(dir=folder) as output:
        start = time.perf_counter()
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=top or folder,
                env=environment,
            )
        except OSError as error:
            return Run(0, 0, -1, last=f"{command[0]}: {error.strerror}")
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        heard, named, last = not says, False, ""
        for data in output:
            line = data.decode(errors="replace")
            heard = heard or says in line
            named = named or all(name in line.lower() for name in NAMES)
            last = line.strip() or last
    unit = 1 if sys.platform == "darwin" else 1024  # macOS counts bytes
    return Run(seconds, usage.ru_maxrss * unit / 2**20, child.returncode, heard, named, last)


def lines_of(files: Iterable[Path]) -> int:
    """How many lines files have together."""
    return sum(sum(1 for _ in path.open("rb")) for path in files)


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
