"""Markdown that GitHub renders: the matrix, and findings for a job summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from specint.analysis.counts import counted, findings_phrase
from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.outputs.addition import Group, grouped
from specint.outputs.matrix import MEANINGS, matrix, notes, summary_line
from specint.outputs.outcome import Outcome, placed
from specint.outputs.terminal import Shown, Signs

MOST_BYTES = 1_000_000
"""GitHub leaves out a job summary of more than a mebibyte altogether."""

_MOST_ROWS = 200
"""A longer table is read by nobody; the findings themselves follow."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|])")


def report_markdown(analysis: Analysis, findings: Sequence[Finding], algorithms: Sequence[str] = ()) -> str:
    """The matrix of `specint report`, with a heading and the summary."""
    table = matrix(analysis, findings, algorithms)
    signs = Signs()
    lines = [f"## SGLang {escaped(analysis.sglang.version)}: models and speculative algorithms", ""]
    lines += [f"**{summary_line(analysis, findings, algorithms)}**", ""]
    heads = " | ".join(escaped(column) for column in table.columns)
    if table.rows:
        lines += [f"| targets | {heads} | |", f"|---|{'---:|' * len(table.columns)}---|"]
        for word, numbers in table.totals():
            counts = " | ".join(str(number or "") for number in numbers)
            lines.append(f"| {signs.of(word)} {word} | {counts} | {MEANINGS[word]} |")
        lines += ["", f"| model | {heads} | findings |", f"|---|{'---|' * len(table.columns)}---:|"]
        for row in table.rows:
            cells = " | ".join(signs.labelled(word) for word in row.standings)
            lines.append(f"| {escaped(row.label)} | {cells} | {row.findings or ''} |")
        lines.append("")
    if table.drafts:
        lines += ["| draft | algorithm | | drafts for checkpoints of | findings |", "|---|---|---|---|---:|"]
        for row, names, word in table.drafts_for(tuple(algorithms) or analysis.contract.algorithms):
            targets = escaped(", ".join(row.model.made_from))
            label = signs.labelled(word)
            lines.append(
                f"| {escaped(row.label)} | {escaped(', '.join(names))} | {label} | {targets} | {row.findings or ''} |"
            )
        lines.append("")
    lines += [f"{escaped(line)}.  " for line in notes(table)]
    return "\n".join([*lines, ""])


def findings_markdown(outcome: Outcome) -> bytes:
    """The findings of `specint check` for a job's summary: a table, and the evidence and lines folded by class."""
    lines = [f"## specint: {findings_phrase(outcome.findings)}", ""]
    if outcome.sglang.version:
        lines.append(f"{counted(outcome.checked, 'model')} checked against SGLang {escaped(outcome.sglang.version)}.  ")
    if outcome.baseline:
        lines.append(f"{outcome.baseline}.")
    lines.append("")
    if outcome.diagnostics:
        lines += [f"- **not checked:** {escaped(str(one))}" for one in outcome.diagnostics] + [""]
    lines += _table(outcome)
    room = MOST_BYTES - sum(len(line.encode()) + 1 for line in lines)
    groups = grouped(outcome.findings)
    for number, group in enumerate(groups):
        told = _group(group, outcome.shown)
        room -= sum(len(line.encode()) + 1 for line in told)
        if room < 0:
            lines.append(f"And {counted(len(groups) - number, 'more class')}, for which there is no room here.")
            break
        lines += told
    return ("\n".join(lines).rstrip() + "\n").encode()


def _table(outcome: Outcome) -> list[str]:
    """A row a finding: what a reader of a job's summary sees before anything is opened."""
    if not outcome.findings:
        return []
    lines = ["| | rule | class | member | where |", "|---|---|---|---|---|"]
    for finding in outcome.findings[:_MOST_ROWS]:
        name = escaped(finding.class_.rpartition(".")[2])
        member = f"`{finding.member}`".replace("|", "\\|") if finding.member else ""
        lines.append(
            f"| {outcome.severity(finding)} | {finding.id} | {name} | {member} | "
            f"{_place(outcome.shown(finding.file), finding.line)} |"
        )
    if (more := len(outcome.findings) - _MOST_ROWS) > 0:
        lines += ["", f"And {counted(more, 'more finding')}: they follow with their classes."]
    return [*lines, ""]


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, also in a cell of a table."""
    return _SPECIAL.sub(r"\\\1", text).replace("\n", " ")


def _group(group: Group, shown: Shown) -> list[str]:
    count = counted(len(group.items), "finding")
    lines = [f"<details><summary>{escape(group.name)}: {count}</summary>", ""]
    for item in group.items:
        finding = item.finding
        lines.append(f"- **{finding.id}** `{finding.rule}` {escaped(placed(finding.message, shown))}  ")
        lines.append(f"  {_place(shown(finding.file), finding.line)}")
        lines += [f"  - {escaped(seen.what)}: {_place(shown(seen.file), seen.line)}" for seen in item.evidence]
    lines += [f"- {escaped(seen.what)}: {_place(shown(seen.file), seen.line)}" for seen in group.shared]
    for addition in group.additions:
        fence = "```" if "```" not in addition.text else "~~~~"
        what, language = ("To change", "diff") if addition.change else ("To add", "python")
        lines += ["", f"{what} ({escaped(addition.headline)}):", "", f"{fence}{language}", addition.text, fence]
    return [*lines, "", "</details>", ""]


def _place(file: str, line: int) -> str:
    return f"`{file}:{line}`".replace("|", "\\|")
