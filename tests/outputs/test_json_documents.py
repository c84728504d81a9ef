from __future__ import annotations

import json

from specint.analysis.model import Analysis
from specint.checks.catalog import all_rules
from specint.outputs.json_documents import findings_json, report_json, rules_json
from specint.outputs.outcome import Outcome


def test_report_has_the_promised_keys(analysis: Analysis) -> None:
    document = json.loads(report_json(analysis))
    assert document["schema"] == "specint.report/1"
    assert document["sglang"] == {"version": "0.5.9", "source": "the test"}
    requirement = document["contract"]["requirements"][0]
    assert requirement["call"]["unpacks"] == 2
    assert {"role", "member", "use", "algorithms", "strength", "group", "call", "sites"} <= requirement.keys()
    assert requirement["sites"] == [
        {
            "file": "sglang/srt/speculative/worker.py",
            "line": 31,
            "function": "Worker.__init__",
            "algorithms": [],
            "conditions": 0,
            "raised_at": 0,
        }
    ]
    kumo = document["models"][1]
    assert {"class", "name", "file", "line", "roles", "mro", "wraps", "members", "algorithms"} <= kumo.keys()
    assert kumo["wraps"][0]["attribute"] == "language_model"
    member = kumo["members"]["get_embed_and_head"]
    assert member["status"] == "missing"
    assert member["provider"] is None
    assert (member["inner"], member["inner_status"], member["reason"]) == ("language_model", "present", None)
    assert kumo["algorithms"]["EAGLE3"]["verdict"] == "missing"
    assert kumo["algorithms"]["EAGLE3"]["missing"] == ["get_embed_and_head", "set_eagle3_layers_to_capture"]
    assert document["diagnostics"][0]["what"] == "not Python"


def test_findings_have_the_promised_keys(outcome: Outcome) -> None:
    document = json.loads(findings_json(outcome))
    assert document["schema"] == "specint.findings/1"
    first = document["findings"][0]
    wanted = {"rule", "id", "class", "member", "algorithms", "file", "line", "column", "message", "evidence", "patch"}
    assert wanted <= first.keys()
    assert first["evidence"][0] == {"file": "sglang/srt/speculative/worker.py", "line": 7, "what": "called here"}
    assert document["diagnostics"]


def test_the_same_analysis_gives_the_same_bytes(analysis: Analysis) -> None:
    import msgspec

    kumo = analysis.models[1]
    turned = msgspec.structs.replace(
        kumo,
        members=dict(reversed(kumo.members.items())),
        algorithms=dict(reversed(kumo.algorithms.items())),
    )
    other = msgspec.structs.replace(analysis, models=(analysis.models[0], turned, *analysis.models[2:]))
    assert list(turned.members) != list(kumo.members)
    assert report_json(other) == report_json(analysis)
    assert report_json(analysis).endswith(b"}\n")


def test_rules_document_holds_the_examples() -> None:
    document = json.loads(rules_json(all_rules()))
    assert document["schema"] == "specint.rules/1"
    assert "class PictureModel" in document["rules"][0]["bad"]["bad.py"]
