"""`make attack`: everything in `attacks.py` against specint, and what must hold after each.

    python tests/attacks/run.py [--only TEXT] [--every N] [--jobs N] [--docs FILE]

The promise: one clear line and exit code 2, or the usual answer; the other files are checked; no traceback, no internal
error, no hang, no process left, and nothing but text in any output.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent))
from attacks import Attack, every

TOP = Path(__file__).resolve().parents[2]
SMALL = TOP / "fixtures/sglang_small/sglang"
FOUND = "kumo_k2.py:16:0: E7701"
CODES = {0, 1, 2, 141}
TABLE = "| Python | attacks | failures | seconds | kinds |\n|---|---|---|---|---|\n"


def run(attack: Attack, python: str) -> list[str]:
    """What is wrong after this attack; nothing if the promise holds."""
    home = Path(tempfile.mkdtemp(prefix="attack-"))
    try:
        shutil.copytree(SMALL, home / "sglang")
        attack.lay(home)
        return attacked(attack, python, home)
    finally:
        subprocess.run(["chmod", "-R", "u+w", home], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(os.fsencode(home), ignore_errors=True)


def attacked(attack: Attack, python: str, home: Path) -> list[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "SPECINT_DEBUG")}
    environment |= {"SPECINT_CACHE_DIR": str(home / "cache"), "PYTHONIOENCODING": "utf-8", **dict(attack.environment)}
    command = [python, *attack.python, "-P", "-m", "specint", *attack.arguments]
    process = subprocess.Popen(
        ["bash", "-c", attack.shell, "bash", *[os.fsencode(word.replace("\0", "")) for word in command]],
        cwd=home,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=attack.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return [f"still runs after {attack.seconds:.0f} s"]
    wrong = verdict(attack, process.returncode, out, err)
    try:
        os.killpg(process.pid, signal.SIGKILL)
        return [*wrong, "left a process behind"]
    except ProcessLookupError:
        return wrong


def verdict(attack: Attack, code: int, out: bytes, err: bytes) -> list[str]:
    """What an answer lacks of the promise."""
    form = attack.arguments[attack.arguments.index("--format") + 1] if "--format" in attack.arguments else "text"
    wrong = [] if code in CODES else [f"exit code {code}"]
    for name, data in (("stdout", out), ("stderr", err)):
        wrong += [
            f"{name}: {what}" for what in _of_stream(attack, data, is_github=form == "github" and name == "stdout")
        ]
    heard = not re.search("2>|2<|>&-", attack.shell)
    if code == 2 and heard and b"specint: error: " not in err:
        wrong.append(f"exit code 2 and no word: {err[:200]!r}")
    if attack.found and code == 0:
        wrong.append("exit code 0")
    if attack.found and code in (1, 2) and form == "text" and FOUND.encode() not in out:
        wrong.append(f"the other files were not checked: {err[-300:].decode('utf-8', 'replace')}")
    if out and code in (0, 1, 2) and not re.search("[>|]", attack.shell):
        try:
            if form in ("json", "sarif", "gitlab"):
                json.loads(out)
            elif form in ("junit", "svg"):
                ElementTree.fromstring(out)
        except (ValueError, ElementTree.ParseError) as error:
            wrong.append(f"no {form}: {error}")
    return wrong


def _of_stream(attack: Attack, data: bytes, *, is_github: bool) -> Iterator[str]:
    try:
        text = data.decode("utf-16" if "utf-16" in attack.shell else "utf-8")
    except UnicodeDecodeError:
        yield "no UTF-8"
        text = data.decode("utf-8", "replace")
    for line in text.splitlines():
        if "Traceback" in line or "internal error" in line:
            yield line[:300]
    if odd := {sign for sign in text if not sign.isprintable() and sign not in "\n\t"}:
        yield f"holds {sorted(map(ascii, odd))}"
    if re.search(r"\b\w+Warning: ", text) and "DEVMODE" not in attack.shell:
        yield f"a warning of Python's: {text[:200]}"
    commands = [line for line in text.splitlines() if is_command(line)]
    if is_github:
        commands = [line for line in commands if not re.match("::(group|endgroup|error|warning|notice)( |:)", line)]
        commands += [line for line in text.splitlines() if line.startswith("::error ::")]
    if commands:
        yield f"a workflow command: {commands[0][:100]!r}"


def is_command(line: str) -> bool:
    """Whether GitHub, or Azure, takes a line of a log for a command."""
    return line.lstrip().startswith("::") or re.search(r"##(\[|vso\[|teamcity\[)", line) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="attacks whose kind and name match this")
    parser.add_argument("--every", type=int, default=1, help="one in so many of them")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--docs", type=Path, help="where the counts are written")
    options = parser.parse_args()
    chosen = [one for one in every() if re.search(options.only, f"{one.kind}: {one.name}")][:: options.every]
    failures, counts = 0, Counter[str]()
    began = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda one: run(one, sys.executable), chosen)
        for attack, wrong in zip(chosen, found, strict=True):
            counts[attack.kind] += 1
            if wrong:
                failures += 1
                sys.stdout.write("\n    ".join([f"{attack.kind}: {attack.name}", *wrong]) + "\n")
                sys.stdout.flush()
    seconds = time.monotonic() - began
    sys.stdout.write(f"{len(chosen)} attacks in {seconds:.0f} s, {failures} failures\n")
    if options.docs:
        write_counts(options.docs, counts, failures, seconds)
    return 1 if failures else 0


def write_counts(path: Path, counts: Counter[str], failures: int, seconds: float) -> None:
    """This Python's row in the table of the docs."""
    python = "{}.{}.{}".format(*sys.version_info[:3])
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items()))
    row = f"| {python} | {counts.total()} | {failures} | {seconds:.0f} | {kinds} |"
    before, mark, after = path.read_text(encoding="utf-8").partition(TABLE)
    rows, _, rest = after.partition("\n\n")
    kept = [one for one in rows.splitlines() if one and not one.startswith(f"| {python} |")]
    path.write_text(before + mark + "\n".join(sorted([*kept, row])) + "\n\n" + rest, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
