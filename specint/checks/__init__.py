"""The rules over an analysed tree: found in `specint.checks.rules` by themselves, none is listed anywhere."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specint.checks.context import Context
    from specint.checks.finding import Finding
    from specint.errors import Diagnostic


def rule_modules() -> Iterator[ModuleType]:
    """The module of every rule, in the order of their names."""
    from specint.checks import rules

    for found in sorted(pkgutil.iter_modules(rules.__path__), key=lambda one: one.name):
        yield importlib.import_module(f"{rules.__name__}.{found.name}")


def run(context: Context, *, parallel: bool = False) -> tuple[tuple[Finding, ...], tuple[Diagnostic, ...]]:
    """Every finding of every rule, in the order of files, lines, rules and members; and the rules that got lost.

    Args:
        parallel: let a second process follow the rules that say `ASIDE`.
    """
    import msgspec

    from specint.aside import aside
    from specint.checks.finding import Finding
    from specint.checks.patches import with_patches
    from specint.errors import Diagnostic

    modules = [module for module in rule_modules() if hasattr(module, "check")]
    apart = [module for module in modules if getattr(module, "ASIDE", False)]

    def follow() -> bytes:
        return msgspec.msgpack.encode((*_checked(apart, context), context.loader.asked()))

    with aside(follow, parallel=parallel) as followed:
        found, lost = _checked([module for module in modules if module not in apart], context)
        kind = tuple[list[Finding], list[Diagnostic], list[str]]
        more, also_lost, asked = msgspec.msgpack.decode(followed(), type=kind)
    context.loader.also_asked(asked)
    ordered = sorted(found + more, key=lambda f: (f.file, f.line, f.column, f.id, f.member, f.class_, f.message))
    return tuple(with_patches(ordered, context.loader.source)), (*lost, *also_lost)


def _checked(modules: Iterable[ModuleType], context: Context) -> tuple[list[Finding], list[Diagnostic]]:
    from specint.errors import Diagnostic

    found: list[Finding] = []
    lost: list[Diagnostic] = []
    for module in modules:
        try:
            found += module.check(context)
        except RecursionError:
            what = (
                f"{module.SYMBOL} looked at no class: a chain of calls, bases or imports is longer than specint follows"
            )
            hint = "shorten the chain of calls, bases or imports"
            lost.append(Diagnostic(file=context.judge.project.package, what=what, hint=hint))
    return found, lost
