"""`rules/smoke.toml`: what members mean, and how small a tiny model is."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from specint.data import rules_text
from specint.errors import SpecintError

FEWEST = 7
"""With fewer layers, what a model chooses by itself may be twice the same."""


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


def own_choice(member: str | None, layers: int) -> list[int] | None:
    """The layers whose outputs a setter gives when nothing is asked for, None where nothing says."""
    found = (one["own_choice"] for one in knowledge()["member"] if one["name"] == member and "own_choice" in one)
    pairs = next(found, None)
    return None if pairs is None or layers < FEWEST else [int(layers * part) + more for part, more in pairs]


def seen_by_calling() -> frozenset[str]:
    """The rules whose findings say that a call of the member itself fails."""
    return frozenset(knowledge()["seen-by-calling"]["rules"])


def usual_draft(algorithm: str) -> str | None:
    """The class of draft that serves any target under an algorithm."""
    found = (one["class"] for one in knowledge()["draft"] if one["algorithm"] == algorithm)
    return next(found, None)


def taken_by_drafts(algorithm: str) -> str:
    """What the forward of a draft of an algorithm gets of its target, "" where that is not known."""
    found = (one["takes"] for one in knowledge()["draft"] if one["algorithm"] == algorithm and "takes" in one)
    return next(found, "")


def given_to_drafts(class_: str) -> dict[str, Any]:
    """What the drafts of a class need that their configuration doesn't say."""
    found = (one["given"] for one in knowledge()["draft"] if one["class"] == class_ and "given" in one)
    return dict(next(found, {}))


def draft_variants(class_: str) -> tuple[dict[str, Any], ...]:
    """What is set in the configurations of the drafts of a class that are built, one after the other."""
    found = (one["variants"] for one in knowledge()["draft"] if one["class"] == class_ and "variants" in one)
    variants: list[dict[str, Any]] = next(found, [{}])
    return tuple({key: None if value == "null" else value for key, value in one.items()} for one in variants)


def fitting_the_target() -> frozenset[str]:
    """The keys that `--set` gives to a draft too: it shares tables and states with its target."""
    return frozenset(knowledge()["shared-with-drafts"]["keys"])
