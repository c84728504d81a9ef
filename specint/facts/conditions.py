"""What a condition that is told as text says where some names have known values."""

from __future__ import annotations

from functools import cache

from specint.errors import SpecintError
from specint.facts import model as facts
from specint.facts.extract import extract
from specint.facts.known import Known, truth_where


def excludes(condition: str, known: Known) -> bool:
    """Whether a condition can't hold where some names have known values."""
    test = _read(condition)
    return test is not None and truth_where(known, test) is False


@cache
def _read(condition: str) -> facts.Expr | None:
    text = condition.replace("\u2026", "...")
    try:
        module = extract(f"_ = ({text})", name="condition", path="")
    except SpecintError:
        return None
    step = module.body.steps[0] if module.body.steps else None
    return step.value if isinstance(step, facts.Bind) else None
