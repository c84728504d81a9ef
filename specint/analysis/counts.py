"""How many, in words."""

from __future__ import annotations

from collections.abc import Sequence

from specint.checks.finding import Finding


def findings_phrase(findings: Sequence[Finding]) -> str:
    """`23 findings in 21 classes`, or `no findings`."""
    if not findings:
        return "no findings"
    return f"{counted(len(findings), 'finding')} in {counted(len({finding.class_ for finding in findings}), 'class')}"


def counted(number: int, noun: str) -> str:
    """`1 class`, `2 classes`."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
