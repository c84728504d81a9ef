"""Answers kept on disk: a launch that was asked before, of the same SGLang and of unchanged checkpoints.

What an answer depends on is its key (specint itself, SGLang's text, the packages beside it, the machine, the command
and its variables) and what the evaluation asked of the file system, which is asked again before the answer is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from specint.answers import fingerprint, key_of, modules_outside, recall, remember
from specint.errors import SpecintError
from specint.execution.files import Files
from specint.launch.answer import Answer, plain
from specint.launch.command import Command
from specint.launch.course import Side
from specint.launch.pins import requirements
from specint.request import Opened
from specint.source.archive import ArchiveTree

KIND = "preflight"


class _Entry(msgspec.Struct, frozen=True):
    """An answer, and what each path that was looked at was then."""

    paths: tuple[tuple[str, tuple[str, ...], str], ...]
    answer: Answer


class Answers:
    """The answers to launches of one SGLang."""

    def __init__(self, sources: Opened) -> None:
        from specint.contract.declared import declared
        from specint.pipeline import code_packages

        self._sources = sources
        self._tree = sources.tree
        package = self._tree.package
        code = code_packages(self._tree, sources.request.interfaces)
        # An archive has a list of all checksums; of a folder no more is read than what an answer depends on.
        whole = isinstance(self._tree, ArchiveTree)
        self._prefixes = [package] if whole else [*code, f"{package}.{declared().code.models}"]
        self._common: str | None = None

    def recall(self, command: Command, machine: str) -> Answer | None:
        """The answer to a launch, if it is kept and nothing that it depends on has changed."""
        try:
            entry = recall(self._sources.store, self._key(command, machine), self._tree, _Entry)
        except SpecintError:
            return None
        if entry is None:
            return None
        files = Files(command.folders)
        if any(files.state(path, how) != state for path, how, state in entry.paths):
            return None
        return msgspec.structs.replace(entry.answer, command=command)

    def remember(
        self, command: Command, machine: str, answer: Answer, asked: dict[str, set[str]], modules: Iterable[str]
    ) -> None:
        """Keep an answer, with what it asked of the file system and the modules that it looked for."""
        if any(one.bounded for one in answer.found.open):
            return  # it may be better with more memory
        files = Files(command.folders)
        paths = tuple((path, tuple(sorted(how)), files.state(path, how)) for path, how in sorted(asked.items()))
        try:
            entry = _Entry(paths, settled(answer))
            msgspec.msgpack.encode(entry)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return  # values that have no such form: numbers of many digits, halves of characters
        inside = [name for name in modules if f"{name}.".startswith(f"{self._tree.package}.")]
        try:
            also = modules_outside(inside, self._prefixes)
            remember(self._sources.store, self._key(command, machine), self._tree, entry, also)
        except SpecintError:
            return

    def _key(self, command: Command, machine: str) -> str:
        if self._common is None:
            request, sources = self._sources.request, self._sources
            own = (*sources.models, *sources.callers)
            words = (KIND, fingerprint(), json.dumps(requirements(self._tree)), *request.interfaces, *sources.classes)
            self._common = key_of(self._tree, self._prefixes, own, *words)
        asked = json.dumps([machine, command.argv, sorted(command.environment.items()), command.folders])
        return key_of(self._tree, [], (), self._common, asked)


def settled(answer: Answer) -> Answer:
    """An answer whose values are plain: what is not known in them is its reason."""
    found = answer.found
    return msgspec.structs.replace(
        answer,
        found=replace(
            found,
            algorithm=plain(found.algorithm),
            target=_settled_side(found.target),
            draft=_settled_side(found.draft),
            values={name: plain(value) for name, value in found.values.items()},
            changed=None
            if found.changed is None
            else [replace(one, before=plain(one.before), after=plain(one.after)) for one in found.changed],
        ),
        fit=tuple(msgspec.structs.replace(one, target=plain(one.target), draft=plain(one.draft)) for one in answer.fit),
        facts={name: plain(value) for name, value in answer.facts.items()},
        machine=msgspec.structs.replace(answer.machine, facts=_plain_facts(answer.machine.facts)),
    )


def _settled_side(side: Side | None) -> Side | None:
    return None if side is None else replace(side, config=None)


def _plain_facts(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: plain(value) for name, value in facts.items()}
