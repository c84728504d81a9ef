"""The rules: one file each, found here by the symbol that their folder in `rules/` has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.checks.context import Context
    from specint.checks.finding import Finding
    from specint.pipeline import Analysis


def run(context: Context) -> tuple[Finding, ...]:
    """Every finding of every rule, in the order of files, lines, rules and members."""
    from specint.checks import missing_delegation, partial_interface, unresolved

    found = [f for module in (missing_delegation, partial_interface, unresolved) for f in module.check(context)]
    return tuple(sorted(found, key=lambda f: (f.file, f.line, f.column, f.id, f.member, f.class_)))


def demand(analysis: Analysis, model: str, algorithm: str) -> tuple[Finding, ...]:
    """What a model (by dotted class) lacks for an algorithm that was demanded of it."""
    from specint.checks.unsupported_algorithm import demanded

    found = next(one for one in analysis.models if one.class_ == model)
    return demanded(analysis.contract, found, algorithm)
