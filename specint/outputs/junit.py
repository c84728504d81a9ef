"""JUnit's XML: a test case for each finding that failed, and one that passed for whatever was looked at without one."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from specint.checks.finding import Finding
from specint.errors import Diagnostic
from specint.outputs.outcome import Outcome

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcome: Outcome) -> bytes:
    """The document; what could not be checked is an error, a finding a failure."""
    first = {finding.patch: finding for finding in reversed(outcome.findings)}  # a class's patch stands once
    cases = [_failed(outcome, finding, first[finding.patch] is finding) for finding in outcome.findings]
    broken = [_broken(outcome, one) for one in outcome.diagnostics if one.severity == "error"]
    passed = [xml.Element("testcase", {"classname": _clean(name), "name": outcome.tool.name}) for name in outcome.clean]
    counts = {
        "name": outcome.tool.name,
        "tests": str(len(cases) + len(broken) + len(passed)),
        "failures": str(len(cases)),
        "errors": str(len(broken)),
        "skipped": "0",
    }
    suites = xml.Element("testsuites", counts)
    suite = xml.SubElement(suites, "testsuite", counts)
    suite.extend([*cases, *broken, *passed])
    if outcome.baseline:
        xml.SubElement(suite, "system-out").text = str(outcome.baseline)
    xml.indent(suites)
    written: bytes = xml.tostring(suites, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _failed(outcome: Outcome, finding: Finding, patched: bool) -> xml.Element:
    place = outcome.place(finding.file).path
    name = " ".join(filter(None, (finding.id, finding.rule, finding.member, ",".join(finding.algorithms))))
    if not finding.member:  # what tells it from its neighbours is where it stands
        name += f" {finding.line}:{finding.column}"
    case = xml.Element(
        "testcase",
        {"classname": _clean(finding.class_ or place), "name": _clean(name), "file": place, "line": str(finding.line)},
    )
    told = {"message": _clean(outcome.said(finding)), "type": finding.rule}
    lines = [f"{place}:{finding.line}:{finding.column}: {finding.id} {outcome.said(finding)}"]
    lines += [f"{outcome.place(seen.file).path}:{seen.line} {seen.what}" for seen in finding.evidence]
    if finding.patch and patched:
        lines += ["", finding.patch.rstrip("\n")]
    xml.SubElement(case, "failure", told).text = _clean("\n".join(lines))
    return case


def _broken(outcome: Outcome, diagnostic: Diagnostic) -> xml.Element:
    place = outcome.place(diagnostic.file).path if diagnostic.file else outcome.tool.name
    case = xml.Element("testcase", {"classname": _clean(place), "name": "not checked"})
    xml.SubElement(case, "error", {"message": _clean(diagnostic.what), "type": "not-checked"}).text = _clean(
        str(diagnostic)
    )
    return case


def _clean(text: str) -> str:
    """Without the characters that no XML may hold, not even escaped."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
