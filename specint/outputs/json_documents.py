"""The versioned JSON documents: `specint.report/1`, `specint.findings/1`, `specint.rules/1`, `specint.explanation/1`,
`specint.pairs/1`.

The keys of a version stay; new ones may come. The same analysis gives the same bytes: structs are written in the order
of their fields, mappings in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from specint.analysis.comparison import Releases
from specint.analysis.model import Analysis
from specint.checks.baseline import Comparison
from specint.checks.catalog import Rule
from specint.checks.finding import Finding
from specint.checks.once import parted
from specint.compliance.model import ModelCompliance
from specint.compliance.pairs import Pair
from specint.contract.difference import Change
from specint.contract.model import Contract, Requirement
from specint.errors import Diagnostic
from specint.outputs.outcome import Outcome
from specint.source.tree import Origin


class _Report(msgspec.Struct, frozen=True):
    schema: str
    sglang: Origin
    contract: Contract
    models: tuple[ModelCompliance, ...]
    diagnostics: tuple[Diagnostic, ...]
    findings: tuple[Finding, ...]
    repeated: tuple[Finding, ...]


class _ComparedReport(_Report, frozen=True):
    compared: Releases


class _Findings(msgspec.Struct, frozen=True):
    schema: str
    sglang: Origin
    findings: tuple[Finding, ...]
    baseline: Comparison | None
    diagnostics: tuple[Diagnostic, ...]


class _Explanation(msgspec.Struct, frozen=True):
    schema: str
    sglang: Origin
    model: ModelCompliance
    requirements: tuple[Requirement, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Pairs(msgspec.Struct, frozen=True):
    schema: str
    sglang: Origin
    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]


class _Rules(msgspec.Struct, frozen=True):
    schema: str
    rules: tuple[Rule, ...]


class _Contract(msgspec.Struct, frozen=True):
    schema: str
    sglang: Origin
    contract: Contract


class _Changes(msgspec.Struct, frozen=True):
    schema: str
    old: Origin
    new: Origin
    changes: tuple[Change, ...]
    broken: tuple[str, ...]


DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "report": _ComparedReport,
    "findings": _Findings,
    "explanation": _Explanation,
    "pairs": _Pairs,
    "contract": _Contract,
    "changes": _Changes,
    "rules": _Rules,
}
"""By the name in its `schema` key: what each document is made of."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON schema (2020-12) of a document. New keys may come in a version, so that any are allowed."""
    made = msgspec.json.schema(DOCUMENTS[name])
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"specint.{name}/1", **made}
    if name == "report":  # `compared` is there with --compare alone
        definition = made["$defs"]["_ComparedReport"]
        definition["required"] = [key for key in definition["required"] if key != "compared"]
    return made


def contract_json(contract: Contract, origin: Origin) -> bytes:
    """`specint.contract/1`: the contract of one SGLang."""
    return _written(_Contract("specint.contract/1", origin, contract))


def changes_json(changes: Sequence[Change], old: Origin, new: Origin, broken: Sequence[str]) -> bytes:
    """`specint.changes/1`: what changed between two contracts, and which of the user's models that breaks."""
    return _written(_Changes("specint.changes/1", old, new, tuple(changes), tuple(broken)))


def report_json(analysis: Analysis, findings: Sequence[Finding] = (), compared: Releases | None = None) -> bytes:
    """`specint.report/1`: the contract, every model with its members and verdicts, and the findings that count;
    `compared` if asked for. `repeated` are those that are told with another one: an heir's, with its own lines."""
    each = parted(findings, analysis.models)
    head = (
        "specint.report/1",
        analysis.sglang,
        analysis.contract,
        analysis.models,
        analysis.diagnostics,
        tuple(one for one, repeated in each if not repeated),
        tuple(one for one, repeated in each if repeated),
    )
    return _written(_ComparedReport(*head, compared) if compared else _Report(*head))


def findings_json(outcome: Outcome) -> bytes:
    """`specint.findings/1`: the findings, how they compare with a baseline, and what could not be looked at."""
    return _written(
        _Findings("specint.findings/1", outcome.sglang, outcome.findings, outcome.baseline, outcome.diagnostics)
    )


def explanation_json(
    analysis: Analysis, model: ModelCompliance, requirements: Sequence[Requirement], findings: Sequence[Finding]
) -> bytes:
    """`specint.explanation/1`: one model, what is asked of it, and the findings about it."""
    document = _Explanation(
        "specint.explanation/1", analysis.sglang, model, tuple(requirements), tuple(findings), analysis.diagnostics
    )
    return _written(document)


def pairs_json(analysis: Analysis, pairs: Sequence[Pair], findings: Sequence[Finding]) -> bytes:
    """`specint.pairs/1`: a target and a draft under some algorithms, and the findings about both."""
    document = _Pairs("specint.pairs/1", analysis.sglang, tuple(pairs), tuple(findings), analysis.diagnostics)
    return _written(document)


def rules_json(rules: Sequence[Rule]) -> bytes:
    """`specint.rules/1`: the catalogue."""
    return _written(_Rules("specint.rules/1", tuple(rules)))


def _written(document: msgspec.Struct) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document, order="deterministic"), indent=2) + b"\n"
