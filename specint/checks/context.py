"""What a check may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from specint.checks.finding import Evidence
from specint.compliance.judge import Judge, insists
from specint.compliance.model import MemberStatus, ModelCompliance
from specint.contract.model import Contract, Requirement
from specint.facts.load import Loader
from specint.graph.attributes import Attributes
from specint.graph.dataflow import DataFlow
from specint.graph.project import ClassNode

if TYPE_CHECKING:
    from specint.source.tree import SourceFile

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Context:
    """One analysed tree: facts and graph behind `judge`, verdicts in `models`.

    Attributes:
        own: the modules that a user laid beside SGLang.
        everything: the contract with all interfaces, where `contract` is limited to those that were asked for.
    """

    judge: Judge
    contract: Contract
    models: tuple[ModelCompliance, ...]
    loader: Loader
    own: frozenset[str] = frozenset()
    everything: Contract | None = None
    _answers: dict[Callable[[Context], Any], Any] = field(default_factory=dict)

    @cached_property
    def flow(self) -> DataFlow:
        """What bodies reach for, one engine for all rules."""
        judge = self.judge
        written = frozenset(r.member for r in self.contract.requirements if r.use == "write")
        return DataFlow(Attributes(judge.project, judge.hierarchy, judge.composition), written)

    def once(self, question: Callable[[Context], Answer]) -> Answer:
        """What a question about the whole tree is answered with, worked out when a rule first needs it.

        The question is a function of the module that knows the answer, so that this one needs to know none of them.
        """
        if question not in self._answers:
            self._answers[question] = question(self)
        return self._answers[question]  # type: ignore[no-any-return]

    def is_own(self, model: ModelCompliance) -> bool:
        """Whether a model is a user's own, and not one of the SGLang that is read."""
        return self.node(model).module.name in self.own

    def node(self, model: ModelCompliance) -> ClassNode:
        """The class behind a verdict."""
        node = self.judge.project.class_by_key(model.class_)
        assert node is not None
        return node

    def source(self, node: ClassNode) -> tuple[SourceFile, bytes] | None:
        """The file that a class stands in, with its text; None where it is gone, or was changed since it was read."""
        return self.loader.source(node.module.name)

    def insisted(self, member: str) -> tuple[Requirement, ...]:
        """The requirements by which some algorithm fails on a target without a member (or a group with it)."""
        return tuple(
            r
            for r in self.contract.requirements
            if r.member == member and any(insists(r, algorithm) for algorithm in r.algorithms)
        )


def gaps(model: ModelCompliance) -> dict[str, tuple[str, ...]]:
    """Label of a missing requirement ("a", or "a|b" for an any-of) -> the algorithms that miss it."""
    found: dict[str, list[str]] = {}
    for algorithm, verdict in model.algorithms.items():
        for label in verdict.missing:
            found.setdefault(label, []).append(algorithm)
    return {label: tuple(algorithms) for label, algorithms in found.items()}


def call_sites(requirements: Iterable[Requirement], algorithms: Iterable[str]) -> Iterator[Evidence]:
    """Where the algorithms ask for what requirements are about."""
    names = tuple(algorithms)
    found: dict[tuple[str, int, str, str], set[str]] = {}
    for requirement in requirements:
        concerned = [name for name in names if name in requirement.algorithms]
        verb = {"call": "called", "read": "read", "write": "written"}[requirement.use]
        for site in requirement.sites:
            if under := site.under(concerned):
                without = f"; without it line {site.raised_at} raises" if site.raised_at else ""
                key = (site.file, site.line, f"{requirement.member} is {verb} here", f"{site.function}{without}")
                found.setdefault(key, set()).update(under)
    for (file, line, what, function), algorithms_there in found.items():
        ordered = ", ".join(name for name in names if name in algorithms_there)
        yield Evidence(file=file, line=line, what=f"{what} for {ordered}, in {function}")


def providers(status: MemberStatus, member: str) -> Iterator[Evidence]:
    """The way to the class that has a member, through an inner model."""
    for inner in status.inners:
        if inner.status != "present" or not inner.line:
            continue
        holder, provider = inner.holder.rpartition(".")[2], (inner.provider or "").rpartition(".")[2]
        inherited = f" -> inherited from {provider}" if provider != holder else ""
        under = f" (where {inner.condition})" if inner.condition else ""
        yield Evidence(
            file=inner.file, line=inner.line, what=f"{member} is here: {inner.attribute} -> {holder}{inherited}{under}"
        )
