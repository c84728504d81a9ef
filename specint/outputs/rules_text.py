"""Rules on a terminal: the list, and the page of one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from specint.checks.catalog import Rule
from specint.outputs.rule_page import rule_page
from specint.outputs.terminal import SEVERITY_STYLES

_PAGE_WIDTH = 100


def print_rules(console: Console, rules: Sequence[Rule]) -> None:
    """A line for each rule; outside a terminal one line only, however long."""
    if not console.is_terminal:
        widest = max(len(rule.symbol) for rule in rules)
        for rule in rules:
            off = "" if rule.default else " (off by default)"
            console.print(Text(f"{rule.id}  {rule.symbol:<{widest}}  {rule.summary}{off}"), soft_wrap=True)
        return
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for rule in rules:
        summary = Text(rule.summary)
        if not rule.default:
            summary.append(" (off by default)", style="dim")
        table.add_row(Text(rule.id, style=SEVERITY_STYLES[rule.severity]), Text(rule.symbol), summary)
    console.print(table)


def print_rule_page(console: Console, rule: Rule) -> None:
    """The page: rendered on a terminal, Markdown elsewhere, so that a pipe gets text that other programs read."""
    page = rule_page(rule)
    if console.is_terminal:
        console.print(Markdown(page), width=min(console.width, _PAGE_WIDTH))
    else:
        console.print(Text(page.rstrip("\n")), soft_wrap=True)
