"""Which registered model meets which requirement, as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

Status = Literal["present", "missing", "unknown"]
Way = Literal["own", "inherited", "attribute", "property", "assigned", "forwarded"]
VerdictWord = Literal["ok", "missing", "broken", "unknown", "not applicable"]


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    """What one candidate inner class of a wrapper says about a member.

    Attributes:
        attribute: the wrapper's attribute that holds it (`language_model`).
        holder: the dotted inner class.
        provider: the dotted class that defines the member, None where the inner class lacks it.
        file, line: where the provider defines it (0 where it has none).
        condition: under what the wrapper chooses this class, as written, "" where it always does.
    """

    attribute: str
    holder: str
    status: Status
    provider: str | None = None
    file: str = ""
    line: int = 0
    condition: str = ""


class MemberStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one model class offers one member, and how we know.

    Attributes:
        provider: the dotted class that defines it.
        way: how the class comes by it; None unless present.
        file, line: where the provider defines it.
        inner: the attribute of the wrapper under which the member was looked for, None where there is none.
        inner_status: what holds of every candidate inner class; None where there is no inner.
        inners: each candidate in detail.
        reason: why it is unknown (or missing, where there is more to say).
    """

    status: Status
    provider: str | None = None
    way: Way | None = None
    file: str = ""
    line: int = 0
    inner: str | None = None
    inner_status: Status | None = None
    inners: tuple[Inner, ...] = ()
    reason: str | None = None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One model under one algorithm.

    Attributes:
        missing, unknown: members ("a|b" for an any-of).
        broken: members that are there, of which a rule found that they can't do what the algorithm needs.
    """

    verdict: VerdictWord
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    reason: str | None = None


class Wrap(msgspec.Struct, frozen=True, kw_only=True):
    """An attribute that holds an inner model ("inner.llm": one of its body): every class it can be, or why that can't
    be known."""

    attribute: str
    classes: tuple[str, ...]
    reason: str | None = None


class ModelCompliance(msgspec.Struct, frozen=True, kw_only=True):
    """Everything specint knows about one registered model class.

    Attributes:
        class_: the dotted class; `name` its last part, which is what `--model` takes.
        roles: "target", "draft" or both.
        mro: dotted classes in method resolution order; classes outside the tree as they are imported.
        members: every member that a requirement names.
        algorithms: a verdict for every algorithm of the contract: a draft's as a draft, any other model's as a target.
        title: what the docstring of its module begins with: often the checkpoints that it serves.
        made_from: of a draft: the classes whose checkpoints SGLang reads as one of it, by name.
        drafts_for: the algorithms that a draft is made for, each with how that is known; empty for a target.
    """

    class_: str = msgspec.field(name="class")
    name: str
    file: str
    line: int
    column: int = 0
    roles: tuple[str, ...]
    mro: tuple[str, ...]
    wraps: tuple[Wrap, ...]
    members: dict[str, MemberStatus]
    algorithms: dict[str, Verdict]
    drafts_for: dict[str, str] = {}
    made_from: tuple[str, ...] = ()
    title: str = ""

    @property
    def applicable(self) -> tuple[str, ...]:
        """The algorithms under which there is something to judge."""
        return tuple(name for name, one in self.algorithms.items() if one.verdict != "not applicable")

    def under(self, algorithms: Iterable[str]) -> tuple[str, ...]:
        """Those of some algorithms under which there is something to judge, in their order."""
        return tuple(name for name in algorithms if name in self.applicable)
