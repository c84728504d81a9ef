"""`specint rules`: the list of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from specint.cli import options, printing
from specint.cli.examples import examples


@click.command("rules", short_help="List the rules.", epilog=examples("rules"))
@options.format_option
@options.printing
def command(
    format_: options.Format, output: Path | None, colour: Literal["auto", "always", "never"], quiet: bool
) -> int:
    """List the rules. `specint rule RULE` shows the page of one."""
    del quiet  # there is nothing to silence
    from specint.checks.catalog import all_rules

    rules = all_rules()
    if format_ == "json":
        from specint.outputs.json_documents import rules_json

        printing.put_bytes(rules_json(rules), output, "json")
    elif format_ == "markdown":
        from specint.outputs.rule_page import rules_markdown

        printing.put_bytes(rules_markdown(rules).encode(), output, "markdown")
    else:
        from specint.outputs.rules_text import print_rules

        printing.put_text(lambda console: print_rules(console, rules), output, colour)
    return 0
