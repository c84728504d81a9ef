"""Whether a draft's configuration fits the target's, by the rows of `rules/fit.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import msgspec

from specint.data import rules_text
from specint.execution.values import Instance


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison: what it is of, both sides, whether they fit, and why they have to."""

    name: str
    target: Any
    draft: Any
    fits: bool
    reason: str


@cache
def _rows() -> dict[str, Any]:
    return tomllib.loads(rules_text("fit.toml"))


def fits(target: Any, draft: Any, algorithm: str) -> list[Fit]:
    """The comparisons that both configurations say something to; they are objects or plain dictionaries."""
    found: list[Fit] = []
    for kind in ("equal", "below", "most", "within"):
        for row in _rows().get(kind, []):
            if algorithm not in row["algorithms"]:
                continue
            mine = value_of(target, row["target"])
            theirs = value_of(draft, row["draft"])
            if mine is None or theirs is None or (fit := _judged(kind, mine, theirs)) is None:
                continue
            found.append(Fit(name=row["name"], target=mine, draft=theirs, fits=fit, reason=row["reason"]))
    return found


def _judged(kind: str, target: Any, draft: Any) -> bool | None:
    if kind == "below":
        if not isinstance(draft, list | tuple) or not all(type(one) is int for one in draft) or type(target) is not int:
            return None
        return all(-1 <= one < target for one in draft)
    if type(target) is not int or type(draft) is not int:
        return None
    if kind == "equal":
        return draft == target
    return draft <= target if kind == "most" else 0 <= draft < target


def value_of(config: Any, names: list[Any]) -> Any:
    """The first of the keys that a configuration has, looked for in its text part too."""
    for name in names:
        path = name if isinstance(name, list) else [name]
        for part in (config, _read(config, "text_config"), _read(config, "llm_config")):
            value = part
            for key in path:
                value = _read(value, key)
            if value is not None:
                return value
    return None


def _read(value: Any, key: str) -> Any:
    if isinstance(value, Instance):
        return value.attributes.get(key)
    return value.get(key) if isinstance(value, dict) else None


def drafts_need_a_class(algorithm: str) -> bool:
    """Whether only a class that is made to draft can draft under an algorithm."""
    return algorithm not in _rows()["draft"]["not_for"]


def why_a_class() -> str:
    """The reason of that."""
    return str(_rows()["draft"]["reason"])
