"""`specint report` on a terminal: how many stand where, the targets, the drafts, and one line that sums it up."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.outputs.matrix import MEANINGS, STANDINGS, Matrix, matrix, notes, summary_line
from specint.outputs.terminal import STANDING_STYLES, Signs, print_table, signs_for
from specint.source.tree import Origin

_GAP = 2
"""Spaces between columns: one is the box's, one is padding."""
_SHORTEST_NAME = 16


def print_report(
    console: Console, analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()
) -> None:
    """Print the tables as wide as the console allows, with words beside the signs where they fit."""
    table = matrix(analysis, findings, algorithms)
    chosen = tuple(algorithms) or analysis.contract.algorithms
    signs = signs_for(console.encoding)
    with_words = _width(table, signs, words=True) <= console.width
    console.print(_title(analysis.sglang))
    if table.rows:
        _print_totals(console, table, signs)
        print_table(console, _targets(table, signs, console.width, words=with_words))
    if table.drafts:
        console.print()
        print_table(console, _drafts(table, chosen, signs, console.width))
    for line in notes(table):
        console.print(Text(line, style="dim"), soft_wrap=True)
    console.print(Text(summary_line(analysis, findings, algorithms), style="bold"))


def _title(sglang: Origin) -> Text:
    """The version, and where it was read unless that is the release itself."""
    title = Text(f"SGLang {sglang.version}", style="bold")
    if sglang.source.lower() != title.plain.lower():
        title.append(f" {sglang.source}", style="not bold dim")
    return title


def _print_totals(console: Console, table: Matrix, signs: Signs) -> None:
    """How many targets stand where: the legend of the matrix as well."""
    made = _table()
    made.add_column("targets", no_wrap=True)
    for column in table.columns:
        made.add_column(column, justify="right", no_wrap=True)
    rows = table.totals()
    explained = console.width >= _explained_width(table, signs)
    if explained:
        made.add_column("", no_wrap=True, style="dim")
    for word, numbers in rows:
        cells = [Text(str(number or ""), style=STANDING_STYLES[word]) for number in numbers]
        made.add_row(
            Text(f"{signs.of(word)} {word}", style=STANDING_STYLES[word]),
            *cells,
            *([MEANINGS[word]] if explained else []),
        )
    print_table(console, made)
    console.print()


def _explained_width(table: Matrix, signs: Signs) -> int:
    numbers = sum(len(column) + _GAP for column in table.columns)
    return (
        max(len(f"{signs.of(word)} {word}") for word in STANDINGS) + numbers + max(map(len, MEANINGS.values())) + _GAP
    )


def _targets(table: Matrix, signs: Signs, width: int, *, words: bool) -> Table:
    """The names of models give way before those of algorithms, as long as a beginning of them is left."""
    left = width - sum(len(column) + _GAP for column in (*table.columns, "findings"))
    whole = left >= _SHORTEST_NAME
    made = _table()
    made.add_column("model", overflow="ellipsis", no_wrap=True, max_width=left if whole else None)
    for column in table.columns:
        made.add_column(column, no_wrap=True, justify="left" if words else "center")
    made.add_column("findings", justify="right", no_wrap=True)
    for row in table.rows:
        cells = [
            Text(signs.labelled(word) if words else signs.of(word), style=STANDING_STYLES[word])
            for word in row.standings
        ]
        made.add_row(Text(row.label), *cells, Text(str(row.findings or ""), style="bold red"))
    return made


def _drafts(table: Matrix, algorithms: Sequence[str], signs: Signs, width: int) -> Table:
    """Whose checkpoints a draft is made of stands beside it where there is room for that."""
    lines = table.drafts_for(algorithms)
    made = _table()
    made.add_column("draft", overflow="ellipsis", no_wrap=True)
    made.add_column("algorithm", no_wrap=True)
    made.add_column("", no_wrap=True)
    made.add_column("findings", justify="right", no_wrap=True)
    cell = max((len(signs.labelled(word)) for word in STANDINGS), default=0)
    taken = max((len(row.label) + len(", ".join(names)) for row, names, _ in lines), default=0) + cell + len("findings")
    room = width - taken - 5 * _GAP
    if room >= _SHORTEST_NAME:
        made.add_column("drafts for checkpoints of", overflow="ellipsis", no_wrap=True)
    for row, names, word in lines:
        cells = [
            Text(row.label),
            Text(", ".join(names)),
            Text(signs.labelled(word), style=STANDING_STYLES[word]),
            Text(str(row.findings or ""), style="bold red"),
        ]
        if room >= _SHORTEST_NAME:
            cells.append(Text(", ".join(row.model.made_from), style="dim"))
        made.add_row(*cells)
    return made


def _table() -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), show_edge=False)


def _width(table: Matrix, signs: Signs, *, words: bool) -> int:
    """How wide the table of targets wants to be."""
    cell = max(len(signs.labelled(word)) for word in STANDINGS) if words else 1
    name = max((len(row.label) for row in table.rows), default=5)
    return name + sum(max(len(column), cell) + _GAP for column in table.columns) + _GAP + len("findings")
