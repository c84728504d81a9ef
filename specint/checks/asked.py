"""The members of a model class that somebody asks for: what rules about their bodies look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specint.checks.context import Context, call_sites
from specint.checks.finding import Evidence
from specint.compliance.judge import HARD, insists
from specint.compliance.model import ModelCompliance
from specint.contract.model import CallShape, Requirement
from specint.graph.hierarchy import Member
from specint.graph.project import ClassNode, FunctionNode


@dataclass(frozen=True)
class Asked:
    """One member that a class offers and a speculative worker asks of it.

    Attributes:
        requirements: those that fail without it, for the side on which the class serves.
        algorithms: for which, in the order of the contract.
        definition: what an instance sees at class level; None where the member is an attribute of the instance.
    """

    model: ModelCompliance
    node: ClassNode
    member: str
    requirements: tuple[Requirement, ...]
    algorithms: tuple[str, ...]
    definition: Member | None

    @property
    def function(self) -> FunctionNode | None:
        """What runs when the member is called or read as a property."""
        return self.definition.function if self.definition is not None else None

    @property
    def calls(self) -> tuple[CallShape, ...]:
        """How it is called."""
        return tuple(r.call for r in self.requirements if r.call is not None)

    @property
    def side(self) -> str:
        """Whether it is asked of the class as a target or as a draft."""
        return "draft" if "draft" in self.model.roles else "target"

    @property
    def place(self) -> tuple[int, int]:
        """Line and column where a message belongs: the class's own definition, else the class."""
        function = self.function
        if function is not None and function.owner is self.node:
            return function.facts.line, function.facts.column
        return self.model.line, self.model.column


def asked_members(context: Context) -> tuple[Asked, ...]:
    """Every member that a class has and an algorithm insists on that can meet it; ask for it by `Context.once`."""
    return tuple(_asked_members(context))


def is_asked(context: Context, node: ClassNode, function: FunctionNode) -> bool:
    """Whether a function, run for an object of a class, is a member asked of that class: looked at for itself."""
    return (node.key, id(function)) in context.once(_asked_functions)


def _asked_functions(context: Context) -> frozenset[tuple[str, int]]:
    return frozenset((one.node.key, id(one.function)) for one in context.once(asked_members))


def _asked_members(context: Context) -> Iterator[Asked]:
    hard: dict[tuple[str, str], list[Requirement]] = {}
    for requirement in context.contract.requirements:
        if any(insists(requirement, algorithm) for algorithm in requirement.algorithms):
            hard.setdefault(("target", requirement.member), []).append(requirement)
        if _asked_of_drafts(requirement):
            hard.setdefault(("draft", requirement.member), []).append(requirement)
    for model in context.models:
        node = context.node(model)
        side = "draft" if "draft" in model.roles else "target"
        serves = set(model.applicable)
        for (role, member), requirements in hard.items():
            if role != side or model.members[member].status != "present":
                continue
            under = {a for r in requirements for a in r.algorithms} & serves
            if under:
                ordered = tuple(a for a in context.contract.algorithms if a in under)
                meant = tuple(r for r in requirements if set(r.algorithms) & under)
                yield Asked(model, node, member, meant, ordered, context.judge.hierarchy.lookup(node, member))


def _asked_of_drafts(requirement: Requirement) -> bool:
    strengths = (*HARD, "conditional")
    return requirement.role in ("draft", "both") and requirement.strength in strengths and not requirement.settings


def sites(one: Asked) -> Iterator[Evidence]:
    """Where the member is asked for."""
    return call_sites(one.requirements, one.algorithms)
