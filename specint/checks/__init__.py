"""The rules over an analysed tree: found in `specint.checks.rules` by themselves, none is listed anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.checks.context import Context
    from specint.checks.finding import Finding
    from specint.pipeline import Analysis


def rule_modules() -> Iterator[ModuleType]:
    """The module of every rule, in the order of their names."""
    from specint.checks import rules

    for found in sorted(pkgutil.iter_modules(rules.__path__), key=lambda one: one.name):
        yield importlib.import_module(f"{rules.__name__}.{found.name}")


def run(context: Context, *, parallel: bool = False) -> tuple[Finding, ...]:
    """Every finding of every rule, in the order of files, lines, rules and members.

    Args:
        parallel: let a second process follow the rules that say `ASIDE`.
    """
    import msgspec

    from specint.aside import aside
    from specint.checks.finding import Finding

    modules = [module for module in rule_modules() if hasattr(module, "check")]
    apart = [module for module in modules if getattr(module, "ASIDE", False)]

    def follow() -> bytes:
        found = [f for module in apart for f in module.check(context)]
        return msgspec.msgpack.encode((found, context.loader.asked()))

    with aside(follow, parallel=parallel) as followed:
        found = [f for module in modules if module not in apart for f in module.check(context)]
        more, asked = msgspec.msgpack.decode(followed(), type=tuple[list[Finding], list[str]])
    context.loader.also_asked(asked)
    found += more
    return tuple(sorted(found, key=lambda f: (f.file, f.line, f.column, f.id, f.member, f.class_, f.message)))


def demand(analysis: Analysis, model: str, algorithm: str) -> tuple[Finding, ...]:
    """What a model (by dotted class) lacks for an algorithm that was demanded of it."""
    from specint.checks.rules.unsupported_algorithm import demanded

    found = next(one for one in analysis.models if one.class_ == model)
    return demanded(analysis.contract, found, algorithm)
