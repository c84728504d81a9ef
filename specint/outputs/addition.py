"""Findings of one class together: what they share is told once, and so are the lines to add and to change."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from specint.checks.catalog import find_rule
from specint.checks.finding import Evidence, Finding
from specint.edits.model import Splice


class Item(msgspec.Struct, frozen=True):
    """A finding, and the evidence that only it has in its group."""

    finding: Finding
    evidence: tuple[Evidence, ...]


class Addition(msgspec.Struct, frozen=True):
    """What an edit does to the text, without the class's indentation. `headline` says what it is for.

    In a `change` lines that go begin with `-`, and those that come in their place with `+`; else all lines come.
    """

    headline: str
    text: str
    change: bool = False


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The findings about one class in one file, the evidence that all of them have, and all that edits do."""

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
    """By headline; what two findings ask for alike stands once."""
    texts: dict[tuple[str, bool], list[str]] = {}
    known: set[str] = set()
    for finding in findings:
        rule = find_rule(finding.rule)
        headline = (rule.headline if rule else "") or "add"
        for text, change in _shown(finding):
            if text not in known:
                known.add(text)
                texts.setdefault((headline, change), []).append(text)
    return tuple(
        Addition(headline, ("\n" if change else "\n\n").join(parts), change)
        for (headline, change), parts in texts.items()
    )


def _shown(finding: Finding) -> Iterator[tuple[str, bool]]:
    """What each splice adds or changes; lines that only go, because they come elsewhere, aren't shown."""
    for splice in finding.edit.splices if finding.edit else ():
        if splice.lines:
            change = bool(splice.old)
            yield (_changed(splice) if change else textwrap.dedent("\n".join(splice.lines)).strip("\n")), change


def _changed(splice: Splice) -> str:
    whole = textwrap.dedent("\n".join([*splice.old, *splice.lines])).split("\n")
    count = len(splice.old)
    return "\n".join([*(f"- {line}" for line in whole[:count]), *(f"+ {line}" for line in whole[count:])])
