"""`rules/preflight.toml` as it stands."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from specint.data import rules_text


@cache
def declared() -> dict[str, Any]:
    """The file's tables."""
    return tomllib.loads(rules_text("preflight.toml"))
