"""Launches put to the real SGLang, and what it says beside what reading says."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from specint.errors import SpecintError
from specint.execution.values import Unknown
from specint.launch.answer import Answer, plain
from specint.launch.command import Command
from specint.launch.course import Refusal, Side
from specint.launch.declared import declared
from specint.launch.machine import Machine, scripts
from specint.smoke.process import CHILD, START

SECONDS = 180
NEAR = 6
"""Lines that one statement may have: a traceback names another of them than the `assert` or `raise` stands on."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What SGLang itself made of a launch: `errors` in the order in which it comes to them."""

    errors: tuple[Refusal, ...] = ()
    algorithm: str | None = None
    worker: dict[str, Any] | None = None
    target: dict[str, Any] | None = None
    draft: dict[str, Any] | None = None
    values: dict[str, Any] | None = None
    fault: str | None = None


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """One launch: `agree`, `disagree` (with what differs), `open` (reading leaves it so), `not run`."""

    accord: str
    differs: tuple[str, ...] = ()
    values: int = 0


def run(
    python: str, package: str, folder: Path, stand_ins: Sequence[str], machine: Machine, launches: Sequence[Command]
) -> list[Told]:
    """The answers of the SGLang in a folder, in the environment of an interpreter.

    Launches with the same variables share a process: a variable may be read while SGLang is imported. Raises
    SpecintError where SGLang can't be imported there.
    """
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for n, launch in enumerate(launches):
        groups.setdefault(tuple(sorted(launch.environment.items())), []).append(n)
    found: dict[int, Told] = {}
    for variables, numbers in groups.items():
        settings = {
            "package": package, "paths": [str(folder)], "stand_ins": list(stand_ins), "entry": declared()["entry"],
            "facts": machine.facts, "tools": scripts(machine), "seconds": SECONDS,
        }  # fmt: skip
        asked = [{"id": n, "argv": list(launches[n].argv)} for n in numbers]
        for event in _events(python, [settings, *asked], dict(variables)):
            if event["event"] == "unready":
                raise SpecintError(event["reason"], python, "run it with the environment that has this SGLang")
            if event["event"] == "answer":
                found[event["id"]] = _told(event)
    return [found.get(n, Told(fault="the process ended without an answer")) for n in range(len(launches))]


def _events(python: str, lines: Sequence[Any], variables: dict[str, str]) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="specint-launches-") as scratch, Path(scratch, "log").open("w+b") as log:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SGLANG_")}
        done = subprocess.run(
            [python, "-c", START.replace("specint_child.main", "specint_child.launching"), str(CHILD)],
            input="".join(json.dumps(line) + "\n" for line in lines).encode(),
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=scratch,
            env={**inherited, "TMPDIR": scratch, "PYTHONDONTWRITEBYTECODE": "1", **variables},
            start_new_session=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            yield json.loads(line)


def _told(event: dict[str, Any]) -> Told:
    if event.get("fault"):
        return Told(fault=str(event["fault"]))
    errors = tuple(Refusal(**one) for one in event["errors"])
    return Told(errors=errors, **{name: event[name] for name in ("algorithm", "worker", "target", "draft", "values")})


# -- reading beside running --------------------------------------------------------------------------------------------
def agreement(answer: Answer, told: Told) -> Agreement:
    """Whether reading and running say the same of a launch."""
    if told.fault is not None:
        return Agreement(accord="not run", differs=(told.fault,))
    if answer.answer in ("depends", "unknown"):
        return Agreement(accord="open")
    differs = list(_refusals(answer, told))
    if not told.errors and answer.answer != "refused":
        differs += _outcomes(answer, told)
    equal, wrong = _values(answer, told)
    differs += wrong
    return Agreement(accord="disagree" if differs else "agree", differs=tuple(differs), values=equal)


def _refusals(answer: Answer, told: Told) -> Iterator[str]:
    read = answer.found.refusals[0] if answer.answer == "refused" and answer.found.refusals else None
    real = told.errors[0] if told.errors else None
    if read is None or real is None:
        if read is not real:
            yield f"read: {_said(read)}; SGLang: {_said(real)}"
        return
    same = read.by == real.by and (read.by == "argparse" or read.error == real.error)
    if real.by == "sglang":
        same = same and read.file == real.file and abs((read.line or 0) - (real.line or 0)) <= NEAR
    if not same:
        yield f"read: {_said(read)}; SGLang: {_said(real)}"


def _said(refusal: Refusal | None) -> str:
    if refusal is None:
        return "not refused"
    return f"{refusal.by}, {refusal.error} {refusal.file}:{refusal.line} {refusal.message[:80]!r}"


def _outcomes(answer: Answer, told: Told) -> Iterator[str]:
    found = answer.found
    worker = {"class": found.worker[0], "file": found.worker[1]} if found.worker else None
    pairs = [("algorithm", plain(found.algorithm), told.algorithm), ("worker", worker, told.worker),
             ("target", _side(found.target), told.target), ("draft", _side(found.draft), told.draft)]  # fmt: skip
    for name, read, real in pairs:
        if read != real:
            yield f"{name}: read {read}, SGLang has {real}"


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    cls = f"{side.module}.{side.cls}" if side.cls else None
    return {"class": cls, "file": side.file, "architectures": list(side.architectures)}


def _values(answer: Answer, told: Told) -> tuple[int, list[str]]:
    """How many of the arguments' values are equal in the end, and which are not."""
    left_out = declared()["agreement"]["left_out"]
    equal, wrong = 0, []
    for name, real in sorted((told.values or {}).items()):
        if name in left_out or name not in answer.found.values:
            continue
        read = answer.found.values[name]
        if isinstance(read, Unknown):
            continue
        if same_value(plain(read), real):
            equal += 1
        else:
            wrong.append(f"{name}: read {str(plain(read))[:80]}, SGLang has {str(real)[:80]}")
    return equal, wrong


def same_value(one: Any, other: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether two values are the same, as JSON has them."""
    if type(one) in (int, float) and type(other) in (int, float):
        return bool(abs(one - other) <= 1e-9 * max(1.0, abs(one)))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_value(one[name], other[name]) for name in one)
    return one == other or str(one) == str(other)
