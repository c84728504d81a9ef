"""Asking: launches in, answers out, for the command line and for Python alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from specint.errors import SpecintError
from specint.launch.answer import Answer, Workbench
from specint.launch.command import Command, command_of, located
from specint.launch.judging import Analyse, Judge
from specint.launch.kept import Answers
from specint.launch.machine import machine_named, usual_machines
from specint.launch.registry import registered_classes
from specint.launch.setting import Setting
from specint.reading import read_regular
from specint.source.tree import Tree

LARGEST_LIST = 16 * 1024 * 1024


class Asking:
    """One SGLang, to which launches are put on one machine or several; `several`: more than one will be; `kept`: where
    answers are kept."""

    def __init__(
        self,
        tree: Tree,
        analyse: Analyse | None,
        cache_dir: Path | None,
        progress: Callable[[str], None] | None = None,
        *,
        several: bool = False,
        kept: Answers | None = None,
    ) -> None:
        self._tree, self._cache_dir, self._progress = tree, cache_dir, progress
        self.judge = Judge(analyse, several) if analyse is not None else None
        self.benches: dict[str, Workbench] = {}
        self._kept = kept

    @cached_property
    def setting(self) -> Setting:
        """SGLang with what it pins, read when a launch is evaluated for the first time."""
        return Setting(self._tree, lambda: registered_classes(self._tree), self._cache_dir, self._progress)

    def answer(self, command: Command, machine: str, name: str | None = None) -> Answer:
        """The answer to a launch on a machine."""
        known = self._kept.recall(command, machine) if self._kept is not None else None
        if known is not None:
            return msgspec.structs.replace(known, id=name)
        bench = self.benches.get(machine)
        if bench is None:
            bench = self.benches[machine] = Workbench(self.setting, machine_named(machine), self.judge)
        answer = bench.answer(command, name)
        # What lacks Transformers or the analysis may be better another time.
        if self._kept is not None and not self.setting.notes and (self.judge is None or not self.judge.lost):
            self._kept.remember(command, machine, answer, bench.asked, self.setting.modules.kinds)
        return answer

    def prepare(self, machine: str) -> None:
        """Do once what importing takes, now that more than one launch is asked."""
        if machine in self.benches:
            self.benches[machine].prepare()

    def answers(self, launches: Sequence[tuple[str | None, Command]], machine: str) -> Iterator[Answer]:
        """The answers to several launches: what importing took is done once for all but the first."""
        for n, (name, command) in enumerate(launches):
            if n:
                self.prepare(machine)
            yield self.answer(command, machine, name)


def machines_of(text: str | None) -> list[str]:
    """The machines of `--gpu a,b`; those that matter where none is named."""
    names = [name.strip().lower() for name in (text or "").split(",") if name.strip()]
    for name in names:
        machine_named(name)
    return list(dict.fromkeys(names)) or usual_machines()


def launches_of(path: Path, models: Path | None = None) -> list[tuple[str | None, Command]]:
    """The launches of a file with one JSON object a line: `argv` or `command`, `env`, `id`.

    `{models}` in a word stands for a folder `models` beside the file, or for `models`.
    """
    try:
        text = read_regular(path, largest=LARGEST_LIST, or_pipe=True).decode("utf-8", errors="replace")
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", str(path)) from None
    folder = str((models or path.parent / "models").absolute())
    found: list[tuple[str | None, Command]] = []
    for n, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{n}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise SpecintError("is no JSON", where, "one object a line: argv, env, id") from None
        found.append(_launch(row, where, folder, path.parent))
    if not found:
        raise SpecintError("no launch in it", str(path), "one JSON object a line: argv, env, id")
    return found


def _launch(row: Any, where: str, folder: str, base: Path) -> tuple[str | None, Command]:
    if not isinstance(row, dict):
        raise SpecintError("is no object", where, "argv, env, id")
    name = str(row["id"]) if row.get("id") is not None else None
    environment = row.get("env") or {}
    if not isinstance(environment, dict):
        raise SpecintError("env is no object", where, 'like {"NAME": "value"}')
    given = {str(key): str(value) for key, value in environment.items()}
    if isinstance(row.get("command"), str):
        command = command_of([row["command"].replace("{models}", folder)], relative_to=base)
        return name, Command(command.argv, {**given, **command.environment}, command.folders)
    argv = row.get("argv")
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise SpecintError("argv is no list of words", where, '["--model-path", "..."]')
    words = tuple(word.replace("{models}", folder) for word in argv)
    return name, located(Command(words, given), base)
