"""`specint schema`: what the section and the JSON documents look like, for editors and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from specint.cli import options, printing
from specint.cli.examples import examples

NAMES = ("config", "report", "findings", "explanation", "pairs", "contract", "changes", "rules")


@click.command("schema", short_help="The JSON schema of the section, or of a document.", epilog=examples("schema"))
@click.argument("name", type=click.Choice(NAMES))
@options.printing
def command(name: str, output: Path | None, colour: Literal["auto", "always", "never"], quiet: bool) -> int:
    """The JSON schema of `[tool.specint]` (`config`), or of a document by what its `schema` key says."""
    del colour, quiet  # a document
    import msgspec

    from specint.config import config_schema
    from specint.outputs.json_documents import json_schema

    made = config_schema() if name == "config" else json_schema(name)
    printing.put_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n", output, "json")
    return 0
