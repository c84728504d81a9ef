"""One finding: the shape behind every output format."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from specint.checks.catalog import rule
from specint.compliance.model import ModelCompliance
from specint.edits.model import Edit


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """A place that a reader can open to check the finding, and what is to be seen there."""

    file: str
    line: int
    what: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A rule's verdict on one member of one class.

    Attributes:
        rule, id: symbol and number of the rule (`spec-missing-delegation`, `E7701`).
        class_: the dotted class it is about.
        member: the member it is about; "" where the rule is about the class as a whole.
        algorithms: the algorithms that ask for the member.
        file, line, column: where the message stands: the class's line, or the member's. Lines count from 1,
            columns from 0. `file` is relative to the folder that holds the package.
        through: the hooks by which callers meet it, where `member` is none itself: an attribute that a hook reads.
        edit: what `specint fix` would do about it, or why it can't; documents leave it out where a rule says nothing.
        patch: a unified diff with the edits of all findings about the class, the same in each of them; None where this
            one has no edit.
    """

    rule: str
    id: str
    class_: str = msgspec.field(name="class")
    member: str
    algorithms: tuple[str, ...]
    file: str
    line: int
    column: int = 0
    message: str
    evidence: tuple[Evidence, ...] = ()
    patch: str | None = None
    edit: Edit | msgspec.UnsetType = msgspec.UNSET
    through: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def hooks(self) -> tuple[str, ...]:
        """The members that callers meet it by."""
        return self.through or (self.member,)


def about(
    symbol: str,
    model: ModelCompliance,
    member: str,
    algorithms: tuple[str, ...],
    *,
    message: str,
    evidence: Iterable[Evidence] = (),
    at: tuple[int, int] | None = None,
    edit: Edit | msgspec.UnsetType = msgspec.UNSET,
    through: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET,
) -> Finding:
    """A rule's finding about a model; `at` is its line and column in the model's file, else those of the class."""
    line, column = at or (model.line, model.column)
    return Finding(
        rule=symbol,
        id=rule(symbol).id,
        class_=model.class_,
        member=member,
        algorithms=algorithms,
        file=model.file,
        line=line,
        column=column,
        message=message,
        evidence=tuple(evidence),
        edit=edit,
        through=through,
    )
