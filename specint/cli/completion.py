"""What a shell offers behind an option: rules, and the classes and algorithms of the SGLang that was read last.

A shell waits for it at every key, so nothing is analysed here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
import msgspec

from specint.facts.store import Store, cache_directory

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from specint.analysis.model import Analysis

_KEY = "completion"


class _Names(msgspec.Struct, frozen=True):
    classes: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ()


def remember(store: Store, analysis: Analysis) -> None:
    """Keep the names of an analysis for the next completion, where they aren't kept already."""
    contract = analysis.contract
    names = _Names(
        tuple(sorted({model.name for model in analysis.models})), (*contract.algorithms, *sorted(contract.aliases))
    )
    data = msgspec.json.encode(names)
    if store.get("analysis", _KEY) != data:
        store.put("analysis", _KEY, data)


def classes(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Model classes; letter case doesn't count, and the beginning may be left out."""
    return _items(name for name in _known().classes if typed.lower() in name.lower())


def algorithms(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Algorithms; behind a comma the next one."""
    before, comma, last = typed.rpartition(",")
    return _items(f"{before}{comma}{name}" for name in _known().algorithms if name.startswith(last.upper()))


def rules(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Rules by symbol and by id."""
    from specint.checks.catalog import all_rules

    names = [name for rule in all_rules() for name in (rule.symbol, rule.id)]
    return _items(sorted(name for name in names if name.lower().startswith(typed.lower())))


def what(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """What `specint explain` takes: a class or a rule."""
    return [*classes(context, parameter, typed), *rules(context, parameter, typed)]


def _known() -> _Names:
    data = Store(cache_directory()).get("analysis", _KEY)
    try:
        return msgspec.json.decode(data, type=_Names) if data else _Names()
    except msgspec.MsgspecError:
        return _Names()


def _items(names: Iterable[str]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names]
