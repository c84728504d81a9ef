"""`specint cache`: where what was read is kept, how much it is, and away with it."""

from __future__ import annotations

from pathlib import Path

import click

from specint.cli import printing
from specint.cli.examples import examples


@click.command("cache", short_help="Where what was read is kept; `clean` removes it.", epilog=examples("cache"))
@click.argument("what", type=click.Choice(["dir", "size", "clean"]), default="size")
@click.option(
    "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="That folder, not the user's cache folder."
)
@click.option("--releases", is_flag=True, help="With `clean`: the fetched releases of SGLang as well.")
def command(what: str, cache_dir: Path | None, releases: bool) -> int:
    """Where what was read is kept (`dir`), how much it is (`size`), and away with it (`clean`).

    All of it can be made anew. `clean` removes what specint wrote, and no other file; fetched releases stay unless
    --releases is given.
    """
    from specint.config import load_config
    from specint.facts.store import cache_directory, kept_files

    folder = cache_dir or load_config(Path.cwd()).cache_dir or cache_directory()
    if what == "dir":
        said = str(folder)
    else:
        entries, wheels = kept_files(folder)
        if what == "size":
            said = f"{folder}: {_megabytes(entries)} of what was read, {_megabytes(wheels)} of releases"
        else:
            gone = [*entries, *(wheels if releases else [])]
            size = _megabytes(gone)
            for path in gone:
                path.unlink(missing_ok=True)
            said = f"{folder}: {size} removed"
    printing.put_bytes(f"{said}\n".encode(), None, "text")
    return 0


def _megabytes(paths: list[Path]) -> str:
    return f"{sum(path.stat().st_size for path in paths if path.exists()) / 1e6:.1f} MB"
