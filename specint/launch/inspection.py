"""A closer look at both sides, where their folders have tensors or a verdict is open: what their classes build."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from specint.execution.files import Files
from specint.launch.construction import Built, built
from specint.launch.course import Course, Found, Side
from specint.launch.declared import declared
from specint.launch.fit import Fit
from specint.launch.judging import Lack
from specint.launch.sides import Compared
from specint.launch.tensors import tensors_of
from specint.launch.weights import compared_weights

Evaluate = Callable[[Callable[[Course], dict[str, Built]]], dict[str, Built]]
"""The launch once more, with what is asked of it before its evaluation is taken back."""
CONSTRUCTOR = "The class raises it for this configuration ({}:{})."


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """The sides after a closer look, and what could not be looked at."""

    sides: Compared
    notes: tuple[str, ...] = ()


def draft_built(course: Course) -> dict[str, Built]:
    """What the class of a draft builds, where there is one: what it raises for the configuration, nothing else says."""
    draft = course.found.draft
    return {"draft": built(course, draft)} if draft is not None and draft.cls is not None else {}


def inspected(found: Found, files: Files, sides: Compared, made: dict[str, Built], evaluate: Evaluate) -> Inspected:
    """What the classes of the sides build of their configurations, beside their tensors and open verdicts.

    Args:
        made: what was built already.
    """
    there = {name: tensors_of(files, folder) for name, folder, _ in _folders(found)}
    asked = {
        name: tuple(member for lack in sides.contract if lack.side == name and lack.status == "unknown"
                    for member in lack.member.split("|"))
        for name in ("target", "draft")
    }  # fmt: skip
    wanted = {name for name in asked if asked[name] or there.get(name) is not None}
    if not wanted and not any(one.refusal for one in made.values()):
        return Inspected(sides=sides)

    def build(course: Course) -> dict[str, Built]:
        known = {"target": course.found.target, "draft": course.found.draft}
        return {name: built(course, side, asked[name]) for name, side in known.items() if side and name in wanted}

    if wanted:
        made = {**made, **evaluate(build)}
    contract = tuple(lack for one in sides.contract for lack in _decided(one, made.get(one.side)))
    fit, notes = [*sides.fit], list[str]()
    folders = [folder for _, folder, _ in _folders(found)]
    for name, folder, side in _folders(found):
        tensors, one = there.get(name), made.get(name)
        if one is not None and one.refusal is not None:
            message, file, line = one.refusal
            fit.append(Fit(name=f"{name}'s constructor", target="this configuration", draft=message, fits=False,
                           reason=CONSTRUCTOR.format(file, line)))  # fmt: skip
        elif one is not None and one.why and name in wanted:
            notes.append(f"what the {name}'s class builds is not known: {one.why}")
        if tensors is not None:
            own = folders.count(folder) == 1
            fit += compared_weights(name, side.config, one or Built(), tensors, own_folder=own)
            notes += [f"{name}'s tensors: {why}" for why in tensors.unread]
    return Inspected(sides=Compared(contract=contract, fit=tuple(fit)), notes=tuple(notes))


def _folders(found: Found) -> Iterator[tuple[str, str, Side]]:
    """Each side with the folder of its checkpoint."""
    target = found.values.get(declared()["entry"]["model"]["path"])
    for name, side, folder in (
        ("target", found.target, target),
        ("draft", found.draft, found.draft and found.draft.path),
    ):
        if side is not None and isinstance(folder, str):
            yield name, folder.rstrip("/"), side


def _decided(lack: Lack, made: Built | None) -> Iterator[Lack]:
    """A lack that was open, once the class is built: gone, or missing; as it was where that stays open."""
    if lack.status != "unknown" or made is None or made.why or made.decisions:
        yield lack
        return
    answers = [made.has.get(member) for member in lack.member.split("|")]
    if any(answers):
        return
    if all(one is False for one in answers):
        lack = msgspec.structs.replace(lack, status="missing", reason="for this configuration")
    yield lack
