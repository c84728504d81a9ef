"""`specint report` on a terminal: the matrix, and one line that sums it up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import VerdictWord
from specint.outputs.matrix import Matrix, matrix, summary_line
from specint.outputs.terminal import VERDICT_STYLES, Signs, print_table, signs_for
from specint.source.tree import Origin

_GAP = 2
"""Spaces between columns: one is the box's, one is padding."""
_SHORTEST_NAME = 16
_WORDS: tuple[VerdictWord, ...] = get_args(VerdictWord)


def print_report(
    console: Console, analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()
) -> None:
    """Print the matrix as wide as the console allows: words beside the signs where they fit, else a legend below."""
    table = matrix(analysis, findings, algorithms)
    signs = signs_for(console.encoding)
    with_words = _width(table, signs, words=True) <= console.width
    console.print(_title(analysis.sglang))
    print_table(console, _rich_table(table, signs, console.width, words=with_words))
    for line in _notes(table, signs, words=with_words):
        console.print(Text(line, style="dim"))
    console.print(Text(summary_line(analysis, findings, algorithms), style="bold"))


def _title(sglang: Origin) -> Text:
    """The version, and where it was read unless that is the release itself."""
    title = Text(f"SGLang {sglang.version}", style="bold")
    if sglang.source.lower() != title.plain.lower():
        title.append(f" {sglang.source}", style="not bold dim")
    return title


def _rich_table(table: Matrix, signs: Signs, width: int, *, words: bool) -> Table:
    """The names of models give way before those of algorithms, as long as a beginning of them is left."""
    left = width - sum(len(column) + _GAP for column in (*table.columns, "findings"))
    whole = left >= _SHORTEST_NAME
    made = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), show_edge=False)
    made.add_column("model", overflow="ellipsis", no_wrap=True, max_width=left if whole else None)
    for column in table.columns:
        made.add_column(column, no_wrap=True, justify="left" if words else "center")
    made.add_column("findings", justify="right", no_wrap=True)
    for row in table.rows:
        cells = [
            Text(signs.labelled(verdict) if words else signs.verdict(verdict), style=VERDICT_STYLES[verdict])
            for verdict in row.verdicts
        ]
        made.add_row(Text(row.label), *cells, Text(str(row.findings or ""), style="bold red"))
    return made


def _width(table: Matrix, signs: Signs, *, words: bool) -> int:
    """How wide the table wants to be."""
    cell = max(len(signs.labelled(word)) for word in _WORDS) if words else 1
    name = max((len(row.label) for row in table.rows), default=5)
    return name + sum(max(len(column), cell) + _GAP for column in table.columns) + _GAP + len("findings")


def _notes(table: Matrix, signs: Signs, *, words: bool) -> list[str]:
    notes = []
    if not words:
        used = {word for row in table.rows for word in row.verdicts}
        notes.append(", ".join(signs.labelled(word) for word in _WORDS if word in used))
    same: dict[str, list[str]] = {}
    for algorithm, column in table.alike:
        same.setdefault(column, []).append(algorithm)
    notes += [f"{', '.join(names)}: the same as {column} for every model" for column, names in same.items()]
    if table.settled:
        notes.append(f"{', '.join(table.settled)}: ok for every model that it applies to")
    return notes
