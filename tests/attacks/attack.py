"""An attack, and what several kinds of attacks are made of. `run.py` says what must hold after each.

An attack changes a copy of the small SGLang (or what lies around it), and names what is run on it. Nothing is said of
the answer it should get: whatever it is, the promise is the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ESCAPE = "\x1b[2J"
COMMAND = "\n::error ::pwned"
CHECK = ("check", "--sglang", "sglang")
REPORT = ("report", "--sglang", "sglang")
FOREIGN = {
    "an escape": ESCAPE,
    "a line end and a command": COMMAND,
    "a command": "::error ::pwned",
    "an old command": "##[error]pwned",
    "NUL": "a\0b",
    "C1": "a\x9b2Jb",
    "a bell": "a\x07b",
    "a carriage return": "a\rb",
    "a separator": "a\u2028::error ::pwnedb",
    "right to left": "a\u202eb",
    "a lone surrogate": "a\ud800b",
    "no character": "a\ufffeb",
    "markup": "[bold]a[/] <b>&amp;</b> `x` | a",
    "CDATA": "a]]>b<![CDATA[",
    "long": "a" * 5000,
    "nothing": "",
    "a percent": "%0A::error ::pwned",
}
"""Text that is more than text somewhere."""

PLAIN = '"$@"'
"""The command as it is."""


class Attack(NamedTuple):
    """One attack.

    Attributes:
        lay: makes it, in the folder that holds `sglang`.
        arguments: of specint.
        shell: a line of bash before it, in which limits are set and streams closed; `"$@"` is specint.
        found: the finding of the small SGLang must be there all the same.
    """

    kind: str
    name: str
    lay: Callable[[Path], object] = lambda _: None
    arguments: tuple[str, ...] = ("check", "--sglang", "sglang")
    shell: str = PLAIN
    found: bool = True
    environment: tuple[tuple[str, str], ...] = ()
    python: tuple[str, ...] = ()
    seconds: float = 60.0


def put(text: str | bytes, name: str = "sglang/srt/models/nasty.py") -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))

    return lay


def several(*lays: Callable[[Path], object]) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        for one in lays:
            one(top)

    return lay


def pipe(name: str) -> Callable[[Path], None]:
    def lay(top: Path) -> None:
        path = top / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)

    return lay
