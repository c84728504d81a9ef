"""The contract of a tree: roots, code under scan, inference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from typing import Protocol

from specint.contract.algorithms import aliases, members
from specint.contract.code import Code
from specint.contract.demands import Demands
from specint.contract.given import written_by_makers
from specint.contract.handed import methods_handed, modules_handed
from specint.contract.infer import Inference
from specint.contract.making import constructor
from specint.contract.model import Contract, Requirement
from specint.contract.reach import Reach
from specint.contract.receivers import Receivers
from specint.contract.registrations import may_register, registrations
from specint.contract.roots import Roots
from specint.contract.stages import Stages
from specint.errors import Diagnostic, SpecintError
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project


class Elsewhere(Protocol):
    """Code that isn't under scan, and could be."""

    def names(self) -> Set[str]:
        """The names of all functions that it defines."""

    def defining(self, methods: Iterable[str]) -> list[facts.Module]:
        """Reads the modules that define one of some methods."""


def build_contract(
    project: Project,
    hierarchy: Hierarchy,
    roots: Roots,
    modules: Iterable[facts.Module],
    outside: frozenset[str] = frozenset(),
    makers: Iterable[facts.Module] = (),
    fetch: Callable[[Iterable[str]], list[facts.Module]] | None = None,
    elsewhere: Elsewhere | None = None,
    told: Callable[[Iterable[str]], None] | None = None,
) -> tuple[Contract, list[Diagnostic]]:
    """Infer the contract from the modules of the code packages, and say what is not known of it.

    Args:
        outside: modules outside of SGLang that bring workers of their own.
        makers: modules that make the models.
        elsewhere: the models' own code, which is read for the methods that workers hand another model to.
        told: is told the names of what is touched, when half of the work is still to do.
        fetch: reads more modules of the tree, by their names; those that it doesn't have are left out.

    Raises:
        SpecintError: no call site of a worker was found: a clean run would mean nothing.
    """
    modules = tuple(modules)
    code = Code(project)
    code.add(modules)
    receivers = Receivers(project, hierarchy, roots, code)
    models = f"{project.package}.{roots.declared.code.models}"
    known: set[str] = set()
    while fetch is not None:
        handed = modules_handed(code, roots.runner, roots.declared.runner.model, models) - known
        known |= handed
        if not (more := fetch(sorted(handed))):
            break
        code.add(more)
        modules += tuple(more)
    if elsewhere is not None and (methods := methods_handed(receivers, elsewhere.names)):
        code.add(elsewhere.defining(sorted(methods)))
        receivers = Receivers(project, hierarchy, roots, code)  # what was found before knew nothing of these
    speaking = [module for module in modules if module is not roots.enum.module and may_register(module, code)]
    registered = registrations(project, roots, [roots.enum.module, *speaking])
    reach = Reach(receivers, registered, outside)
    names = tuple(dict.fromkeys((*members(hierarchy, roots), *registered)))
    makers = tuple(makers)
    inference = Inference(reach, names, written_by_makers(project, roots, makers))
    if told is not None:
        told(dict.fromkeys(touch.member for touch in inference.touches))
    asked = inference.requirements()
    requirements = (*constructor(project, code, roots, makers), *asked)
    none = roots.declared.algorithm.none
    algorithms = tuple(name for name in names if name != none)
    if not any(r.algorithms and r.role == "target" for r in requirements):
        raise SpecintError(
            "no speculative worker of this tree asks anything of a target model, which can't be",
            f"{project.package}.{roots.declared.code.workers}",
            "is the tree whole? Otherwise SGLang changed how workers reach the model; please report it",
        )
    stages = Stages(reach.conditions, inference.settings)
    one_stage = stages.refusing(algorithms)
    contract = Contract(
        requirements=requirements,
        algorithms=algorithms,
        aliases={
            **aliases(project, roots, algorithms),
            **{alias: one.name for one in registered.values() for alias in one.aliases},
        },
        workers={a: tuple(node.key for node in reach.workers.serving(a)) for a in algorithms},
        apart=_asking(reach.workers.apart(algorithms), requirements),
        demands=Demands(reach, algorithms, stages, frozenset(one_stage)).found(),
        one_stage=one_stage,
        unread={a: why for a in algorithms if (why := reach.workers.unread(a)) is not None},
    )
    brings = {registration.file for registration in registered.values()}
    return contract, [*_not_found(contract), *_silent(modules, outside, contract, brings)]


def _asking(apart: dict[str, tuple[str, ...]], requirements: Iterable[Requirement]) -> dict[str, tuple[str, ...]]:
    """Of the functions that a worker leaves to others, those that ask for something."""
    asking = {f"{site.file}:{site.function}" for requirement in requirements for site in requirement.sites}
    found = {worker: tuple(one for one in functions if one in asking) for worker, functions in apart.items()}
    return {worker: functions for worker, functions in found.items() if functions}


def _not_found(contract: Contract) -> Iterator[Diagnostic]:
    """The registered algorithms whose workers were not found: what they ask is missing from the contract."""
    for unread in contract.unread.values():
        if unread.file:
            hint = "name the parameters of its __init__, or the class that its factory returns"
            yield Diagnostic(file=unread.file, line=unread.line, what=unread.reason, hint=hint)


def _silent(
    modules: Iterable[facts.Module], outside: frozenset[str], contract: Contract, brings: set[str]
) -> Iterator[Diagnostic]:
    """The files named as callers that ask nothing, register nothing, and give another such file nothing either."""
    named = [module for module in modules if module.name in outside]
    asking = {site.file for requirement in contract.requirements for site in requirement.sites} | brings
    used = {name for module in named for name in _imported(module)}
    for module in named:
        if module.path not in asking and module.name not in used:
            yield Diagnostic(
                file=module.path,
                what="named as a caller, and it asks nothing of a model that can be followed",
                hint="a worker takes the target's worker as a parameter; README says what makes a worker one",
                severity="warning",
            )


def _imported(module: facts.Module) -> Iterator[str]:
    pending: list[facts.Scope] = [module.body]
    while pending:
        scope = pending.pop()
        for step in scope.steps:
            if isinstance(step, facts.Import):
                yield from (step.module, f"{step.module}.{step.attribute}")
        pending += [one.body for one in scope.functions]
        pending += [one.body for one in scope.classes]
