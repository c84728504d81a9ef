"""`make attack`: everything in `attacks.py` against specint, and what must hold after each.

    python tests/attacks/run.py [--only TEXT] [--every N] [--jobs N] [--patience N] [--kept FILE] [--docs FILE]

The promise: one clear line and exit code 2, or the usual answer; the other files are checked; no traceback, no internal
error, no hang, no process left, and nothing but text in any output.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import importlib
import json
import os
import pkgutil
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from attack import PLAIN, Attack  # noqa: E402
from attacks import every  # noqa: E402
from kept import Answer, Kept, name_of  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
SMALL = TOP / "fixtures/sglang_small/sglang"
FOUND = "kumo_k2.py:16:0: E7701"
CODES = {0, 1, 2, 141}
TABLE = "| Python | attacks | failures | seconds | kinds |\n|---|---|---|---|---|\n"


def run(attack: Attack, python: str, *, split: bool = False, patience: float = 1) -> list[str]:
    """What is wrong after this attack; nothing if the promise holds.

    Args:
        split: run it in a copy of this process, which has imported specint already; `python` is started where not.
        patience: how many times as long as on a quiet machine it may take.
    """
    seconds = attack.seconds * patience
    home = Path(tempfile.mkdtemp(prefix="attack-"))
    try:
        shutil.copytree(SMALL, home / "sglang")
        attack.lay(home)
        command = [python, *attack.python, "-P", "-m", "specint", *attack.arguments]
        words = [os.fsencode(word.replace("\0", "")) for word in command]
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "SPECINT_DEBUG")}
        # What is the same in all of them is read once by those that begin in a copy of this process.
        cache = Path(tempfile.gettempdir(), f"attacks-{os.getpid()}") if split else home / "cache"
        environment |= {"SPECINT_CACHE_DIR": str(cache), "PYTHONIOENCODING": "utf-8"}
        environment |= dict(attack.environment)
        if split:
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
                pid = split_off(words, environment, home, out.fileno(), err.fileno())
                code = waited(pid, seconds)
                out.seek(0)
                err.seek(0)
                said = out.read(), err.read()
        else:
            process = subprocess.Popen(
                ["bash", "-c", attack.shell, "bash", *words],
                cwd=home,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            pid, code = process.pid, None
            try:
                said = process.communicate(timeout=seconds)
                code = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(pid, signal.SIGKILL)
                process.communicate()
        if code is None:
            return [f"still runs after {seconds:.0f} s"]
        wrong = verdict(attack, code, *said)
        try:
            os.killpg(pid, signal.SIGKILL)
            return [*wrong, "left a process behind"]
        except ProcessLookupError:
            return wrong
    finally:
        subprocess.run(["chmod", "-R", "u+w", home], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(os.fsencode(home), ignore_errors=True)


def waited(pid: int, seconds: float) -> int | None:
    """The exit code of a process; None where it had to be killed."""
    end = os.pidfd_open(pid)
    try:
        if not select.select([end], [], [], seconds)[0]:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
    finally:
        os.close(end)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def import_everything() -> None:
    """Import what `specint` imports when it needs it, so that copies of this process don't."""
    import rich.console  # noqa: F401

    import specint

    for found in pkgutil.walk_packages(specint.__path__, "specint."):
        if not re.match(r"specint\.(__main__|lsp|pylint_plugin|smoke)", found.name):
            importlib.import_module(found.name)
    gc.freeze()


