"""How messages put names, numbers and places."""

from __future__ import annotations

from collections.abc import Iterable

from specint.contract.model import Site


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
