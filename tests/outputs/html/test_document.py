"""What is in the HTML file, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from specint.analysis.result import Result
from specint.checks.catalog import all_rules
from specint.outputs.html import document, report_html


@pytest.fixture(scope="module")
def page(small_page: Path) -> str:
    return small_page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def data(page: str) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]


def test_page_refers_to_nothing_outside(page: str) -> None:
    links = Links()
    links.feed(page)
    assert all(link.startswith(("#", "data:")) for link in links.found)
    assert "default-src 'none'" in page
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest|WebSocket", page)


def test_same_analysis_gives_the_same_bytes(small_result: Result) -> None:
    assert report_html(small_result, small_result.findings) == report_html(small_result, small_result.findings)


def test_every_place_that_is_named_brings_its_line(data: dict, small_result: Result) -> None:
    places = [(file, line) for one in data["requirements"] for file, line, _ in one["sites"]]
    places += [(file, line) for one in data["findings"] for file, line, _ in one.get("evidence", [])]
    assert len(places) > 40
    for file, line in places:
        text = small_result.lines(data["files"][file])[line - 1]
        assert data["source_lines"][str(file)][str(line)] == text


def test_every_rule_has_a_page(data: dict) -> None:
    assert [rule["symbol"] for rule in data["rules"]] == [rule.symbol for rule in all_rules()]
    assert all("<h2>What it does</h2>" in rule["html"] for rule in data["rules"])


def test_only_the_algorithms_asked_for(small_result: Result) -> None:
    text = report_html(small_result, (), ("EAGLE3",)).decode()
    shown = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert shown["algorithms"] == ["EAGLE3"]
    assert {name for one in shown["requirements"] for name in one["algorithms"]} == {"EAGLE3"}
    assert all(len(model["verdicts"]) == 1 for model in shown["models"])


def test_what_is_left_out_of_a_model_is_missing(data: dict, small_result: Result) -> None:
    """The page leaves out members that are missing with nothing more to say; none of those may be there."""
    for shown in data["models"]:
        model = small_result.model(data["classes"][shown["class"]])
        asked = {one.member for one in small_result.contract.requirements if one.role in ("both", *model.roles)}
        for name in asked - shown["members"].keys():
            assert model.members[name].status == "missing"


def test_parts_are_small_rooms() -> None:
    folder = Path(document.__file__).parent / "page"
    parts = [path for path in folder.iterdir() if path.suffix in (".js", ".css")]
    assert {path.name for path in parts} == {*document.STYLES, *document.SCRIPTS}
    assert max(len(path.read_text(encoding="utf-8").splitlines()) for path in parts) < 300


@pytest.mark.parametrize("text", ["</script>", "<!--", "<script>", "]]>", "\u2028", "&lt;"])
def test_no_text_ends_the_data_early(text: str) -> None:
    embedded = document._embedded(json.dumps(f"a {text} b", ensure_ascii=False).encode())
    assert json.loads(embedded) == f"a {text} b"
    assert not set("<>&\u2028") & set(embedded)


def test_template_marks_in_a_text_are_no_template(small_result: Result, fixture_tree: Callable[[str], Path]) -> None:
    import msgspec

    findings = [msgspec.structs.replace(one, message="{{ script }}") for one in small_result.findings]
    text = report_html(small_result, findings).decode()
    assert text.count("{{ script }}") == len(findings)


def test_what_an_heir_repeats_is_marked(heirs: Path) -> None:
    data = json.loads(re.search(r'id="data">(.*?)</script>', heirs.read_text(encoding="utf-8"), re.DOTALL)[1])
    named = [one for one in data["findings"] if data["classes"][one["class"]].startswith("sglang.srt.models.trial.")]
    told = {data["classes"][one["class"]].rpartition(".")[2]: one.get("repeated", False) for one in named}
    assert told == {"Parent": False, "Heir": True}
    (parent,) = [one for one in named if not one.get("repeated")]
    assert "Heir inherits it" in parent["message"]
    assert f"{sum(not one.get('repeated') for one in data['findings'])} findings in " in data["summary"]
