"""What a run of a linter found, in the one shape that every format is made of: `specint check`'s, or pylint's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec

from specint.analysis.counts import counted, findings_phrase
from specint.analysis.places import Place
from specint.checks.baseline import Comparison
from specint.checks.catalog import Rule, Severity, all_rules
from specint.checks.finding import Finding
from specint.errors import Diagnostic
from specint.source.tree import Origin


def _no_source(_file: str, _line: int) -> str:
    return ""


Placing = Callable[[str], Place]
"""From a file as findings name it to its place."""


class RuleText(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says about a rule; `severity` is also that of its findings. `help` is Markdown.

    `uri` is empty where the rule has no page of its own: `help` says it all.
    """

    id: str
    symbol: str
    severity: Severity
    summary: str
    help: str
    uri: str = ""
    default: bool = True
    headline: str = ""


class Tool(msgspec.Struct, frozen=True):
    """Whose findings these are. Without a version it is the one that runs, looked up when a format names it."""

    name: str
    uri: str = ""
    version: str = ""


OWN_TOOL = Tool("specint")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and what a reader needs to make sense of it.

    Attributes:
        rules: every rule that could have spoken, by symbol; a finding's own is always among them.
        place: where a file lies, for machines; `shown` is the same for someone at a terminal.
        source: the text of a line of a file, "" where it can't be read.
        clean: what was looked at without a finding: dotted classes, or files.
        checked: how many models were looked at.
        baseline: how the findings compare with the ones known before; those are not in `findings`.
    """

    tool: Tool
    findings: tuple[Finding, ...]
    rules: Mapping[str, RuleText]
    place: Placing = Place
    shown: Callable[[str], str] = str
    source: Callable[[str, int], str] = _no_source
    diagnostics: tuple[Diagnostic, ...] = ()
    clean: tuple[str, ...] = ()
    checked: int = 0
    sglang: Origin = Origin(version="", source="")
    baseline: Comparison | None = None

    def said(self, finding: Finding) -> str:
        """A finding's message, its files named as machines find them."""
        return placed(finding.message, lambda file: self.place(file).path)

    def severity(self, finding: Finding) -> Severity:
        """How bad the finding's rule is."""
        return self.rules[finding.rule].severity


_NAMED_FILE = re.compile(r"(?<![\w./-])([\w./-]+\.py):(\d+)")


def placed(message: str, where: Callable[[str], str]) -> str:
    """A message with the files that it names written as those of the evidence are, so that they can be opened."""
    return _NAMED_FILE.sub(lambda match: f"{where(match[1])}:{match[2]}", message)


def own_rules(rules: Iterable[Rule] | None = None) -> dict[str, RuleText]:
    """The catalogue as reports show it."""
    from specint.outputs.rule_page import rule_page

    return {
        rule.symbol: RuleText(
            id=rule.id,
            symbol=rule.symbol,
            severity=rule.severity,
            summary=rule.summary,
            help=rule_page(rule),
            default=rule.default,
            headline=rule.headline,
        )
        for rule in (all_rules() if rules is None else rules)
    }


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """One for each finding, from rule, class and member alone: an edit above it doesn't make it another.

    Where several findings agree in these, their order tells them apart. Messages of pylint's own name no member: there
    it is the text.
    """
    seen: Counter[str] = Counter()
    made = []
    for finding in findings:
        about = finding.member if finding.rule.startswith("spec-") else finding.message
        key = "\0".join((finding.rule, finding.class_, about))
        seen[key] += 1
        made.append(f"{sha256(key.encode()).hexdigest()[:32]}:{seen[key]}")
    return made


def summary(outcome: Outcome) -> str:
    """`3 findings in 1 class (E7701 3); 178 models checked against SGLang 0.5.9`."""
    findings = outcome.findings
    per_rule = Counter(finding.id for finding in findings)
    rules = ", ".join(f"{id_} {number}" for id_, number in sorted(per_rule.items()))
    found = f"{findings_phrase(findings)} ({rules})" if findings else findings_phrase(findings)
    if not outcome.sglang.version:
        return found
    return f"{found}; {counted(outcome.checked, 'model')} checked against SGLang {outcome.sglang.version}"
