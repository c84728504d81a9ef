"""Models and algorithms as rows and columns, for every format that shows a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import msgspec

from specint.analysis.counts import counted, findings_phrase
from specint.analysis.model import Analysis
from specint.analysis.standing import Standing, standings
from specint.checks.finding import Finding
from specint.checks.once import told_once
from specint.compliance.model import ModelCompliance, Verdict

STANDINGS: tuple[Standing, ...] = get_args(Standing)
MEANINGS: dict[Standing, str] = {
    "ok": "all that the algorithm insists on is there",
    "one step away": "the lines that it lacks are written: a finding has them",
    "half there": "some of what the algorithm calls is there, in it or in the model that it holds",
    "never offered": "it has nothing that is there for this algorithm",
    "broken": "all is there, but something in it can't work: a finding says what",
    "unknown": "only a running server can tell",
    "not applicable": "the algorithm never meets it",
}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One model. `label` is its name, with its module where two files have a class of that name.

    Attributes:
        standings: one for each column.
        all_standings: one for each algorithm of the contract.
        findings: how many there are about it, under the algorithms that were asked for; what an heir repeats counts
            with its parent.
    """

    model: ModelCompliance
    label: str
    standings: tuple[Standing, ...]
    all_standings: dict[str, Standing]
    findings: int


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Two tables, of targets and of drafts, and what was left out of them.

    Attributes:
        columns: the algorithms that have a column in the table of targets.
        rows, drafts: the targets, and the drafts: these serve few algorithms each, so their table has a line for each.
        alike: an algorithm without a column, and the one whose column holds for it as well, for every model.
        settled: an algorithm without a column, as every model that it applies to is ok.
        unmet: an algorithm without a column, as it applies to none of the models.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    drafts: tuple[Row, ...]
    alike: tuple[tuple[str, str], ...]
    settled: tuple[str, ...]
    unmet: tuple[str, ...] = ()

    def totals(self) -> list[tuple[Standing, tuple[int, ...]]]:
        """How many targets stand where, for each column; only what there is any of."""
        counts = [Counter(row.standings[number] for row in self.rows) for number in range(len(self.columns))]
        found = [(word, tuple(count[word] for count in counts)) for word in STANDINGS]
        return [(word, numbers) for word, numbers in found if any(numbers)]

    def drafts_for(self, algorithms: Sequence[str]) -> list[tuple[Row, tuple[str, ...], Standing]]:
        """A line for each draft and each standing that it has under some of these algorithms; one that serves none of
        all algorithms has a line that says so."""
        found: list[tuple[Row, tuple[str, ...], Standing]] = []
        for row in self.drafts:
            under: dict[Standing, list[str]] = {}
            for algorithm in algorithms:
                standing = row.all_standings.get(algorithm, "not applicable")
                if standing != "not applicable":
                    under.setdefault(standing, []).append(algorithm)
            found += [(row, tuple(names), standing) for standing, names in under.items()]
            if all(standing == "not applicable" for standing in row.all_standings.values()):
                found.append((row, (), "not applicable"))
        return found


def matrix(analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()) -> Matrix:
    """Wrappers with findings first, then other models with findings, then the rest; by name in each part.

    An algorithm that every target meets, and one that gives every target the same verdict for the same members as an
    earlier one, get no column of their own, unless they are named in `algorithms`.
    """
    chosen = tuple(algorithms) or analysis.contract.algorithms
    targets = [model for model in analysis.models if not is_draft(model)]
    columns: dict[tuple[Verdict | None, ...], str] = {}
    alike: list[tuple[str, str]] = []
    settled: list[str] = []
    unmet: list[str] = []
    shown: list[str] = []
    for algorithm in chosen:
        verdicts = tuple(model.algorithms.get(algorithm) for model in targets)
        if algorithms:
            shown.append(algorithm)
        elif all(verdict is None or verdict.verdict == "not applicable" for verdict in verdicts):
            unmet.append(algorithm)
        elif all(verdict is None or verdict.verdict in ("ok", "not applicable") for verdict in verdicts):
            settled.append(algorithm)
        elif verdicts in columns:
            alike.append((algorithm, columns[verdicts]))
        else:
            columns[verdicts] = algorithm
            shown.append(algorithm)
    if not shown and settled:  # nothing to tell apart: better a column that says ok than none
        shown, settled = settled[:1], settled[1:]
    if not shown and unmet:
        shown, unmet = unmet[:1], unmet[1:]
    rows = _rows(analysis, findings, shown, algorithms)
    return Matrix(
        columns=tuple(shown),
        rows=tuple(row for row in rows if not is_draft(row.model)),
        drafts=tuple(row for row in rows if is_draft(row.model)),
        alike=tuple(alike),
        settled=tuple(settled),
        unmet=tuple(unmet),
    )


def is_draft(model: ModelCompliance) -> bool:
    """Whether it belongs into the table of drafts: nothing asks it as a target."""
    return "target" not in model.roles


def summary_line(analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()) -> str:
    """`178 models, 7 algorithms; 23 findings in 21 classes; 2 unknown`: two models have a verdict that is unknown.

    What an heir repeats of its parent is counted with it, as `specint check` tells it."""
    unknown = sum(
        any(verdict.verdict == "unknown" for verdict in model.algorithms.values()) for model in analysis.models
    )
    parts = [
        f"{counted(len(analysis.models), 'model')}, "
        f"{counted(len(algorithms or analysis.contract.algorithms), 'algorithm')}",
        findings_phrase(told_once(findings, analysis.models)),
        f"{unknown} unknown",
    ]
    return "; ".join(parts)


def notes(table: Matrix) -> list[str]:
    """What is said of the algorithms that have no column."""
    same: dict[str, list[str]] = {}
    for algorithm, column in table.alike:
        same.setdefault(column, []).append(algorithm)
    found = [f"{', '.join(names)}: the same as {column} for every model" for column, names in same.items()]
    if table.settled:
        found.append(f"{', '.join(table.settled)}: ok for every model that it applies to")
    if table.unmet:
        found.append(f"{', '.join(table.unmet)}: applies to none of the models here")
    return found


def _rows(
    analysis: Analysis, findings: Sequence[Finding], columns: Sequence[str], algorithms: Sequence[str]
) -> list[Row]:
    models = analysis.models
    names = Counter(model.name for model in models)
    counted_ones = [
        one
        for one in told_once(findings, models)
        if not algorithms or not one.algorithms or set(one.algorithms) & set(algorithms)
    ]
    per_class = Counter(finding.class_ for finding in counted_ones)
    stands = standings(analysis.contract, models, findings)
    rows = [
        Row(
            model=model,
            label=model.name if names[model.name] == 1 else f"{model.name} ({model.class_.split('.')[-2]})",
            standings=tuple(stands[model.class_].get(column, "not applicable") for column in columns),
            all_standings=stands[model.class_],
            findings=per_class[model.class_],
        )
        for model in models
    ]
    rows.sort(
        key=lambda row: (not row.findings, not (row.findings and row.model.wraps), row.label.lower(), row.model.class_)
    )
    return rows
