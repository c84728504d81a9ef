from __future__ import annotations

from pathlib import Path

import pytest

from specint.checks.catalog import all_rules, load_catalog, rule
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
        (GOOD.replace('since = "0.1"', 'since = "soon"'), "since = `soon` is not a release"),
        (GOOD.replace('since = "0.1"', 'since = "0.1.2.3"'), "is not a release"),
        (GOOD.replace('summary = "One"', 'summary = "One "'), "full stop"),
        (GOOD.replace('summary = "One"', 'summary = "One\\nmore"'), "full stop"),
        (GOOD.replace('summary = "One"', 'summary = ""'), "`summary` is empty"),
        (GOOD.replace('"b"', '""'), "`why_bad` is empty"),
        (GOOD.replace('id = "E7701"', "id = 7701"), "`id` is of the wrong kind"),
        (GOOD + "default = 1", "`default` is of the wrong kind"),
        (GOOD + 'on_demand = "x"', "`on_demand` is of the wrong kind"),
        (GOOD + 'breaks = "x"', "`breaks` is of the wrong kind"),
        (GOOD + 'references = "x"', "`references` is of the wrong kind"),
        (GOOD + "references = [1]", "`references` is of the wrong kind"),
        (GOOD + "headline = true", "`headline` is of the wrong kind"),
        (GOOD.replace("E7701", "E77012"), "E77 and two digits"),
        (GOOD + 'bad = "x"', "`bad` is a file"),
        (GOOD + 'good = "x"', "`good` is a file"),
    ],
)
def test_broken_folder_is_an_error_that_names_it(tmp_path: Path, text: str | None, complaint: str) -> None:
    folder(tmp_path, "spec-x", text)
    with pytest.raises(SpecintError, match=complaint) as caught:
        load_catalog(tmp_path)
    assert "spec-x" in str(caught.value)


@pytest.mark.parametrize("name", ["x", "spec_x", "spec-", "Spec-x", "spec-x-"])
def test_symbol_is_spec_and_some_words(tmp_path: Path, name: str) -> None:
    folder(tmp_path, name, GOOD.replace("spec-x", name))
    with pytest.raises(SpecintError, match="not of the form spec-some-words"):
        load_catalog(tmp_path)


def test_what_a_rule_leaves_out_has_a_default(tmp_path: Path) -> None:
    folder(tmp_path, "spec-x", GOOD)
    folder(tmp_path, "spec-a", GOOD.replace("spec-x", "spec-a").replace("E7701", "E7709"))
    folder(tmp_path, ".hidden", None)
    folder(tmp_path, "_draft", None)
    (tmp_path / "README.md").write_text("no folder")
    one, other = load_catalog(tmp_path)
    assert (one.symbol, other.symbol) == ("spec-x", "spec-a"), "by number"
    assert (one.default, one.on_demand, one.breaks, one.headline, one.references) == (True, False, False, "", ())
    assert (one.bad, one.good) == ({}, {})


def test_what_a_rule_says_is_kept(tmp_path: Path) -> None:
    folder(tmp_path, "spec-x", GOOD + 'default = false\non_demand = true\nbreaks = true\nreferences = ["a", "b"]')
    (one,) = load_catalog(tmp_path)
    assert (one.default, one.on_demand, one.breaks, one.references) == (False, True, True, ("a", "b"))


def test_rules_that_are_not_there_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpecintError, match="the rules can't be read"):
        load_catalog(tmp_path / "nowhere")
    assert load_catalog(tmp_path) == ()


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
