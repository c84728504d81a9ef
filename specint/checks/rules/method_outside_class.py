"""spec-method-outside-class: a function with `self`, named as a member of the contract, that no class has."""

from __future__ import annotations

from collections.abc import Iterator

from specint.checks.catalog import rule
from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence, Finding
from specint.checks.reshaping import moved_into
from specint.checks.wording import at_site, does
from specint.compliance.judge import HARD
from specint.compliance.model import ModelCompliance
from specint.contract.model import Requirement, telling_site
from specint.facts import model as facts

SYMBOL = "spec-method-outside-class"


def check(context: Context) -> Iterator[Finding]:
    """Every function that looks like a member of a model and is none."""
    asked: dict[str, list[Requirement]] = {}
    for requirement in context.contract.requirements:
        if requirement.role in ("target", "draft") and requirement.algorithms and requirement.strength in HARD:
            asked.setdefault(requirement.member, []).append(requirement)
    by_file: dict[str, list[ModelCompliance]] = {}
    for model in context.models:
        by_file.setdefault(model.file, []).append(model)
    for models in by_file.values():
        module = context.node(models[0]).module
        for function in _stray(module, asked):
            if not _is_used(module, function.name):
                yield _finding(context, module, function, models, asked[function.name])


def _stray(module: facts.Module, names: dict[str, list[Requirement]]) -> Iterator[facts.Function]:
    """Functions of the module, and functions within methods, that look like methods of the contract."""
    pending = list(module.body.functions)
    for found in module.body.classes:
        for method in found.body.functions:
            pending += method.body.functions
    for function in pending:
        if function.name in names and function.params and function.params[0].name == "self":
            yield function


def _is_used(module: facts.Module, name: str) -> bool:
    """Whether anything in the module mentions a function by its name: then somebody may bind it."""
    scopes: list[facts.Scope] = [module.body]
    while scopes:
        scope = scopes.pop()
        for step in scope.steps:
            parts = [getattr(step, "value", None), getattr(step, "target", None)]
            for expr in parts:
                if isinstance(expr, facts.Node) and any(
                    part == facts.Name(name) or part == facts.Constant(name)
                    for part in facts.walk(expr)  # type: ignore[arg-type]
                ):
                    return True
        scopes += [one.body for one in scope.functions]
        scopes += [one.body for one in scope.classes]
    return False


def _finding(
    context: Context,
    module: facts.Module,
    function: facts.Function,
    models: list[ModelCompliance],
    requirements: list[Requirement],
) -> Finding:
    above = [model for model in models if model.line < function.line]
    model = max(above, key=lambda m: m.line) if above else models[0]
    algorithms = tuple(a for a in context.contract.algorithms if any(a in r.algorithms for r in requirements))
    outer = function.qualname.rpartition(".")[0]
    where = f"inside the method {outer}, where it is a local function" if outer else "below the class, not in it"
    site = telling_site(requirements, algorithms)
    has = model.members[function.name].status == "present"
    lacks = "" if has else f", which therefore has no {function.name}"
    message = (
        f"{function.name}(self, …) stands {where}: it was likely meant as a method of {model.name}{lacks}; "
        f"{does(algorithms, 'ask')} for it{at_site(site, algorithms)}. "
        f"Indent it into the class"
    )
    return Finding(
        rule=SYMBOL,
        id=rule(SYMBOL).id,
        class_=model.class_,
        member=function.name,
        algorithms=algorithms,
        file=module.path,
        line=function.line,
        column=function.column,
        message=message,
        evidence=(
            Evidence(file=model.file, line=model.line, what=f"{model.name} is defined here"),
            *call_sites(requirements, algorithms),
        ),
        edit=moved_into(context, model, function),
    )
