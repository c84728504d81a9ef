"""What would settle a finding, as data: a finding's `patch` shows it, `specint fix` does it."""

from __future__ import annotations

from typing import Literal

import msgspec


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """One change of one file, or why there is none.

    Attributes:
        kind: "add" puts `code` after the line `at`; "move" takes the function at module level on line `at` into the
            class; "default" gives parameters of the function on line `at` a default; "decide" does nothing.
        class_: the dotted class whose body changes.
        file: where it stands, as findings name files; `digest` is that of the text that the lines were counted in.
        at: counted from 1; for "add" so many lines stay above.
        code: the lines that come, indented as they will stand, without line endings.
        defaults: parameters, each with its default as written.
        doubt: why it is done on demand only; "" where it is safe.
        decide: what a person must decide, where there is nothing that could be written.
    """

    kind: Literal["add", "move", "default", "decide"]
    class_: str = msgspec.field(name="class")
    file: str
    digest: str = ""
    at: int = 0
    code: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    doubt: str = ""
    decide: str = ""
