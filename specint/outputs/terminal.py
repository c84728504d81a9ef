"""How text looks: colour, width, and signs that the terminal can show."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from io import StringIO
from typing import IO, Literal

import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from specint.analysis.standing import Standing
from specint.checks.catalog import Severity
from specint.compliance.model import Status, VerdictWord
from specint.outputs.foreign import readable

ENDLESS = 4000
"""So wide is what no person looks at: a pipe, or a file. No name, and no row of a table, is longer."""
Colour = Literal["auto", "always", "never"]
Shown = Callable[[str], str]
"""From a file as findings name it to the file as the reader can open it."""

VERDICT_STYLES: dict[VerdictWord, str] = {
    "ok": "green",
    "missing": "bold red",
    "broken": "bold red",
    "unknown": "yellow",
    "not applicable": "dim",
}
STANDING_STYLES: dict[Standing, str] = {
    "ok": "green",
    "one step away": "bold yellow",
    "half there": "yellow",
    "never offered": "dim",
    "broken": "bold red",
    "unknown": "yellow",
    "not applicable": "dim",
}
STATUS_WORDS: dict[Status, VerdictWord] = {"present": "ok", "missing": "missing", "unknown": "unknown"}
SEVERITY_STYLES: dict[Severity, str] = {
    "fatal": "bold red",
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold cyan",
}
_SHORT: dict[str, str] = {"not applicable": "n/a", "one step away": "one step", "never offered": "not offered"}


class Signs(msgspec.Struct, frozen=True):
    """The few signs beside ASCII, or what stands in for them."""

    ok: str = "✓"
    missing: str = "✗"
    broken: str = "!"
    unknown: str = "?"
    not_applicable: str = "·"
    one_step: str = "»"
    half: str = "◐"
    never: str = "\N{MINUS SIGN}"
    arrow: str = "→"

    def of(self, word: VerdictWord | Standing) -> str:
        """The sign of a verdict or a standing; it never stands without a word or a legend."""
        signs: dict[VerdictWord | Standing, str] = {
            "ok": self.ok,
            "missing": self.missing,
            "broken": self.broken,
            "unknown": self.unknown,
            "not applicable": self.not_applicable,
            "one step away": self.one_step,
            "half there": self.half,
            "never offered": self.never,
        }
        return signs[word]

    def labelled(self, word: VerdictWord | Standing) -> str:
        """Sign and word, short: `✗ missing`, `» one step`."""
        return f"{self.of(word)} {_SHORT.get(word, word)}"


ASCII_SIGNS = Signs(ok="+", missing="x", not_applicable=".", one_step=">", half="~", never="-", arrow="->")


def signs_for(encoding: str | None) -> Signs:
    """The signs that text in that encoding can hold."""
    signs = Signs()
    try:
        "".join(msgspec.structs.astuple(signs)).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII_SIGNS
    return signs


def console(stream: IO[str], colour: Colour = "auto") -> Console:
    """A console on `stream`. `auto`: colour on a terminal, unless NO_COLOR is set.

    Elsewhere lines are as long as what they hold, unless COLUMNS is set: whoever reads them looks for whole names.
    """
    forced = {"always": True, "never": False, "auto": None}[colour]
    made = _Console(
        file=stream,
        force_terminal=forced,
        no_color={"always": False, "never": True, "auto": None}[colour],
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
        legacy_windows=False,
    )
    if not stream.isatty():
        made.width = _columns() or ENDLESS
    return made


class _Console(Console):
    """A console on which foreign text can only be read: a name with an escape in it does nothing to the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """As rich renders it; what is no control of rich's own is made readable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=readable(segment.text))


def print_table(console: Console, table: Table) -> None:
    """Print a table; outside a terminal without the spaces that fill its last column."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.print(Text(line.rstrip()), soft_wrap=True)


class _Text(StringIO):
    """Text in memory, with the signs that another stream can show."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def rendered(colour: Colour, width: int | None, write: Callable[[Console], None], *, encoding: str = "utf-8") -> str:
    """What `write` prints, as text: for `--output`, for what is no terminal, and for tests."""
    stream = _Text(encoding)
    made = console(stream, colour)
    if width is not None:
        made.width = width
    write(made)
    return stream.getvalue()


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", ""))
    except ValueError:
        return 0
