"""GitHub's workflow commands: an annotation for each finding, in a group for each class.

Paths are relative to the repository, which is what GitHub puts annotations on. It shows ten of each kind
a step; the log has them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from specint.analysis.counts import counted
from specint.checks.catalog import Severity
from specint.checks.finding import Finding
from specint.errors import Diagnostic
from specint.outputs.addition import Group, grouped
from specint.outputs.outcome import Outcome, summary

_MOST_ANNOTATIONS = 10
_COMMANDS: dict[Severity, str] = {"fatal": "error", "error": "error", "warning": "warning", "info": "notice"}


def github(outcome: Outcome) -> bytes:
    """The lines for a step's log."""
    lines = [line for group in grouped(outcome.findings) for line in _group(outcome, group)]
    lines += [_diagnostic(outcome, one) for one in outcome.diagnostics]
    lines.append(_text(summary(outcome)))
    if hidden := _not_annotated(outcome):
        lines.append(hidden)
    if outcome.baseline:
        lines.append(str(outcome.baseline))
    return ("\n".join(lines) + "\n").encode()


def _not_annotated(outcome: Outcome) -> str:
    """What GitHub leaves out of the annotations, in words; "" where it shows all."""
    per_command = Counter(_COMMANDS[outcome.severity(finding)] for finding in outcome.findings)
    left = {name: number - _MOST_ANNOTATIONS for name, number in per_command.items() if number > _MOST_ANNOTATIONS}
    if not left:
        return ""
    told = " and ".join(counted(number, name) for name, number in left.items())
    return f"GitHub shows {_MOST_ANNOTATIONS} annotations of a kind for a step: {told} more stand in this log alone."


def _group(outcome: Outcome, group: Group) -> Iterator[str]:
    findings = [item.finding for item in group.items]
    yield f"::group::{_text(group.name or findings[0].file)}"
    for finding in findings:
        yield _finding(outcome, finding)
    yield "::endgroup::"


def _finding(outcome: Outcome, finding: Finding) -> str:
    evidence = (f"{outcome.place(seen.file).path}:{seen.line} {seen.what}" for seen in finding.evidence)
    message = "\n".join([outcome.said(finding), *evidence])
    return _command(
        _COMMANDS[outcome.severity(finding)],
        message,
        file=outcome.place(finding.file).path,
        line=str(finding.line),
        col=str(finding.column + 1),
        title=f"{finding.id} {finding.rule}",
    )


def _diagnostic(outcome: Outcome, diagnostic: Diagnostic) -> str:
    place = {"file": outcome.place(diagnostic.file).path} if diagnostic.file else {}
    if diagnostic.line:
        place["line"] = str(diagnostic.line)
    text = f"{diagnostic.what} ({diagnostic.hint})" if diagnostic.hint else diagnostic.what
    return _command("error" if diagnostic.severity == "error" else "warning", text, **place, title="not checked")


def _command(name: str, message: str, **properties: str) -> str:
    told = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {told}::{_text(message)}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
