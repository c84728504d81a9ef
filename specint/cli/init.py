"""`specint init`: a commented section for pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import click

from specint.cli import printing
from specint.cli.examples import examples


@click.command("init", short_help="Write a commented [tool.specint] into pyproject.toml.", epilog=examples("init"))
@click.argument("file", default="pyproject.toml", type=click.Path(path_type=Path), metavar="[FILE]")
def command(file: Path) -> int:
    """Write a section with every key, commented out, at the end of pyproject.toml.

    What is there stays as it is; a file that has the section already is left alone.
    """
    from specint.config import TABLE, commented_section, load_config
    from specint.errors import SpecintError
    from specint.reading import read_regular

    try:
        there = read_regular(file)
    except FileNotFoundError:
        there = b""
    try:
        load_config(file=file if there else None, start=Path("/"))
    except SpecintError as error:
        if f"has no [{TABLE}]" not in error.what:
            raise
    else:
        if there:
            raise SpecintError(f"has a [{TABLE}] already", str(file), "specint config shows what is in force")
    gap = b"" if not there else b"\n" if there.endswith(b"\n") else b"\n\n"
    printing.replace(file, there + gap + commented_section().encode())
    printing.put_bytes(f"{file}: [{TABLE}] with every key, commented out\n".encode(), None, "text")
    return 0
