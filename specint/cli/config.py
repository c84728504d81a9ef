"""`specint config`: what is in force, and from where."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from specint.cli import options, printing
from specint.cli.examples import examples


@click.command("config", short_help="What is in force, and from where.", epilog=examples("config"))
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read [tool.specint] from this file, not from the nearest pyproject.toml.",
)
@click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How."
)
@options.printing
def command(
    file: Path | None,
    format_: str,
    output: Path | None,
    colour: Literal["auto", "always", "never"],
    quiet: bool,
) -> int:
    """What is in force here, and from where: the section, the rules that speak, the cache.

    A relative path in the section starts at its file, and is shown as it will be read.
    """
    del colour, quiet  # plain lines, and nothing to silence
    from specint.config import load_config

    rows = _rows(load_config(Path.cwd(), file=file))
    if format_ == "json":
        import msgspec

        document = {"schema": "specint.config/1", "values": {name: {"value": v, "from": f} for name, v, f in rows}}
        printing.put_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n", output, "json")
        return 0
    lines = [f"{name} = {_written(value)}  # {where}" for name, value, where in rows]
    printing.put_bytes(("\n".join(lines) + "\n").encode(), output, "text")
    return 0


def _rows(config: Any) -> list[tuple[str, Any, str]]:  # noqa: ANN401 - a Config, imported late
    """Name, value and where it is from, for each key and for what follows from them."""
    import msgspec

    from specint.checks.selection import selected_symbols
    from specint.config import KEYS, Config
    from specint.facts.store import cache_directory

    unset = Config()
    section = str(config.file) if config.file else ""
    rows: list[tuple[str, Any, str]] = []
    for name in KEYS:
        value = getattr(config, name.replace("-", "_"))
        said = value != getattr(unset, name.replace("-", "_"))
        rows.append((name, msgspec.to_builtins(value, enc_hook=str), section if said else "default"))
    kept = config.cache_dir or cache_directory()
    import os

    source = section if config.cache_dir else "SPECINT_CACHE_DIR" if os.environ.get("SPECINT_CACHE_DIR") else "default"
    rows = [(name, str(kept), source) if name == "cache-dir" else (name, v, f) for name, v, f in rows]
    speaking = sorted(selected_symbols(config.select, config.ignore))
    return [*rows, ("rules", speaking, "select and ignore" if config.select or config.ignore else "default")]


def _written(value: Any) -> str:  # noqa: ANN401 - whatever TOML holds
    """A value as TOML has it; nothing for what isn't said."""
    if value is None:
        return '""'
    import msgspec

    return msgspec.json.encode(value).decode()