def split_off(words: list[bytes], environment: dict[str, str], home: Path, out: int, err: int) -> int:
    """Run `python -P -m specint ...` in a copy of this process; what the interpreter does at its end is done too."""
    sys.stdout.flush()
    if pid := os.fork():
        return pid
    code = 1
    try:
        os.setsid()
        os.chdir(home)
        for number, end in enumerate((os.open(os.devnull, os.O_RDONLY), out, err)):
            os.dup2(end, number)
        os.closerange(3, 1024)
        streams = [os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")]
        sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams
        sys.stderr.reconfigure(errors="backslashreplace", line_buffering=True)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = [one for one in sys.path if one != str(HERE)]
        sys.argv = ["specint", *map(os.fsdecode, words[words.index(b"specint") + 1 :])]
        code = ended()
    finally:
        os._exit(code)


def ended() -> int:
    """The exit code of specint, and what Python does before it is one."""
    from specint.cli import main

    try:
        main()
        code = 0
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 1
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return code


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
    if "FORCE_COLOR" in attack.shell:
        text = re.sub("\x1b\\[[0-9;]*m", "", text)  # colours were asked for
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
    parser.add_argument("--patience", type=float, default=1, help="times as long as on a quiet machine")
    parser.add_argument("--docs", type=Path, help="where the counts are written")
    parser.add_argument("--kept", type=Path, help="a file of answers: what is in it from this code isn't asked again")
    options = parser.parse_args()
    chosen = [one for one in every() if re.search(options.only, name_of(one))][:: options.every]
    failures, counts = 0, Counter[str]()
    kept = Kept(options.kept)
    left = [one for one in chosen if name_of(one) not in kept.answers]
    began = time.monotonic()
    import_everything()
    for number, (attack, answer) in enumerate(tried(left, options.jobs, options.patience), 1):
        kept.add(attack, answer)
        if number % 100 == 0:
            sys.stderr.write(f"{number} of {len(left)}, {time.monotonic() - began:.0f} s\n")
        if answer.wrong:
            sys.stdout.write("\n    ".join([name_of(attack), *answer.wrong]) + "\n")
            sys.stdout.flush()
    for attack in chosen:
        counts[attack.kind] += 1
        failures += bool(kept.answers[name_of(attack)].wrong)
    seconds = sum(kept.answers[name_of(attack)].cpu for attack in chosen)
    sys.stdout.write(f"{len(chosen)} attacks in {seconds:.0f} s of processor time, {failures} failures\n")
    if options.docs:
        write_counts(options.docs, counts, failures, seconds)
    return 1 if failures else 0


def tried(chosen: list[Attack], jobs: int, patience: float = 1) -> Iterator[tuple[Attack, Answer]]:
    """Each attack and what came of it, by so many processes."""
    ends, workers = [], []
    for first in range(jobs):
        source, sink = os.pipe()
        workers.append(os.fork())
        if workers[-1] == 0:
            code = 1
            try:
                with os.fdopen(sink, "w") as answers:
                    for number in range(first, len(chosen), jobs):
                        began, spent = time.monotonic(), children()
                        split = is_split(chosen[number], number)
                        wrong = run(chosen[number], sys.executable, split=split, patience=patience)
                        took = round(time.monotonic() - began, 2), round(children() - spent, 2)
                        answers.write(json.dumps([number, [wrong, *took]]) + "\n")
                        answers.flush()
                code = 0
            finally:
                shutil.rmtree(Path(tempfile.gettempdir(), f"attacks-{os.getpid()}"), ignore_errors=True)
                os._exit(code)
        os.close(sink)
        ends.append(source)
    found: dict[int, list[object]] = {}
    left, begun = dict.fromkeys(ends, b""), 0
    while left:
        for end in select.select(list(left), [], [])[0]:
            data = os.read(end, 1 << 16)
            *lines, left[end] = (left[end] + data).split(b"\n")
            found.update(map(json.loads, lines))
            if not data:
                del left[end]
                os.close(end)
        while begun in found:
            yield chosen[begun], Answer(*found.pop(begun))
            begun += 1
    for worker in workers:
        os.waitpid(worker, 0)
    for number in range(begun, len(chosen)):
        yield chosen[number], Answer(*found.get(number, [["the process that tried it ended"], 0.0, 0.0]))


def children() -> float:
    """Processor time of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def is_split(attack: Attack, number: int) -> bool:
    """Whether a copy of this process is as good as a new one: where nothing is done to the process itself.

    One attack in ten begins at the beginning all the same.
    """
    return number % 10 != 0 and attack.shell == PLAIN and not attack.python and not attack.environment


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
