"""Which of the runner's contracts a requirement belongs to: the speculative one, or another that `rules/` declares."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from fnmatch import fnmatch
from functools import cache

import msgspec

from specint.data import rules_text

SPECULATIVE = "speculative"
WORKER = "worker"
"""The other side: what the scheduler asks of a speculative worker. It has no requirement of a model."""
BY_DEFAULT = (SPECULATIVE, WORKER)
RUNTIME = "runtime"
"""What neither an algorithm nor a declared interface claims: loading, forwarding, walking over modules."""


class Interface(msgspec.Struct, frozen=True, kw_only=True):
    """One declared interface: the patterns that tell it, and the packages that are read for it alone."""

    name: str
    reason: str
    packages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


@cache
def interfaces() -> tuple[Interface, ...]:
    """The declared interfaces, in the order in which they claim."""
    return msgspec.convert(tomllib.loads(rules_text("interfaces.toml"))["interface"], tuple[Interface, ...])


def names() -> tuple[str, ...]:
    """Every interface that can be asked for."""
    return (SPECULATIVE, WORKER, *(one.name for one in interfaces()), RUNTIME)


def packages_of(wanted: Iterable[str]) -> tuple[str, ...]:
    """The packages to read besides those that are always read."""
    chosen = set(wanted)
    return tuple(package for one in interfaces() if one.name in chosen for package in one.packages)


def classify(member: str, files: Iterable[str], *, decided: bool) -> str:
    """The interface of a requirement; `decided`: an algorithm decides it, or only a speculative worker asks."""
    if decided:
        return SPECULATIVE
    places = list(files)
    for one in interfaces():
        if any(fnmatch(member, pattern) for pattern in one.members):
            return one.name
        if places and all(any(fnmatch(file, pattern) for pattern in one.files) for file in places):
            return one.name
    return RUNTIME
