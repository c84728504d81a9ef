"""The contract of a tree: roots, code under scan, inference."""

from __future__ import annotations

from collections.abc import Iterable

from specint.contract.algorithms import aliases, members
from specint.contract.code import Code
from specint.contract.infer import Inference
from specint.contract.model import Contract
from specint.contract.reach import Reach
from specint.contract.receivers import Receivers
from specint.contract.registrations import registrations
from specint.contract.roots import Roots
from specint.errors import SpecintError
from specint.facts import model as facts
from specint.graph.hierarchy import Hierarchy
from specint.graph.project import Project


def build_contract(
    project: Project,
    hierarchy: Hierarchy,
    roots: Roots,
    modules: Iterable[facts.Module],
    outside: frozenset[str] = frozenset(),
) -> Contract:
    """Infer the contract from the modules of the code packages.

    Args:
        outside: modules outside of SGLang that bring workers of their own.

    Raises:
        SpecintError: no call site of a worker was found: a clean run would mean nothing.
    """
    modules = tuple(modules)
    code = Code(project)
    code.add(modules)
    receivers = Receivers(project, hierarchy, roots, code)
    beside = [module for module in modules if module.name in outside]
    registered = registrations(project, roots, [roots.enum.module, *beside])
    reach = Reach(receivers, registered, outside)
    names = tuple(dict.fromkeys((*members(hierarchy, roots), *registered)))
    requirements = Inference(reach, names).requirements()
    none = roots.declared.algorithm.none
    algorithms = tuple(name for name in names if name != none)
    if not any(r.algorithms and r.role == "target" for r in requirements):
        raise SpecintError(
            "no speculative worker of this tree asks anything of a target model, which can't be",
            f"{project.package}.{roots.declared.code.workers}",
            "is the tree whole? Otherwise SGLang changed how workers reach the model; please report it",
        )
    return Contract(
        requirements=requirements,
        algorithms=algorithms,
        aliases={
            **aliases(project, roots, algorithms),
            **{alias: one.name for one in registered.values() for alias in one.aliases},
        },
        workers={a: tuple(node.key for node in reach.workers.serving(a)) for a in algorithms},
    )
