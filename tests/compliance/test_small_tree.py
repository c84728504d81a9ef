"""The models of `fixtures/sglang_small`, compared with the tables of `expected.md` that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHORT = {
    "get": "get_embed_and_head",
    "eagle3": "set_eagle3_layers_to_capture",
    "dflash": "set_dflash_layers_to_capture",
    "embeddings": "get_input_embeddings",
    "head": "lm_head",
}
PREFIX = "sglang.srt.models."


@pytest.fixture(scope="module")
def expected(fixture_tree: Callable[[str], Path]) -> Callable[[str], list[dict[str, str]]]:
    """The rows of the table below a heading."""
    text = (fixture_tree("sglang_small") / "expected.md").read_text()

    def rows(heading: str) -> list[dict[str, str]]:
        part = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        lines = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")
        ]
        return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]

    return rows


@pytest.fixture(scope="module")
def models(judged):
    return {one.class_.removeprefix(PREFIX): one for one in judged().models}


def cells(expected, models) -> Iterator[tuple[str, str, str, str]]:
    """(class, column, expected, found) of every cell of the table of models."""
    for row in expected("The models"):
        name = row["class"].strip("`")
        model = models[name]
        yield name, "role", row["role"], model.roles[0]
        for column, member in SHORT.items():
            found = model.members[member]
            yield name, column, row[column], found.way if found.status == "present" else found.status
        for algorithm in ("EAGLE", "EAGLE3", "DFLASH", "DSPARK"):
            yield name, algorithm, row[algorithm], model.algorithms[algorithm].verdict


def test_every_cell_of_the_table_of_models(expected, models) -> None:
    found = list(cells(expected, models))
    assert len(found) == len(models) * 10
    assert [cell for cell in found if cell[2] != cell[3]] == []


def test_inner_models(expected, models) -> None:
    for row in expected("The inner models"):
        name = row["wrapper"].strip("`")
        (model,) = [one for one in models.values() if one.name == name]
        wraps = {wrap.attribute: [one.removeprefix(PREFIX) for one in wrap.classes] for wrap in model.wraps}
        assert wraps == {row["attribute"].strip("`"): re.findall(r"`([\w.]+\.\w+)`", row["classes"])}


def test_findings(expected, judged) -> None:
    found = {}
    for one in judged().findings:
        if one.id in ("E7701", "E7702"):
            found.setdefault((one.rule, one.class_.rpartition(".")[2]), set()).add(one.member)
    named = {(row["rule"].strip("`"), row["class"].strip("`")) for row in expected("Findings")}
    assert set(found) == named
    assert found["spec-partial-interface", "BirchForCausalLM"] == {SHORT["get"]}
    assert SHORT["get"] in found["spec-missing-delegation", "KumoK2ForConditionalGeneration"]


def test_arms_that_differ_are_told_apart(models) -> None:
    status = models["prism.PrismChatModel"].members[SHORT["get"]]
    assert (status.status, status.inner, status.inner_status) == ("missing", "language_model", "present")
    assert {one.holder.rpartition(".")[2]: one.status for one in status.inners} == {
        "OakForCausalLM": "present",
        "BirchForCausalLM": "missing",
    }


def test_way_to_the_provider_is_with_file_and_line(models) -> None:
    (inner,) = models["kumo_k2.KumoK2ForConditionalGeneration"].members[SHORT["get"]].inners
    assert inner.holder == f"{PREFIX}oak.OakV2ForCausalLM"
    assert inner.provider == f"{PREFIX}oak.OakForCausalLM"
    assert inner.file == "sglang/srt/models/oak.py"
    assert inner.line > 0
