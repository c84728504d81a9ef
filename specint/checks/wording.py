"""How messages put names, numbers and places."""

from __future__ import annotations

from collections.abc import Iterable

from specint.contract.model import CallShape, Site
from specint.contract.shapes import Misfit


def listed(words: tuple[str, ...] | list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def does(names: tuple[str, ...] | list[str], verb: str) -> str:
    """`EAGLE fails`, `EAGLE and EAGLE3 fail`: names and what they do, in the number that they ask for."""
    return f"{listed(names)} {verb}{'s' if len(names) == 1 else ''}"


def at_site(site: Site, algorithms: Iterable[str]) -> str:
    """` at a.py:7`; ` (DFLASH at a.py:7)` where the others fail elsewhere."""
    names = tuple(algorithms)
    under = site.under(names)
    place = f"at {site.file}:{site.line}"
    return f" {place}" if len(under) == len(names) else f" ({listed(under)} {place})"


def unfit(lack: Misfit, call: CallShape) -> str:
    """`callers pass 2 arguments by position, but it takes at most 1`: why a call doesn't fit a signature."""
    match lack.kind:
        case "itself":
            return "it has no parameter for the object itself (self)"
        case "position":
            most = f"at most {lack.most}" if lack.most else "none"
            return f"callers pass {_count(call.positional)} by position, but it takes {most}"
        case "keyword":
            return f"callers pass {listed(lack.names)} by name, but it has no such parameter"
        case "empty":
            given = "no arguments" if not call.fewest and not call.keywords else f"only {_count(call.fewest)}"
            return f"it requires {listed(lack.names)}, but callers pass {given}"


def _count(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"
