"""Classes as pictures."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import specint
from specint.analysis.result import Result
from specint.compliance.model import Wrap
from specint.errors import SpecintError
from specint.outputs.diagrams.diagram import Arrow, Box, Diagram, about, around, find_class
from specint.outputs.diagrams.layout import laid_out
from specint.outputs.diagrams.svg import svg
from specint.outputs.diagrams.text import dot, mermaid

HOSTILE = 'A"]; B --> C <b>&amp;</b> \\ \n end'


@pytest.fixture(scope="module")
def result(fixture_tree: Callable[[str], Path]) -> Result:
    return specint.analyze(fixture_tree("sglang_small") / "sglang", cache=False)


@pytest.fixture(scope="module")
def kumo(result: Result) -> Diagram:
    return about(result, find_class(result, "KumoK2ForConditionalGeneration"))


def test_wrapper_its_inner_model_and_the_provider(kumo: Diagram) -> None:
    boxes = {box.name: box for box in kumo.boxes}
    assert list(boxes) == ["KumoK2ForConditionalGeneration", "OakV2ForCausalLM", "OakForCausalLM"]
    assert "lacks set_eagle3_layers_to_capture" in boxes["KumoK2ForConditionalGeneration"].lacks
    assert boxes["OakForCausalLM"].mark == "provider"
    assert "has set_eagle3_layers_to_capture" in boxes["OakForCausalLM"].lines
    assert [(arrow.kind, arrow.text, arrow.missing) for arrow in kumo.arrows] == [
        ("holds", "language_model", True),
        ("inherits", "", False),
    ]


def test_who_wraps_or_inherits(result: Result) -> None:
    diagram = around(result, find_class(result, "OakV2ForCausalLM"))
    names = {box.name for box in diagram.boxes}
    assert "KumoK2ForConditionalGeneration" in names
    assert "OakForCausalLM" not in names, "a base of it is not one of those"
    oak = around(result, find_class(result, "OakForCausalLM"))
    assert names < {box.name for box in oak.boxes}


def test_inner_model_that_nobody_knows_is_a_box_too(result: Result) -> None:
    oak = result.model("OakForCausalLM")
    lost = msgspec.structs.replace(oak, wraps=(Wrap(attribute="inner", classes=(), reason="chosen at run time"),))
    models = tuple(lost if model is oak else model for model in result.models)
    diagram = about(
        Result(result.tree, msgspec.structs.replace(result.analysis, models=models), result._store), oak.class_
    )
    assert [(box.name, box.lines) for box in diagram.boxes if box.mark == "unknown"] == [
        ("not known", ("chosen at run time",))
    ]
    assert [arrow.text for arrow in diagram.arrows if arrow.target == "?inner"] == ["inner"]


def test_unknown_class_is_an_error_with_a_hint(result: Result) -> None:
    with pytest.raises(SpecintError, match="OakForCausalLM"):
        find_class(result, "OakForCausalLN")


@pytest.mark.parametrize("direction", ["down", "right"])
def test_no_two_boxes_overlap_and_all_are_inside(result: Result, direction: str) -> None:
    for model in result.models:
        made = about(result, model.class_) if direction == "down" else around(result, model.class_)
        layout = laid_out(made)
        for number, one in enumerate(layout.boxes):
            assert one.x >= 0
            assert one.y >= 0
            assert one.x + one.width <= layout.width + 1
            assert one.y + one.height <= layout.height + 1
            for other in layout.boxes[:number]:
                apart = (
                    one.x + one.width <= other.x
                    or other.x + other.width <= one.x
                    or one.y + one.height <= other.y
                    or other.y + other.height <= one.y
                )
                assert apart, (model.name, one.box.name, other.box.name)


def test_arrows_lead_from_box_to_box_in_their_direction(kumo: Diagram) -> None:
    places = {placed.box.key: placed for placed in laid_out(kumo).boxes}
    for routed in laid_out(kumo).arrows:
        source, target = places[routed.arrow.source], places[routed.arrow.target]
        assert routed.points[0][1] == pytest.approx(source.y + source.height)
        assert routed.points[-1][1] == pytest.approx(target.y)


def test_a_model_that_holds_its_own_kind_has_a_picture() -> None:
    circle = Diagram(
        title="circle",
        boxes=(Box(key="a", name="A"), Box(key="b", name="B")),
        arrows=(Arrow(source="a", target="b", kind="holds", text="b"), Arrow(source="b", target="a", kind="inherits")),
    )
    assert ET.fromstring(svg(circle)) is not None


def hostile() -> Diagram:
    boxes = (Box(key="x", name=HOSTILE, lines=(HOSTILE,), lacks=(HOSTILE,)), Box(key="y", name="Y"))
    arrow = Arrow(source="x", target="y", kind="holds", text=HOSTILE, missing=True)
    return Diagram(title=HOSTILE, boxes=boxes, arrows=(arrow,))


def test_svg_is_well_formed_whatever_the_names() -> None:
    root = ET.fromstring(svg(hostile()))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count(HOSTILE) == 4
    assert not list(root.iter("{http://www.w3.org/2000/svg}b"))


def test_mermaid_writes_strange_signs_as_codes() -> None:
    lines = mermaid(hostile()).splitlines()
    assert lines[0] == "flowchart TD"
    assert len(lines) == 8, "no text begins a line of its own"
    label = re.fullmatch(r'  n0\["(.*)"\]', lines[1])[1]
    assert not set('"[];<>&') & set(label.replace("<br/>", "").replace(";", "", label.count("#")))


def test_dot_is_taken_by_graphviz(kumo: Diagram) -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    for diagram in (kumo, hostile()):
        done = subprocess.run(["dot", "-Tplain"], input=dot(diagram), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("node ") == len(diagram.boxes)


def test_dot_keeps_every_text_in_its_quotes() -> None:
    text = dot(hostile())
    assert len(text.splitlines()) == 9
    for line in text.splitlines()[5:8]:
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0
