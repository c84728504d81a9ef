"""Findings that a change of code settles which is there already: a function moves, a parameter gets a default."""

from __future__ import annotations

from collections.abc import Sequence

from specint.checks.context import Context
from specint.checks.wording import listed
from specint.compliance.model import ModelCompliance
from specint.contract.model import CallShape
from specint.contract.shapes import by_position, left_empty, misfit
from specint.edits.model import Edit, undecided
from specint.edits.reshaping import moved, with_defaults
from specint.facts import model as facts
from specint.graph.hierarchy import Member
from specint.source.tree import content_digest

_GONE = "its file is gone or was changed meanwhile"


def moved_into(context: Context, model: ModelCompliance, function: facts.Function) -> Edit:
    """What puts a function of the module to the end of a class of that module, with the remarks above it."""
    node = context.node(model)
    source = context.source(node)
    candidates = [
        one.name for one in context.models if one.file == model.file and one.members[function.name].status == "missing"
    ]
    decide = ""
    if "." in function.qualname:
        decide = f"{function.qualname} is within another function: decide whose method it is"
    elif not candidates:
        decide = f"{model.name} has {function.name} already: decide which of the two is meant"
    if decide or source is None:
        return undecided(model.class_, model.file, function.name, decide or _GONE)
    file, data = source
    splices = moved(data, file.path, function.line, node.facts)
    if splices is None:
        return undecided(model.class_, model.file, function.name, f"{model.name} has no body to move it into")
    others = [name for name in candidates if name != model.name]
    return Edit(
        kind="move",
        class_=model.class_,
        member=function.name,
        file=model.file,
        digest=content_digest(data),
        splices=splices,
        doubt=f"it could be meant for {listed(others)} as well" if others else "",
    )


def defaulted(context: Context, definition: Member, calls: Sequence[CallShape]) -> Edit:
    """What gives the parameters that some caller leaves out the default None, where nothing else is wrong.

    It is safe where the body never uses them, or asks whether they are None.
    """
    owner, function = definition.owner, definition.function
    source = context.source(owner)
    if function is None or definition.kind == "property" or function.owner is not owner or source is None:
        return undecided(owner.key, owner.file, definition.name, "decide how it is to be offered")
    wanting = _wanting(definition, calls)
    file, data = source
    made = with_defaults(data, file.path, function.facts.line, wanting) if wanting is not None else None
    if made is None:
        why = "more than a default is wrong with its parameters: decide what it is to do with what it is handed"
        return undecided(owner.key, owner.file, definition.name, why)
    splices, used = made
    return Edit(
        kind="default",
        class_=owner.key,
        member=definition.name,
        file=owner.file,
        digest=content_digest(data),
        splices=splices,
        doubt=f"its body uses {listed(used)}, and nobody said what None means there" if used else "",
    )


def _wanting(definition: Member, calls: Sequence[CallShape]) -> tuple[str, ...] | None:
    """The parameters that need a default, None where a default alone doesn't do."""
    params = definition.parameters
    positional = by_position(params)
    wanting: set[str] = set()
    for call in calls:
        lack = misfit(definition, call)
        if lack is not None and lack.kind != "empty":
            return None
        empty = left_empty(params, call)
        wanting.update(param.name for param in empty)
        if empty and empty[0] in positional:  # behind a parameter with a default every one needs its own
            wanting.update(p.name for p in positional[positional.index(empty[0]) :] if p.default is None)
    return tuple(param.name for param in params if param.name in wanting) or None
