"""`specint check` on a terminal: a clickable line a finding, what shows it, and the lines to add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from specint.checks.catalog import find_rule
from specint.checks.finding import Evidence, Finding
from specint.outputs.addition import Group, grouped
from specint.outputs.matrix import counted, findings_phrase
from specint.outputs.terminal import SEVERITY_STYLES, Shown
from specint.pipeline import Analysis

_MOST_EVIDENCE = 8
"""More places than this are counted, not listed; the JSON has them all."""


def print_findings(
    console: Console, analysis: Analysis, findings: Sequence[Finding], checked: int, shown: Shown = str
) -> None:
    """Print the findings class by class, then one line that sums up; `checked` is the number of classes looked at."""
    for group in grouped(findings):
        _print_group(console, group, shown)
    console.print(Text(check_summary(analysis, findings, checked), style="bold"), soft_wrap=True)


def check_summary(analysis: Analysis, findings: Sequence[Finding], checked: int) -> str:
    """`3 findings in 1 class (E7701 3); 178 models checked against SGLang 0.5.9`."""
    per_rule = Counter(finding.id for finding in findings)
    rules = ", ".join(f"{id_} {number}" for id_, number in sorted(per_rule.items()))
    found = f"{findings_phrase(findings)} ({rules})" if findings else findings_phrase(findings)
    return f"{found}; {counted(checked, 'model')} checked against SGLang {analysis.sglang.version}"


def finding_line(finding: Finding, shown: Shown = str) -> Text:
    """`path:line:col: E7701 message [symbol]`."""
    rule = find_rule(finding.rule)
    style = SEVERITY_STYLES[rule.severity] if rule else "bold"
    return Text.assemble(
        (f"{shown(finding.file)}:{finding.line}:{finding.column}", "bold"),
        ": ",
        (finding.id, style),
        f" {finding.message} ",
        (f"[{finding.rule}]", "dim"),
    )


def _print_group(console: Console, group: Group, shown: Shown) -> None:
    for item in group.items:
        console.print(finding_line(item.finding, shown), soft_wrap=True)
        _print_evidence(console, item.evidence, shown)
    if group.shared:
        console.print(Text(f"  for all {len(group.items)}:", style="dim"))
        _print_evidence(console, group.shared, shown)
    for addition in group.additions:
        console.print(Text(f"  {addition.headline}, in class {group.name}:", style="dim"), soft_wrap=True)
        for line in addition.text.splitlines():
            console.print(Text(f"      {line}".rstrip(), style="green"), soft_wrap=True)
    console.print()


def _print_evidence(console: Console, evidence: Sequence[Evidence], shown: Shown) -> None:
    for seen in evidence[:_MOST_EVIDENCE]:
        place = f"{shown(seen.file)}:{seen.line}"
        console.print(Text.assemble("    ", (f"{place} ", "cyan"), seen.what), soft_wrap=True)
    if (more := len(evidence) - _MOST_EVIDENCE) > 0:
        console.print(Text(f"    and {counted(more, 'more place')} (--format json lists them)", style="dim"))
