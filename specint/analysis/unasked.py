"""Hooks that many models offer, an earlier SGLang asked for, and nobody asks for any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from specint.contract.difference import differences
from specint.contract.spoken import Spoken
from specint.source.tree import Tree

if TYPE_CHECKING:
    from specint.analysis.model import Analysis
    from specint.checks.finding import Finding
    from specint.contract.model import Contract
    from specint.facts import model as facts
    from specint.facts.store import Store

MANY = 3
"""So many classes must define a hook: fewer may have it for reasons of their own."""


def unasked(
    analysis: Analysis,
    tree: Tree,
    store: Store,
    now: Contract,
    then: Contract,
    version: str,
    *,
    among: Collection[str] = (),
    models: Tree | None = None,
) -> tuple[Finding, ...]:
    """One note for each such hook.

    Args:
        tree: the SGLang of today, in which a name that is still read is no forgotten one.
        among: the classes that are told of it, where not all are.
        models: where the models' own files are, where that is another tree.
        now, then: what is asked under any interface by the code that was read, today and in the earlier SGLang.
        version: what that one is called.
    """
    from specint.answers import fingerprint
    from specint.checks.rules.contract_drift import forgotten
    from specint.facts.load import Loader

    gone = [
        one
        for one in differences(then, now, named=Spoken(tree, then).place)
        if one.what == "dropped" and one.role != "class" and one.member.isidentifier()
    ]
    if not gone:
        return ()
    loader = Loader(models or tree, store, version=fingerprint())
    files = {key.rpartition(".")[0] for model in analysis.models for key in (model.class_, *model.mro)}
    there = [file for name in sorted(files) if (file := (models or tree).find(name)) is not None]
    defined = {key: names for module in loader.load(there) for key, names in _defined(module)}
    found = []
    for change in gone:
        definers = [key for key, names in defined.items() if change.member in names]
        offering = [
            model
            for model in analysis.models
            if set(definers) & set(model.mro) and (not among or model.class_ in among)
        ]
        if len(definers) >= MANY and offering and change.site is not None:
            first = next((model for model in offering if model.class_ in definers), offering[0])
            line = defined[first.class_].get(change.member, first.line) if first.class_ in defined else first.line
            found.append(forgotten(change.member, change.site, first, line, offering, version))
    return tuple(found)


def _defined(module: facts.Module) -> Iterator[tuple[str, dict[str, int]]]:
    """The classes of a module with the lines of their own methods."""
    classes: Iterable[facts.Class] = module.body.classes
    for one in classes:
        yield f"{module.name}.{one.name}", {function.name: function.line for function in one.body.functions}
