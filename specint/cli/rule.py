"""`specint rule`: the page of a rule, or of all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from specint.cli import completion, options, printing
from specint.cli.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from specint.checks.catalog import Rule


@click.command("rule", short_help="What a rule means, why, and how to settle it.", epilog=examples("rule"))
@click.argument("names", nargs=-1, metavar="[RULE]...", shell_complete=completion.rules)
@click.option("--all", "everything", is_flag=True, help="All of them.")
@options.format_option
@options.printing
def command(
    names: tuple[str, ...],
    everything: bool,
    format_: options.Format,
    output: Path | None,
    colour: Literal["auto", "always", "never"],
    quiet: bool,
) -> int:
    """What a rule means, why it is there, and how to settle it.

    RULE is a symbol or an id (spec-missing-delegation, E7701).
    """
    del quiet  # there is nothing to silence
    from specint.checks.catalog import all_rules, rule

    if everything == bool(names):
        raise click.UsageError("name a rule, or say --all")
    put_pages(all_rules() if everything else [rule(name) for name in names], format_, output, colour)
    return 0


def put_pages(
    rules: Sequence[Rule], format_: options.Format, output: Path | None, colour: Literal["auto", "always", "never"]
) -> None:
    """Write the pages of some rules."""
    if format_ == "json":
        from specint.outputs.json_documents import rules_json

        printing.put_bytes(rules_json(rules), output, "json")
    elif format_ == "markdown":
        from specint.outputs.rule_page import rule_page

        printing.put_bytes("\n".join(map(rule_page, rules)).encode(), output, "markdown")
    else:
        from specint.outputs.rules_text import print_rule_page

        def write(console: Console) -> None:
            for number, one in enumerate(rules):
                if number:
                    console.print()
                print_rule_page(console, one)

        printing.put_text(write, output, colour)
