"""What would settle a finding, as data: a finding's `patch` shows it, `specint fix` does it."""

from __future__ import annotations

from typing import Literal

import msgspec


class Splice(msgspec.Struct, frozen=True, order=True):
    """Behind line `after` of a file (0: at its top) the lines `old` go and `lines` come, both without line endings."""

    after: int
    old: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The last line of the file that goes; `after` where none does."""
        return self.after + len(self.old)


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one file, or why there is none.

    Attributes:
        kind: "add" gives a class a member; "move" takes a function at module level into the class; "default" gives
            parameters a default; "decide" does nothing.
        class_: the dotted class whose body changes; `member` is what it gets.
        file: where it stands, as findings name files; `digest` is that of the text that the lines were counted in.
        doubt: why it is done on demand only; "" where it is safe.
        decide: what a person must decide, where there is nothing that could be written.
    """

    kind: Literal["add", "move", "default", "decide"]
    class_: str = msgspec.field(name="class")
    member: str
    file: str
    digest: str = ""
    splices: tuple[Splice, ...] = ()
    doubt: str = ""
    decide: str = ""


def undecided(class_: str, file: str, member: str, what: str) -> Edit:
    """Nothing can be written: a person has to decide."""
    return Edit(kind="decide", class_=class_, member=member, file=file, decide=what)
