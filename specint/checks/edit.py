"""What would settle a finding, as data: a finding's `patch` shows it, `specint fix` does it."""

from __future__ import annotations

from typing import Literal

import msgspec


class Splice(msgspec.Struct, frozen=True, order=True):
    """Behind line `after` of a file (0: at its top) so many lines go, and others come, without their line endings."""

    after: int
    removed: int = 0
    lines: tuple[str, ...] = ()


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
