"""`rules/smoke.toml`: what members mean, and how small a tiny model is."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from specint.data import rules_text
from specint.errors import SpecintError


@cache
def knowledge() -> dict[str, Any]:
    """The file, as the child gets it."""
    try:
        return tomllib.loads(rules_text("smoke.toml"))
    except tomllib.TOMLDecodeError as error:
        raise SpecintError(f"is not valid TOML: {error}", "rules/smoke.toml", "install specint again") from error


def stand_ins() -> tuple[str, ...]:
    """The packages that may be stood in for."""
    return tuple(knowledge()["stand-ins"]["packages"])


def capturing() -> tuple[str, ...]:
    """The members that choose layers to capture."""
    return tuple(one["name"] for one in knowledge()["member"] if one.get("captures"))


def states_by_default(member: str | None) -> int | None:
    """How many states a setter for layers should give when nothing is asked for, None where nothing says."""
    found = (one.get("states_by_default") for one in knowledge()["member"] if one["name"] == member)
    return next(found, None)


def usual_draft(algorithms: tuple[str, ...]) -> str | None:
    """The class of draft that serves any target under one of the algorithms."""
    found = (one["class"] for one in knowledge()["draft"] if one["algorithm"] in algorithms)
    return next(found, None)
