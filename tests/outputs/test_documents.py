"""GitHub's annotations, GitLab's code quality and JUnit's XML, read as their consumers read them."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as xml

import msgspec

from specint.analysis.places import Place
from specint.errors import Diagnostic
from specint.outputs.github import github
from specint.outputs.gitlab import gitlab
from specint.outputs.junit import junit
from specint.outputs.outcome import Outcome

COMMAND = re.compile(r"::(\w+) ([^:]*)::(.*)")


def unescaped(text: str) -> str:
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


def annotations(outcome: Outcome) -> list[tuple[str, dict[str, str], str]]:
    found = []
    for line in github(outcome).decode().splitlines():
        if match := COMMAND.fullmatch(line):
            properties = dict(part.split("=", 1) for part in match[2].split(","))
            found.append((match[1], {key: unescaped(value) for key, value in properties.items()}, unescaped(match[3])))
    return found


def test_annotation_stands_on_the_file_of_the_repository(outcome: Outcome) -> None:
    placed = msgspec.structs.replace(outcome, place=lambda file: Place(f"python/{file}"))
    command, properties, message = annotations(placed)[0]
    assert command == "error"
    assert properties == {
        "file": "python/sglang/srt/models/kumo.py",
        "line": "12",
        "col": "1",
        "title": "E7701 spec-missing-delegation",
    }
    assert message.splitlines()[1] == "python/sglang/srt/speculative/worker.py:7 called here"


def test_no_text_can_end_an_annotation_or_begin_another(outcome: Outcome) -> None:
    hostile = "50% off\r\n::error::forged, as it were: yes"
    finding = msgspec.structs.replace(
        outcome.findings[0], message=hostile, file="a,b:c%d.py", class_="a.B\n::warning::x"
    )
    lines = github(msgspec.structs.replace(outcome, findings=(finding,))).decode().splitlines()
    assert [line.split(" ")[0].split("::")[1] for line in lines if line.startswith("::")] == [
        "group",
        "error",
        "endgroup",
        "warning",
    ]
    (first, _) = annotations(msgspec.structs.replace(outcome, findings=(finding,)))
    assert first[2].startswith(hostile)
    assert first[1]["file"] == "a,b:c%d.py"


def test_findings_of_a_class_are_one_group_of_the_log(outcome: Outcome) -> None:
    lines = github(outcome).decode().splitlines()
    assert lines[0] == "::group::Kumo"
    assert [line.startswith("::error ") for line in lines[1:3]] == [True, True]
    assert lines[3] == "::endgroup::"


def test_severity_chooses_the_command(outcome: Outcome) -> None:
    info = msgspec.structs.replace(outcome.findings[0], rule="spec-unresolved", id="I7799")
    warning = msgspec.structs.replace(outcome.findings[0], rule="spec-useless-suppression", id="W7719")
    shown = annotations(msgspec.structs.replace(outcome, findings=(info, warning), diagnostics=()))
    assert [command for command, _, _ in shown] == ["notice", "warning"]


def test_gitlab_issue_has_the_required_keys_and_a_fingerprint_of_its_own(outcome: Outcome) -> None:
    broken = Diagnostic(file="sglang/a.py", line=0, what="not Python")
    issues = json.loads(gitlab(msgspec.structs.replace(outcome, diagnostics=(broken,))))
    assert len({one["fingerprint"] for one in issues}) == len(issues) == 3
    for one in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= one.keys()
        assert one["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert one["location"]["lines"]["begin"] >= 1
        assert not one["location"]["path"].startswith(("/", "./"))
    moved = tuple(msgspec.structs.replace(one, line=99) for one in outcome.findings)
    again = json.loads(gitlab(msgspec.structs.replace(outcome, findings=moved)))
    assert [one["fingerprint"] for one in again[:2]] == [one["fingerprint"] for one in issues[:2]]
    assert json.loads(gitlab(msgspec.structs.replace(outcome, findings=(), diagnostics=()))) == []


def test_junit_counts_failures_and_what_is_clean(outcome: Outcome) -> None:
    broken = Diagnostic(file="sglang/a.py", line=3, what="not Python")
    root = xml.fromstring(junit(msgspec.structs.replace(outcome, diagnostics=(broken,))))
    assert root.attrib == {"name": "specint", "tests": "6", "failures": "2", "errors": "1", "skipped": "0"}
    cases = root.findall("testsuite/testcase")
    assert len(cases) == 6
    assert len({(case.get("classname"), case.get("name")) for case in cases}) == 6
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.get("type") == "spec-missing-delegation"
    assert "sglang/srt/speculative/worker.py:7 called here" in (failure.text or "")
    assert "+    def set_eagle3_layers_to_capture" in (failure.text or "")


def test_junit_survives_what_no_xml_may_hold(outcome: Outcome) -> None:
    odd = msgspec.structs.replace(outcome.findings[0], message='a\x00b\x1b <tag> & "quote" ]]> \ud800')
    root = xml.fromstring(junit(msgspec.structs.replace(outcome, findings=(odd,))))
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == 'a\ufffdb\ufffd <tag> & "quote" ]]> \ufffd'
