"""The few places that are declared in `rules/contract.toml`, found again in the tree under analysis."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

import msgspec

from specint.data import rules_text
from specint.errors import SpecintError
from specint.graph.project import ClassNode, Project


class AlgorithmRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where the algorithms are named, and under which names one is kept."""

    enum: str
    none: str
    attributes: tuple[str, ...]
    option: str
    option_modules: tuple[str, ...]
    reason: str


class RunnerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps a model, and in which attribute."""

    class_: str = msgspec.field(name="class")
    model: str
    reason: str


class WorkerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What owns a runner, and how the two sides are told apart."""

    class_: str = msgspec.field(name="class")
    target_parameter: str
    draft_flag: str
    reason: str


class CodeRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Which packages are scanned, and where models name themselves."""

    packages: tuple[str, ...]
    workers: str
    models: str
    registry_attribute: str
    registry: str
    registry_table: str
    reason: str


class DraftRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a checkpoint is turned into a draft, and what only drafts read."""

    configuration: str
    flag: str
    attribute: str
    handed_over: tuple[str, ...]
    reason: str


class ArchitectureRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What tells the model's class."""

    function: str
    required: bool
    reason: str


class InnerRoot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a wrapper hands over the model within it."""

    function: str
    parameter: str
    required: bool
    reason: str


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """`rules/contract.toml` as it stands."""

    algorithm: AlgorithmRoot
    runner: RunnerRoot
    worker: WorkerRoot
    code: CodeRoot
    draft: DraftRoot
    architecture: ArchitectureRoot
    inner: InnerRoot


def declared_modules() -> tuple[str, ...]:
    """The modules besides the code packages that the declared places are in, below the top package."""
    data = declared()
    functions = (data.architecture.function, data.inner.function)
    return (*data.algorithm.option_modules, *(name.rpartition(".")[0] for name in functions))


@cache
def declared() -> Declared:
    """The declarations, read once."""
    return msgspec.convert(tomllib.loads(rules_text("contract.toml")), Declared)


@dataclass(frozen=True)
class Roots:
    """The declared places as nodes of one tree."""

    declared: Declared
    enum: ClassNode
    runner: ClassNode
    worker: ClassNode


def find_roots(project: Project) -> Roots:
    """The roots in a tree.

    Raises:
        SpecintError: one matches nothing; the contract could only be guessed without it.
    """
    data = declared()

    def find(table: str, dotted: str) -> ClassNode:
        node = project.class_by_key(f"{project.package}.{dotted}")
        if node is None:
            raise SpecintError(
                f"no class {project.package}.{dotted} in this tree, so no contract can be read from it",
                f"rules/contract.toml [{table}]",
                "is this a whole SGLang? If it moved the class, declare its new name there",
            )
        return node

    return Roots(
        data,
        enum=find("algorithm", data.algorithm.enum),
        runner=find("runner", data.runner.class_),
        worker=find("worker", data.worker.class_),
    )
