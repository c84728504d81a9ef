"""Do something again whenever a file changes: `check --watch`."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

_EVERY = 0.5
"""Seconds between two looks; a look at a whole SGLang takes a twentieth of that."""


def watching(places: Iterable[Path], do: Callable[[], int]) -> int:
    """Do it now and after each change of a Python or TOML file below the places, until Ctrl-C; its last exit code.

    On a terminal the screen is cleared before each time.
    """
    kept = [place for place in places if place.exists()]
    while True:
        before = _stamps(kept)
        click.clear()
        code = do()
        gc.collect()  # a command leaves that to its end, and this one waits with what it holds
        click.echo(f"watching {', '.join(str(place) for place in kept)}; Ctrl-C ends it", err=True)
        try:
            while _stamps(kept) == before:
                time.sleep(_EVERY)
        except KeyboardInterrupt:
            return code


def _stamps(places: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """When each file was written last, and its size."""
    found: dict[str, tuple[int, int]] = {}
    for path in (path for place in places for path in _files(place)):
        try:
            status = os.stat(path)  # noqa: PTH116 - thousands of them
        except OSError:
            continue
        found[path] = (status.st_mtime_ns, status.st_size)
    return found


def _files(place: Path) -> Iterator[str]:
    if place.is_file():
        yield str(place)
        return
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (os.path.join(folder, name) for name in names if name.endswith((".py", ".toml")))  # noqa: PTH118
