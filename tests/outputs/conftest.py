"""An analysis written by hand: a wrapper that lacks two hooks, a complete model, an unknown one and a draft."""

from __future__ import annotations

import pytest

from specint.analysis.model import Analysis
from specint.checks.finding import Evidence, Finding
from specint.compliance.model import Inner, MemberStatus, ModelCompliance, Verdict, Wrap
from specint.contract.model import CallShape, Contract, Requirement, Site
from specint.edits.model import Edit, Splice
from specint.errors import Diagnostic
from specint.outputs.outcome import Outcome, RuleText, Tool
from specint.source.tree import Origin

GET, SETTER = "get_embed_and_head", "set_eagle3_layers_to_capture"
RULES = [
    RuleText(
        id=id_,
        symbol=symbol,
        severity=severity,
        summary=f"A rule for the test of {severity}s",
        help=f"# {symbol}\n\n## Why is this bad?\n\nIt *isn't*.\n",
        uri=f"https://example.org/rules/{symbol}",
        default=default,
        headline="pass the call on",
    )
    for id_, symbol, severity, default in (
        ("E7701", "spec-missing-delegation", "error", True),
        ("W7719", "spec-useless-suppression", "warning", True),
        ("I7799", "spec-unresolved", "info", False),
    )
]
PATCH = """\
--- a/sglang/srt/models/kumo.py
+++ b/sglang/srt/models/kumo.py
@@ -20,1 +20,7 @@
         self.language_model = Oak(config)
+
+    def set_eagle3_layers_to_capture(self, layer_ids=None):
+        return self.language_model.set_eagle3_layers_to_capture(layer_ids)
+
+    def get_embed_and_head(self):
+        return self.language_model.get_embed_and_head()
"""


def model(name: str, verdicts: dict[str, Verdict], **more: object) -> ModelCompliance:
    fields = {
        "class_": f"sglang.srt.models.{name.lower()}.{name}",
        "name": name,
        "file": f"sglang/srt/models/{name.lower()}.py",
        "line": 12,
        "roles": ("target",),
        "mro": (f"sglang.srt.models.{name.lower()}.{name}", "torch.nn.modules.module.Module"),
        "wraps": (),
        "members": {},
        "algorithms": verdicts,
    }
    return ModelCompliance(**{**fields, **more})


def verdicts(eagle: str, eagle3: str, lacks: tuple[str, ...] = (), lacks3: tuple[str, ...] = ()) -> dict[str, Verdict]:
    return {
        "EAGLE": Verdict(verdict=eagle, missing=lacks),
        "EAGLE3": Verdict(verdict=eagle3, missing=lacks3),
        "NGRAM": Verdict(verdict="not applicable" if eagle == "not applicable" else "ok"),
        "FROZEN": Verdict(verdict=eagle, missing=lacks),
    }


def missing(name: str, line: int) -> MemberStatus:
    oak = "sglang.srt.models.oak.Oak"
    inner = Inner(
        attribute="language_model",
        holder="sglang.srt.models.oak.OakV2",
        status="present",
        provider=oak,
        file="sglang/srt/models/oak.py",
        line=line,
    )
    return MemberStatus(status="missing", inner="language_model", inner_status="present", inners=(inner,))


def finding(member: str, line: int, parameter: str = "", argument: str = "") -> Finding:
    return Finding(
        rule="spec-missing-delegation",
        id="E7701",
        class_="sglang.srt.models.kumo.Kumo",
        member=member,
        algorithms=("EAGLE3",),
        file="sglang/srt/models/kumo.py",
        line=12,
        message=f"Kumo lacks {member}, which its language_model has",
        evidence=(
            Evidence(file="sglang/srt/speculative/worker.py", line=line, what="called here"),
            Evidence(file="sglang/srt/models/kumo.py", line=18, what="language_model is an OakV2"),
        ),
        edit=Edit(
            kind="add",
            class_="sglang.srt.models.kumo.Kumo",
            member=member,
            file="sglang/srt/models/kumo.py",
            splices=(
                Splice(
                    20,
                    (),
                    (
                        "",
                        f"    def {member}(self{parameter}):",
                        f"        return self.language_model.{member}({argument})",
                    ),
                ),
            ),
        ),
        patch=PATCH,
    )


@pytest.fixture
def analysis() -> Analysis:
    site = Site(file="sglang/srt/speculative/worker.py", line=31, function="Worker.__init__")
    contract = Contract(
        requirements=(
            Requirement(
                role="target",
                member=GET,
                use="call",
                algorithms=("EAGLE", "EAGLE3", "FROZEN"),
                strength="required",
                sites=(site,),
                call=CallShape(unpacks=2),
            ),
            Requirement(
                role="target",
                member=SETTER,
                use="call",
                algorithms=("EAGLE3",),
                strength="raises",
                sites=(Site(file="sglang/srt/runner.py", line=7, function="capture"),),
                call=CallShape(positional=1, fewest=0),
            ),
            Requirement(
                role="draft", member="set_embed", use="call", algorithms=("EAGLE3",), strength="required", sites=(site,)
            ),
        ),
        algorithms=("EAGLE", "EAGLE3", "NGRAM", "FROZEN"),
        aliases={"NEXTN": "EAGLE"},
    )
    kumo = model(
        "Kumo",
        verdicts("missing", "missing", (GET,), (GET, SETTER)),
        wraps=(Wrap(attribute="language_model", classes=("sglang.srt.models.oak.OakV2",)),),
        members={GET: missing(GET, 40), SETTER: missing(SETTER, 44)},
    )
    own = MemberStatus(
        status="present",
        provider="sglang.srt.models.oak.Oak",
        way="own",
        file="sglang/srt/models/oak.py",
        line=40,
    )
    models = (
        model("Draft", verdicts("not applicable", "not applicable"), roles=("draft",)),
        kumo,
        model("Mirage", verdicts("unknown", "unknown")),
        model("Oak", verdicts("ok", "ok"), members={GET: own, SETTER: own}),
    )
    return Analysis(
        sglang=Origin(version="0.5.9", source="the test"),
        contract=contract,
        models=models,
        findings=(finding(SETTER, 7, ", layer_ids=None", "layer_ids"), finding(GET, 31)),
        diagnostics=(Diagnostic(file="sglang/srt/models/odd.py", line=3, what="not Python", severity="warning"),),
    )


@pytest.fixture
def outcome(analysis: Analysis) -> Outcome:
    """What `specint check` would hand to a format."""
    return Outcome(
        tool=Tool("specint", "https://example.org/specint", "1.2.3"),
        findings=analysis.findings,
        rules={one.symbol: one for one in RULES},  # not the catalogue: golden files must not change with it
        diagnostics=analysis.diagnostics,
        clean=("sglang.srt.models.oak.Oak", "sglang.srt.models.draft.Draft", "sglang.srt.models.mirage.Mirage"),
        source=lambda file, line: "class Kumo(nn.Module):" if (file, line) == ("sglang/srt/models/kumo.py", 12) else "",
        checked=4,
        sglang=analysis.sglang,
    )
