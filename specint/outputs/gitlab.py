"""GitLab's code quality report."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec

from specint.checks.catalog import Severity
from specint.checks.finding import Finding
from specint.errors import Diagnostic
from specint.outputs.outcome import Outcome, fingerprints

_SEVERITIES: dict[Severity, str] = {"fatal": "blocker", "error": "critical", "warning": "major", "info": "info"}


def gitlab(outcome: Outcome) -> bytes:
    """A list with an object for each finding, and for each file that could not be checked."""
    marks = fingerprints(outcome.findings)
    issues = [_issue(outcome, finding, mark) for finding, mark in zip(outcome.findings, marks, strict=True)]
    issues += [_not_checked(outcome, diagnostic) for diagnostic in outcome.diagnostics if diagnostic.file]
    return msgspec.json.format(msgspec.json.encode(issues), indent=2) + b"\n"


def _issue(outcome: Outcome, finding: Finding, mark: str) -> dict[str, Any]:
    return {
        "description": outcome.said(finding),
        "check_name": finding.rule,
        "fingerprint": mark,
        "severity": _SEVERITIES[outcome.severity(finding)],
        "location": {"path": outcome.place(finding.file).path, "lines": {"begin": max(finding.line, 1)}},
    }


def _not_checked(outcome: Outcome, diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "description": f"not checked: {diagnostic.what}",
        "check_name": "not-checked",
        "fingerprint": sha256(f"{diagnostic.file}\0{diagnostic.what}".encode()).hexdigest()[:32],
        "severity": _SEVERITIES["fatal" if diagnostic.severity == "error" else "warning"],
        "location": {"path": outcome.place(diagnostic.file).path, "lines": {"begin": max(diagnostic.line, 1)}},
    }
