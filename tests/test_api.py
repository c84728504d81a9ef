"""specint for scripts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

import specint
from specint.api import Result
from specint.checks.catalog import all_rules
from specint.checks.once import told_once
from specint.config import Config
from specint.errors import SpecintError
from specint.source.tree import SourceFile

MODELS = "sglang.srt.models"


@pytest.fixture(scope="module")
def result(fixture_tree: Callable[[str], Path]) -> Result:
    return specint.analyze(fixture_tree("sglang_small") / "sglang", cache=False)


def test_importing_specint_imports_nothing_heavy() -> None:
    code = "import specint, sys; print([n for n in ('networkx', 'msgspec', 'specint.api') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_model_with_its_verdicts_and_findings(result: Result) -> None:
    model = result.model("KumoK2ForConditionalGeneration")
    assert model.algorithms["EAGLE3"].verdict == "missing"
    assert result.about(model)
    assert all(finding.class_ == model.class_ for finding in result.about(model))


def test_findings_are_those_that_check_tells(result: Result) -> None:
    symbols = {rule.symbol for rule in all_rules() if rule.default}
    assert {one.rule for one in result.findings} <= symbols
    of_rules = [one for one in result.every_finding if one.rule in symbols]
    assert [one.class_ for one in result.findings] == [one.class_ for one in told_once(of_rules, result.models)]
    assert {one for model in result.models for one in result.about(model)} == set(of_rules)
    chosen = specint.analyze(
        result.tree.location(SourceFile.at("sglang/__init__.py")).parent,
        config=Config(select=("spec-partial-interface",)),
        cache=False,
    )
    assert {one.id for one in chosen.findings} == {"E7702"}


def test_result_says_what_it_is(result: Result) -> None:
    number = len(result.findings)
    assert repr(result) == f"<specint.Result of SGLang 0.0.1: 13 models, 5 algorithms, {number} findings>"
    assert issubclass(specint.SpecintError, Exception)


def test_unknown_model_is_an_error_with_a_hint(result: Result) -> None:
    with pytest.raises(SpecintError, match="KumoK2ForConditionalGeneration"):
        result.model("KumoK2ForConditionalGeneratio")


def test_graph_has_bases_and_what_is_held(result: Result) -> None:
    kumo, oak2, oak = (
        f"{MODELS}.{name}"
        for name in ("kumo_k2.KumoK2ForConditionalGeneration", "oak.OakV2ForCausalLM", "oak.OakForCausalLM")
    )
    assert isinstance(result.graph, nx.MultiDiGraph)
    assert [data["attribute"] for data in result.graph[kumo][oak2].values()] == ["language_model"]
    assert result.hierarchy.has_edge(oak2, oak)
    assert not result.hierarchy.has_edge(kumo, oak2)
    assert result.composition.has_edge(kumo, oak2)
    assert not result.composition.has_edge(oak2, oak)
    assert nx.has_path(result.graph, kumo, oak)
    assert result.graph.nodes[kumo]["file"] == "sglang/srt/models/kumo_k2.py"
    assert result.graph.nodes["torch.nn.Module"]["inside"] is False


def test_graph_agrees_with_what_the_models_say(result: Result) -> None:
    for model in result.models:
        held = {name for wrap in model.wraps for name in wrap.classes}
        assert held <= set(result.composition.successors(model.class_))
        above = nx.descendants(result.hierarchy, model.class_)
        assert set(model.mro[1:]) - {"builtins.object", "object"} <= above


def test_lines_of_a_file_that_is_not_there(result: Result) -> None:
    assert result.lines("sglang/srt/models/nowhere.py") == ()
