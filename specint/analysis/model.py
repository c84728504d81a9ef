"""What an analysis found, as plain data: what is cached, and what every output is made of."""

from __future__ import annotations

import msgspec

from specint.checks.finding import Finding
from specint.compliance.model import ModelCompliance
from specint.contract.model import Contract
from specint.errors import Diagnostic
from specint.source.tree import Origin


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result for one tree: what is cached, and what every output is made of.

    `findings` are those of every rule, also of rules that are off by default; outputs select. `against` is the other
    SGLang whose contract was taken, None where it is the tree's own.
    """

    sglang: Origin
    contract: Contract
    models: tuple[ModelCompliance, ...]
    findings: tuple[Finding, ...]
    diagnostics: tuple[Diagnostic, ...]
    against: Origin | None = None
