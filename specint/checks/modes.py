"""Which states of a model no worker meets: the server that brings them about starts none, or refuses the algorithm."""

from __future__ import annotations

from specint.checks.asked import Asked
from specint.checks.context import Context
from specint.facts import model as facts
from specint.facts.conditions import excludes


def meeting(context: Context, one: Asked, condition: str) -> tuple[str, ...]:
    """The algorithms of those that ask for a member whose server can be in a state, told by its condition as it is
    spelled in findings."""
    without = dict.fromkeys(context.once(options_without_worker), False)
    if without and excludes(condition, without):
        return ()
    if excludes(condition, context.judge.declared.stages.alone):
        return tuple(name for name in one.algorithms if name not in context.contract.one_stage)
    return one.algorithms


def options_without_worker(context: Context) -> frozenset[str]:
    """The declared options (`rules/contract.toml`) that this tree's own launcher looks at."""
    project = context.judge.project
    found: set[str] = set()
    for one in context.judge.declared.without_worker:
        module_name, _, function_name = one.function.rpartition(".")
        module = project.module(f"{project.package}.{module_name}")
        for function in project.functions_of(module) if module is not None else ():
            if function.name == function_name:
                tests = [guard.test for guard in function.facts.body.guards if guard.test is not None]
                asked = {p.name for test in tests for p in facts.within(test, facts.Attribute)}
                found |= asked & set(one.options)
    return frozenset(found)
