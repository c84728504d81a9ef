"""Models and algorithms as rows and columns, for every format that shows a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from specint.analysis.counts import counted, findings_phrase
from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance, Verdict, VerdictWord


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One model. `label` is its name, with its module where two files have a class of that name."""

    model: ModelCompliance
    label: str
    verdicts: tuple[VerdictWord, ...]
    findings: int


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """The table and what was left out of it.

    Attributes:
        columns: the algorithms that have a column.
        alike: an algorithm without a column, and the one whose column holds for it as well, for every model.
        settled: an algorithm without a column that asks nothing of any model here.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    alike: tuple[tuple[str, str], ...]
    settled: tuple[str, ...]


def matrix(analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()) -> Matrix:
    """Wrappers with findings first, then other models with findings, then the rest; by name in each part.

    An algorithm that every model meets, and one that gives every model the same verdict for the same members as an
    earlier one, get no column of their own, unless they are named in `algorithms`.
    """
    chosen = tuple(algorithms) or analysis.contract.algorithms
    columns: dict[tuple[Verdict | None, ...], str] = {}
    alike: list[tuple[str, str]] = []
    settled: list[str] = []
    shown: list[str] = []
    for algorithm in chosen:
        verdicts = tuple(model.algorithms.get(algorithm) for model in analysis.models)
        if algorithms:
            shown.append(algorithm)
        elif all(verdict is None or verdict.verdict in ("ok", "not applicable") for verdict in verdicts):
            settled.append(algorithm)
        elif verdicts in columns:
            alike.append((algorithm, columns[verdicts]))
        else:
            columns[verdicts] = algorithm
            shown.append(algorithm)
    if not shown and settled:  # nothing to tell apart: better a column that says ok than none
        shown, settled = settled[:1], settled[1:]
    return Matrix(
        columns=tuple(shown), rows=_rows(analysis.models, findings, shown), alike=tuple(alike), settled=tuple(settled)
    )


def summary_line(analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()) -> str:
    """`178 models, 7 algorithms; 23 findings in 21 classes; 2 unknown`: two models have a verdict that is unknown."""
    unknown = sum(
        any(verdict.verdict == "unknown" for verdict in model.algorithms.values()) for model in analysis.models
    )
    parts = [
        f"{counted(len(analysis.models), 'model')}, "
        f"{counted(len(algorithms or analysis.contract.algorithms), 'algorithm')}",
        findings_phrase(findings),
        f"{unknown} unknown",
    ]
    return "; ".join(parts)


def _rows(models: Sequence[ModelCompliance], findings: Sequence[Finding], columns: Sequence[str]) -> tuple[Row, ...]:
    names = Counter(model.name for model in models)
    per_class = Counter(finding.class_ for finding in findings)
    rows = [
        Row(
            model=model,
            label=model.name if names[model.name] == 1 else f"{model.name} ({model.class_.split('.')[-2]})",
            verdicts=tuple(_verdict(model, column) for column in columns),
            findings=per_class[model.class_],
        )
        for model in models
    ]
    rows.sort(
        key=lambda row: (not row.findings, not (row.findings and row.model.wraps), row.label.lower(), row.model.class_)
    )
    return tuple(rows)


def _verdict(model: ModelCompliance, algorithm: str) -> VerdictWord:
    verdict = model.algorithms.get(algorithm)
    return verdict.verdict if verdict else "not applicable"
