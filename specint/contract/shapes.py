"""How calls hand over their arguments: of one call, of several as one, and whether a signature takes them.

Whoever asks whether a call fits asks `misfit`: rules about models and edits for them, and the demands on workers. The
answer is data; what a reader is told is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from specint.contract.model import CallShape
from specint.facts import model as facts
from specint.graph.hierarchy import Member


@dataclass(frozen=True)
class Misfit:
    """Why a signature doesn't take a call.

    Attributes:
        kind: it has no parameter for the object "itself", too few for what comes by "position", none of some names
            ("keyword"), or ones that some caller leaves "empty".
        names: of the keywords, or of the parameters.
        most: how many arguments it takes by position.
    """

    kind: Literal["itself", "position", "keyword", "empty"]
    names: tuple[str, ...] = ()
    most: int = 0


def misfit(definition: Member, call: CallShape) -> Misfit | None:
    """Why a call doesn't fit what a class defines, None where it does. Where callers differ, each has to fit."""
    assert definition.function is not None
    if definition.kind != "staticmethod" and not definition.function.facts.params:
        return Misfit("itself")
    params = definition.parameters
    kinds = {param.kind for param in params}
    named = {param.name for param in params if param.kind in ("positional", "keyword")}
    most = len(by_position(params))
    if call.positional > most and "*" not in kinds:
        return Misfit("position", most=most)
    if "**" not in kinds and (strange := tuple(k for k in call.keywords if k not in named)):
        return Misfit("keyword", strange)
    empty = left_empty(params, call)
    return Misfit("empty", tuple(param.name for param in empty)) if empty else None


def left_empty(params: Sequence[facts.Param], call: CallShape) -> list[facts.Param]:
    """The parameters without a default that some caller leaves out; none where what is spread may fill them."""
    if call.starred:
        return []
    needed = [*by_position(params)[call.fewest :], *(param for param in params if param.kind == "keyword")]
    return [param for param in needed if param.default is None and param.name not in call.keywords]


def by_position(params: Sequence[facts.Param]) -> list[facts.Param]:
    """The parameters that arguments without a name meet, in their order."""
    return [param for param in params if param.kind in ("positional-only", "positional")]


def shape_of(call: facts.Call) -> CallShape:
    """How a call hands over its arguments."""
    positional = sum(not isinstance(arg, facts.Starred) for arg in call.args)
    return CallShape(
        positional=positional,
        keywords=tuple(sorted(k.name for k in call.keywords if k.name is not None)),
        fewest=positional,
        starred=positional < len(call.args) or any(k.name is None for k in call.keywords),
    )


def together(shapes: Sequence[CallShape]) -> CallShape | None:
    """One shape for all: a parameter that only some sites hand over needs a default."""
    if not shapes:
        return None
    return CallShape(
        positional=max(s.positional for s in shapes),
        keywords=tuple(sorted({k for s in shapes for k in s.keywords})),
        unpacks=next((s.unpacks for s in shapes if s.unpacks is not None), None),
        fewest=min(s.fewest for s in shapes),
        starred=any(s.starred for s in shapes),
    )
