"""What was seen of a forward from outside: which layers a state is made of, which tables are used as what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from specint.smoke.knowledge import own_choice
from specint.smoke.model import Problem

POSITIONS = ("first", "second")
ROLES = ("embedding", "head")
USES = {
    "embedding": "the table in which its forward looks tokens up",
    "head": "the table from which its forward makes the logits",
    "neither": "a table that its forward doesn't use",
}


def of_layers(facts: dict[str, Any], layers: int) -> Iterator[Problem]:
    """A layer's id must give that layer's output, whichever ids are asked for beside it."""
    member = facts.get("capture")
    traced = [one for one in facts.get("dependence", ()) if "layers" in one]
    if any(bare for one in traced for bare in one["without_residual"]):
        yield Problem(
            kind="states without residual",
            what=f"after {member} a state is the contribution of a layer alone: nothing of the embedding is left in it "
            "where the layers are silent, so what was added up before is missing",
            severity="error",
        )
    chosen = [one for one in traced if one["asked"] is not None]
    wrong = [one for one in chosen if one["layers"] != one["asked"]]
    if wrong and len(wrong) == len(chosen):
        yield _off(member, wrong[0], wrong[0]["asked"], "error", "layers off")
    elif wrong:
        yield _off(member, wrong[0], wrong[0]["asked"], "warning", "mixed convention")
    for one in traced:
        expected = own_choice(member, layers)
        if one["asked"] is None and expected and sorted(one["layers"]) != expected:
            yield _off(member, one, expected, "error", "layers off")


def _off(member: str | None, one: dict[str, Any], expected: list[int], severity: Any, kind: str) -> Problem:  # noqa: ANN401
    asked = "without ids" if one["asked"] is None else f"with {one['asked']}"
    given = ", ".join("the embedding" if layer < 0 else f"output {layer}" for layer in one["layers"])
    others = "; with other ids it gives the outputs that are asked for" if kind == "mixed convention" else ""
    return Problem(
        kind=kind,
        what=f"{member} {asked} gives {given}, where drafts are trained with the outputs of {expected}{others}",
        severity=severity,
    )


def of_tables(told: Iterable[dict[str, Any]]) -> Iterator[Problem]:
    """What a getter calls the embedding must be what the forward looks tokens up in, and the head likewise."""
    for one in told:
        for position, role, found in zip(POSITIONS, ROLES, one["is"], strict=False):
            if found not in (role, "both", "unknown"):
                yield Problem(
                    kind="wrong table",
                    what=f"{one['get']} gives as its {position} value, the {role}, {USES[found]}",
                    severity="warning" if found == "neither" else "error",
                )


def of_use(told: Iterable[dict[str, Any]]) -> Iterator[Problem]:
    """What a draft was given as the embedding it must use as that, and the head likewise."""
    for one in told:
        if one["is"] not in (one["given"], "both", "unknown"):
            yield Problem(
                kind="wrong table",
                what=f"{one['set']}: the target's {one['given']} is to the draft {USES[one['is']]}",
                severity="error",
            )
