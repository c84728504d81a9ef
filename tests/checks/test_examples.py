"""The examples of each rule, run: `bad` raises the symbol on the marked lines alone, `good` raises nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from specint.analysis.demands import demand
from specint.analysis.model import Analysis
from specint.analysis.scope import find_models, resolve_algorithms
from specint.checks.catalog import Rule, all_rules
from specint.checks.finding import Finding
from specint.checks.rules.lost_member import lost
from specint.checks.suppression import without_suppressed
from specint.source.locate import open_tree
from specint.source.tree import SourceFile

MARK = re.compile(r"# <- (spec-[a-z0-9, -]+)$")
MODULE = re.compile(r"# module: ([\w.]+)\n")
BEFORE = "before.py"
DEMAND = re.compile(r"^# demand: (\w+):(\w+)$", re.MULTILINE)
WITH_EXAMPLES = [rule for rule in all_rules() if rule.bad]

Spoken = set[tuple[str, int, str]]


def marked(example: dict[str, str]) -> Spoken:
    """File, line and symbol of each mark."""
    return {
        (module_path(name, text), number, symbol.strip())
        for name, text in example.items()
        if name != BEFORE
        for number, line in enumerate(text.splitlines(), 1)
        if (found := MARK.search(line))
        for symbol in found[1].split(",")
    }


def module_path(name: str, text: str) -> str:
    """Where a file of an example lies in the tree: a model, or the module that its first line names."""
    if (named := MODULE.match(text)) is not None:
        return f"{named[1].replace('.', '/')}.py"
    return f"sglang/srt/models/{'example.py' if name in ('bad.py', 'good.py') else name}"


def spoken(example: dict[str, str], small: Path, rule: Rule, analysed: Callable[..., Analysis]) -> list[Finding]:
    """What is said about the example: by every rule that is on by default, and by its own."""
    paths = {name: module_path(name, text) for name, text in example.items() if name != BEFORE}
    texts = {path.removesuffix(".py").replace("/", "."): example[name] for name, path in paths.items()}
    tree = open_tree(str(small)).overlay(texts)
    own = [SourceFile.at(path) for path in paths.values() if not path.startswith("sglang/")]
    analysis = analysed(texts, models=tuple(own))
    assert not [one for one in analysis.diagnostics if one.severity == "error"]
    findings = list(analysis.findings)
    for text in example.values():
        for class_name, algorithm in DEMAND.findall(text):
            (resolved,) = resolve_algorithms(analysis.contract, [algorithm])
            for model in find_models(analysis.models, class_name):
                findings += demand(analysis, model.class_, resolved)
    if BEFORE in example:
        then = analysed({"sglang.srt.models.example": example[BEFORE]}, against=tree)
        findings += lost(analysis.contract, analysis.models, then.models, "the release before")
    files = set(paths.values())
    kept, useless = without_suppressed(findings, tree, files)
    speaking = {one.symbol for one in all_rules() if one.default} | {rule.symbol}
    return [one for one in (*kept, *useless) if one.file in files and one.rule in speaking]


def shown(findings: list[Finding]) -> str:
    """What was said, for whoever reads a test that fails."""
    lines = (f"{one.file}:{one.line}: {one.rule}: {one.message}" for one in findings)
    return "\n".join(lines) or "nothing was said"


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda rule: rule.symbol)
def test_bad_example_raises_the_symbol_on_the_marked_lines(
    rule: Rule, fixture_tree: Callable[[str], Path], analysed: Callable[..., Analysis]
) -> None:
    expected = marked(rule.bad)
    assert rule.symbol in {symbol for _, _, symbol in expected}, "no line is marked for the rule itself"
    found = spoken(rule.bad, fixture_tree("sglang_small") / "sglang", rule, analysed)
    assert {(one.file, one.line, one.rule) for one in found} == expected, shown(found)


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda rule: rule.symbol)
def test_what_is_said_of_a_bad_example(
    rule: Rule,
    fixture_tree: Callable[[str], Path],
    analysed: Callable[..., Analysis],
    golden: Callable[[str, bytes], None],
    told: Callable[[Finding], str],
) -> None:
    found = spoken(rule.bad, fixture_tree("sglang_small") / "sglang", rule, analysed)
    golden(f"{rule.symbol}.txt", "".join(f"{told(one)}\n" for one in found).encode())


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda rule: rule.symbol)
def test_good_example_raises_nothing(
    rule: Rule, fixture_tree: Callable[[str], Path], analysed: Callable[..., Analysis]
) -> None:
    assert marked(rule.good) == set()
    found = spoken(rule.good, fixture_tree("sglang_small") / "sglang", rule, analysed)
    assert found == [], shown(found)
