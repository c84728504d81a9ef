"""SARIF 2.1.0, within what GitHub's code scanning takes."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

import msgspec

from specint.analysis.places import Place
from specint.checks.catalog import Severity
from specint.checks.finding import Finding
from specint.edits.model import Splice
from specint.errors import Diagnostic
from specint.outputs.outcome import Outcome, RuleText, fingerprints
from specint.version import own_version, rule_address

Json = dict[str, Any]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
SHOWN_RESULTS = 5_000
"""GitHub refuses a file with more results than the first, and shows the worst of the second."""
MOST_RELATED = 100
"""Locations of one result beside its own: GitHub refuses more than a thousand, and shows a hundred."""
MOST_BYTES = 10 * 1024 * 1024
"""Compressed; GitHub refuses a larger file."""

_LEVELS: dict[Severity, str] = {"fatal": "error", "error": "error", "warning": "warning", "info": "note"}
_PRECISION: dict[Severity, str] = {"fatal": "very-high", "error": "very-high", "warning": "high", "info": "low"}
_WORST_FIRST: tuple[Severity, ...] = ("fatal", "error", "warning", "info")
_BASES = {"repository": "%SRCROOT%", "sglang": "SGLANG"}


def sarif(outcome: Outcome) -> bytes:
    """The document: one run, the rules that could have spoken, a result for each finding."""
    rules = sorted(outcome.rules.values(), key=lambda rule: rule.id)[:MOST_RESULTS]
    positions = {rule.symbol: position for position, rule in enumerate(rules)}
    results = [
        _result(outcome, finding, positions[finding.rule], mark)
        for finding, mark in zip(outcome.findings, fingerprints(outcome.findings), strict=True)
    ]
    if len(results) > SHOWN_RESULTS:
        results.sort(key=lambda result: _WORST_FIRST.index(rules[result["ruleIndex"]].severity))
    run = _run(outcome, [_rule(rule) for rule in rules], results[:MOST_RESULTS])
    if (left := len(results) - MOST_RESULTS) > 0:
        run["invocations"][0]["toolExecutionNotifications"].append(_note(f"{left} more results were left out"))
    return _small_enough(run)


def _run(outcome: Outcome, rules: list[Json], results: list[Json]) -> Json:
    failed = any(diagnostic.severity == "error" for diagnostic in outcome.diagnostics)
    driver: Json = {
        "name": outcome.tool.name,
        "version": outcome.tool.version or own_version(),
        **({"informationUri": outcome.tool.uri} if outcome.tool.uri else {}),
        "rules": rules,
    }
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The repository that is checked."}},
            "SGLANG": {"description": {"text": "The folder that holds SGLang, where it is outside the repository."}},
        },
        "invocations": [
            {
                "executionSuccessful": not failed,
                "toolExecutionNotifications": [_notification(outcome, one) for one in outcome.diagnostics],
            }
        ],
        "results": results,
    }
    if outcome.sglang.version:
        run["properties"] = {"sglang": {"version": outcome.sglang.version}}
    return run


def _rule(rule: RuleText) -> Json:
    is_own = rule.symbol.startswith("spec-")
    tags = ["sglang", "speculative-decoding"] if is_own else []
    uri = rule.uri or (rule_address(rule.symbol) if is_own else "")
    return {
        "id": rule.id,
        "name": rule.symbol,
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": f"{rule.summary}."},
        "help": {"text": f"{rule.summary}.{f' See {uri}' if uri else ''}", "markdown": rule.help},
        **({"helpUri": uri} if uri else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": rule.default},
        "properties": {
            "tags": tags,
            "precision": _PRECISION[rule.severity],
            "problem.severity": {"note": "recommendation"}.get(_LEVELS[rule.severity], _LEVELS[rule.severity]),
        },
    }


def _result(outcome: Outcome, finding: Finding, rule: int, mark: str) -> Json:
    subject = f"{finding.class_}.{finding.member}" if finding.member and finding.class_ else finding.class_
    location = _location(outcome.place(finding.file), finding.line, finding.column + 1)
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": subject, "kind": "member" if finding.member else "type"}]
    result: Json = {
        "ruleId": outcome.rules[finding.rule].id,
        "ruleIndex": rule,
        "level": _LEVELS[outcome.severity(finding)],
        "message": {"text": outcome.said(finding)},
        "locations": [location],
        "relatedLocations": _related(outcome, finding),
        # GitHub looks at the first alone, and would compute it from the line's text if it weren't there.
        "partialFingerprints": {"primaryLocationLineHash": mark, "specintFinding/v1": mark},
    }
    if finding.algorithms:
        result["properties"] = {"algorithms": list(finding.algorithms)}
    if fixes := _fixes(outcome, finding):
        result["fixes"] = fixes
    return result


def _related(outcome: Outcome, finding: Finding) -> list[Json]:
    related = []
    for number, seen in enumerate(finding.evidence[:MOST_RELATED], 1):
        location = _location(outcome.place(seen.file), seen.line, None)
        related.append({"id": number, **location, "message": {"text": seen.what}})
    if not related:  # what the finding is about is the one place there is
        where = _location(outcome.place(finding.file), finding.line, None)
        related.append({"id": 1, **where, "message": {"text": finding.class_ or finding.message}})
    return related


def _fixes(outcome: Outcome, finding: Finding) -> list[Json]:
    if not finding.edit or not finding.edit.splices:
        return []
    headline = outcome.rules[finding.rule].headline or "apply the patch"
    return [
        {
            "description": {"text": headline},
            "artifactChanges": [
                {
                    "artifactLocation": _artifact(outcome.place(finding.edit.file)),
                    "replacements": [_replacement(splice) for splice in sorted(finding.edit.splices)],
                }
            ],
        }
    ]


def _replacement(splice: Splice) -> Json:
    """What goes and comes; the ending of a line that is replaced stays, since the last one of a file may have none."""
    region = {"startLine": splice.after + 1, "startColumn": 1, "endLine": splice.after + 1, "endColumn": 1}
    text = "".join(f"{line}\n" for line in splice.lines)
    if splice.old and splice.lines:
        region |= {"endLine": splice.end, "endColumn": len(splice.old[-1]) + 1}
        text = text.removesuffix("\n")
    else:
        region["endLine"] = splice.end + 1
    return {"deletedRegion": region} | ({"insertedContent": {"text": text}} if text else {})


def _location(place: Place, line: int, column: int | None) -> Json:
    region = {"startLine": max(line, 1)}
    if column:
        region["startColumn"] = column
    return {"physicalLocation": {"artifactLocation": _artifact(place), "region": region}}


def _artifact(place: Place) -> Json:
    if place.base == "nothing":
        return {"uri": f"file://{quote(place.path)}"}
    return {"uri": quote(place.path), "uriBaseId": _BASES[place.base]}


def _notification(outcome: Outcome, diagnostic: Diagnostic) -> Json:
    text = f"{diagnostic.what} ({diagnostic.hint})" if diagnostic.hint else diagnostic.what
    made: Json = {"level": "error" if diagnostic.severity == "error" else "warning", "message": {"text": text}}
    if diagnostic.file:
        made["locations"] = [_location(outcome.place(diagnostic.file), diagnostic.line, diagnostic.column + 1)]
    return made


def _note(text: str) -> Json:
    return {"level": "warning", "message": {"text": text}}


def _small_enough(run: Json) -> bytes:
    """The document, without what can be spared if it would be too large to upload: first the fixes, then the places."""
    spare: Iterable[Callable[[Json], Any]] = (
        lambda result: result.pop("fixes", None),
        lambda result: result.update(relatedLocations=result["relatedLocations"][:1]),
        lambda result: result.pop("properties", None),
    )
    document = _written(run)
    for drop in spare:
        if len(document) <= MOST_BYTES or len(gzip.compress(document, 6)) <= MOST_BYTES:
            break
        for result in run["results"]:
            drop(result)
        document = _written(run)
    return document


def _written(run: Json) -> bytes:
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
