"""One model as the page knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from specint.analysis.names import titled
from specint.compliance.model import MemberStatus, ModelCompliance
from specint.outputs.diagrams.diagram import about
from specint.outputs.diagrams.svg import svg
from specint.outputs.html.excerpts import Excerpts, Numbers
from specint.outputs.matrix import Row

if TYPE_CHECKING:
    from specint.analysis.result import Result

__all__ = ["Model", "Numbers", "model_data"]


class Word(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A verdict: its word and how far that is from ok, the members behind it, and a reason."""

    word: str
    standing: str
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    reason: str | None = None


class Candidate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one inner class says about a member; classes and files are numbers."""

    holder: int
    status: str
    provider: int | None = None
    at: tuple[int, int] | None = None
    condition: str = ""


class Member(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether the model has a member. One that isn't listed is missing, and nothing more is known of it."""

    status: str = "missing"
    provider: int | None = None
    way: str | None = None
    at: tuple[int, int] | None = None
    inner: str | None = None
    inner_status: str | None = None
    inners: tuple[Candidate, ...] = ()
    reason: str | None = None


class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row of the matrix, and what opens behind it. `wraps` are attribute, classes, and a reason for none.

    `drafts_for` has how it is known that a draft is made for an algorithm, `titled` the checkpoints that it serves by
    the docstring of its module.
    """

    class_: int = msgspec.field(name="class")
    label: str
    at: tuple[int, int]
    roles: tuple[str, ...]
    mro: tuple[int, ...]
    verdicts: tuple[Word, ...]
    members: dict[str, Member]
    picture: str
    wraps: tuple[tuple[str, tuple[int, ...], str], ...] = ()
    made_from: tuple[str, ...] = ()
    titled: tuple[str, ...] = ()
    drafts_for: dict[str, str] = {}


def model_data(result: Result, row: Row, algorithms: Sequence[str], classes: Numbers, excerpts: Excerpts) -> Model:
    """The model of a row of the matrix."""
    model = row.model
    number = classes.of(model.class_)
    return Model(
        class_=number,
        label=row.label,
        at=(excerpts.at(model.file, model.line), model.line),
        roles=model.roles,
        mro=tuple(classes.of(name) for name in model.mro),
        verdicts=tuple(_word(row, algorithm) for algorithm in algorithms),
        members=_members(result, model, classes, excerpts),
        picture=svg(about(result, model.class_), alone=False, name=f"d{number}") if _has_node(result, model) else "",
        wraps=tuple(
            (wrap.attribute, tuple(classes.of(name) for name in wrap.classes), wrap.reason or "")
            for wrap in model.wraps
        ),
        made_from=model.made_from,
        titled=titled(model),
        drafts_for=model.drafts_for,
    )


def _has_node(result: Result, model: ModelCompliance) -> bool:
    return model.class_ in result.graph


def _word(row: Row, algorithm: str) -> Word:
    verdict = row.model.algorithms.get(algorithm)
    if verdict is None:
        return Word(word="not applicable", standing="not applicable")
    return Word(
        word=verdict.verdict,
        standing=row.all_standings[algorithm],
        missing=verdict.missing,
        unknown=verdict.unknown,
        broken=verdict.broken,
        reason=verdict.reason,
    )


def _members(result: Result, model: ModelCompliance, classes: Numbers, excerpts: Excerpts) -> dict[str, Member]:
    """What is asked of the model in its roles; a member that it can do without is listed only if it is there."""
    roles = {"both", *model.roles}
    needed: dict[str, bool] = {}
    for one in result.contract.requirements:
        if one.role in roles:
            needed[one.member] = needed.get(one.member, False) or one.strength != "optional"
    return {
        name: _member(model.members[name], classes, excerpts)
        for name, hard in sorted(needed.items())
        if name in model.members and (hard or model.members[name].status != "missing")
        if model.members[name] != MemberStatus(status="missing")
    }


def _member(status: MemberStatus, classes: Numbers, excerpts: Excerpts) -> Member:
    return Member(
        status=status.status,
        provider=classes.of(status.provider) if status.provider else None,
        way=status.way,
        at=(excerpts.at(status.file, status.line), status.line) if status.line else None,
        inner=status.inner,
        inner_status=status.inner_status,
        reason=status.reason,
        inners=tuple(
            Candidate(
                holder=classes.of(inner.holder),
                status=inner.status,
                provider=classes.of(inner.provider) if inner.provider else None,
                at=(excerpts.at(inner.file, inner.line), inner.line) if inner.line else None,
                condition=inner.condition,
            )
            for inner in status.inners
        ),
    )
