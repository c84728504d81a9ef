"""specint inside pylint: `pylint --load-plugins specint`.

Each finding is emitted while pylint visits the model's own module, from an index that is built when the first model
file is met. Pragmas, `-j`, `--from-stdin` and editors need nothing more. A file that has nothing to do with SGLang
costs a look at its folders and one search in its text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylint.lint import PyLinter

__all__ = ["register"]

_PATH = tuple(sys.path)
"""Where modules are imported from before pylint puts the folders that it lints first."""


@contextmanager
def own_import_path() -> Iterator[None]:
    """Imports that are made meanwhile are specint's: none comes from a folder that is linted."""
    before = sys.path[:]
    sys.path[:] = _PATH
    try:
        yield
    finally:
        sys.path[:] = before


def register(linter: PyLinter) -> None:
    """Register the checker, with a message for every rule of the catalogue, and the reporters."""
    from specint.pylint_plugin.checker import SpecintChecker
    from specint.pylint_plugin.reporters import REPORTERS

    # Up to 4.0 pylint registers plugins in the processes of `-j` once more: two checkers would say everything twice,
    # and what the user has enabled would be forgotten.
    if any(isinstance(checker, SpecintChecker) for checker in linter.get_checkers()):
        return
    linter.register_checker(SpecintChecker(linter))
    for reporter in REPORTERS:
        linter.register_reporter(reporter)
