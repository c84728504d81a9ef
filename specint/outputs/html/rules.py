"""The pages of the rules, their Markdown turned into HTML; HTML in the Markdown is shown, not obeyed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from markdown_it import MarkdownIt

from specint.checks.catalog import Rule
from specint.outputs.rule_page import rule_page


class RulePage(msgspec.Struct, frozen=True, kw_only=True):
    """One rule; `html` is its whole page without the title."""

    id: str
    symbol: str
    severity: str
    summary: str
    default: bool
    html: str


def rule_pages(rules: Iterable[Rule]) -> tuple[RulePage, ...]:
    """The pages, in the order of the rules."""
    markdown = MarkdownIt("commonmark", {"html": False})
    return tuple(
        RulePage(
            id=rule.id,
            symbol=rule.symbol,
            severity=rule.severity,
            summary=rule.summary,
            default=rule.default,
            html=markdown.render(rule_page(rule).partition("\n")[2]),
        )
        for rule in rules
    )
