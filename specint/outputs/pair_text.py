"""`specint explain TARGET --draft DRAFT` on a terminal: one answer, both sides, and what goes between them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from specint.analysis.model import Analysis
from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.compliance.pairs import Handed, Pair
from specint.outputs.explanation_text import verdict_line
from specint.outputs.findings_text import finding_line
from specint.outputs.terminal import STATUS_WORDS, VERDICT_STYLES, Shown, Signs, signs_for


def print_pairs(
    console: Console,
    analysis: Analysis,
    target: ModelCompliance,
    draft: ModelCompliance,
    pairs: Sequence[Pair],
    findings: Sequence[Finding],
    shown: Shown = str,
) -> None:
    """Print each algorithm's answer for the pair, then the findings about both."""
    signs = signs_for(console.encoding)
    console.print(
        Text.assemble((target.name, "bold"), " with ", (draft.name, "bold")),
        Text(f"in SGLang {analysis.sglang.version}", style="dim"),
    )
    console.print(Text(f"{shown(target.file)}:{target.line}", style="cyan"), soft_wrap=True)
    console.print(Text(f"{shown(draft.file)}:{draft.line}", style="cyan"), soft_wrap=True)
    for pair in pairs:
        console.print()
        word = Text(signs.labelled(pair.verdict), style=VERDICT_STYLES[pair.verdict])
        console.print(Text.assemble((f"{pair.algorithm}: ", "bold"), word), soft_wrap=True)
        console.print(Text.assemble("  ", verdict_line("target", pair.as_target, signs)), soft_wrap=True)
        console.print(Text.assemble("  ", verdict_line("draft", pair.as_draft, signs)), soft_wrap=True)
        if why := draft.drafts_for.get(pair.algorithm):
            console.print(Text(f"  made for {pair.algorithm}: {why}", style="dim"), soft_wrap=True)
        for note in pair.notes:
            console.print(Text(f"  {note}", style="dim"), soft_wrap=True)
        for one in pair.handed:
            console.print(_handed(one, signs, shown), soft_wrap=True)
    if findings:
        console.print()
    for finding in findings:
        console.print(finding_line(finding, shown), soft_wrap=True)


def _handed(one: Handed, signs: Signs, shown: Shown) -> Text:
    word = STATUS_WORDS[one.status]  # type: ignore[index]
    text = Text.assemble("  ", (f"{signs.of(word)} the {one.side} {one.way} {one.member}", VERDICT_STYLES[word]))
    text.append(f"  {one.status}" if one.insisted else f"  {one.status}, asked for under a condition")
    text.append(f"  {shown(one.site.file)}:{one.site.line}", style="cyan")
    return text
