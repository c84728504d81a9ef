"""`specint check` on a terminal: a clickable line a finding, what shows it, and the lines to add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from specint.analysis.counts import counted
from specint.checks.catalog import find_rule
from specint.checks.finding import Evidence, Finding
from specint.outputs.addition import Group, grouped
from specint.outputs.marks import marked
from specint.outputs.outcome import Outcome, placed, summary
from specint.outputs.terminal import SEVERITY_STYLES, Shown, rendered

_WIDTH = 120
_LONGEST_LINE = 160
_MOST_EVIDENCE = 8
"""More places than this are counted, not listed; the JSON has them all."""


def findings_plain(outcome: Outcome) -> bytes:
    """What a terminal shows, without its colours."""
    return rendered("never", _WIDTH, lambda console: print_findings(console, outcome)).encode()


def print_findings(console: Console, outcome: Outcome) -> None:
    """Print the findings class by class, then one line that sums up, then how they compare with the baseline."""
    for group in grouped(outcome.findings):
        _print_group(console, group, outcome)
    _print_end(console, outcome)


def concise_plain(outcome: Outcome) -> bytes:
    """What `--format concise` shows, without its colours."""
    return rendered("never", _WIDTH, lambda console: print_concise(console, outcome)).encode()


def print_concise(console: Console, outcome: Outcome) -> None:
    """A line a finding, and the one that sums up."""
    for finding in outcome.findings:
        console.print(finding_line(finding, outcome.shown), soft_wrap=True)
    _print_end(console, outcome)


def print_statistics(console: Console, outcome: Outcome) -> None:
    """How often each rule speaks, the most frequent first, instead of the findings."""
    counts = Counter(finding.rule for finding in outcome.findings)
    widest = max((len(str(number)) for number in counts.values()), default=0)
    for symbol, number in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        rule = outcome.rules[symbol]
        style = SEVERITY_STYLES[rule.severity]
        fixes = sum(finding.rule == symbol and bool(finding.patch) for finding in outcome.findings)
        console.print(
            Text.assemble(
                (f"{number:>{widest}}", "bold"),
                "  ",
                (rule.id, style),
                f"  {symbol}",
                (f"  {fixes} with lines to add" if fixes else "", "dim"),
            ),
            soft_wrap=True,
        )
    _print_end(console, outcome)


def _print_end(console: Console, outcome: Outcome) -> None:
    console.print(Text(summary(outcome), style="bold"), soft_wrap=True)
    if outcome.baseline:
        console.print(Text(str(outcome.baseline), style="bold"), soft_wrap=True)


def finding_line(finding: Finding, shown: Shown = str) -> Text:
    """`path:line:col: E7701 message [symbol]`."""
    rule = find_rule(finding.rule)
    style = SEVERITY_STYLES[rule.severity] if rule else "bold"
    return Text.assemble(
        (f"{shown(finding.file)}:{finding.line}:{finding.column}", "bold"),
        ": ",
        (finding.id, style),
        f" {placed(finding.message, shown)} ",
        (f"[{finding.rule}]", "dim"),
    )


def _print_group(console: Console, group: Group, outcome: Outcome) -> None:
    shown, framed = outcome.shown, 0
    for item in group.items:
        console.print(finding_line(item.finding, shown), soft_wrap=True)
        if item.finding.line != framed:
            framed = item.finding.line
            _print_frame(console, item.finding, outcome.source(item.finding.file, item.finding.line))
        _print_evidence(console, item.evidence, shown)
    if group.shared:
        console.print(Text(f"  for {'both' if len(group.items) == 2 else f'all {len(group.items)}'}:", style="dim"))
        _print_evidence(console, group.shared, shown)
    for addition in group.additions:
        console.print(Text(f"  {addition.headline}, in class {group.name}:", style="dim"), soft_wrap=True)
        for line in addition.text.splitlines():
            console.print(Text(f"      {line}".rstrip(), style="green"), soft_wrap=True)
    console.print()


def _print_frame(console: Console, finding: Finding, line: str) -> None:
    """The line itself, with carets under what the finding is about."""
    if not line.strip():
        return
    cut = len(line) - len(line.lstrip())
    text = line.strip()[:_LONGEST_LINE].expandtabs(1)
    start, end = (column - cut for column in marked(finding, line))
    number = f"{finding.line}"
    console.print(Text.assemble((f"  {number} | ", "cyan"), text), soft_wrap=True)
    carets = "^" * max(min(end, len(text)) - start, 1)
    console.print(
        Text.assemble((f"  {' ' * len(number)} | ", "cyan"), " " * start, (carets, "bold red")), soft_wrap=True
    )


def _print_evidence(console: Console, evidence: Sequence[Evidence], shown: Shown) -> None:
    for seen in evidence[:_MOST_EVIDENCE]:
        place = f"{shown(seen.file)}:{seen.line}"
        console.print(Text.assemble("    ", (f"{place} ", "cyan"), seen.what), soft_wrap=True)
    if (more := len(evidence) - _MOST_EVIDENCE) > 0:
        console.print(Text(f"    and {counted(more, 'more place')} (--format json lists them)", style="dim"))
