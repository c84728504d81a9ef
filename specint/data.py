"""Where `rules/` is: what must be declared because no source states it, as data that ships with the package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from specint.errors import SpecintError


@cache
def rules_folder() -> Path:
    """`specint/_rules` in an installed package, `rules/` beside the package in a checkout."""
    here = Path(__file__).resolve().parent
    for folder in (here / "_rules", here.parent / "rules"):
        if folder.is_dir():
            return folder
    raise SpecintError("the rules that ship with specint are missing", str(here), "install specint again")


def rules_text(name: str) -> str:
    """A file of `rules/`. Raises SpecintError where it can't be read."""
    try:
        return (rules_folder() / name).read_text(encoding="utf-8")
    except OSError as error:
        raise SpecintError(f"can't be read: {error.strerror}", f"rules/{name}", "install specint again") from error
