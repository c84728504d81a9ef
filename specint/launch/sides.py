"""Target and draft beside each other: what the chosen worker asks of their classes, and whether they fit."""

from __future__ import annotations

from typing import Any

import msgspec

from specint.launch.command import Command
from specint.launch.course import Found
from specint.launch.declared import declared
from specint.launch.fit import Fit, drafts_need_a_class, fits, why_a_class
from specint.launch.judging import Judge, Lack, worker_named

WHATEVER = "what the target lacks was asked of the same launch without a draft: SGLang looks at the draft's first"


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """What both sides lack, and which comparisons of them there are."""

    contract: tuple[Lack, ...] = ()
    fit: tuple[Fit, ...] = ()

    @property
    def fatal(self) -> bool:
        """Whether a launch fails of it."""
        return any(lack.fatal for lack in self.contract) or any(not one.fits for one in self.fit)


def compared(judge: Judge | None, found: Found) -> Compared:
    """What is to be said of the sides of a launch that are known; nothing where no worker is."""
    algorithm = str(found.algorithm) if found.algorithm else ""
    if not algorithm or not found.speculative:
        return Compared()
    lacks: list[Lack] = []
    worker = worker_named(*found.worker) if found.worker else ""
    roles: tuple[str, ...] | None = None
    sides = {
        side: f"{one.module}.{one.cls}"
        for side, one in (("target", found.target), ("draft", found.draft))
        if one is not None and one.cls is not None
    }
    if judge is not None:
        judge.about(list(sides.values()))
    for side, dotted in sides.items():
        judged = judge.judged(side, dotted, algorithm, worker) if judge is not None else None
        if judged is not None:
            lacks += judged.lacks
            if side == "draft":
                roles = judged.roles
    fit: list[Fit] = []
    if found.target is not None and found.draft is not None:
        if roles is not None and drafts_need_a_class(algorithm):
            fit.append(
                Fit(name="draft's class", target=found.target.cls, draft=found.draft.cls, fits="draft" in roles,
                    reason=why_a_class())
            )  # fmt: skip
        fit += fits(found.target.config, found.draft.config, algorithm)
    return Compared(contract=tuple(lacks), fit=tuple(fit))


def of_the_target(judge: Judge | None, alone: Found, algorithm: Any) -> tuple[Lack, ...]:
    """What a target lacks whatever its draft is, of the same launch that names none."""
    if alone.open or alone.refusals or alone.worker is None or str(alone.algorithm) != str(algorithm):
        return ()
    return tuple(one for one in compared(judge, alone).contract if one.side == "target" and one.fatal)


def without_draft(command: Command) -> Command:
    """The command without the flag that names a draft."""
    flag = f"--{declared()['entry']['draft']['path'].replace('_', '-')}"
    argv: list[str] = []
    words = iter(command.argv)
    for word in words:
        name, sign, _ = word.partition("=")
        if len(name) > len("--speculative-draft") and flag.startswith(name):
            if not sign:
                next(words, None)
            continue
        argv.append(word)
    return Command(tuple(argv), command.environment, command.folders, command.source)
