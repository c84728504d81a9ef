"""Markdown that GitHub renders: the matrix, and findings for a job summary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from specint.analysis.counts import counted, findings_phrase
from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.outputs.addition import Group, grouped
from specint.outputs.matrix import MEANINGS, matrix, notes, summary_line
from specint.outputs.outcome import Outcome, placed
from specint.outputs.terminal import Shown, Signs

MOST_BYTES = 1_000_000
"""GitHub leaves out a job summary of more than a mebibyte altogether."""

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
    """The findings of `specint check` by class, each with its evidence and the lines to add, for a job's summary."""
    lines = [f"## specint: {findings_phrase(outcome.findings)}", ""]
    if outcome.sglang.version:
        lines.append(f"{counted(outcome.checked, 'model')} checked against SGLang {escaped(outcome.sglang.version)}.  ")
    if outcome.baseline:
        lines.append(f"{outcome.baseline}.")
    lines.append("")
    if outcome.diagnostics:
        lines += [f"- **not checked:** {escaped(str(one))}" for one in outcome.diagnostics] + [""]
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


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, also in a cell of a table."""
    return _SPECIAL.sub(r"\\\1", text).replace("\n", " ")


def _group(group: Group, shown: Shown) -> list[str]:
    lines = [f"### {escaped(group.name)}", ""]
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
    return [*lines, ""]


def _place(file: str, line: int) -> str:
    return f"`{file}:{line}`".replace("|", "\\|")
