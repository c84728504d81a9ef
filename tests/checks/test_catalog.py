from __future__ import annotations

from pathlib import Path

import pytest

from specint.checks.catalog import all_rules, load_catalog, rule
from specint.checks.selection import selected_symbols
from specint.errors import SpecintError

GOOD = """
id = "E7701"
symbol = "spec-x"
severity = "error"
summary = "One"
what_it_does = "a"
why_bad = "b"
since = "0.1"
"""


def folder(root: Path, name: str, text: str | None) -> None:
    (root / name).mkdir()
    if text is not None:
        (root / name / "rule.toml").write_text(text, encoding="utf-8")


def test_every_rule_is_complete_and_found_by_symbol_and_id() -> None:
    for one in all_rules():
        assert rule(one.symbol) is rule(one.id.lower()) is one
        assert one.headline, f"{one.symbol} doesn't say what to do"
        assert one.severity == "fatal" or (one.bad and one.good), f"{one.symbol} has no examples"


def test_unknown_rule_is_an_error_with_the_nearest() -> None:
    with pytest.raises(SpecintError, match="did you mean spec-missing-delegation"):
        rule("spec-missing-delegations")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "no rule.toml"),
        ("id = ", "not readable as TOML"),
        (GOOD + "colour = 1", "colour"),
        (GOOD.replace('"error"', '"worse"'), "worse"),
        (GOOD.replace("E7701", "W7701"), "E77 and two digits"),
        (GOOD.replace("E7701", "E8801"), "E77 and two digits"),
        (GOOD.replace('"spec-x"', '"spec-y"'), "`spec-y` in the folder `spec-x`"),
        (GOOD.replace('"a"', '" "'), "`what_it_does` is empty"),
        (GOOD.replace('"One"', '"One."'), "full stop"),
        (GOOD.replace('since = "0.1"', ""), "since"),
        (GOOD + 'bad = "x"', "`bad` is a file"),
    ],
)
def test_broken_folder_is_an_error_that_names_it(tmp_path: Path, text: str | None, complaint: str) -> None:
    folder(tmp_path, "spec-x", text)
    with pytest.raises(SpecintError, match=complaint) as caught:
        load_catalog(tmp_path)
    assert "spec-x" in str(caught.value)


def test_number_is_taken_whatever_the_letter(tmp_path: Path) -> None:
    folder(tmp_path, "spec-x", GOOD)
    other = GOOD.replace("spec-x", "spec-y").replace("E7701", "W7701").replace('"error"', '"warning"')
    folder(tmp_path, "spec-y", other)
    with pytest.raises(SpecintError, match="number 7701 is taken"):
        load_catalog(tmp_path)


def test_examples_come_from_a_file_or_a_folder(tmp_path: Path) -> None:
    folder(tmp_path, "spec-x", GOOD)
    (tmp_path / "spec-x" / "bad.py").write_text("1\n")
    (tmp_path / "spec-x" / "good" / "sub").mkdir(parents=True)
    (tmp_path / "spec-x" / "good" / "sub" / "m.py").write_text("2\n")
    (one,) = load_catalog(tmp_path)
    assert one.bad == {"bad.py": "1\n"}
    assert one.good == {"sub/m.py": "2\n"}


def test_selection_begins_with_the_defaults() -> None:
    assert "spec-unresolved" not in selected_symbols()
    assert "spec-missing-delegation" in selected_symbols()


@pytest.mark.parametrize(
    ("select", "ignore", "there", "gone"),
    [
        (["E7701"], [], "spec-missing-delegation", "spec-partial-interface"),
        (["spec-unresolved"], [], "spec-unresolved", "spec-missing-delegation"),
        (["E77"], ["E7701"], "spec-partial-interface", "spec-missing-delegation"),
        (["E7701"], ["E77"], "spec-missing-delegation", "spec-partial-interface"),
        (["ALL"], ["i7799"], "spec-partial-interface", "spec-unresolved"),
        ([], ["E7701"], "spec-partial-interface", "spec-missing-delegation"),
    ],
)
def test_select_and_ignore(select: list[str], ignore: list[str], there: str, gone: str) -> None:
    symbols = selected_symbols(select, ignore)
    assert there in symbols
    assert gone not in symbols


@pytest.mark.parametrize("name", ["E78", "spec-mising-delegation", ""])
def test_name_that_fits_no_rule_is_an_error(name: str) -> None:
    with pytest.raises(SpecintError, match=r"select: no rule is called"):
        selected_symbols([name])
