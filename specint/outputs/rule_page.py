"""The page of a rule, as Markdown: what `specint explain` shows and the docs are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from specint.checks.catalog import Rule

_ISSUE = re.compile(r"([A-Za-z]+) #(\d+)\Z")
_TRACKERS = {
    "sglang": "https://github.com/sgl-project/sglang/issues",
    "vllm": "https://github.com/vllm-project/vllm/issues",
}


def rule_page(rule: Rule) -> str:
    """The page with the same headings for every rule."""
    on = "on by default" if rule.default else "off by default"
    parts = [
        f"# {rule.symbol} ({rule.id})",
        f"*{rule.severity}, {on}, since {rule.since}*",
        f"{rule.summary}.",
        "## What it does",
        rule.what_it_does.strip(),
        "## Why is this bad?",
        rule.why_bad.strip(),
    ]
    if rule.bad:
        parts += ["## Example", *_code(rule.bad)]
    if rule.good:
        parts += ["## Use instead", *_code(rule.good)]
    if rule.references:
        parts += ["## References", "\n".join(f"- {_reference(text)}" for text in rule.references)]
    return "\n\n".join(parts) + "\n"


def rules_markdown(rules: Sequence[Rule]) -> str:
    """All rules as a table."""
    lines = ["| id | symbol | | what it finds |", "|---|---|---|---|"]
    lines += [f"| {rule.id} | `{rule.symbol}` | {'' if rule.default else 'off'} | {rule.summary} |" for rule in rules]
    return "\n".join(lines) + "\n"


def _code(files: dict[str, str]) -> list[str]:
    several = len(files) > 1
    blocks = []
    for name, text in files.items():
        if several:
            blocks.append(f"`{name}`:")
        blocks.append(f"```python\n{text.rstrip()}\n```")
    return blocks


def _reference(text: str) -> str:
    issue = _ISSUE.match(text)
    if issue and issue[1].lower() in _TRACKERS:
        return f"[{text}]({_TRACKERS[issue[1].lower()]}/{issue[2]})"
    return text
