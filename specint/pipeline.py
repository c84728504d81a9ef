"""The way of the data, from a source to findings: what every command and the pylint plugin call."""

from __future__ import annotations

import msgspec

from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.contract.model import Contract
from specint.errors import Diagnostic


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Which SGLang was read. `source` is what a user would recognise: a path, or a release."""

    version: str
    source: str


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result for one tree: what is cached, and what every output is made of.

    `findings` are those of every rule, also of rules that are off by default; outputs select.
    """

    sglang: Origin
    contract: Contract
    models: tuple[ModelCompliance, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
