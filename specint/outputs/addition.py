"""Findings of one class together: what they share is told once, and so are the lines to add."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import msgspec

from specint.checks.catalog import find_rule
from specint.checks.finding import Evidence, Finding


class Item(msgspec.Struct, frozen=True):
    """A finding, and the evidence that only it has in its group."""

    finding: Finding
    evidence: tuple[Evidence, ...]


class Addition(msgspec.Struct, frozen=True):
    """Lines that a patch adds, without the class's indentation. `headline` says what they are for."""

    headline: str
    text: str


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The findings about one class in one file, the evidence that all of them have, and all lines to add."""

    name: str
    items: tuple[Item, ...]
    shared: tuple[Evidence, ...]
    additions: tuple[Addition, ...]


def grouped(findings: Sequence[Finding]) -> tuple[Group, ...]:
    """Groups in the order of the findings; findings of a class need not stand together."""
    order: dict[tuple[str, str], int] = {}
    for finding in findings:
        order.setdefault((finding.file, finding.class_), len(order))
    arranged = sorted(findings, key=lambda finding: order[finding.file, finding.class_])
    return tuple(_group(list(members)) for _, members in groupby(arranged, lambda found: (found.file, found.class_)))


def added_lines(patch: str) -> list[str]:
    """The text of each run of lines that a unified diff adds, without common indentation."""
    runs: list[list[str]] = [[]]
    in_hunk = False
    for line in patch.splitlines():
        if line.startswith("@@"):
            in_hunk = True
        elif line.startswith(("--- ", "diff ")) and not (in_hunk and line.startswith("--- ") and runs[-1]):
            in_hunk = False
        if in_hunk and line.startswith("+"):
            runs[-1].append(line[1:])
        elif runs[-1]:
            runs.append([])
    return [text for run in runs if (text := textwrap.dedent("\n".join(run)).strip("\n"))]


def _group(findings: list[Finding]) -> Group:
    seen = Counter(evidence for finding in findings for evidence in dict.fromkeys(finding.evidence))
    common = {evidence for evidence, times in seen.items() if len(findings) > 1 and times == len(findings)}
    return Group(
        name=findings[0].class_.rpartition(".")[2],
        items=tuple(Item(found, tuple(seen for seen in found.evidence if seen not in common)) for found in findings),
        shared=tuple(evidence for evidence in findings[0].evidence if evidence in common),
        additions=_additions(findings),
    )


def _additions(findings: list[Finding]) -> tuple[Addition, ...]:
    """By headline; lines that two findings ask for alike stand once."""
    texts: dict[str, list[str]] = {}
    known: set[str] = set()
    for finding in findings:
        rule = find_rule(finding.rule)
        headline = (rule.headline if rule else "") or "add"
        for text in added_lines(finding.patch or ""):
            if text not in known:
                known.add(text)
                texts.setdefault(headline, []).append(text)
    return tuple(Addition(headline, "\n\n".join(parts)) for headline, parts in texts.items())
