"""A progress bar on stderr: only on a terminal, and only once the work takes long enough to wonder."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Report = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is (0: not known)."""

_PATIENCE = 0.4


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report | None]:
    """What the pipeline reports to, None where nobody looks. The bar is gone when the work is done."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.report
    finally:
        bar.stop()


class _Bar:
    """rich's bar, made when the work has taken `_PATIENCE` seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def report(self, what: str, done: int, total: int) -> None:
        if self._progress is None:
            if time.monotonic() - self._began < _PATIENCE:
                return
            self._progress = self._start()
        if what not in self._tasks:
            self._tasks[what] = self._progress.add_task(what, total=total or None)
        self._progress.update(self._tasks[what], completed=done, total=total or None)

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _start(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        made = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        made.start()
        return made
