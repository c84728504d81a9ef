"""Variants of each rule's examples, run: what `rules/<symbol>/variants.toml` says is bad raises the rule, what it says
is good doesn't.

A variant changes the rule's bad example, or fills in the file's own `base`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from specint.checks.catalog import Rule, all_rules
from specint.checks.finding import Finding
from specint.data import rules_folder

FIELDS = {"member", "after"}


@dataclass(frozen=True)
class Variant:
    """One text, and of which members (`Class.member`) the rule must speak in it, in words that hold `because`."""

    rule: Rule
    name: str
    text: str
    says: tuple[str, ...] = ()
    because: str = ""

    def __str__(self) -> str:
        return f"{self.rule.symbol}: {self.name}"


@dataclass
class _Entry:
    """A table of the file, as it is written."""

    name: str
    says: list[str] = field(default_factory=list)
    because: str = ""
    change: list[list[str]] = field(default_factory=list)
    member: str = ""
    after: str = ""


def variants() -> list[Variant]:
    found = []
    for rule in all_rules():
        path = Path(str(rules_folder())) / rule.symbol / "variants.toml"
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for kind in ("bad", "good"):
            for table in data.get(kind, []):
                entry = _Entry(**table)
                assert bool(entry.says) is (kind == "bad"), f"{path}: {entry.name}: a bad one says what it raises"
                text = written(entry, data.get("base"), rule)
                found.append(Variant(rule, entry.name, text, tuple(entry.says), entry.because))
    return found


def written(entry: _Entry, base: str | None, rule: Rule) -> str:
    if base is not None:
        member = entry.member.replace("\n", "\n    ").replace("\n    \n", "\n\n")
        return base.replace("{member}", member).replace("{after}", entry.after)
    (text,) = rule.bad.values()
    for old, new in entry.change:
        assert old in text, f"{rule.symbol}: {entry.name}: the bad example has no {old!r}"
        text = text.replace(old, new)
    assert text not in rule.bad.values(), f"{rule.symbol}: {entry.name}: changes nothing"
    return text


def by_module() -> dict[str, dict[str, Variant]]:
    """Each rule's variants, by the module that a variant is analysed as."""
    found: dict[str, dict[str, Variant]] = {}
    for one in variants():
        those = found.setdefault(one.rule.symbol, {})
        those[f"variant_{len(those)}"] = one
    return found


VARIANTS = by_module()


@pytest.fixture(scope="session")
def said(request: pytest.FixtureRequest, analysed) -> dict[str, list[Finding]]:
    """What a rule says of each of its variants, by module: analysed at once, they don't know each other."""
    texts = {f"sglang.srt.models.{module}": one.text for module, one in VARIANTS[request.param].items()}
    found: dict[str, list[Finding]] = {module: [] for module in VARIANTS[request.param]}
    for finding in analysed(texts).findings:
        if finding.rule == request.param and (module := Path(finding.file).stem) in found:
            found[module].append(finding)
    return found


@pytest.mark.parametrize(
    ("said", "module", "variant"),
    [
        pytest.param(symbol, module, variant, id=str(variant))
        for symbol, those in VARIANTS.items()
        for module, variant in those.items()
    ],
    indirect=["said"],
)
def test_variant(said: dict[str, list[Finding]], module: str, variant: Variant) -> None:
    findings = said[module]
    names = sorted(f"{one.class_.rpartition('.')[2]}.{one.member}" for one in findings)
    shown = "\n".join(f"{one.file}:{one.line}: {one.message}" for one in findings) or "nothing was said"
    assert names == sorted(variant.says), f"{shown}\n\n{variant.text}"
    assert all(variant.because in one.message for one in findings), shown


@pytest.mark.parametrize("said", VARIANTS, indirect=True)
def test_what_is_said_of_variants(
    request: pytest.FixtureRequest,
    said: dict[str, list[Finding]],
    told: Callable[[Finding], str],
    golden: Callable[[str, bytes], None],
) -> None:
    """In full, as of the bad example: evidence, places, algorithms, and the lines that would settle it."""
    symbol = request.node.callspec.params["said"]
    lines = [
        "\n".join([f"== {VARIANTS[symbol][module].name}", *map(told, findings), ""])
        for module, findings in said.items()
        if findings
    ]
    golden(f"variants/{symbol}.txt", "\n".join(lines).replace("sglang/srt/models/variant_", "variant_").encode())


def test_names_of_variants_tell_them_apart() -> None:
    names = [str(one) for one in variants()]
    assert sorted(set(names)) == sorted(names)
