"""Functions that choose a class when the server runs: what they give can't be read."""

from __future__ import annotations

from collections.abc import Callable

from specint.contract.declared import Declared
from specint.facts import model as facts
from specint.graph.project import ClassNode, FunctionNode, Project
from specint.graph.value import Unknown, Values


def chosen_at_run_time(project: Project, declared: Declared) -> Callable[[FunctionNode], Values | None]:
    """For an evaluator: what the registry's methods give is what a checkpoint names, no value of the tree."""
    registry = declared.code.registry

    def answer(function: FunctionNode) -> Values | None:
        owner = function.owner
        if owner is None:
            return None
        steps = project.table(owner.module).get(registry, ())
        if owner.name != registry and not any(_makes(step, owner) for step in steps):
            return None
        return frozenset({Unknown(f"{registry}.{function.name} chooses it for a checkpoint, while the server starts")})

    return answer


def _makes(step: facts.Step, node: ClassNode) -> bool:
    value = step.value if isinstance(step, facts.Bind) else None
    return isinstance(value, facts.Call) and facts.spell(value.func) == node.name
