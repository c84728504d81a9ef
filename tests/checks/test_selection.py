"""Which rules speak, and which of them fail a run."""

from __future__ import annotations

import pytest

from specint.checks.catalog import all_rules, rule
from specint.checks.finding import Finding
from specint.checks.selection import failing_symbols, finding_order, rules_called, select_findings, selected_symbols
from specint.errors import SpecintError

ALL = frozenset(one.symbol for one in all_rules())
DEFAULT = frozenset(one.symbol for one in all_rules() if one.default)
ONE = rule("E7701")
SAME = frozenset(one.symbol for one in all_rules() if one.id.startswith("E77"))


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), DEFAULT),
        (("all",), (), ALL),
        ((ONE.symbol,), (), {ONE.symbol}),
        ((ONE.symbol.upper(),), (), {ONE.symbol}),
        (("e7701",), (), {ONE.symbol}),
        (("E77",), (), SAME),
        ((), (ONE.symbol,), DEFAULT - {ONE.symbol}),
        ((), ("ALL",), set()),
        (("E77",), (ONE.symbol,), SAME - {ONE.symbol}),
        ((ONE.symbol,), ("E77",), {ONE.symbol}),
        ((ONE.symbol,), ("ALL",), {ONE.symbol}),
        (("E77",), ("E77",), set()),
        (("E770",), ("E77",), {one.symbol for one in all_rules() if one.id.startswith("E770")}),
        ((ONE.symbol, "E77"), ("E770",), {ONE.symbol} | set()),
        ((ONE.symbol,), (ONE.symbol,), set()),
        (("ALL",), ("E77", ONE.symbol), ALL - SAME),
    ],
)
def test_the_more_exact_name_wins(select: tuple[str, ...], ignore: tuple[str, ...], expected: set[str]) -> None:
    found = selected_symbols(select, ignore)
    if select == (ONE.symbol, "E77"):
        assert ONE.symbol in found
        assert not {one.symbol for one in all_rules() if one.id.startswith("E770")} & found - {ONE.symbol}
    else:
        assert found == expected


@pytest.mark.parametrize("name", ["E79", "spec-nothing", "", "E"])
def test_name_that_fits_no_rule_is_an_error(name: str) -> None:
    if name == "E":
        assert rules_called(name, "select") == [(one, 2) for one in all_rules() if one.id.startswith("E")]
        return
    with pytest.raises(SpecintError, match=f"no rule is called `{name}`") as error:
        selected_symbols((name,))
    assert "select" in str(error.value)


def test_how_exactly_a_name_means_its_rules() -> None:
    assert rules_called("ALL", "x") == [(one, 1) for one in all_rules()]
    assert rules_called(ONE.id, "x") == [(ONE, 100)]
    assert {weight for _, weight in rules_called("E77", "x")} == {4}


@pytest.mark.parametrize(
    ("names", "severities"),
    [
        (("fatal",), {"fatal"}),
        (("error",), {"fatal", "error"}),
        (("WARNING",), {"fatal", "error", "warning"}),
        (("info",), {"fatal", "error", "warning", "info"}),
        (("never",), set()),
        ((), {"fatal", "error", "warning", "info"}),
    ],
)
def test_severity_and_worse_fail(names: tuple[str, ...], severities: set[str]) -> None:
    assert failing_symbols(names) == {one.symbol for one in all_rules() if one.severity in severities}


def test_rules_fail_by_name() -> None:
    assert failing_symbols((ONE.id, "never")) == {ONE.symbol}
    with pytest.raises(SpecintError, match="--fail-on"):
        failing_symbols(("nothing",))


def finding(**more: object) -> Finding:
    given = {
        "rule": "spec-x",
        "id": "E7701",
        "class_": "a.B",
        "member": "m",
        "algorithms": (),
        "file": "a.py",
        "line": 1,
    }
    return Finding(**(given | {"message": "m"} | more))  # type: ignore[arg-type]


def test_findings_are_told_once_in_one_order() -> None:
    later = [
        finding(message="n"),
        finding(algorithms=("A",)),
        finding(member="n"),
        finding(id="E7702"),
        finding(class_="a.C"),
        finding(line=2),
        finding(file="b.py"),
    ]
    every = [finding(), *later]
    assert select_findings([*reversed(every), *every], frozenset({"spec-x"})) == tuple(every)
    assert select_findings(every, frozenset({"spec-y"})) == ()
    assert len(set(map(finding_order, every))) == len(every)
