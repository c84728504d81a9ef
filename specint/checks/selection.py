"""Which rules speak: the defaults, changed by `--select` and `--ignore`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from specint.checks.catalog import Rule, all_rules
from specint.checks.finding import Finding
from specint.errors import SpecintError
from specint.suggestion import did_you_mean

_WORST_FIRST = ("fatal", "error", "warning", "info")


def selected_symbols(select: Sequence[str] = (), ignore: Sequence[str] = ()) -> frozenset[str]:
    """The symbols of the rules that speak.

    A name is a symbol, an id, the beginning of an id (`E77`) or `ALL`. Without `select` it is the rules that are on by
    default. `ignore` wins over `select`, unless `select` names the rule in full and `ignore` only its beginning.
    A name that fits no rule is an error.
    """
    chosen = {rule.symbol: 0 for rule in all_rules() if rule.default} if not select else {}
    for name in select:
        for rule, weight in rules_called(name, "select"):
            chosen[rule.symbol] = max(weight, chosen.get(rule.symbol, 0))
    dropped: dict[str, int] = {}
    for name in ignore:
        for rule, weight in rules_called(name, "ignore"):
            dropped[rule.symbol] = max(weight, dropped.get(rule.symbol, 0))
    return frozenset(symbol for symbol, weight in chosen.items() if dropped.get(symbol, -1) < weight)


def failing_symbols(names: Sequence[str]) -> frozenset[str]:
    """The symbols of the rules whose findings fail a run: rules by name, or a severity, which means that and worse.

    Without names it is all of them. `never` is none.
    """
    if not names:
        return frozenset(rule.symbol for rule in all_rules())
    failing: set[str] = set()
    for name in names:
        word = name.lower()
        if word in _WORST_FIRST:
            bad = _WORST_FIRST[: _WORST_FIRST.index(word) + 1]
            failing.update(rule.symbol for rule in all_rules() if rule.severity in bad)
        elif word != "never":
            failing.update(rule.symbol for rule, _ in rules_called(name, "--fail-on"))
    return frozenset(failing)


def select_findings(findings: Iterable[Finding], symbols: frozenset[str]) -> tuple[Finding, ...]:
    """The findings of those rules, each once, in the order in which they are printed everywhere."""
    kept = {finding for finding in findings if finding.rule in symbols}
    return tuple(sorted(kept, key=finding_order))


def finding_order(finding: Finding) -> tuple[str, int, str, str, str, tuple[str, ...], str]:
    """By place, then class, rule and member: no two different findings are equal in all of it."""
    return (
        finding.file,
        finding.line,
        finding.class_,
        finding.id,
        finding.member,
        finding.algorithms,
        finding.message,
    )


def rules_called(name: str, where: str) -> list[tuple[Rule, int]]:
    """The rules that `name` means (a symbol, an id, the beginning of one, `ALL`), and how exactly it means them.

    The longer the prefix, the more exactly.
    """
    rules = all_rules()
    if name.upper() == "ALL":
        return [(rule, 1) for rule in rules]
    exact = [rule for rule in rules if name.lower() in (rule.symbol, rule.id.lower())]
    if exact:
        return [(rule, 100) for rule in exact]
    begun = [rule for rule in rules if name and rule.id.startswith(name.upper())]
    if not begun:
        known = [word for rule in rules for word in (rule.symbol, rule.id)]
        raise SpecintError(
            f"no rule is called `{name}`", where, did_you_mean(name, known) or "`specint rules` lists them"
        )
    return [(rule, 1 + len(name)) for rule in begun]
